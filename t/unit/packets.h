/* SPDX-License-Identifier: MIT */
/* Gives a test bytes from a pipe in pieces of random sizes. The pipe is in packet mode, in which
 * one read returns one packet. */
#ifndef PACKETS_H
#define PACKETS_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "rng.h"
#include "tap.h"

enum { PACKETS_MAX = 14, PACKET_SIZE = 4096 };

struct packets {
	int end; /* descriptor to read from, also as the file /dev/fd/end */
	int into;
	struct sh_slice left; /* bytes still to be written */
	bool fed;             /* `feeder` is a thread that writes them */
	pthread_t feeder;
};

/* A user with many pipes gets pipes that hold at most two packets. Therefore a thread writes. */
static inline void *packets_feed(void *arg)
{
	struct packets *k = arg;

	while (k->left.n) {
		size_t n = k->left.n < PACKET_SIZE ? k->left.n : PACKET_SIZE;

		if (write(k->into, k->left.p, n) != (ssize_t)n)
			break; /* the reader has stopped */
		k->left = sh_slice(k->left.p + n, k->left.n - n);
	}
	close(k->into);
	return NULL;
}

/* b must stay unchanged until packets_close(). Most pieces have a few bytes, some up to `large`. */
static inline void packets_open(struct packets *k, const struct sh_buf *b, size_t large)
{
	int fd[2];

	signal(SIGPIPE, SIG_IGN);
	must(pipe2(fd, O_DIRECT | O_CLOEXEC) == 0);
	(void)fcntl(fd[1], F_SETPIPE_SZ, 1 << 20);
	must(fcntl(fd[1], F_SETFL, O_DIRECT | O_NONBLOCK) == 0);
	*k = (struct packets){ .end = fd[0], .into = fd[1], .left = sh_slice(b->p, b->n) };
	for (unsigned i = 0; k->left.n; i++) {
		size_t left = k->left.n, n = 1 + rng_below(rng_below(3) ? 40 : large);

		if (n > left || i + (left + PACKET_SIZE - 1) / PACKET_SIZE + 1 >= PACKETS_MAX)
			n = left < PACKET_SIZE ? left : PACKET_SIZE;
		if (write(k->into, k->left.p, n) != (ssize_t)n) {
			must(errno == EAGAIN);
			break;
		}
		k->left = sh_slice(k->left.p + n, left - n);
	}
	k->fed = k->left.n > 0;
	if (k->fed)
		must(fcntl(fd[1], F_SETFL, O_DIRECT) == 0 &&
		     pthread_create(&k->feeder, NULL, packets_feed, k) == 0);
	else
		close(fd[1]);
}

static inline void packets_close(struct packets *k)
{
	close(k->end);
	if (k->fed)
		pthread_join(k->feeder, NULL);
}

/* Several inputs, each a pipe, and their names. */
enum { FILES_MAX = 4 };

struct input {
	struct sh_buf text[FILES_MAX];
	char name[FILES_MAX][32];
	char *names[FILES_MAX];
	struct packets pipe[FILES_MAX]; /* behind each name */
	unsigned n;
};

static inline void open_input(struct input *in, size_t large)
{
	for (unsigned i = 0; i < in->n; i++) {
		packets_open(&in->pipe[i], &in->text[i], large);
		snprintf(in->name[i], sizeof in->name[i], "/dev/fd/%d", in->pipe[i].end);
		in->names[i] = in->name[i];
	}
}

static inline void close_input(struct input *in)
{
	for (unsigned i = 0; i < in->n; i++)
		packets_close(&in->pipe[i]);
}

#endif
