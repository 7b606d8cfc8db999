/* SPDX-License-Identifier: MIT */
#include "io/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/num.h"
#include "io/descriptor.h"

/* statx(2); the headers of musl and older ones of glibc lack them. */
#ifndef STATX_ATTR_IMMUTABLE
#define STATX_ATTR_IMMUTABLE 0x10
#define STATX_ATTR_APPEND    0x20
#endif
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

/* ---- where an output goes ---- */

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

char *sh_target_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !slash ? strdup(".") : strndup(path, slash > path ? (size_t)(slash - path) : 1);
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

/* Returns whether both are one file, but no device such as /dev/null. */
static bool is_one(const struct stat *x, const struct stat *y)
{
	return sh_is_one_file(x, y) && !S_ISCHR(x->st_mode);
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

/* Gets device and inode of the file at a path, or open as fd if fd >= 0. When there is no file,
 * gets device and inode of the folder, and sets *name to the name in it. */
static int identity(const char *path, int fd, struct stat *st, char **name)
{
	char *target, *folder;
	const char *slash;
	int status = -1;

	*name = NULL;
	if (fd >= 0)
		return fstat(fd, st);
	if (stat(path, st) == 0)
		return 0;
	target = follow(path);
	folder = target ? sh_target_folder(target) : NULL;
	if (folder) {
		slash = strrchr(target, '/');
		*name = strdup(slash ? slash + 1 : target);
		status = *name ? stat(folder, st) : -1;
	}
	free(folder);
	free(target);
	return status;
}

bool sh_target_same(const char *a, const char *b)
{
	struct stat x, y;
	char *name[2] = { NULL, NULL };
	int fd = descriptor(a), other = descriptor(b);
	bool same = strcmp(a ? a : "-", b ? b : "-") == 0;

	if (fd >= 0 && other >= 0)
		return fd == other;
	if (identity(a, fd, &x, &name[0]) == 0 && identity(b, other, &y, &name[1]) == 0)
		same = is_one(&x, &y) && !name[0] == !name[1] &&
		       (!name[0] || strcmp(name[0], name[1]) == 0);
	free(name[0]);
	free(name[1]);
	return same;
}

/* ---- whether a file can be replaced ---- */

/* Examines the folder of the target. Returns 0, or -1 with errno. */
static int look_at_folder(const char *target, struct statx *folder)
{
	char *path = sh_target_folder(target);
	int status = -1;

	if (path)
		status = statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, folder);
	free(path);
	return status;
}

/* Returns whether the process has CAP_FOWNER. A process with this capability may remove files of
 * other users from a sticky folder. */
static bool may_remove_files_of_others(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return syscall(SYS_capget, &head, data) == 0 && (data[0].effective & 1u << CAP_FOWNER);
}

/* Returns whether another user has put the file into a sticky folder, such as /tmp. The owner of
 * the folder may remove all files in it. */
static bool is_of_another(const struct statx *file, const struct statx *folder)
{
	return (folder->stx_mode & S_ISVTX) && file->stx_uid != geteuid() &&
	       file->stx_uid != folder->stx_uid;
}

static bool is_kept(const struct statx *file, const struct statx *folder)
{
	const uint64_t fixed = STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND;

	if ((file->stx_attributes | folder->stx_attributes) & fixed)
		return true;
	return (folder->stx_mode & S_ISVTX) && file->stx_uid != geteuid() &&
	       folder->stx_uid != geteuid() && !may_remove_files_of_others();
}

bool sh_is_replaceable(const char *target)
{
	struct statx file, folder;

	if (statx(AT_FDCWD, target, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &file) < 0 ||
	    look_at_folder(target, &folder) < 0)
		return true;
	if (file.stx_attributes & STATX_ATTR_MOUNT_ROOT) {
		errno = EBUSY;
		return false;
	}
	errno = EPERM;
	return !is_kept(&file, &folder);
}

/* ---- the file that replaces it ---- */

