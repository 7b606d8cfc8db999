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
	ssize_t n = sh_read_at(fd, head, sizeof head, at < 0 ? 0 : (uint64_t)at);

	return n > 0 ? sh_codec_of(sh_slice(head, (size_t)n)) : NULL;
}

/* Returns whether the file has a size. Files of /proc have bytes, but their size is 0. */
static bool has_size(int fd, const struct stat *st)
{
	char byte;

	return st->st_size > 0 || pread(fd, &byte, 1, 0) == 0;
}

/* Maps the file at the beginning of a larger region: SH_PAD bytes behind the file are readable. */
static int map(struct sh_mapped *m, uint64_t size, struct sh_error *err)
{
	off_t at = lseek(m->fd, 0, SEEK_CUR);

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
	/* Standard input may have been read in part by another program. */
	at = at < 0 ? 0 : (uint64_t)at > size ? (off_t)size : at;
	m->p = (const char *)m->base + at;
	m->n = m->size - (size_t)at;
	return 0;
}

int sh_mapped_open(struct sh_mapped *m, const char *name, struct sh_error *err)
{
	bool is_stdin = strcmp(name, "-") == 0;
	struct stat st;
	int got = -1;

	*m = (struct sh_mapped){ .name = name, .fd = -1 };
	/* The open of a FIFO would wait for its writer. */
	if (!is_stdin && stat(name, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return 0;
	m->fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (m->fd < 0)
		return sh_cannot_open(name, err);
	if (fstat(m->fd, &st) < 0) {
		sh_error_sys(err, "cannot look at '%s'", name);
	} else if (S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		sh_cannot_read(name, err);
	} else {
		m->codec = S_ISREG(st.st_mode) ? codec_of(m->fd) : NULL;
		got = S_ISREG(st.st_mode) && !m->codec && has_size(m->fd, &st);
	}
	if (got > 0 && map(m, (uint64_t)st.st_size, err) == 0)
		return 1;
	if (got == 0)
		sh_mapped_close_descriptor(m);
	else
		sh_mapped_close(m);
	return got == 0 ? 0 : -1;
}

int sh_mapped_fd(struct sh_mapped *m, int fd, const char *name, struct sh_error *err)
{
	struct stat st;

	*m = (struct sh_mapped){ .name = name, .fd = fd };
	if (fstat(fd, &st) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		sh_error_sys(err, "cannot look at '%s'", name);
	else if (map(m, (uint64_t)st.st_size, err) == 0)
		return 0;
	sh_mapped_close(m);
	return -1;
}

int sh_mapped_take(struct sh_mapped *m, struct sh_buf *bytes, struct sh_error *err)
{
	*m = (struct sh_mapped){ .fd = -1 };
	if (sh_buf_reserve(bytes, SH_PAD, err) < 0)
		return -1;
	memset(bytes->p + bytes->n, 0, SH_PAD);
	m->held = *bytes;
	m->p = bytes->p;
	m->n = bytes->n;
	*bytes = (struct sh_buf){ 0 };
	return 0;
}

int sh_mapped_load(struct sh_mapped *m, const char *name, struct sh_error *err)
{
	struct sh_buf all = { 0 };
	struct sh_reader reader;
	int got = sh_mapped_open(m, name, err);

	if (got != 0)
		return got < 0 ? -1 : 0;
	if (sh_reader_open(&reader, name, err) < 0)
		return -1;
	got = sh_reader_need(&reader, SIZE_MAX, err);
	if (got == 0)
		got = sh_reader_take(&reader, sh_reader_ready(&reader).n, &all, err);
	if (got == 0)
		got = sh_mapped_take(m, &all, err);
	sh_buf_free(&all);
	sh_reader_close(&reader);
	return got;
}

void sh_mapped_close(struct sh_mapped *m)
{
	if (m->base)
		munmap(m->base, m->length);
	sh_buf_free(&m->held);
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

static int changed(const struct sh_mapped *m, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_IO, "'%s' has changed while it was read", m->name);
}

int sh_mapped_check(const struct sh_mapped *m, struct sh_error *err)
{
	struct stat st;

	if (m->fd < 0)
		return 0;
	if (fstat(m->fd, &st) < 0)
		return sh_error_sys(err, "cannot look at '%s'", m->name);
	return (uint64_t)st.st_size == m->size ? 0 : changed(m, err);
}

void sh_mapped_expect(const struct sh_mapped *m, bool whole)
{
	if (m->size)
		madvise(m->base, m->size, whole ? MADV_SEQUENTIAL : MADV_RANDOM);
}

void sh_mapped_forget(const struct sh_mapped *m)
{
	if (m->size)
		madvise(m->base, m->size, MADV_DONTNEED);
}

int sh_mapped_read(
    const struct sh_mapped *m, const char *p, void *to, size_t n, struct sh_error *err)
{
	ssize_t got = sh_read_at(m->fd, to, n, (uint64_t)(p - (const char *)m->base));

	if (got < 0)
		return sh_error_sys(err, "cannot read '%s'", m->name);
	return (size_t)got == n ? 0 : changed(m, err);
}
