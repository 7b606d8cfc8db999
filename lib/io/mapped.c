/* SPDX-License-Identifier: MIT */
#include "io/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/codec.h"
#include "io/descriptor.h"
#include "io/reader.h"

/* Returns the form of the bytes at the position of fd; NULL when they are not compressed. Ignores
 * read errors, which the next read reports. */
static const struct sh_codec *codec_of(int fd)
{
	char head[SH_CODEC_MAGIC];
	off_t at = lseek(fd, 0, SEEK_CUR);
	size_t n = 0;

	while (n < sizeof head) {
		ssize_t got = pread(fd, head + n, sizeof head - n, (at < 0 ? 0 : at) + (off_t)n);

		if (got == 0 || (got < 0 && errno != EINTR))
			break;
		n += got < 0 ? 0 : (size_t)got;
	}
	return n > 0 ? sh_codec_of(sh_slice(head, n)) : NULL;
}

/* Returns whether the file has a size. Files of /proc have bytes, but their size is 0. */
static bool has_size(int fd, const struct stat *st)
{
	char byte;

	return st->st_size > 0 || pread(fd, &byte, 1, 0) == 0;
}

/* Returns 1; 0 when the input cannot be mapped; or -1. */
static int is_mappable(struct sh_mapped *m, const struct stat *st, struct sh_error *err)
{
	if (S_ISDIR(st->st_mode)) {
		errno = EISDIR;
		return sh_cannot_read(m->name, err);
	}
	m->regular = S_ISREG(st->st_mode);
	if (!m->regular)
		return 0;
	m->codec = codec_of(m->fd);
	return !m->codec && has_size(m->fd, st);
}

/* Maps the file at the beginning of a larger region: SH_PAD bytes behind the file are readable. */
static int map(struct sh_mapped *m, uint64_t size, struct sh_error *err)
{
	if (size > SIZE_MAX / 2)
		return sh_error_set(err, SH_ERR_IO,
		    "cannot map '%s': %llu bytes are more than this machine addresses", m->name,
		    (unsigned long long)size);
	m->size = (size_t)size;
	m->length = m->size + SH_PAD;
	m->base = mmap(NULL, m->length, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m->base == MAP_FAILED) {
		m->base = NULL;
		return sh_error_sys(err, "cannot map '%s'", m->name);
	}
	if (m->size &&
	    mmap(m->base, m->size, PROT_READ, MAP_PRIVATE | MAP_FIXED, m->fd, 0) == MAP_FAILED)
		return sh_error_sys(err, "cannot map '%s'", m->name);
	return 0;
}

int sh_mapped_open(struct sh_mapped *m, const char *name, struct sh_error *err)
{
	struct stat st;
	off_t at;
	int got = -1;

	*m = (struct sh_mapped){ .name = name };
	m->fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	if (m->fd < 0) {
		m->fd = 0;
		return sh_cannot_open(name, err);
	}
	if (fstat(m->fd, &st) < 0)
		sh_error_sys(err, "cannot look at '%s'", name);
	else
		got = is_mappable(m, &st, err);
	if (got == 0)
		return 0;
	if (got > 0 && map(m, (uint64_t)st.st_size, err) == 0) {
		/* Standard input may have been read in part by another program. */
		at = lseek(m->fd, 0, SEEK_CUR);
		at = at < 0 ? 0 : at > st.st_size ? st.st_size : at;
		m->p = (const char *)m->base + at;
		m->n = m->size - (size_t)at;
		return 1;
	}
	sh_mapped_close(m);
	return -1;
}

/* Copies the bytes of a reader that has read all. */
static int map_copy(struct sh_mapped *m, struct sh_slice all, struct sh_error *err)
{
	m->n = m->size = all.n;
	m->length = all.n + SH_PAD;
	m->base = mmap(NULL, m->length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (m->base == MAP_FAILED) {
		m->base = NULL;
		return sh_error_nomem(err);
	}
	if (all.n)
		memcpy(m->base, all.p, all.n);
	m->p = m->base;
	return 0;
}

int sh_mapped_load(struct sh_mapped *m, const char *name, struct sh_error *err)
{
	int got = sh_mapped_open(m, name, err), fd = m->fd;
	struct sh_reader reader;

	if (got != 0)
		return got < 0 ? -1 : 0;
	*m = (struct sh_mapped){ .name = name };
	if (sh_reader_open_fd(&reader, fd, name, err) < 0)
		return -1;
	got = sh_reader_need(&reader, SIZE_MAX, err);
	if (got == 0)
		got = map_copy(m, sh_reader_ready(&reader), err);
	sh_reader_close(&reader);
	return got;
}

void sh_mapped_close(struct sh_mapped *m)
{
	if (m->base)
		munmap(m->base, m->length);
	if (m->fd > STDIN_FILENO)
		close(m->fd);
	*m = (struct sh_mapped){ 0 };
}

void sh_mapped_close_descriptor(struct sh_mapped *m)
{
	if (m->fd > STDIN_FILENO)
		close(m->fd);
	m->fd = -1;
}

int sh_mapped_check(const struct sh_mapped *m, struct sh_error *err)
{
	struct stat st;

	if (fstat(m->fd, &st) < 0)
		return sh_error_sys(err, "cannot look at '%s'", m->name);
	if ((uint64_t)st.st_size != m->size)
		return sh_error_set(err, SH_ERR_IO, "'%s' has changed while it was read", m->name);
	return 0;
}

void sh_mapped_forget(const struct sh_mapped *m)
{
	if (m->size)
		madvise(m->base, m->size, MADV_DONTNEED);
}

int sh_mapped_read(const struct sh_mapped *m, uint64_t at, void *to, size_t n, struct sh_error *err)
{
	char *p = to;

	at += (uint64_t)(m->p - (const char *)m->base);
	while (n) {
		ssize_t got = pread(m->fd, p, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return sh_error_sys(err, "cannot read '%s'", m->name);
		if (got == 0)
			return sh_error_set(
			    err, SH_ERR_IO, "'%s' has changed while it was read", m->name);
		p += got;
		n -= (size_t)got;
		at += (uint64_t)got;
	}
	return 0;
}
