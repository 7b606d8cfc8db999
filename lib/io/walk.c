/* SPDX-License-Identifier: MIT */
#include "io/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "io/descriptor.h"
#include "io/folder.h"

/* The entries of an open folder. The name of a folder ends in a slash: strcmp() gives the order of
 * paths. */
struct walk_level {
	struct sh_walk *walk;
	struct sh_folder folder;
	char **name;
	size_t n, cap;
};

bool sh_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool sh_is_open_file(const char *path, int fd)
{
	struct stat a, b;

	return stat(path, &a) == 0 && fstat(fd, &b) == 0 && sh_is_one_file(&a, &b);
}

bool sh_is_input(const char *name, const char *path)
{
	struct stat a, b;
	bool there = (strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &a) : stat(name, &a)) == 0;

	return there && S_ISREG(a.st_mode) && stat(path, &b) == 0 && sh_is_one_file(&a, &b);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void level_free(struct walk_level *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->name[i]);
	free(l->name);
	sh_folder_close(&l->folder);
}

static int add(struct walk_level *l, const char *name, bool folder, struct sh_error *err)
{
	if (SH_RESERVE(l->name, l->cap, l->n + 1, err) < 0)
		return -1;
	if (asprintf(&l->name[l->n], "%s%s", name, folder ? "/" : "") < 0)
		return sh_error_nomem(err);
	l->n++;
	return 0;
}

/* Returns whether the name is that of a temporary output file: .NAME.XXXXXX, X letters and digits.
 * Refuses small letters alone, as in .name.config: a file of the user may have this name. */
static bool is_temporary(const char *name)
{
	size_t n = strlen(name);
	bool random = false;

	if (n < 9 || name[0] != '.' || name[n - 7] != '.')
		return false;
	for (const char *p = name + n - 6; *p; p++) {
		random = random || (*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z');
		if (!((*p >= '0' && *p <= '9') || ((*p | 32) >= 'a' && (*p | 32) <= 'z')))
			return false;
	}
	return random;
}

/* Adds the entry `name` of the folder to the list, or counts it. An entry that cannot be examined
 * is treated as a file: opening it will give the reason. */
static int classify(void *level, const char *name, struct sh_error *err)
{
	struct walk_level *l = level;
	struct sh_walk *w = l->walk;
	struct stat st;
	bool known = fstatat(l->folder.fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;

	if (known && S_ISLNK(st.st_mode)) {
		if (!w->follow) {
			w->links++;
			return 0;
		}
		known = fstatat(l->folder.fd, name, &st, 0) == 0;
	}
	if (known && S_ISDIR(st.st_mode))
		return add(l, name, true, err);
	if (known && !S_ISREG(st.st_mode)) {
		w->special++;
		return 0;
	}
	if (is_temporary(name)) {
		w->temporary++;
		return 0;
	}
	return add(l, name, false, err);
}

/* Opens the file `name` of the folder and passes it to w->file(). The open never waits, and the
 * type of the open file decides: a link, a FIFO or a device may have replaced the file. */
static int file(struct sh_walk *w, const struct walk_level *l, const char *name, const char *path,
    struct sh_error *err)
{
	struct stat st;
	int status,
	    fd = openat(l->folder.fd, name,
		O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (w->follow ? 0 : O_NOFOLLOW));

	if (fd < 0 && errno == ELOOP && !w->follow) {
		w->links++;
		return 0;
	}
	if (fd < 0) {
		sh_error_sys(err, "cannot open the file");
		err->file = path;
		return w->trouble(w->arg, err);
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return w->file(w->arg, path, fd, err);
	w->special++;
	status = close(fd);
	return status < 0 ? sh_error_sys(err, "cannot close '%s'", path) : 0;
}

/* Returns 1 when the open folder is visited for the first time, 0 when it is not, or -1. */
static int is_new(struct sh_walk *w, int fd, struct sh_error *err)
{
	struct stat st;
	uint64_t key[2];
	uint32_t index;
	bool fresh;

	if (fstat(fd, &st) < 0)
		return sh_error_sys(err, "cannot look at the folder");
	key[0] = (uint64_t)st.st_dev;
	key[1] = (uint64_t)st.st_ino;
	return sh_hmap_put(
		   &w->visited, sh_slice((const char *)key, sizeof key), &index, &fresh, err) < 0
		   ? -1
		   : fresh;
}

/* Opens the folder, whose name ends in a slash. Removes the slash: the system would follow a link
 * whose name ends in a slash. */
static int open_folder(const struct sh_walk *w, const struct walk_level *above, const char *name)
{
	char *bare;
	int fd;

	if (!above)
		return open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bare = strndup(name, strlen(name) - 1);
	fd = bare ? openat(above->folder.fd, bare,
			O_RDONLY | O_DIRECTORY | O_CLOEXEC | (w->follow ? 0 : O_NOFOLLOW))
		  : -1;
	free(bare);
	return fd;
}

/* Visits the folder `name` of the level above. path: the full path with a final slash. */
static int visit(struct sh_walk *w, const struct walk_level *above, const char *name,
    const char *path, struct sh_error *err)
{
	struct walk_level l = {
		.walk = w,
		.folder = { .path = path, .fd = open_folder(w, above, name), .lock = -1 },
	};
	int status = 0, bad;

	bad = l.folder.fd < 0 ? sh_error_sys(err, "cannot open the folder")
			      : is_new(w, l.folder.fd, err);
	if (bad == 0)
		w->links++;
	else if (bad > 0)
		bad = sh_folder_list(&l.folder, classify, &l, err);
	if (l.n)
		qsort(l.name, l.n, sizeof *l.name, by_name);
	if (bad < 0) {
		status = -1;
		if (err->code == SH_ERR_IO) {
			err->file = path;
			status = w->trouble(w->arg, err);
		}
	}
	for (size_t i = 0; i < l.n && status == 0; i++) {
		const char *entry = l.name[i];
		char *below;

		if (asprintf(&below, "%s%s", path, entry) < 0) {
			status = sh_error_nomem(err);
			break;
		}
		status = entry[strlen(entry) - 1] == '/' ? visit(w, &l, entry, below, err)
							 : file(w, &l, entry, below, err);
		free(below);
	}
	level_free(&l);
	return status;
}

int sh_walk(struct sh_walk *w, const char *folder, struct sh_error *err)
{
	size_t n = strlen(folder);
	char *path;
	int status;

	if (asprintf(&path, "%s%s", folder, n && folder[n - 1] == '/' ? "" : "/") < 0)
		return sh_error_nomem(err);
	status = sh_hmap_init(&w->visited, err);
	if (status == 0)
		status = visit(w, NULL, path, path, err);
	sh_hmap_free(&w->visited);
	free(path);
	return status;
}
