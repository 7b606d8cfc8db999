#include "io/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "io/descriptor.h"
#include "io/target.h"

enum {
	FLUSH_AT = 128 * 1024,
	UNIQUE = 6,                       /* letters or digits that end a temporary name */
	BASE_MAX = NAME_MAX - 2 - UNIQUE, /* of it what is not "." and "." and these */
};

static void release(struct sh_sink *s)
{
	free(s->tmp);
	free(s->target);
	sh_buf_free(&s->buf);
	sh_summer_free(&s->summer);
	s->tmp = s->target = NULL;
	s->fd = -1;
}

/* The access list (acl(5)) of the file to be replaced, or none; false: it could not be given. */
static bool take_access_list(int fd, const char *target)
{
	static const char name[] = "system.posix_acl_access";
	ssize_t n = getxattr(target, name, NULL, 0);
	char *list;
	bool done;

	/* One without a list gets none from its folder, either. */
	if (n < 0 && (errno == ENODATA || errno == ENOTSUP))
		return fremovexattr(fd, name) == 0 || errno == ENODATA || errno == ENOTSUP;
	list = n > 0 ? malloc((size_t)n) : NULL;
	done = list && getxattr(target, name, list, (size_t)n) == n &&
	       fsetxattr(fd, name, list, (size_t)n, 0) == 0;
	free(list);
	return done;
}

/* Owner and group of the file to be replaced, or its group alone; false: neither could be given. */
static bool take_owner(int fd, const struct stat *st)
{
	struct stat now;

	return (fstat(fd, &now) == 0 && now.st_uid == st->st_uid && now.st_gid == st->st_gid) ||
	       fchown(fd, st->st_uid, st->st_gid) == 0 || fchown(fd, (uid_t)-1, st->st_gid) == 0;
}

/* Where all files have one owner and mode (vfat, CIFS), nobody else may set a mode, nor need. */
static int take_mode(int fd, mode_t mode)
{
	struct stat now;

	if (fstat(fd, &now) == 0 && (now.st_mode & 07777) == mode)
		return 0;
	return fchmod(fd, mode);
}

/* Owner, access list and mode of the file to be replaced, as far as this user may: a group that did not have
 * it gets no more of it than everybody, nor does any where there is a list that cannot be given, for the
 * mode's group bits are then the most that one of the list has. Not that it runs as its owner, who is not to
 * run what stands in an input. */
static int set_mode(int fd, const char *target, const struct stat *st)
{
	mode_t mode = st->st_mode & 0777;

	if (!take_owner(fd, st) || !take_access_list(fd, target))
		mode &= 0707 | (mode & 07) << 3;
	return take_mode(fd, mode);
}

/* target's folder and "." and target's name, as far as it fits, and "." and room for what makes it unique. */
static char *temporary_name(const char *target)
{
	const char *slash = strrchr(target, '/');
	const char *base = slash ? slash + 1 : target;
	char *name = NULL;

	if (asprintf(&name, "%.*s.%.*s.%*s", (int)(base - target), target, BASE_MAX, base, UNIQUE,
		"") < 0)
		return NULL;
	return name;
}

/* As mkostemp(3), but with the mode of open(2): of it umask takes away, or the folder's default access list. */
static int create_unique(char *name, mode_t mode)
{
	static const char digits[] =
	    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	char *end = name + strlen(name) - UNIQUE;
	unsigned char random[UNIQUE];
	int fd, tries = 100;

	do {
		if (getrandom(random, sizeof random, 0) != sizeof random)
			return -1;
		for (int i = 0; i < UNIQUE; i++)
			end[i] = digits[random[i] % (sizeof digits - 1)];
		fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	} while (fd < 0 && errno == EEXIST && --tries);
	return fd;
}

static bool is_mounted(const char *path)
{
#ifdef STATX_ATTR_MOUNT_ROOT
	struct statx st;

	return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0, &st) == 0 &&
	       (st.stx_attributes & STATX_ATTR_MOUNT_ROOT);
#else
	(void)path;
	return false;
#endif
}

/* Whether a rename can take the place of what is there, as far as one can know before. Of a file
 * rmdir() removes nothing: it tells by EPERM that removal is not allowed, as that of another's file
 * in a sticky folder or of one that can only be appended to. */
static bool is_replaceable(const char *target)
{
	if (!is_mounted(target))
		return rmdir(target) == 0 || errno != EPERM;
	errno = EBUSY;
	return false;
}

static int open_beside(struct sh_sink *s, struct sh_error *err)
{
	struct stat st;
	bool replaces;

	/* Found out now, it costs nothing; by the rename, a day's work. */
	if (!is_replaceable(s->target))
		return sh_error_sys(err,
		    "cannot put another file in the place of '%s' (by > standard output is "
		    "written into it)",
		    s->target);
	s->tmp = temporary_name(s->target);
	if (!s->tmp)
		return sh_error_nomem(err);
	replaces = stat(s->target, &st) == 0;
	s->fd = create_unique(s->tmp, replaces ? 0600 : 0666);
	if (s->fd < 0) {
		free(s->tmp);
		s->tmp = NULL;
		return sh_error_sys(err, "cannot create a file beside '%s'", s->target);
	}
	if (replaces && set_mode(s->fd, s->target, &st) < 0)
		return sh_error_sys(err, "cannot set the mode of '%s'", s->tmp);
	return 0;
}

