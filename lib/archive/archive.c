#include "archive/archive.h"

#include "base/bisect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the manifest ---- */

int sh_archive_read(struct sh_archive *a, struct sh_error *err)
{
	int got;

	sh_manifest_free(&a->manifest);
	a->text.n = 0;
	got = sh_folder_read(&a->folder, SH_MANIFEST_NAME, &a->text, err);
	if (got <= 0)
		return got;
	if (sh_manifest_parse(&a->manifest, sh_buf_slice(&a->text), err) == 0)
		return 1;
	if (err->code == SH_ERR_RECORD) {
		char what[sizeof err->text];

		memcpy(what, err->text, sizeof what);
		sh_error_set(err, SH_ERR_RECORD, "'%.200s/" SH_MANIFEST_NAME "': %.250s",
		    a->folder.path, what);
	}
	return -1;
}

/* ---- files ---- */

bool sh_archive_keeps(const void *archive, const char *name)
{
	const struct sh_archive *a = archive;

	return sh_manifest_has(&a->manifest, name);
}

int sh_archive_foreign(
    const struct sh_folder *folder, const char *name, size_t others, struct sh_error *err)
{
	char more[60] = "";

	if (others)
		snprintf(more, sizeof more, ", and %zu more such", others);
	return sh_error_set(err, SH_ERR_PARAM,
	    "'%s/%s' is named like a file of the archive, which did not make it: move it to "
	    "another folder%s",
	    folder->path, name, more);
}

bool sh_archive_owns(const char *name)
{
	return strcmp(name, SH_MANIFEST_NAME) == 0 || strcmp(name, SH_MANIFEST_NEW) == 0 ||
	       strcmp(name, SH_JOURNAL_NAME) == 0 || strcmp(name, "lock") == 0 ||
	       sh_is_part_name(name);
}

/* The files that this archive cannot have created: their number, and the least of their names. */
struct foreign {
	const struct sh_archive *archive;
	char name[SH_NAME_MAX];
	size_t n;
};

static int find_foreign(void *arg, const char *name, struct sh_error *err)
{
	struct foreign *f = arg;

	(void)err;
	if (strcmp(name, SH_MANIFEST_NEW) != 0 &&
	    (!sh_is_part_name(name) || sh_archive_keeps(f->archive, name)))
		return 0;
	if (f->n++ == 0 || strcmp(name, f->name) < 0)
		snprintf(f->name, sizeof f->name, "%s", name);
	return 0;
}

static int refuse_foreign(const struct sh_archive *a, struct sh_error *err)
{
	struct foreign f = { .archive = a };

	if (sh_folder_list(&a->folder, find_foreign, &f, err) < 0)
		return -1;
	return f.n ? sh_archive_foreign(&a->folder, f.name, f.n - 1, err) : 0;
}

/* Removes the files that a killed change has left. */
static int recover(struct sh_archive *a, struct sh_error *err)
{
	struct sh_journal j = { .folder = &a->folder };
	int status = sh_journal_read(&j, a->manifest.key, err);

	if (status > 0)
		status = sh_journal_clear(&j, sh_archive_keeps, a, err);
	sh_journal_free(&j);
	return status < 0 ? -1 : 0;
}

/* ---- opening ---- */

/* Each segment has a file of keys. Other programs often give texts names of eight digits, but
 * hardly ever the suffix .key. */
static int is_keys(void *arg, const char *name, struct sh_error *err)
{
	(void)arg;
	(void)err;
	return sh_is_part_name(name) && strcmp(name + 8, ".key") == 0;
}

int sh_archive_has_keys(const struct sh_archive *a, struct sh_error *err)
{
	return sh_folder_list(&a->folder, is_keys, NULL, err);
}

int sh_archive_no_manifest(const struct sh_archive *a, struct sh_error *err)
{
	int keys = sh_archive_has_keys(a, err);

	if (keys < 0)
		return -1;
	if (keys)
		return sh_error_set(err, SH_ERR_PARAM,
		    "'%s' has lost its " SH_MANIFEST_NAME ": restore the archive from a backup",
		    a->folder.path);
	return sh_error_set(err, SH_ERR_PARAM,
	    "there is no archive in '%s' (sharchive init makes one)", a->folder.path);
}

int sh_archive_open(struct sh_archive *a, const char *path, struct sh_error *err)
{
	int got;

	*a = (struct sh_archive){ 0 };
	if (sh_folder_open(&a->folder, path, false, err) < 0) {
		if (errno == ENOENT)
			sh_error_set(err, SH_ERR_PARAM,
			    "there is no archive in '%s' (sharchive init makes one)", path);
		return -1;
	}
	got = sh_archive_read(a, err);
	if (got > 0)
		return 0;
	if (got == 0)
		sh_archive_no_manifest(a, err);
	sh_archive_close(a);
	return -1;
}

static void close_segments(struct sh_archive *a)
{
	for (size_t i = 0; i < a->n_segments; i++)
		sh_segment_close(&a->segment[i]);
	free(a->segment);
	a->segment = NULL;
	a->n_segments = 0;
}

void sh_archive_close(struct sh_archive *a)
{
	close_segments(a);
	sh_manifest_free(&a->manifest);
	sh_buf_free(&a->text);
	sh_folder_close(&a->folder);
}

static int open_segments(struct sh_archive *a, struct sh_error *err)
{
	const struct sh_manifest *m = &a->manifest;

	close_segments(a);
	a->segment = calloc(m->n_segments + 1, sizeof *a->segment);
	if (!a->segment)
		return sh_error_nomem(err);
	for (size_t i = 0; i < m->n_segments; i++) {
		if (sh_segment_open(&a->segment[i], &a->folder, &m->segment[i], m->store, err) < 0)
			return -1;
		a->n_segments++;
	}
	return 0;
}

int sh_archive_lock(struct sh_archive *a, bool alone, uint64_t wait, struct sh_error *err)
{
	int got;

	if (sh_folder_lock(&a->folder, alone, wait, err) < 0)
		return -1;
	/* After the archive was moved away, added documents would be lost. */
	if (!sh_folder_in_place(&a->folder))
		return sh_error_set(err, SH_ERR_PARAM,
		    "'%s' was replaced by another archive (run the command again)", a->folder.path);
	got = sh_archive_read(a, err);
	if (got <= 0)
		return got < 0 ? -1 : sh_archive_no_manifest(a, err);
	/* A killed run may have renamed the manifest without syncing the folder. Until the folder
	 * is synced, a crash of the system may bring back the old manifest, which needs its own
	 * segments and does not know the last documents. */
	if (alone && (sh_folder_sync(&a->folder, err) < 0 || recover(a, err) < 0 ||
			 refuse_foreign(a, err) < 0))
		return -1;
	return open_segments(a, err);
}

/* ---- records ---- */

struct sh_segment *sh_archive_segment_of(struct sh_archive *a, uint32_t number)
{
	size_t lo = 0, hi = a->n_segments;

	SH_BISECT(lo, hi, mid, a->segment[mid].entry.last < number);
	return lo < a->n_segments && a->segment[lo].entry.first <= number ? &a->segment[lo] : NULL;
}

int sh_archive_record(
    struct sh_archive *a, uint32_t number, struct sh_doc_record *r, struct sh_error *err)
{
	struct sh_segment *s = sh_archive_segment_of(a, number);
	struct sh_slice line;
	int got = s ? sh_segment_find(s, SH_PART_DOC, number, &line, err) : 0;

	if (got <= 0)
		return got;
	return sh_doc_parse(line, r, err) < 0 ? -1 : 1;
}
