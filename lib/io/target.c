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

/* The folder of a path, with its slash, and a name in it. */
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

/* The path without its last component's symbolic links, whether or not anything is there: to be
 * freed, or NULL. */
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

enum sh_target sh_target_find(const char *path, char **target)
{
	struct stat st;

	if (sh_target_descriptor(path) >= 0)
		return SH_TARGET_OPEN;
	if (stat(path, &st) == 0) {
		if (!S_ISREG(st.st_mode))
			return SH_TARGET_STRAIGHT;
		*target = realpath(path, NULL);
	} else {
		*target = follow(path);
	}
	return *target ? SH_TARGET_FILE : SH_TARGET_NOWHERE;
}

/* The same, standard output among them. */
static int descriptor(const char *path)
{
	return !path || strcmp(path, "-") == 0 ? STDOUT_FILENO : sh_target_descriptor(path);
}

static bool is_one(const struct stat *x, const struct stat *y)
{
	return x->st_dev == y->st_dev && x->st_ino == y->st_ino && !S_ISCHR(x->st_mode);
}

/* Its device and number; for what is not there those of the folder, *name then being its name. */
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

/* Whether the path leads to the file that the shell has opened: to what `>` names. */
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
