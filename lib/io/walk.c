#include "io/walk.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

enum kind { WALK_FILE, WALK_FOLDER };

/* name of a folder: with a slash behind, so that plain comparison gives the order of paths */
struct entry {
	char *name;
	enum kind kind;
};

struct level {
	const struct level *above;
	dev_t dev;
	ino_t ino;
	struct entry *entry;
	size_t n, cap;
};

bool sh_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool sh_is_open_file(const char *path, int fd)
{
	struct stat a, b;

	return stat(path, &a) == 0 && fstat(fd, &b) == 0 && is_same(&a, &b);
}

bool sh_is_input(const char *name, const char *path)
{
	struct stat a, b;
	bool there = (strcmp(name, "-") == 0 ? fstat(STDIN_FILENO, &a) : stat(name, &a)) == 0;

	return there && S_ISREG(a.st_mode) && stat(path, &b) == 0 && is_same(&a, &b);
}

static int by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void level_free(struct level *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->entry[i].name);
	free(l->entry);
}

static int add(struct level *l, const char *name, enum kind kind, struct sh_error *err)
{
	void *p = l->entry;

	if (l->n == l->cap && sh_grow(&p, &l->cap, l->n + 1, sizeof *l->entry, err) < 0)
		return -1;
	l->entry = p;
	l->entry[l->n].kind = kind;
	if (asprintf(&l->entry[l->n].name, "%s%s", name, kind == WALK_FOLDER ? "/" : "") < 0)
		return sh_error_nomem(err);
	l->n++;
	return 0;
}

static bool in_circle(const struct level *l, const struct stat *st)
{
	for (; l; l = l->above)
		if (l->dev == st->st_dev && l->ino == st->st_ino)
			return true;
	return false;
}

/* Put what stands under `name` in the list, or count it. What cannot be looked at is taken
 * for a file: opening it will tell. */
static int classify(
    struct sh_walk *w, struct level *l, const char *folder, const char *name, struct sh_error *err)
{
	char *path;
	struct stat st;
	bool link, known;

	if (asprintf(&path, "%s%s", folder, name) < 0)
		return sh_error_nomem(err);
	known = lstat(path, &st) == 0;
	link = known && S_ISLNK(st.st_mode);
	if (link && w->follow)
		known = stat(path, &st) == 0;
	free(path);
	if (link && !w->follow) {
		w->links++;
		return 0;
	}
	if (known && S_ISDIR(st.st_mode)) {
		if (!in_circle(l, &st))
			return add(l, name, WALK_FOLDER, err);
		w->links++;
		return 0;
	}
	if (known && !S_ISREG(st.st_mode)) {
		w->special++;
		return 0;
	}
	return add(l, name, WALK_FILE, err);
}

static int list(struct sh_walk *w, struct level *l, const char *folder, struct sh_error *err)
{
	DIR *dir = opendir(folder);
	struct dirent *d;
	struct stat st;
	int bad = 0;

	if (!dir || fstat(dirfd(dir), &st) < 0)
		bad = sh_error_sys(err, "cannot open the folder");
	if (bad == 0) {
		l->dev = st.st_dev;
		l->ino = st.st_ino;
	}
	while (bad == 0) {
		errno = 0;
		d = readdir(dir);
		if (!d) {
			if (errno)
				bad = sh_error_sys(err, "cannot read the folder");
			break;
		}
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			bad = classify(w, l, folder, d->d_name, err);
	}
	if (dir)
		closedir(dir);
	if (l->n)
		qsort(l->entry, l->n, sizeof *l->entry, by_name);
	return bad;
}

/* folder ends in a slash. As deep as paths go: the system limits their length. */
static int visit(
    struct sh_walk *w, const struct level *above, const char *folder, struct sh_error *err)
{
	struct level l = { .above = above };
	int status = 0;

	if (list(w, &l, folder, err) < 0) {
		status = -1;
		if (err->code == SH_ERR_IO) {
			err->file = folder;
			status = w->trouble(w->arg, err);
		}
	}
	for (size_t i = 0; i < l.n && status == 0; i++) {
		char *path;

		if (asprintf(&path, "%s%s", folder, l.entry[i].name) < 0) {
			status = sh_error_nomem(err);
			break;
		}
		status = l.entry[i].kind == WALK_FOLDER ? visit(w, &l, path, err)
							: w->file(w->arg, path, err);
		free(path);
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
	status = visit(w, NULL, path, err);
	free(path);
	return status;
}
