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

/* What has arrived. */
struct feed {
	int from; /* descriptor */
	struct sh_buf text;
	size_t whole; /* bytes of `text` that are whole lines */
	bool ended;   /* the input has ended, or a signal has arrived */
};

/* Opens the input. From here on SIGTERM and SIGINT end the feed, between two batches. */
static void open_feed(struct cli *c, struct feed *f)
{
	const struct sigaction act = { .sa_handler = stop };
	sigset_t ends;

	f->from = strcmp(c->operands[0], "-") != 0 ? open(c->operands[0], O_RDONLY | O_CLOEXEC)
						   : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (f->from < 0)
		die(c, c->operands[0]);
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
}

/* Waits for input, at most `wait` milliseconds; -1: without a limit. Reads some. */
static void read_some(struct cli *c, struct feed *f, int64_t wait)
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

uint64_t dedup_every(struct dedup_state *s, void (*run)(struct dedup_state *s))
{
	const int64_t interval = (int64_t)s->settings->every * 1000;
	const size_t most = s->settings->memory / 8; /* bytes of a batch, about */
	int64_t due = milliseconds();
	struct feed f = { 0 };
	uint64_t batches = 0;
	size_t partial;
	struct sh_error err;

	open_feed(s->cli, &f);
	for (;; batches++) {
		while (!f.ended && f.whole < most) {
			int64_t left = due - milliseconds();

			if (f.whole && left <= 0)
				break;
			read_some(s->cli, &f, f.whole ? left : -1);
			f.ended = f.ended || stopped;
		}
		if (!f.whole)
			break;
		due = milliseconds() + interval;
		partial = f.text.n - f.whole;
		s->lines = f.text;
		s->lines.n = f.whole;
		f.text = (struct sh_buf){ 0 };
		if (sh_buf_add(&f.text, s->lines.p + f.whole, partial, &err) < 0)
			cli_die(s->cli, &err);
		f.whole = 0;
		run(s);
	}
	close(f.from);
	sh_buf_free(&f.text);
	return batches;
}
