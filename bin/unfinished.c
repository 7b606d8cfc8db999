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
	struct sh_sink *sink;
	char name[PATH_MAX]; /* of the temporary file; "": there is none */
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
	char name[80]; /* of the program, with a colon and a blank */
	int status;
} end = { .status = EXIT_FAILURE };

/* Ends the program from a handler, which may call only functions that are safe there. */
_Noreturn static void end_with(const char *message)
{
	ssize_t ignored;

	remove_names();
	ignored = write(STDERR_FILENO, end.name, strlen(end.name));
	ignored = write(STDERR_FILENO, message, strlen(message));
	(void)ignored;
	_exit(end.status);
}

/* Handles SIGBUS. */
static void tell_cut(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code == BUS_ADRERR)
		end_with("an input was cut short while it was read\n");
	remove_all(sig);
}

void unfinished_tell_cut(const char *program, int status)
{
	struct sigaction watch = { .sa_sigaction = tell_cut, .sa_flags = SA_SIGINFO };

	snprintf(end.name, sizeof end.name, "%s: ", program);
	end.status = status;
	sigfillset(&watch.sa_mask);
	sigaction(SIGBUS, &watch, NULL);
}

/* libarchive ends the program by exit() when memory is short. */
static void end_unfinished(void)
{
	for (size_t i = 0; i < PLACES; i++)
		if (place[i].name[0])
			end_with("a library ended the program (is memory short?)\n");
}

/* Called before the first file is created: most runs create none, and this needs a hundred system
 * calls. */
static void watch_signals(void)
{
	static const int harmless[] = { SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG,
		SIGWINCH };
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
	for (int sig = 1; sig <= SIGRTMAX; sig++) {
		size_t i = 0, n = sizeof harmless / sizeof *harmless;

		while (i < n && sig != harmless[i])
			i++;
		/* Signals that nohup(1) ignores stay ignored. SIGKILL and SIGSTOP have no handler.
		 */
		if (i == n && sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
			sigaction(sig, &watch, NULL);
	}
}

/* Returns whether the open makes a file and so does not wait. The open of a FIFO may wait for a
 * reader forever. */
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
	bool holds = makes_file(path);
	size_t i = 0;
	sigset_t hold;
	int status;

	/* No signal arrives between the creation of the file and the note of its name. */
	if (holds)
		sh_hold_begin(&hold);
	status = sh_sink_open(s, path, err);
	while (i + 1 < PLACES && place[i].sink)
		i++;
	if (status == 0)
		place[i].sink = s;
	if (status == 0 && s->tmp) {
		strncpy(place[i].name, s->tmp, sizeof place[i].name - 1);
		watch_signals();
	}
	if (holds)
		sh_hold_end(&hold);
	return status;
}

int unfinished_close(struct sh_sink *s, struct sh_error *err)
{
	int status = sh_sink_close(s, err);

	for (size_t i = 0; i < PLACES; i++)
		if (place[i].sink == s) {
			place[i].name[0] = '\0';
			place[i].sink = NULL;
		}
	return status;
}

void unfinished_abort(void)
{
	for (size_t i = 0; i < PLACES; i++)
		if (place[i].sink) {
			sh_sink_abort(place[i].sink);
			place[i].name[0] = '\0';
			place[i].sink = NULL;
		}
}
