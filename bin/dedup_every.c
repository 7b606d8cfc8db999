/* SPDX-License-Identifier: MIT */
/* shdedup --every: batches of lines that arrive on an input which stays open. */
#include "dedup.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "io/spill.h"

enum { READ = 1 << 16 };

/* Set by the handler. The signals are blocked except while the program waits for input, so a batch
 * is never interrupted. */
static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static int64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

_Noreturn static void die(struct cli *c, const char *file)
{
	struct sh_error err;

	sh_error_sys(&err, "cannot read '%s'", file);
	cli_die(c, &err);
}

void dedup_feed_open(struct cli *c, struct dedup_feed *f, uint64_t seconds)
{
	const struct sigaction act = { .sa_handler = stop };
	static char *const input[] = { "-" };
	sigset_t ends;

	f->to = -1;
	f->from = strcmp(c->operands[0], "-") != 0 ? open(c->operands[0], O_RDONLY | O_CLOEXEC)
						   : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (f->from < 0)
		die(c, c->operands[0]);
	c->operands = input;
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	f->began = milliseconds() - (int64_t)seconds * 1000;
}

/* Waits for input, at most `wait` milliseconds; -1: without a limit. Reads some. */
static void read_some(struct cli *c, struct dedup_feed *f, int64_t wait)
{
	struct pollfd fd = { .fd = f->from, .events = POLLIN };
	struct timespec limit = { (time_t)(wait / 1000), (long)(wait % 1000) * 1000000 };
	sigset_t none, blocked;
	struct sh_error err;
	const char *lf;
	ssize_t n;

	sigemptyset(&none);
	/* ppoll() leaves signals blocked when there is input at once. */
	sigprocmask(SIG_SETMASK, &none, &blocked);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	if (!stopped && ppoll(&fd, 1, wait < 0 ? NULL : &limit, &none) <= 0)
		return;
	if (stopped)
		return;
	if (sh_buf_reserve(&f->text, READ, &err) < 0)
		cli_die(c, &err);
	n = read(f->from, f->text.p + f->text.n, READ);
	if (n < 0 && errno != EINTR && errno != EAGAIN)
		die(c, "the input");
	if (n == 0) {
		f->ended = true;
		f->whole = f->text.n;
	}
	if (n <= 0)
		return;
	lf = memrchr(f->text.p + f->text.n, '\n', (size_t)n);
	f->text.n += (size_t)n;
	if (lf)
		f->whole = (size_t)(lf + 1 - f->text.p);
}

bool dedup_feed_next(struct cli *c, struct dedup_feed *f, uint64_t seconds)
{
	int64_t due = f->began + (int64_t)seconds * 1000;
	struct sh_error err;

	while (!f->ended && f->whole < f->memory) {
		int64_t left = due - milliseconds();

		if (f->whole && left <= 0)
			break;
		read_some(c, f, f->whole ? left : -1);
		f->ended = f->ended || stopped;
	}
	if (!f->whole)
		return false;
	f->began = milliseconds();
	if (f->to >= 0)
		sh_spill_close(f->to);
	f->to = sh_spill_open(c->tmpdir, &err);
	if (f->to < 0 || sh_spill_write(f->to, f->text.p, f->whole, &err) < 0)
		cli_die(c, &err);
	if (lseek(f->to, 0, SEEK_SET) < 0 || dup2(f->to, STDIN_FILENO) < 0)
		die(c, "the batch");
	f->text.n -= f->whole;
	memmove(f->text.p, f->text.p + f->whole, f->text.n);
	f->whole = 0;
	return true;
}

void dedup_feed_close(struct dedup_feed *f)
{
	if (f->to >= 0)
		sh_spill_close(f->to);
	close(f->from);
	sh_buf_free(&f->text);
}
