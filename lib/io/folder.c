/* SPDX-License-Identifier: MIT */
#include "io/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io/descriptor.h"

enum { READ_SIZE = 1 << 16 };

#define LOOK_AGAIN 20000000 /* nanoseconds between two attempts to lock */

/* Some file systems cannot sync a folder: they answer EINVAL. */
int sh_folder_sync(const struct sh_folder *f, struct sh_error *err)
{
	if (fsync(f->fd) < 0 && errno != EINVAL)
		return sh_error_sys(err, "cannot sync the folder '%s'", f->path);
	return 0;
}

/* Syncs the folder above, which holds the name of this folder. Does nothing when the folder above
 * cannot be read. */
static int sync_name(const struct sh_folder *f, struct sh_error *err)
{
	struct sh_folder above = *f;
	int status;

	above.fd = openat(f->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (above.fd < 0)
		return 0;
	status = sh_folder_sync(&above, err);
	close(above.fd);
	return status;
}

int sh_folder_open(struct sh_folder *f, const char *path, bool create, struct sh_error *err)
{
	bool made = create && mkdir(path, 0777) == 0;

	*f = (struct sh_folder){ .path = path, .fd = -1, .lock = -1, .lock_name = "lock" };
	if (create && !made && errno != EEXIST)
		return sh_error_sys(err, "cannot make the folder '%s'", path);
	f->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->fd < 0)
		return sh_error_sys(err, "cannot open the folder '%s'", path);
	return made ? sync_name(f, err) : 0;
}

void sh_folder_unlock(struct sh_folder *f)
{
	if (f->lock >= 0)
		close(f->lock);
	f->lock = -1;
}

