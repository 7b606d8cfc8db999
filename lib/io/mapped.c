#include "io/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/decompress.h"
#include "io/descriptor.h"
#include "io/spill.h"

enum { COPY_SIZE = 1 << 18 };

static ssize_t read_file(void *mapped, void *p, size_t n, struct sh_error *err)
{
	const struct sh_mapped *m = mapped;
	ssize_t got = sh_read_some(m->fd, p, n);

	return got < 0 ? sh_error_sys(err, "cannot read '%s'", m->name) : got;
}

/* Copies the input, decompressed, to a temporary file. */
static int copy(struct sh_mapped *m, int to, struct sh_error *err)
{
	struct sh_decompress packed = { 0 };
	struct sh_buf room = { 0 };
	ssize_t got = -1;
	bool decoding = false;

	if (sh_buf_reserve(&room, COPY_SIZE, err) == 0)
		got = read_file(m, room.p, COPY_SIZE, err);
	if (got > 0) {
		room.n = (size_t)got;
		got = sh_decompress_start(&packed, read_file, m, &room, 0, err);
		decoding = got < 0 || packed.layers > 0;
		m->codec = packed.layers ? packed.layer[0].codec : NULL;
		if (got == 0)
			got = (ssize_t)room.n;
	}
	while (got > 0 && (got = sh_spill_write(to, room.p, (size_t)got, err)) == 0)
		got = packed.layers ? sh_decompress_more(&packed, room.p, COPY_SIZE, err)
				    : read_file(m, room.p, COPY_SIZE, err);
	if (got < 0 && decoding && err->code != SH_ERR_NOMEM)
		err->file = m->name;
	sh_decompress_free(&packed);
	sh_buf_free(&room);
	return (int)got;
}

/* Returns whether the bytes at the position of fd are compressed. Ignores read errors, which the
 * next read reports. */
static bool is_compressed(int fd)
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
	return n > 0 && sh_codec_of(sh_slice(head, n));
}

/* Returns whether the file has a size. Files of /proc have bytes, but their size is 0. */
static bool has_size(int fd, const struct stat *st)
{
	char byte;

	return st->st_size > 0 || pread(fd, &byte, 1, 0) == 0;
}

/* Replaces the descriptor of an input that cannot be mapped by that of a copy. */
static int make_mappable(
    struct sh_mapped *m, struct stat *st, const char *dir, struct sh_error *err)
{
	int pipe = m->fd, copied;

	if (S_ISREG(st->st_mode) && has_size(pipe, st) && !is_compressed(pipe))
		return 0;
	if (S_ISDIR(st->st_mode)) {
		errno = EISDIR;
		return sh_cannot_read(m->name, err);
	}
	sh_enlarge_pipe(pipe);
	copied = sh_spill_open(dir, err);
	if (copied < 0)
		return -1;
	if (copy(m, copied, err) < 0) {
		close(copied);
		return -1;
	}
	m->fd = copied;
	if (pipe != STDIN_FILENO)
		close(pipe);
	lseek(m->fd, 0, SEEK_SET);
	return fstat(m->fd, st) < 0 ? sh_error_sys(err, "cannot look at '%s'", m->name) : 0;
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

int sh_mapped_open(struct sh_mapped *m, const char *name, const char *dir, struct sh_error *err)
{
	struct stat st;
	off_t at;

	*m = (struct sh_mapped){ .name = name };
	m->fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	if (m->fd < 0) {
		m->fd = 0;
		return sh_cannot_open(name, err);
	}
	if (fstat(m->fd, &st) < 0)
		sh_error_sys(err, "cannot look at '%s'", name);
	else if (make_mappable(m, &st, dir, err) == 0) {
		if (map(m, (uint64_t)st.st_size, err) == 0) {
			/* Standard input may have been read in part by another program. */
			at = lseek(m->fd, 0, SEEK_CUR);
			at = at < 0 ? 0 : at > st.st_size ? st.st_size : at;
			m->p = (const char *)m->base + at;
			m->n = m->size - (size_t)at;
			return 0;
		}
	}
	sh_mapped_close(m);
	return -1;
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
