/* SPDX-License-Identifier: MIT */
#include "io/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/descriptor.h"

/* Creates a file and removes its name. Signals are blocked until the name is removed. */
static int open_named(const char *dir)
{
	char *name = NULL;
	sigset_t hold;
	int fd, why;

	if (asprintf(&name, "%s/simhash.XXXXXX", dir) < 0)
		return -1;
	sh_hold_begin(&hold);
	fd = mkostemp(name, O_CLOEXEC);
	why = errno;
	if (fd >= 0)
		unlink(name);
	sh_hold_end(&hold);
	free(name);
	errno = why;
	return fd;
}

const char *sh_spill_folder(const char *dir)
{
	if (!dir)
		dir = getenv("TMPDIR");
	return dir && *dir ? dir : "/tmp";
}

int sh_spill_open(const char *dir, struct sh_error *err)
{
	int fd;

	dir = sh_spill_folder(dir);
	/* Some file systems do not support O_TMPFILE. */
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = open_named(dir);
	if (fd < 0)
		sh_error_sys(err, "cannot create a temporary file in '%s' (TMPDIR)", dir);
	return fd;
}

void sh_spill_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

int sh_spill_write(int fd, const void *p, size_t n, struct sh_error *err)
{
	return sh_write_all(fd, p, n) < 0
		   ? sh_error_sys(
			 err, "cannot write a temporary file (TMPDIR names another folder)")
		   : 0;
}

int sh_spill_read(int fd, void *p, size_t n, uint64_t at, struct sh_error *err)
{
	ssize_t got = sh_read_at(fd, p, n, at);

	if (got < 0)
		return sh_error_sys(err, "cannot read a temporary file");
	return (size_t)got == n ? 0
				: sh_error_set(err, SH_ERR_IO, "a temporary file was cut short");
}