void sh_folder_close(struct sh_folder *f)
{
	sh_folder_unlock(f);
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

/* ---- the lock ---- */

static uint64_t nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Tries until `wait` seconds have passed. The kernel cannot wait with a limit: only a signal ends
 * its wait, and signals belong to the program. */
static int wait_for(struct sh_folder *f, int how, uint64_t wait, struct sh_error *err)
{
	uint64_t begun = nanoseconds();
	struct timespec pause = { 0, LOOK_AGAIN };

	while (flock(f->lock, how | LOCK_NB) < 0) {
		/* NFS and SMB give EBADF for a file that is open for reading only. */
		if (errno == EBADF)
			errno = EACCES;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return sh_error_sys(err, "cannot lock '%s/%s'", f->path, f->lock_name);
		if ((nanoseconds() - begun) / 1000000000 >= wait)
			return sh_error_set(err, SH_ERR_PARAM,
			    "'%s' is in use by another run (--wait SECONDS waits for it)", f->path);
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* Returns whether the locked file still has the lock's name. Returns true when this cannot be
 * determined. */
static bool is_held(const struct sh_folder *f)
{
	struct stat mine, there;

	if (f->lock < 0)
		return true;
	if (fstatat(f->fd, f->lock_name, &there, 0) < 0)
		return errno != ENOENT;
	return fstat(f->lock, &mine) < 0 || sh_is_one_file(&mine, &there);
}

static int must_hold(const struct sh_folder *f, struct sh_error *err)
{
	if (is_held(f))
		return 0;
	return sh_error_set(err, SH_ERR_PARAM,
	    "'%s/%s' was removed or replaced meanwhile: do not remove it; run the command again",
	    f->path, f->lock_name);
}

int sh_folder_lock(struct sh_folder *f, bool alone, uint64_t wait, struct sh_error *err)
{
	/* Opens the file for writing: NFS and SMB need that for an exclusive lock. */
	if (f->lock < 0)
		f->lock = openat(f->fd, f->lock_name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	/* A user who may not write can lock an existing file. */
	if (f->lock < 0) {
		int why = errno;

		f->lock = openat(f->fd, f->lock_name, O_RDONLY | O_CLOEXEC);
		if (errno == ENOENT)
			errno = why;
	}
	if (f->lock < 0)
		return sh_error_sys(err, "cannot open '%s/%s'", f->path, f->lock_name);
	return wait_for(f, alone ? LOCK_EX : LOCK_SH, wait, err) < 0 ? -1 : must_hold(f, err);
}

bool sh_folder_in_place(const struct sh_folder *f)
{
	struct stat here, there;

	return fstat(f->fd, &here) == 0 && stat(f->path, &there) == 0 &&
	       sh_is_one_file(&here, &there);
}

/* ---- names ---- */

int sh_folder_list(const struct sh_folder *f, sh_folder_name *each, void *arg, struct sh_error *err)
{
	int status = 0, fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry = NULL;

	while (dir && status == 0) {
		errno = 0;
		entry = readdir(dir);
		if (!entry)
			break;
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			status = each(arg, entry->d_name, err);
	}
	if (!entry && errno) {
		status = sh_error_sys(err, "cannot list the folder");
		err->file = f->path;
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	return status;
}

int sh_folder_has(const struct sh_folder *f, const char *name, struct sh_error *err)
{
	struct stat st;

	if (must_hold(f, err) < 0)
		return -1;
	if (fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return 1;
	return errno == ENOENT ? 0 : sh_error_sys(err, "cannot look at '%s/%s'", f->path, name);
}

int sh_folder_remove(const struct sh_folder *f, const char *name, struct sh_error *err)
{
	if (must_hold(f, err) < 0)
		return -1;
	if (unlinkat(f->fd, name, 0) < 0 && errno != ENOENT)
		return sh_error_sys(err, "cannot remove '%s/%s'", f->path, name);
	return 0;
}

void sh_folder_drop(const struct sh_folder *f, const char *name)
{
	if (is_held(f))
		(void)unlinkat(f->fd, name, 0);
}

int sh_folder_publish(
    const struct sh_folder *f, const char *from, const char *to, struct sh_error *err)
{
	if (sh_folder_sync(f, err) < 0 || must_hold(f, err) < 0)
		return -1;
	if (renameat(f->fd, from, f->fd, to) < 0)
		return sh_error_sys(err, "cannot rename '%s/%s' to '%s'", f->path, from, to);
	return sh_folder_sync(f, err);
}

/* ---- reading ---- */

int sh_folder_read(
    const struct sh_folder *f, const char *name, struct sh_buf *all, struct sh_error *err)
{
	int fd = openat(f->fd, name, O_RDONLY | O_CLOEXEC), status = 1;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return sh_error_sys(err, "cannot open '%s/%s'", f->path, name);
	while (status == 1) {
		ssize_t n;

		if (sh_buf_reserve(all, READ_SIZE, err) < 0) {
			status = -1;
			break;
		}
		n = sh_read_some(fd, all->p + all->n, READ_SIZE);
		if (n < 0)
			status = sh_error_sys(err, "cannot read '%s/%s'", f->path, name);
		if (n <= 0)
			break;
		all->n += (size_t)n;
	}
	close(fd);
	return status;
}

int sh_folder_map(struct sh_mapped *m, const struct sh_folder *f, const char *name, uint64_t size,
    struct sh_error *err)
{
	int fd = openat(f->fd, name, O_RDONLY | O_CLOEXEC);
	struct stat st;

	*m = (struct sh_mapped){ 0 };
	if (fd < 0 && errno == ENOENT)
		return sh_error_set(err, SH_ERR_RECORD,
		    "'%s/%s' is missing: restore the archive from a backup", f->path, name);
	if (fd < 0)
		return sh_error_sys(err, "cannot open '%s/%s'", f->path, name);
	if (fstat(fd, &st) < 0) {
		sh_error_sys(err, "cannot look at '%s/%s'", f->path, name);
	} else if ((uint64_t)st.st_size != size) {
		sh_error_set(err, SH_ERR_RECORD,
		    "'%s/%s' has %llu bytes, not %llu: restore the archive from a backup", f->path,
		    name, (unsigned long long)st.st_size, (unsigned long long)size);
	} else {
		if (sh_mapped_fd(m, fd, name, err) < 0)
			return -1;
		/* An archive may have more segments than a process may have descriptors. */
		sh_mapped_close_descriptor(m);
		return 0;
	}
	close(fd);
	return -1;
}

/* ---- writing ---- */

int sh_folder_create(
    struct sh_sink *out, const struct sh_folder *f, const char *name, struct sh_error *err)
{
	char *path;
	int fd;

	*out = (struct sh_sink){ 0 };
	if (must_hold(f, err) < 0)
		return -1;
	if (asprintf(&path, "%s/%s", f->path, name) < 0)
		return sh_error_nomem(err);
	fd = openat(f->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0) {
		sh_sink_take(out, fd, path);
		return 0;
	}
	sh_error_sys(err, "cannot create '%s'", path);
	free(path);
	return -1;
}

int sh_folder_put(
    const struct sh_folder *f, const char *name, const void *p, size_t n, struct sh_error *err)
{
	struct sh_sink out;

	if (sh_folder_create(&out, f, name, err) < 0)
		return -1;
	if (sh_sink_write(&out, p, n, err) == 0)
		return sh_sink_close(&out, err);
	sh_sink_abort(&out);
	return -1;
}
