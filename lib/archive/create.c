/* A new archive. */
#include <stdio.h>

#include "archive/change.h"

/* ---- the folder must be empty ---- */

/* The contents of a folder without the files that a killed creation leaves. */
struct contents {
	const struct sh_folder *folder;
	struct sh_journal journal; /* of the killed creation */
	char name[256];            /* the least name */
	size_t n;
};

/* Returns whether the file is left over from a killed creation: an empty lock, the journal, or a
 * file that the journal names. */
static int is_left_over(struct contents *c, const char *name, struct sh_error *err)
{
	struct sh_buf text = { 0 };
	int got = 1;

	if (strcmp(name, "lock") == 0) {
		got = sh_folder_read(c->folder, name, &text, err);
		got = got < 0 ? -1 : text.n == 0;
	} else if (strcmp(name, SH_JOURNAL_NAME) != 0) {
		got = strcmp(name, SH_MANIFEST_NEW) == 0 && sh_journal_has(&c->journal, name);
	}
	sh_buf_free(&text);
	return got;
}

static int look_at(void *arg, const char *name, struct sh_error *err)
{
	struct contents *c = arg;
	int left = is_left_over(c, name, err);

	if (left != 0)
		return left < 0 ? -1 : 0;
	if (c->n++ == 0 || strcmp(name, c->name) < 0)
		snprintf(c->name, sizeof c->name, "%s", name);
	return 0;
}

static int must_be_empty(const struct sh_folder *folder, struct sh_error *err)
{
	struct contents c = { .folder = folder, .journal.folder = folder };
	char more[60] = "";
	int status = sh_journal_read(&c.journal, NULL, err);

	if (status >= 0)
		status = sh_folder_list(folder, look_at, &c, err);
	sh_journal_free(&c.journal);
	if (status < 0 || c.n == 0)
		return status;
	if (c.n > 1)
		snprintf(more, sizeof more, " and %zu more", c.n - 1);
	return sh_error_set(err, SH_ERR_PARAM,
	    "'%s' is not empty: it holds '%s'%s (an archive is made in a new or empty folder)",
	    folder->path, c.name, more);
}

/* ---- making it ---- */

/* Refuses a folder with an archive, with the remains of one, or with other files. */
static int must_be_fit(struct sh_archive *a, struct sh_error *err)
{
	int got = sh_archive_read(a, err);

	if (got > 0)
		return sh_error_set(
		    err, SH_ERR_PARAM, "there is an archive in '%s' already", a->folder.path);
	if (got == 0)
		got = sh_archive_has_keys(a, err);
	if (got > 0)
		return sh_archive_no_manifest(a, err);
	return got < 0 ? -1 : must_be_empty(&a->folder, err);
}

static bool keeps_nothing(const void *arg, const char *name)
{
	(void)arg;
	(void)name;
	return false;
}

/* Removes the files of a creation that was killed. */
static int clear_remains(const struct sh_folder *folder, struct sh_error *err)
{
	struct sh_journal j = { .folder = folder };
	int status = sh_journal_read(&j, NULL, err);

	if (status > 0)
		status = sh_journal_clear(&j, keeps_nothing, NULL, err);
	sh_journal_free(&j);
	return status;
}

static int write_first(struct sh_archive *a, const struct sh_manifest *m, struct sh_error *err)
{
	struct sh_change c = { 0 };
	int status = sh_change_begin(&c, a, err);

	c.next = *m;
	if (status == 0)
		status = sh_change_commit(&c, err);
	sh_change_end(&c);
	return status;
}

int sh_archive_create(const char *path, const struct sh_manifest *m, uint64_t wait,
    struct sh_loose *loose, struct sh_error *err)
{
	struct sh_archive a = { .loose = loose };
	int status = sh_folder_open(&a.folder, path, true, err);

	/* Checks once before the lock, because the lock is a file itself. */
	if (status == 0)
		status = must_be_fit(&a, err);
	if (status == 0)
		status = sh_folder_lock(&a.folder, true, wait, err);
	if (status == 0)
		status = must_be_fit(&a, err);
	if (status == 0)
		status = clear_remains(&a.folder, err);
	if (status == 0)
		status = write_first(&a, m, err);
	sh_archive_close(&a);
	return status;
}
