/* SPDX-License-Identifier: MIT */
#include "io/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

/* Small enough that data in flight between two programs stays in the second-level cache. */
enum { PIPE_SIZE = 256 * 1024 };

/* Waits for an event, the end of fd, or a signal. Returns false with errno when poll(2) failed. */
static bool wait_for(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

ssize_t sh_read_some(int fd, void *p, size_t n)
{
	ssize_t got;

	do
		got = read(fd, p, n);
	while (got < 0 && (errno == EINTR || (errno == EAGAIN && wait_for(fd, POLLIN))));
	return got;
}

ssize_t sh_read_at(int fd, void *p, size_t n, uint64_t at)
{
	size_t done = 0;

	while (done < n) {
		ssize_t got = pread(fd, (char *)p + done, n - done, (off_t)(at + done));

		if (got < 0 && errno != EINTR)
			return -1;
		if (got == 0)
			break;
		done += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)done;
}

int sh_write_all(int fd, const void *p, size_t n)
{
	const char *at = p;

	while (n) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno != EINTR && !(errno == EAGAIN && wait_for(fd, POLLOUT)))
			return -1;
		if (done > 0) {
			at += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

int sh_cannot_read(const char *name, struct sh_error *err)
{
	if (errno == EISDIR)
		return sh_error_set(err, SH_ERR_IO,
		    "cannot read '%s': a folder (shdoc makes documents of its files)", name);
	return sh_error_sys(err, "cannot read '%s'", name);
}

int sh_cannot_open(const char *name, struct sh_error *err)
{
	/* Landlock does not change what access(2) answers. */
	if (errno == EACCES && faccessat(AT_FDCWD, name, R_OK, AT_EACCESS) == 0)
		return sh_error_set(err, SH_ERR_IO,
		    "cannot open '%s': it was replaced after this program began (run it again)",
		    name);
	return sh_error_sys(err, "cannot open '%s'", name);
}

void sh_enlarge_pipe(int fd)
{
#ifdef F_SETPIPE_SZ
	/* Fails when fd is no pipe, or above the system's limit: then the size stays as it is. */
	(void)fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE);
#else
	(void)fd;
#endif
}

void sh_hold_begin(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
}

void sh_hold_end(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}
