#include "io/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int sh_spill_open(const char *dir, struct sh_error *err)
{
	char *name = NULL;
	int fd;

	if (!dir)
		dir = getenv("TMPDIR");
	if (!dir || !*dir)
		dir = "/tmp";
	if (asprintf(&name, "%s/simhash.XXXXXX", dir) < 0)
		return sh_error_nomem(err);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		sh_error_sys(err, "cannot create a temporary file in '%s' (TMPDIR)", dir);
	else
		unlink(name);
	free(name);
	return fd;
}

int sh_spill_write(int fd, const void *p, size_t n, struct sh_error *err)
{
	const char *at = p;

	while (n) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return sh_error_sys(err, "cannot write a temporary file");
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

int sh_spill_read(int fd, void *p, size_t n, uint64_t at, struct sh_error *err)
{
	char *to = p;

	while (n) {
		ssize_t done = pread(fd, to, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return sh_error_sys(err, "cannot read a temporary file");
		if (done == 0)
			return sh_error_set(err, SH_ERR_IO, "a temporary file was cut short");
		to += done;
		n -= (size_t)done;
		at += (uint64_t)done;
	}
	return 0;
}