/* A program that found the descriptor closed may have filled its place with a read-only one. */
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
		/* Whose file it is stays open elsewhere: to replace it would part the two. */
		fd = sh_target_descriptor(path);
		s->fd = writable(fd) ? fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1) : -1;
		break;
	case SH_TARGET_STRAIGHT:
		s->fd = open(path, O_WRONLY | O_CLOEXEC);
		break;
	case SH_TARGET_FILE:
		return open_beside(s, err);
	case SH_TARGET_NOWHERE:
		return sh_error_sys(err, "cannot find the folder of '%s'", path);
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
		/* A closed output, too. */
		return sh_error_sys(err, "cannot write to standard output");
	}
	sh_enlarge_pipe(s->fd);
	return 0;
}

static int write_all(struct sh_sink *s, const char *p, size_t n, struct sh_error *err)
{
	return sh_write_all(s->fd, p, n) < 0 ? sh_error_sys(err, "cannot write to %s", s->name) : 0;
}

int sh_sink_flush(struct sh_sink *s, struct sh_error *err)
{
	size_t n = s->buf.n;

	s->buf.n = 0;
	if (s->trailer && sh_summer_add(&s->summer, s->buf.p, n, err) < 0)
		return -1;
	return write_all(s, s->buf.p, n, err);
}

char *sh_sink_room(struct sh_sink *s, size_t need, struct sh_error *err)
{
	if (s->buf.n >= FLUSH_AT && sh_sink_flush(s, err) < 0)
		return NULL;
	if (sh_buf_reserve(&s->buf, need > FLUSH_AT ? need : 2 * FLUSH_AT - s->buf.n, err) < 0)
		return NULL;
	return s->buf.p + s->buf.n;
}

int sh_sink_write(struct sh_sink *s, const void *p, size_t n, struct sh_error *err)
{
	char *room;

	if (n >= FLUSH_AT) {
		if (sh_sink_flush(s, err) < 0 ||
		    (s->trailer && sh_summer_add(&s->summer, p, n, err) < 0))
			return -1;
		return write_all(s, p, n, err);
	}
	room = sh_sink_room(s, n, err);
	if (!room)
		return -1;
	if (n)
		memcpy(room, p, n);
	sh_sink_used(s, n);
	return 0;
}

int sh_sink_write_lines(
    struct sh_sink *s, const void *p, size_t n, const struct sh_sum *sum, struct sh_error *err)
{
	if (!s->trailer)
		return sh_sink_write(s, p, n, err);
	if (sh_sink_flush(s, err) < 0)
		return -1;
	sh_sum_join(&s->summer.sum, sum);
	return write_all(s, p, n, err);
}

static int write_trailer(struct sh_sink *s, struct sh_error *err)
{
	char text[SH_TRAILER_MAX];

	if (sh_sink_flush(s, err) < 0)
		return -1;
	s->trailer = false;
	sh_sum_lines(&s->summer.sum, s->summer.part.p, s->summer.part.n, s->summer.crlf);
	return sh_sink_write(s, text, sh_trailer_print(text, &s->summer.sum), err);
}

/* A rename is on the disk only when its folder is. */
static int sync_folder(int fd, const char *target, struct sh_error *err)
{
	/* Some file systems cannot sync a folder, and say so with EINVAL. */
	if (fsync(fd) < 0 && errno != EINVAL)
		return sh_error_sys(err, "cannot sync the folder of '%s'", target);
	return 0;
}

/* To be synced. *fd is -1 for one in which this user may write but not read, and so cannot sync:
 * no reason to throw the output away. */
static int open_folder(const char *target, int *fd, struct sh_error *err)
{
	const char *slash = strrchr(target, '/');
	size_t n = slash ? (size_t)(slash - target) : 0;
	char *folder = slash ? strndup(target, n ? n : 1) : strdup(".");
	int status = 0;

	if (!folder)
		return sh_error_nomem(err);
	*fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0 && errno != EACCES)
		status = sh_error_sys(err, "cannot open the folder of '%s'", target);
	free(folder);
	return status;
}

/* Whatever can fail before the rename is done before it. */
static int publish(struct sh_sink *s, struct sh_error *err)
{
	int fd = -1, status;

	if (open_folder(s->target, &fd, err) < 0)
		return -1;
	status = rename(s->tmp, s->target);
	if (status < 0) {
		sh_error_sys(err, "cannot rename '%s' to '%s'", s->tmp, s->target);
	} else {
		free(s->tmp);
		s->tmp = NULL;
		status = fd < 0 ? 0 : sync_folder(fd, s->target, err);
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
	if (bad == 0 && s->tmp && fsync(fd) < 0)
		bad = sh_error_sys(err, "cannot sync '%s'", s->name);
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
