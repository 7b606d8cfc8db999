/* SPDX-License-Identifier: MIT */
#include "io/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/descriptor.h"
#include "io/target.h"

enum {
	FLUSH_AT = 128 * 1024, /* bytes; the cost of a system call is then small beside the copy */
	/* bytes of NAME in the temporary name .NAME.XXXXXX */
	BASE_MAX = NAME_MAX - 2 - SH_REPLACE_UNIQUE,
};

/* Frees the memory. Leaves the descriptor open, and the temporary file in place. */
static void release(struct sh_sink *s)
{
	free(s->tmp);
	free(s->target);
	free(s->own_name);
	sh_buf_free(&s->buf);
	if (s->encoder)
		s->form->encode.stop(s->encoder);
	sh_buf_free(&s->packed);
	s->encoder = NULL;
	s->tmp = s->target = s->own_name = NULL;
	s->fd = -1;
}

/* Returns ".NAME.XXXXXX" in the folder of the target, with blanks for the bytes XXXXXX, which will
 * be unique. NAME is the target's name, cut when the temporary name would be too long. */
static char *temporary_name(const char *target)
{
	const char *slash = strrchr(target, '/');
	const char *base = slash ? slash + 1 : target;
	char *name = NULL;

	if (asprintf(&name, "%.*s.%.*s.%*s", (int)(base - target), target, BASE_MAX, base,
		SH_REPLACE_UNIQUE, "") < 0)
		return NULL;
	return name;
}

/* Creates the temporary file in the folder of the target. */
static int open_beside(struct sh_sink *s, struct sh_error *err)
{
	/* The check is made before all work is done: the rename comes at the end. */
	if (!sh_is_replaceable(s->target))
		return sh_error_sys(err,
		    "cannot replace '%s' by another file (standard output, by >, is written into "
		    "it)",
		    s->target);
	s->tmp = temporary_name(s->target);
	if (!s->tmp)
		return sh_error_nomem(err);
	s->fd = sh_replace_create(s->tmp, s->target, err);
	s->durable = true;
	if (s->fd >= 0)
		return 0;
	free(s->tmp);
	s->tmp = NULL;
	return -1;
}

/* Returns whether fd can be written; if not, sets errno. When standard output is closed, some
 * programs replace it by a descriptor for reading only. */
static bool writable(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY)
		return true;
	errno = EBADF;
	return false;
}

static int open_file(struct sh_sink *s, const char *path, struct sh_error *err)
{
	int fd;

	switch (sh_target_find(path, &s->target)) {
	case SH_TARGET_OPEN:
		/* A file that the shell has opened is written directly, and not replaced. */
		fd = sh_target_descriptor(path);
		s->fd = writable(fd) ? fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
		break;
	case SH_TARGET_DIRECT:
		s->fd = open(path, O_WRONLY | O_CLOEXEC);
		break;
	case SH_TARGET_FILE:
		return open_beside(s, err);
	case SH_TARGET_NOWHERE:
		return sh_error_sys(err, "cannot write to '%s'", path);
	}
	return s->fd < 0 ? sh_error_sys(err, "cannot open '%s'", path) : 0;
}

int sh_sink_open(struct sh_sink *s, const char *path, struct sh_error *err)
{
	*s = (struct sh_sink){ .fd = STDOUT_FILENO, .name = "standard output" };
	if (path && strcmp(path, "-") != 0) {
		s->name = path;
		s->fd = -1;
		if (open_file(s, path, err) < 0) {
			sh_sink_abort(s);
			return -1;
		}
	} else if (!writable(STDOUT_FILENO)) {
		return sh_error_sys(err, "cannot write to standard output");
	}
	sh_enlarge_pipe(s->fd);
	return 0;
}

void sh_sink_take(struct sh_sink *s, int fd, char *name)
{
	*s = (struct sh_sink){ .fd = fd, .name = name, .own_name = name, .durable = true };
}

int sh_sink_compress(struct sh_sink *s, const struct sh_codec *form, struct sh_error *err)
{
	if (!form->encode.start)
		return sh_codec_unwritable(form, err);
	s->encoder = form->encode.start();
	if (!s->encoder || sh_buf_reserve(&s->packed, SH_CODEC_ROOM, err) < 0)
		return sh_error_nomem(err);
	s->form = form;
	return 0;
}

/* Writes bytes without the buffer, compressed or not. end: ends a compressed stream. */
static int write_bytes(struct sh_sink *s, const char *p, size_t n, bool end, struct sh_error *err)
{
	struct sh_slice in = sh_slice(n ? p : "", n), out = in;
	enum sh_codec_state state = SH_CODEC_MORE;

	if (n == 0 && !end)
		return 0;
	do {
		if (s->form) {
			char *to = s->packed.p;

			state = s->form->encode.step(s->encoder, &in, &to, SH_CODEC_ROOM, end);
			out = sh_slice(s->packed.p, (size_t)(to - s->packed.p));
		} else {
			in.n = 0;
		}
		if (state == SH_CODEC_NOMEM)
			return sh_error_nomem(err);
		if (state != SH_CODEC_MORE && state != SH_CODEC_END)
			return sh_error_set(err, SH_ERR_IO, "%s failed to compress", s->form->name);
		if (sh_write_all(s->fd, out.p, out.n) < 0)
			return sh_error_sys(err, "cannot write to %s", s->name);
	} while (in.n || (s->form && end && state != SH_CODEC_END));
	return 0;
}

