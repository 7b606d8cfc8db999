#include "io/decompress.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/descriptor.h"
#include "io/spill.h"

extern char **environ;

/* The fourth byte of bzip2's is a level, 1 to 9. Nothing at all, compressed, has the constant
 * of the end behind it in place of that of a block. */
static bool is_bzip2(struct sh_slice head)
{
	return head.n >= 6 && memcmp(head.p, "BZh", 3) == 0 && head.p[3] >= '1' &&
	       head.p[3] <= '9' &&
	       (memcmp(head.p + 4, "1A", 2) == 0 || memcmp(head.p + 4, "\x17r", 2) == 0) &&
	       (head.n < 10 || memcmp(head.p + 6, "Y&SY", 4) == 0 ||
		   memcmp(head.p + 6, "E8P\x90", 4) == 0);
}

/* Frames to be skipped may stand before those of zstd's own: pzstd(1) writes them. */
static bool is_skippable(struct sh_slice head)
{
	return head.n >= 4 && (head.p[0] & 0xF0) == 0x50 &&
	       memcmp(head.p + 1, "\x2A\x4D\x18", 3) == 0;
}

static const struct form {
	char magic[SH_COMPRESSED_MAGIC + 1];
	size_t n;
	const char *program;
	const char *const argv[5];
	bool (*is)(struct sh_slice head); /* instead of the magic, or NULL */
} forms[] = {
	{ "\x1F\x8B", 2, "gzip", { "gzip", "-dc" }, NULL },
	{ "\x1F\x9D", 2, "gzip", { "gzip", "-dc" }, NULL }, /* compress(1) */
	/* Large windows are common in published collections. */
	{ "\x28\xB5\x2F\xFD", 4, "zstd", { "zstd", "-dcq", "--long=31" }, NULL },
	{ "", 0, "zstd", { "zstd", "-dcq", "--long=31" }, is_skippable },
	{ "", 0, "bzip2", { "bzip2", "-dc" }, is_bzip2 },
	{ "\xFD"
	  "7zXZ\0",
	    6, "xz", { "xz", "-dcq" }, NULL },
};

static const struct form *form_of(struct sh_slice head)
{
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (forms[i].is
			? forms[i].is(head)
			: head.n >= forms[i].n && memcmp(head.p, forms[i].magic, forms[i].n) == 0)
			return &forms[i];
	return NULL;
}

const char *sh_decompressor(struct sh_slice head)
{
	const struct form *form = form_of(head);

	return form ? form->program : NULL;
}

int sh_refuse_compressed(struct sh_slice head, struct sh_error *err)
{
	const struct form *form = form_of(head);

	return form ? sh_error_set(err, SH_ERR_RECORD, "the input is compressed (%s -dc undoes it)",
			  form->program)
		    : 0;
}

/* ---- what stands before the decompressor when the input cannot be read twice ---- */

static void copy_to(int to, const char *p, size_t n)
{
	if (sh_write_all(to, p, n) < 0)
		_exit(0); /* the decompressor has enough, and says why */
}

_Noreturn static void feed(int from, int to, struct sh_slice head)
{
	char room[64 * 1024];
	ssize_t got;

	copy_to(to, head.p, head.n);
	while ((got = sh_read_some(from, room, sizeof room)) > 0)
		copy_to(to, room, (size_t)got);
	_exit(got < 0);
}

/* A process that writes head and the rest of fd into a pipe: the end to read from, or -1. */
static int start_feeder(struct sh_decompress *d, int fd, struct sh_slice head, struct sh_error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return sh_error_sys(err, "cannot make a pipe");
	d->feeder = fork();
	if (d->feeder == 0) {
		/* The handlers of the program itself are not meant for this one. */
		for (int sig = 1; sig < 32; sig++)
			signal(sig, sig == SIGPIPE ? SIG_IGN : SIG_DFL);
		close(ends[0]);
		feed(fd, ends[1], head);
	}
	close(ends[1]);
	if (d->feeder < 0) {
		d->feeder = 0;
		close(ends[0]);
		return sh_error_sys(err, "cannot start a process");
	}
	return ends[0];
}

/* ---- the decompressor ---- */

