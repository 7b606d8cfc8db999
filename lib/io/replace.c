/* SPDX-License-Identifier: MIT */
#include "io/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

/* statx(2); the headers of musl and older ones of glibc lack them. */
#ifndef STATX_ATTR_IMMUTABLE
#define STATX_ATTR_IMMUTABLE 0x10
#define STATX_ATTR_APPEND    0x20
#endif
#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

/* ---- whether a file can be replaced ---- */

/* Examines the folder of the target. Returns 0, or -1 with errno. */
static int look_at_folder(const char *target, struct statx *folder)
{
	const char *slash = strrchr(target, '/');
	size_t n = slash ? (size_t)(slash - target) : 0;
	char *path = slash ? strndup(target, n ? n : 1) : strdup(".");
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
