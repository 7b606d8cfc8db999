/* SPDX-License-Identifier: MIT */
#include "unfinished.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/descriptor.h"
#include "io/target.h"

enum { PLACES = 4, STACK = 64 * 1024 };

/* The handler may run at any instant: it needs complete names in static memory. */
static struct {
	const struct sh_sink *sink;
	char name[PATH_MAX];
} place[PLACES];

static void remove_names(void)
{
	for (size_t i = 0; i < PLACES; i++)
		if (place[i].name[0])
			unlink(place[i].name);
}

static void remove_all(int sig)
{
	remove_names();
	signal(sig, SIG_DFL);
	raise(sig);
}

static struct {
	char message[120];
	int n, status;
	size_t name_n; /* bytes of the message that name the program */
} cut = { .status = EXIT_FAILURE };

/* Handles SIGBUS: calls only functions that a signal handler may call. */
static void tell_cut(int sig, siginfo_t *info, void *context)
{
	ssize_t ignored;

	(void)context;
	if (info->si_code != BUS_ADRERR) {
		remove_all(sig);
		return;
	}
	remove_names();
	ignored = write(STDERR_FILENO, cut.message, (size_t)cut.n);
	(void)ignored;
	_exit(cut.status);
}

void unfinished_tell_cut(const char *program, int status)
{
	struct sigaction watch = { .sa_sigaction = tell_cut, .sa_flags = SA_SIGINFO };

	cut.n = snprintf(cut.message, sizeof cut.message,
	    "%s: an input was cut short while it was read\n", program);
	cut.name_n = strlen(program) + 2;
	cut.status = status;
	sigfillset(&watch.sa_mask);
	sigaction(SIGBUS, &watch, NULL);
}

/* libarchive ends the program by exit() when memory is short. */
static void end_unfinished(void)
{
	static const char message[] = "a library ended the program (is memory short?)\n";
	bool any = false;
	ssize_t ignored;

	for (size_t i = 0; i < PLACES; i++)
		any = any || place[i].name[0];
	if (!any)
		return;
	remove_names();
	ignored = write(STDERR_FILENO, cut.message, cut.name_n);
	ignored = write(STDERR_FILENO, message, sizeof message - 1);
	(void)ignored;
	_exit(cut.status);
}

/* Returns whether the signal ends a program by default, and can be caught. */
static bool ends(int sig)
{
	static const int harmless[] = { SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN,
		SIGTTOU, SIGURG, SIGWINCH };

	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (sig == harmless[i])
			return false;
	return true;
}

/* Called before the first file is created: most runs create none, and this needs a hundred system
 * calls. */
static void watch_signals(void)
{
	static bool watched;
	/* The handler has its own stack: the usual stack may have overflowed. */
	static char room[STACK];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof room };
	struct sigaction now, watch = { .sa_handler = remove_all, .sa_flags = SA_ONSTACK };

	if (watched)
		return;
	watched = true;
	atexit(end_unfinished);
	sigaltstack(&stack, NULL);
	sigfillset(&watch.sa_mask);
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		/* Signals that nohup(1) ignores stay ignored. */
		if (ends(sig) && sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
			sigaction(sig, &watch, NULL);
}

static void note(const struct sh_sink *s)
{
	for (size_t i = 0; i < PLACES; i++)
		if (!place[i].sink) {
			place[i].sink = s;
			strncpy(place[i].name, s->tmp, sizeof place[i].name - 1);
			return;
		}
}

static void forget(const struct sh_sink *s)
{
	for (size_t i = 0; i < PLACES; i++)
		if (place[i].sink == s) {
			place[i].name[0] = '\0';
			place[i].sink = NULL;
		}
}

static bool makes_file(const char *path)
{
	char *target;

	if (!path || strcmp(path, "-") == 0 || sh_target_find(path, &target) != SH_TARGET_FILE)
		return false;
	free(target);
	return true;
}

int unfinished_open(struct sh_sink *s, const char *path, struct sh_error *err)
{
	sigset_t hold;
	int status;

	/* A FIFO is opened with signals enabled: the open may wait for a reader forever. */
	if (!makes_file(path))
		return sh_sink_open(s, path, err);
	/* No signal arrives between the creation of the file and note(). */
	sh_hold_begin(&hold);
	status = sh_sink_open(s, path, err);
	if (status == 0 && s->tmp) {
		note(s);
		watch_signals();
	}
	sh_hold_end(&hold);
	return status;
}

int unfinished_close(struct sh_sink *s, struct sh_error *err)
{
	int status = sh_sink_close(s, err);

	forget(s);
	return status;
}

void unfinished_abort(struct sh_sink *s)
{
	sh_sink_abort(s);
	forget(s);
}
