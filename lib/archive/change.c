#include "archive/change.h"

#include "io/hold.h"

/* ---- beginning and end ---- */

int sh_change_begin(struct sh_change *c, struct sh_archive *a, struct sh_error *err)
{
	*c = (struct sh_change){ .archive = a, .next = a->manifest, .journal.folder = &a->folder };
	c->next.segment = NULL;
	c->next.n_segments = c->next.segments_cap = 0;
	for (size_t i = 0; i < a->manifest.n_segments; i++)
		if (sh_manifest_add(&c->next, &a->manifest.segment[i], err) < 0)
			return -1;
	sh_loose_begin(a->loose, &a->folder, c->next.next_segment, c->next.store);
	return 0;
}

static int remove_superfluous(struct sh_change *c, struct sh_error *err)
{
	return sh_journal_clear(&c->journal, sh_archive_keeps, c->archive, err);
}

void sh_change_end(struct sh_change *c)
{
	struct sh_error ignored;

	/* A full disk is the most frequent cause: frees space. */
	if (!c->is_out && c->has_journal)
		(void)remove_superfluous(c, &ignored);
	sh_loose_end(c->archive->loose);
	sh_journal_free(&c->journal);
	sh_manifest_free(&c->next);
}

/* ---- files to be created ---- */

static int must_be_free(const struct sh_folder *folder, const char *name, struct sh_error *err)
{
	int there = sh_folder_has(folder, name, err);

	return there > 0 ? sh_archive_foreign(folder, name, 0, err) : there;
}

/* Opens the journal before the first name is added to it. */
static int note(struct sh_change *c, const char *name, struct sh_error *err)
{
	if (!c->has_journal) {
		if (must_be_free(&c->archive->folder, SH_JOURNAL_NAME, err) < 0)
			return -1;
		sh_loose_add_journal(c->archive->loose);
		c->has_journal = true;
	}
	return sh_journal_add(&c->journal, c->next.key, name, err);
}

typedef int each_part(struct sh_change *c, const char *name, struct sh_error *err);

static int for_each_part(
    struct sh_change *c, uint32_t segment, each_part *each, struct sh_error *err)
{
	char name[SH_NAME_MAX];

	for (enum sh_part p = 0; p < SH_PARTS; p++) {
		sh_part_name(name, segment, p, c->next.store);
		if (sh_has_part(c->next.store, p) && each(c, name, err) < 0)
			return -1;
	}
	return 0;
}

static int part_must_be_free(struct sh_change *c, const char *name, struct sh_error *err)
{
	return must_be_free(&c->archive->folder, name, err);
}

int sh_change_number(struct sh_change *c, uint32_t *number, struct sh_error *err)
{
	uint32_t next = c->next.next_segment;

	if (next == UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE,
		    "the archive has used all segment numbers: make a new archive");
	if (for_each_part(c, next, part_must_be_free, err) < 0)
		return -1;
	sh_loose_add_segment(c->archive->loose, next);
	if (for_each_part(c, next, note, err) < 0 || sh_journal_sync(&c->journal, err) < 0)
		return -1;
	*number = next;
	c->next.next_segment = next + 1;
	return 0;
}

/* ---- commit ---- */

static int note_superfluous(struct sh_change *c, const char *name, struct sh_error *err)
{
	return sh_manifest_has(&c->next, name) ? 0 : note(c, name, err);
}

static int write_manifest(struct sh_change *c, struct sh_error *err)
{
	struct sh_buf text = { 0 };
	int status = sh_manifest_print(&c->next, &text, err);

	if (status == 0)
		status = must_be_free(&c->archive->folder, SH_MANIFEST_NEW, err);
	if (status == 0) {
		sh_loose_add_manifest(c->archive->loose);
		status = note(c, SH_MANIFEST_NEW, err);
	}
	for (size_t i = 0; status == 0 && i < c->archive->manifest.n_segments; i++)
		status =
		    for_each_part(c, c->archive->manifest.segment[i].number, note_superfluous, err);
	if (status == 0)
		status = sh_journal_sync(&c->journal, err);
	if (status == 0)
		status = sh_folder_put(&c->archive->folder, SH_MANIFEST_NEW, text.p, text.n, err);
	sh_buf_free(&text);
	return status;
}

static int publish(struct sh_change *c, struct sh_error *err)
{
	struct sh_archive *a = c->archive;
	struct sh_manifest old = a->manifest;

	c->is_out = true;
	if (sh_folder_publish(&a->folder, SH_MANIFEST_NEW, SH_MANIFEST_NAME, err) < 0)
		return -1;
	a->manifest = c->next;
	c->next = old;
	return remove_superfluous(c, err);
}

int sh_change_commit(struct sh_change *c, struct sh_error *err)
{
	struct sh_hold hold;
	int status;

	if (write_manifest(c, err) < 0)
		return -1;
	sh_hold_begin(&hold);
	status = publish(c, err);
	sh_loose_end(c->archive->loose);
	sh_hold_end(&hold);
	return status;
}