/* Writes the first n buffered bytes, whole lines if they are summed. */
static int flush(struct sh_sink *s, size_t n, struct sh_error *err)
{
	size_t rest = s->buf.n - n;
	int status;

	if (s->trailer)
		sh_sum_lines(&s->sum, s->buf.p, n, s->crlf);
	status = write_bytes(s, s->buf.p, n, false, err);
	if (rest && n)
		memmove(s->buf.p, s->buf.p + n, rest);
	s->buf.n = s->unfinished = rest;
	return status;
}

int sh_sink_flush(struct sh_sink *s, struct sh_error *err)
{
	size_t n = s->buf.n, from = s->unfinished;
	const char *lf = s->trailer && n > from ? memrchr(s->buf.p + from, '\n', n - from) : NULL;

	if (s->trailer)
		n = lf ? (size_t)(lf - s->buf.p) + 1 : 0;
	return flush(s, n, err);
}

int sh_sink_sync(struct sh_sink *s, struct sh_error *err)
{
	if (sh_sink_flush(s, err) < 0)
		return -1;
	return fsync(s->fd) < 0 ? sh_error_sys(err, "cannot sync '%s'", s->name) : 0;
}

char *sh_sink_room(struct sh_sink *s, size_t need, struct sh_error *err)
{
	if (s->buf.n >= FLUSH_AT && sh_sink_flush(s, err) < 0)
		return NULL;
	if (sh_buf_reserve(&s->buf, need > FLUSH_AT ? need : FLUSH_AT, err) < 0)
		return NULL;
	return s->buf.p + s->buf.n;
}

int sh_sink_write(struct sh_sink *s, const void *p, size_t n, struct sh_error *err)
{
	char *room;

	if (n >= FLUSH_AT && !s->trailer)
		return sh_sink_flush(s, err) < 0 ? -1 : write_bytes(s, p, n, false, err);
	room = sh_sink_room(s, n, err);
	if (!room)
		return -1;
	if (n)
		memcpy(room, p, n);
	s->buf.n += n;
	return 0;
}

/* Flushes all, and appends the trailer. Its sum includes a last line without newline. */
static int write_trailer(struct sh_sink *s, struct sh_error *err)
{
	char text[SH_TRAILER_MAX];

	if (flush(s, s->buf.n, err) < 0)
		return -1;
	s->trailer = false;
	return sh_sink_write(s, text, sh_trailer_print(text, &s->sum), err);
}

/* Renames the temporary file, and syncs the folder: without that, a rename may be lost when the
 * power fails. The folder is opened first: after the rename, a failure to open it could not be
 * undone. A user who may write in the folder but not read it cannot sync it, and the output is
 * kept. */
static int publish(struct sh_sink *s, struct sh_error *err)
{
	char *folder = sh_target_folder(s->target);
	int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1, status = 0;

	if (!folder)
		return sh_error_nomem(err);
	free(folder);
	if (fd < 0 && errno != EACCES)
		return sh_error_sys(err, "cannot open the folder of '%s'", s->target);
	if (rename(s->tmp, s->target) < 0) {
		status = sh_error_sys(err, "cannot rename '%s' to '%s'", s->tmp, s->target);
	} else {
		free(s->tmp);
		s->tmp = NULL;
		/* Some file systems cannot sync a folder, and give EINVAL. */
		if (fd >= 0 && fsync(fd) < 0 && errno != EINVAL)
			status = sh_error_sys(err, "cannot sync the folder of '%s'", s->target);
	}
	if (fd >= 0)
		close(fd);
	return status;
}

int sh_sink_close(struct sh_sink *s, struct sh_error *err)
{
	int fd = s->fd, bad = s->trailer ? write_trailer(s, err) : 0;

	if (bad == 0)
		bad = sh_sink_flush(s, err);
	if (bad == 0 && s->form)
		bad = write_bytes(s, NULL, 0, true, err);
	if (bad == 0 && s->durable)
		bad = sh_sink_sync(s, err);
	s->fd = -1;
	if (close(fd) < 0 && bad == 0)
		bad = sh_error_sys(err, "cannot close %s", s->name);
	if (bad == 0 && s->tmp)
		bad = publish(s, err);
	if (bad < 0) {
		sh_sink_abort(s);
		return -1;
	}
	release(s);
	return 0;
}

void sh_sink_abort(struct sh_sink *s)
{
	if (s->fd > STDOUT_FILENO)
		close(s->fd);
	if (s->tmp)
		unlink(s->tmp);
	release(s);
}