static int spawn(struct sh_decompress *d, const struct form *form, int in, int out)
{
	posix_spawn_file_actions_t actions;
	char *argv[6] = { 0 };
	int status;

	for (size_t i = 0; i < 5; i++)
		argv[i] = (char *)(uintptr_t)form->argv[i];
	status = posix_spawn_file_actions_init(&actions);
	if (status)
		return status;
	if ((status = posix_spawn_file_actions_adddup2(&actions, in, 0)) == 0 &&
	    (status = posix_spawn_file_actions_adddup2(&actions, out, 1)) == 0 &&
	    (status = posix_spawn_file_actions_adddup2(&actions, d->errors, 2)) == 0)
		status = posix_spawnp(&d->pid, form->program, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return status;
}

static void clean_up(struct sh_decompress *d)
{
	if (d->errors >= 0)
		close(d->errors);
	*d = (struct sh_decompress){ .errors = -1 };
}

static int wait_for(pid_t pid, int *status)
{
	pid_t got;

	do
		got = waitpid(pid, status, 0);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -1 : 0;
}

/* SIGKILL: SIGTERM can be ignored or blocked from the start, and a feeder that has just begun would
 * handle it as the program does, which removes the outputs. Neither has anything to clean up. */
static void stop_feeder(struct sh_decompress *d)
{
	int status;

	if (d->feeder) {
		kill(d->feeder, SIGKILL);
		wait_for(d->feeder, &status);
		d->feeder = 0;
	}
}

/* The descriptor with the beginning of the input to come, or -1. */
static int whole_input(struct sh_decompress *d, int fd, struct sh_slice head, struct sh_error *err)
{
	if (head.n == 0 || lseek(fd, -(off_t)head.n, SEEK_CUR) >= 0)
		return fd;
	return start_feeder(d, fd, head, err);
}

int sh_decompress_start(struct sh_decompress *d, const char *program, int fd, struct sh_slice head,
    struct sh_error *err)
{
	int ends[2] = { -1, -1 }, in, status;

	*d = (struct sh_decompress){ .errors = sh_spill_open(NULL, err) };
	if (d->errors < 0)
		return -1;
	in = whole_input(d, fd, head, err);
	if (in < 0) {
		clean_up(d);
		return -1;
	}
	status = pipe2(ends, O_CLOEXEC) < 0 ? errno : spawn(d, form_of(head), in, ends[1]);
	if (in != fd)
		close(in);
	if (ends[1] >= 0)
		close(ends[1]);
	if (status == 0) {
		d->program = program;
		return ends[0];
	}
	if (ends[0] >= 0)
		close(ends[0]);
	stop_feeder(d);
	clean_up(d);
	errno = status;
	return sh_error_sys(
	    err, "compressed, and %s, which would decompress it, cannot be run", program);
}

/* The first line that the program wrote to its standard error. */
static void first_line(int fd, char *text, size_t room)
{
	ssize_t n = pread(fd, text, room - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	while (*text == '\n' || *text == '\r')
		memmove(text, text + 1, strlen(text));
	text[strcspn(text, "\n")] = '\0';
}

int sh_decompress_end(struct sh_decompress *d, bool all, struct sh_error *err)
{
	char said[200];
	int status = 0, fed = 0, bad = 0;

	if (!d->program)
		return 0;
	if (!all) {
		kill(d->pid, SIGKILL);
		stop_feeder(d);
	}
	bad = wait_for(d->pid, &status);
	/* What is still to be written to it may never come to an end. */
	if (bad == 0 && d->feeder) {
		kill(d->feeder, SIGKILL);
		bad = wait_for(d->feeder, &fed);
	}
	if (bad < 0)
		sh_error_sys(err, "cannot tell how %s ended", d->program);
	first_line(d->errors, said, sizeof said);
	if (bad == 0 && all && WIFEXITED(fed) && WEXITSTATUS(fed))
		bad = sh_error_set(
		    err, SH_ERR_IO, "cannot read what %s should decompress", d->program);
	else if (bad == 0 && all && WIFSIGNALED(status))
		bad = sh_error_set(err, SH_ERR_IO,
		    "%s died of signal %d; the file was not read "
		    "to its end",
		    d->program, WTERMSIG(status));
	else if (bad == 0 && all && status)
		bad = sh_error_set(err, SH_ERR_IO,
		    "%s ended with status %d, so the file is cut short or damaged%s%s", d->program,
		    WEXITSTATUS(status), *said ? ": " : "", said);
	else if (bad == 0 && all && strstr(said, "trailing garbage"))
		/* What bzip2 says of a damaged stream behind another, and ends well. */
		bad = sh_error_set(err, SH_ERR_IO,
		    "%s did not read the file's end, so it is cut short or damaged: %s", d->program,
		    said);
	clean_up(d);
	return bad;
}
