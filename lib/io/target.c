/* SPDX-License-Identifier: MIT */
#include "io/target.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"

enum { LINKS_MAX = 40 };

int sh_target_descriptor(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	uint64_t fd;

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(folders[i]);

		if (strncmp(path, folders[i], n) == 0 &&
		    sh_parse_u64(sh_slice_str(path + n), &fd) == 0 && fd <= INT_MAX)
			return (int)fd;
	}
	return -1;
}

/* Joins the folder of a path and a name in that folder. */
static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	char *joined = NULL;

	if (*name == '/' || !slash)
		return strdup(name);
	if (asprintf(&joined, "%.*s%s", (int)(slash + 1 - path), path, name) < 0)
		return NULL;
	return joined;
}

/* Returns the path without symbolic links in its last component. No file need be there. Returns
 * NULL with errno on failure. The caller frees the result. The kernel follows links of folders. */
static char *follow(const char *path)
{
	char *at = strdup(path), *next, link[PATH_MAX];
	ssize_t n;

	for (int hops = 0; at && (n = readlink(at, link, sizeof link - 1)) >= 0; hops++) {
		link[n] = '\0';
		next = hops < LINKS_MAX ? beside(at, link) : NULL;
		if (hops == LINKS_MAX)
			errno = ELOOP;
		free(at);
		at = next;
	}
	return at;
}

static bool is_one(const struct stat *x, const struct stat *y)
{
	return x->st_dev == y->st_dev && x->st_ino == y->st_ino && !S_ISCHR(x->st_mode);
}

/* Returns whether the kernel also follows the links of the path to the target. Returns false, with
 * the reason in errno, for links of other users in a sticky folder: the kernel refuses such links
 * (fs.protected_symlinks in proc(5)), but readlink(2) reads them. Call it after the links were
 * read: a link that was exchanged meanwhile leads elsewhere. */
static bool kernel_follows(const char *path, const char *target)
{
	struct stat by_kernel, found;

	if (stat(path, &by_kernel) == 0) {
		errno = ELOOP;
		return lstat(target, &found) == 0 && is_one(&by_kernel, &found);
	}
	return errno == ENOENT;
}

/* Sets *target for a path that is or will be a regular file. */
static enum sh_target find_file(const char *path, char **target)
{
	struct stat st;
	bool is_there = lstat(path, &st) == 0, is_link = is_there && S_ISLNK(st.st_mode);
	int saved;

	/* The temporary name is shorter than the final one, so only the rename would fail. */
	if (!is_there && errno == ENAMETOOLONG)
		return SH_TARGET_NOWHERE;
	*target = is_link ? follow(path) : strdup(path);
	if (!*target)
		return SH_TARGET_NOWHERE;
	if (!is_link || kernel_follows(path, *target))
		return SH_TARGET_FILE;
	saved = errno;
	free(*target);
	*target = NULL;
	errno = saved;
	return SH_TARGET_NOWHERE;
}

enum sh_target sh_target_find(const char *path, char **target)
{
	struct stat st;

	if (sh_target_descriptor(path) >= 0)
		return SH_TARGET_OPEN;
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return SH_TARGET_DIRECT;
	return find_file(path, target);
}

/* As sh_target_descriptor(), but NULL and "-" are also standard output. */
static int descriptor(const char *path)
{
	return !path || strcmp(path, "-") == 0 ? STDOUT_FILENO : sh_target_descriptor(path);
}

/* Gets device and inode of the file. When there is no file, gets device and inode of the folder,
 * and sets *name to the name in it. */
static int identity(const char *path, struct stat *st, char **name)
{
	char *target = NULL;
	const char *slash;
	int status;

	*name = NULL;
	if (stat(path, st) == 0)
		return 0;
	target = follow(path);
	if (!target)
		return -1;
	slash = strrchr(target, '/');
	*name = strdup(slash ? slash + 1 : target);
	target[slash ? slash - target + 1 : 0] = '\0';
	status = stat(*target ? target : ".", st);
	free(target);
	return *name ? status : -1;
}

/* Returns whether the path leads to the file that is open as fd, such as the file behind `>`. */
static bool is_open_as(const char *path, int fd)
{
	struct stat x, y;

	return stat(path, &x) == 0 && fstat(fd, &y) == 0 && is_one(&x, &y);
}

bool sh_target_same(const char *a, const char *b)
{
	struct stat x, y;
	char *name[2] = { NULL, NULL };
	int fd = descriptor(a), other = descriptor(b);
	bool same = strcmp(a ? a : "-", b ? b : "-") == 0;

	if (fd >= 0 && other >= 0)
		return fd == other;
	if (fd >= 0 || other >= 0)
		return is_open_as(fd >= 0 ? b : a, fd >= 0 ? fd : other);
	if (identity(a, &x, &name[0]) == 0 && identity(b, &y, &name[1]) == 0)
		same = is_one(&x, &y) && !name[0] == !name[1] &&
		       (!name[0] || strcmp(name[0], name[1]) == 0);
	free(name[0]);
	free(name[1]);
	return same;
}