/* Creates a file as mkostemp(3), but reduces the mode as open(2) does: by the umask, or by the
 * default access list of the folder. */
static int create_unique(char *name, mode_t mode)
{
	static const char digits[] =
	    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	char *end = name + strlen(name) - SH_REPLACE_UNIQUE;
	unsigned char random[SH_REPLACE_UNIQUE];
	int fd, tries = 100;

	do {
		if (getrandom(random, sizeof random, 0) != sizeof random)
			return -1;
		for (int i = 0; i < SH_REPLACE_UNIQUE; i++)
			end[i] = digits[random[i] % (sizeof digits - 1)];
		fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	} while (fd < 0 && errno == EEXIST && --tries);
	return fd;
}

/* Gives the file the access list (acl(5)) of the target. Returns false when the system refuses. */
static bool copy_access_list(int fd, const char *target)
{
	static const char name[] = "system.posix_acl_access";
	ssize_t n = getxattr(target, name, NULL, 0);
	char *list;
	bool done;

	/* The new file may have a list from its folder. A target without a list removes it. */
	if (n < 0 && (errno == ENODATA || errno == ENOTSUP))
		return fremovexattr(fd, name) == 0 || errno == ENODATA || errno == ENOTSUP;
	list = n > 0 ? malloc((size_t)n) : NULL;
	done = list && getxattr(target, name, list, (size_t)n) == n &&
	       fsetxattr(fd, name, list, (size_t)n, 0) == 0;
	free(list);
	return done;
}

/* Gives the file the owner and group of the target, or only the group. Returns false when the
 * system refuses both. */
static bool copy_owner(int fd, const struct statx *target)
{
	struct stat now;

	return (fstat(fd, &now) == 0 && now.st_uid == target->stx_uid &&
		   now.st_gid == target->stx_gid) ||
	       fchown(fd, target->stx_uid, target->stx_gid) == 0 ||
	       fchown(fd, (uid_t)-1, target->stx_gid) == 0;
}

/* Sets the mode, unless the file has it already: on vfat and CIFS all files have one mode, and only
 * root may call fchmod(). */
static int set_mode(int fd, mode_t mode)
{
	struct stat now;

	if (fstat(fd, &now) == 0 && (now.st_mode & 07777) == mode)
		return 0;
	return fchmod(fd, mode);
}

/* Gives the file owner, access list and mode of the target.
 *
 * The set-user-ID and set-group-ID bits are cleared, since the output may hold bytes of a hostile
 * input.
 *
 * When group or access list could not be copied, the group gets only the rights that all users
 * have. Otherwise a group could read the output and not the target. With an access list, the group
 * bits are the largest rights of its entries. */
static int copy_rights(int fd, const char *target, const struct statx *st)
{
	mode_t mode = st->stx_mode & 0777;

	if (!copy_owner(fd, st) || !copy_access_list(fd, target))
		mode &= 0707 | (mode & 07) << 3;
	return set_mode(fd, mode);
}

/* Creates the file with the rights that it can have at once. Sets *copy when it must also get the
 * rights of the target. */
static int create(char *name, const char *target, struct statx *file, bool *copy)
{
	struct statx folder;

	*copy = false;
	if (statx(AT_FDCWD, target, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, file) < 0)
		return create_unique(name, 0666);
	if (look_at_folder(target, &folder) == 0 && is_of_another(file, &folder))
		return create_unique(name, 0666 & file->stx_mode);
	*copy = true;
	return create_unique(name, 0600);
}

int sh_replace_create(char *name, const char *target, struct sh_error *err)
{
	struct statx file;
	bool copy;
	int fd = create(name, target, &file, &copy);

	if (fd < 0)
		return sh_error_sys(
		    err, "cannot create a temporary file in the folder of '%s'", target);
	if (!copy || copy_rights(fd, target, &file) == 0)
		return fd;
	sh_error_sys(err, "cannot set the mode of '%s'", name);
	close(fd);
	unlink(name);
	return -1;
}
