/* SPDX-License-Identifier: MIT */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/bits.h"
#include "base/bytes.h"
#include "base/siphash.h"
#include "io/parallel.h"

static const char manifest_name[] = "manifest", lock_name[] = "lock";

/* ---- the manifest ---- */

/* Reads the manifest: returns 1, 0 when there is none, -1 on failure. */
static int read_manifest(struct sh_store *s, struct sh_error *err)
{
	int got;

	sh_store_manifest_free(&s->manifest);
	s->text.n = 0;
	got = sh_folder_read(&s->folder, manifest_name, &s->text, err);
	if (got <= 0)
		return got;
	if (sh_store_manifest_parse(&s->manifest, sh_buf_slice(&s->text), err) == 0)
		return 1;
	if (err->code == SH_ERR_RECORD) {
		char what[sizeof err->text];

		memcpy(what, err->text, sizeof what);
		sh_error_set(
		    err, SH_ERR_RECORD, "'%.200s/%s': %.250s", s->folder.path, manifest_name, what);
	}
	return -1;
}

static int is_any_part(void *arg, const char *name, struct sh_error *err)
{
	uint32_t segment;

	(void)arg;
	(void)err;
	return sh_store_file_of(NULL, name, &segment) == SH_STORE_SEGMENT;
}

static int no_manifest(const struct sh_store *s, struct sh_error *err)
{
	int parts = sh_folder_list(&s->folder, is_any_part, NULL, err);

	if (parts < 0)
		return -1;
	if (parts)
		return sh_error_set(err, SH_ERR_PARAM,
		    "'%s' has lost its %s: restore the archive from a backup", s->folder.path,
		    manifest_name);
	return sh_error_set(err, SH_ERR_PARAM,
	    "there is no archive in '%s' (sharchive init makes one)", s->folder.path);
}

/* ---- names ---- */

void sh_store_new_name(char out[SH_STORE_PART_NAME], const struct sh_store_manifest *m)
{
	snprintf(out, SH_STORE_PART_NAME, "%s.%012llx", manifest_name,
	    (unsigned long long)(m->key[0] >> 16));
}

bool sh_store_owns(const char *name)
{
	uint32_t segment;

	return strcmp(name, manifest_name) == 0 || strcmp(name, lock_name) == 0 ||
	       sh_store_file_of(NULL, name, &segment) != SH_STORE_FOREIGN;
}

/* ---- files of killed runs ---- */

/* Removes the file when this archive has made it and does not need it. */
static int clean_one(void *arg, const char *name, struct sh_error *err)
{
	const struct sh_store *s = arg;
	const struct sh_store_manifest *m = &s->manifest;
	uint32_t segment;
	enum sh_store_file file = sh_store_file_of(m, name, &segment);

	if (file == SH_STORE_FOREIGN)
		return 0;
	for (size_t i = 0; file == SH_STORE_SEGMENT && i < m->n_segments; i++)
		if (m->segment[i].number == segment)
			return 0;
	return sh_folder_remove(&s->folder, name, err);
}

int sh_store_clean(struct sh_store *s, struct sh_error *err)
{
	return sh_folder_list(&s->folder, clean_one, s, err);
}

/* ---- a new archive ---- */

static bool is_new_manifest(const char *name)
{
	uint32_t segment;

	return sh_store_file_of(NULL, name, &segment) == SH_STORE_NEW_MANIFEST;
}

/* The names in a folder, without the files of a killed creation: these are a new manifest, and an
 * empty lock. */
struct contents {
	struct sh_store *store;
	char name[256]; /* the least name */
	size_t n;
};

static int look_at(void *arg, const char *name, struct sh_error *err)
{
	struct contents *c = arg;
	struct sh_buf text = { 0 };
	bool left = is_new_manifest(name);

	if (strcmp(name, lock_name) == 0) {
		if (sh_folder_read(&c->store->folder, name, &text, err) < 0)
			return -1;
		left = text.n == 0;
		sh_buf_free(&text);
	}
	if (!left && (c->n++ == 0 || strcmp(name, c->name) < 0))
		snprintf(c->name, sizeof c->name, "%s", name);
	return 0;
}

/* Refuses a folder with an archive, with the remains of one, or with other files. */
static int must_be_fit(struct sh_store *s, struct sh_error *err)
{
	struct contents c = { .store = s };
	char more[60] = "";
	int got = read_manifest(s, err);

	if (got > 0)
		return sh_error_set(
		    err, SH_ERR_PARAM, "there is an archive in '%s' already", s->folder.path);
	if (got == 0)
		got = sh_folder_list(&s->folder, is_any_part, NULL, err);
	if (got > 0)
		return no_manifest(s, err);
	if (got < 0 || sh_folder_list(&s->folder, look_at, &c, err) < 0)
		return -1;
	if (c.n == 0)
		return 0;
	if (c.n > 1)
		snprintf(more, sizeof more, " and %zu more", c.n - 1);
	return sh_error_set(err, SH_ERR_PARAM,
	    "'%s' is not empty: it holds '%s'%s (an archive is made in a new or empty folder)",
	    s->folder.path, c.name, more);
}

static int clear_one(void *arg, const char *name, struct sh_error *err)
{
	struct sh_store *s = arg;

	return is_new_manifest(name) ? sh_folder_remove(&s->folder, name, err) : 0;
}

static int write_first(struct sh_store *s, const struct sh_store_manifest *m, struct sh_error *err)
{
	struct sh_store_manifest first = *m;
	struct sh_buf text = { 0 };
	char name[SH_STORE_PART_NAME];
	int status = 0;

	first.next_number = first.next_segment = 0;
	first.segment = NULL;
	first.n_segments = first.segments_cap = 0;
	if (!first.key[0] && !first.key[1])
		status = sh_random_key(first.key, err);
	if (status == 0)
		status = sh_store_manifest_print(&first, &text, err);
	sh_store_new_name(name, &first);
	if (status == 0)
		status = sh_folder_put(&s->folder, name, text.p, text.n, err);
	if (status == 0 && sh_folder_publish(&s->folder, name, manifest_name, err) < 0)
		status = -1;
	else if (status < 0)
		sh_folder_drop(&s->folder, name);
	sh_buf_free(&text);
	return status;
}

int sh_store_create(
    const char *path, const struct sh_store_manifest *m, uint64_t wait, struct sh_error *err)
{
	struct sh_store s = { 0 };
	int status = sh_folder_open(&s.folder, path, true, err);

	/* Checks once before the lock, because the lock is a file itself. */
	if (status == 0)
		status = must_be_fit(&s, err);
	if (status == 0)
		status = sh_folder_lock(&s.folder, true, wait, err);
	if (status == 0)
		status = must_be_fit(&s, err);
	if (status == 0)
		status = sh_folder_list(&s.folder, clear_one, &s, err);
	if (status == 0)
		status = write_first(&s, m, err);
	sh_store_close(&s);
	return status;
}

/* ---- opening ---- */

int sh_store_exists(const char *path, struct sh_error *err)
{
	struct sh_folder folder;
	int got;

	if (sh_folder_open(&folder, path, false, err) < 0)
		return errno == ENOENT ? 0 : -1;
	got = sh_folder_has(&folder, manifest_name, err);
	sh_folder_close(&folder);
	return got;
}

int sh_store_open(
    struct sh_store *s, const char *path, enum sh_store_kind kind, struct sh_error *err)
{
	static const char *const program[SH_STORE_KINDS] = { "shdedup", "shspan" };
	int got;

	*s = (struct sh_store){ 0 };
	if (sh_folder_open(&s->folder, path, false, err) < 0) {
		s->folder = (struct sh_folder){ 0 };
		if (errno == ENOENT)
			sh_error_set(err, SH_ERR_PARAM,
			    "there is no archive in '%s' (sharchive init makes one)", path);
		return -1;
	}
	got = read_manifest(s, err);
	if (got > 0 && (kind == SH_STORE_KINDS || kind == s->manifest.kind))
		return 0;
	if (got > 0)
		sh_error_set(err, SH_ERR_PARAM, "'%s' is an archive of %s, expected one of %s (%s)",
		    path, program[s->manifest.kind], program[kind],
		    kind == SH_STORE_OF_DOCUMENTS ? "sharchive init makes one"
						  : "shspan makes one in a new folder");
	if (got == 0)
		no_manifest(s, err);
	sh_store_close(s);
	return -1;
}

static void close_segments(struct sh_store *s)
{
	for (size_t i = 0; i < s->n_segments; i++)
		sh_store_segment_close(&s->segment[i]);
	free(s->segment);
	s->segment = NULL;
	s->n_segments = 0;
}

void sh_store_close(struct sh_store *s)
{
	if (!s->folder.path)
		return;
	close_segments(s);
	sh_store_manifest_free(&s->manifest);
	sh_buf_free(&s->text);
	sh_folder_close(&s->folder);
	s->folder = (struct sh_folder){ 0 };
}

static int open_segments(struct sh_store *s, struct sh_error *err)
{
	const struct sh_store_manifest *m = &s->manifest;

	close_segments(s);
	s->segment = calloc(m->n_segments + 1, sizeof *s->segment);
	if (!s->segment)
		return sh_error_nomem(err);
	for (size_t i = 0; i < m->n_segments; i++) {
		if (sh_store_segment_open(&s->segment[i], &s->folder, m, &m->segment[i], err) < 0)
			return -1;
		s->n_segments++;
	}
	return 0;
}

static int replaced(const struct sh_store *s, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_PARAM,
	    "'%s' was replaced by another archive (run the command again)", s->folder.path);
}

int sh_store_lock(struct sh_store *s, bool alone, uint64_t wait, struct sh_error *err)
{
	const uint64_t key[2] = { s->manifest.key[0], s->manifest.key[1] };
	int got;

	if (sh_folder_lock(&s->folder, alone, wait, err) < 0)
		return -1;
	/* After the archive was moved away, added documents would be lost. */
	if (!sh_folder_in_place(&s->folder))
		return replaced(s, err);
	got = read_manifest(s, err);
	if (got <= 0)
		return got < 0 ? -1 : no_manifest(s, err);
	if (memcmp(key, s->manifest.key, sizeof key) != 0)
		return replaced(s, err);
	/* A killed run may have renamed the manifest without syncing the folder. Until the folder
	 * is synced, a crash of the system may bring back the old manifest, which needs its own
	 * segments and does not know the last documents. */
	if (alone && (sh_folder_sync(&s->folder, err) < 0 || sh_store_clean(s, err) < 0))
		return -1;
	return open_segments(s, err);
}

void sh_store_unlock(struct sh_store *s)
{
	close_segments(s);
	sh_folder_unlock(&s->folder);
}

/* ---- records ---- */

int sh_store_record(struct sh_store *s, uint32_t number, struct sh_record *r, struct sh_error *err)
{
	size_t lo = 0, hi = s->n_segments, i;
	int got;

	SH_BISECT(lo, hi, mid, s->segment[mid].entry.last < number);
	if (lo == s->n_segments)
		return 0;
	got = sh_store_segment_find(&s->segment[lo], number, &i, err);
	if (got <= 0)
		return got;
	return sh_store_segment_record(&s->segment[lo], i, r, err) < 0 ? -1 : 1;
}

uint64_t sh_store_id_key(const struct sh_store_manifest *m, struct sh_slice id)
{
	return sh_siphash(m->key, id.p, id.n);
}

int sh_store_look(struct sh_store *s, enum sh_list list, const uint64_t *key, size_t n, size_t most,
    sh_store_found *found, void *arg, struct sh_error *err)
{
	for (size_t i = 0; i < s->n_segments; i++)
		if (sh_store_segment_look(&s->segment[i], list, key, n, most, found, arg, err) < 0)
			return -1;
	return 0;
}

static int bad(
    const struct sh_store_segment *s, size_t record, const char *what, struct sh_error *err)
{
	return sh_store_segment_damaged(
	    s, SH_STORE_PART_INDEX, what, s->records + record * SH_STORE_RECORD_BYTES, err);
}

int sh_store_next(
    struct sh_store *s, struct sh_store_walk *at, struct sh_record *r, struct sh_error *err)
{
	struct sh_store_segment *segment = &s->segment[at->segment];
	uint32_t numbers = s->manifest.next_number;

	if (at->segment == s->n_segments)
		return 0;
	if (sh_store_segment_record(segment, at->record, r, err) < 0)
		return -1;
	if (r->number >= numbers || r->keeper >= numbers)
		return bad(segment, at->record, "a bad record", err);
	if (++at->record == segment->entry.documents)
		*at = (struct sh_store_walk){ at->segment + 1, 0 };
	return 1;
}

int sh_store_count(struct sh_store *s, uint32_t *count, struct sh_error *err)
{
	for (struct sh_store_segment *t = s->segment; t < s->segment + s->n_segments; t++) {
		const char *keeper = t->part[SH_STORE_PART_INDEX].map.p + t->records + 4;

		if (sh_store_segment_need(t, SH_STORE_PART_INDEX, t->records, t->sums, err) < 0)
			return -1;
		for (size_t k = 0; k < t->entry.documents; k++, keeper += SH_STORE_RECORD_BYTES) {
			if (sh_le32(keeper) >= s->manifest.next_number)
				return bad(t, k, "a bad record", err);
			count[sh_le32(keeper)]++;
		}
	}
	return 0;
}

/* ---- the check of every byte ---- */

static int check_blocks(void *store, size_t from, size_t to, struct sh_error *err)
{
	for (size_t i = from; i < to; i++) {
		struct sh_store_segment *s = &((struct sh_store *)store)->segment[i];

		for (enum sh_store_part p = 0; p < SH_STORE_PARTS; p++)
			sh_mapped_expect(&s->part[p].map, true);
		if (sh_store_segment_need(s, SH_STORE_PART_DOCUMENTS, 0, s->entry.bytes, err) < 0 ||
		    sh_store_segment_need(s, SH_STORE_PART_INDEX, 0, s->sums, err) < 0)
			return -1;
	}
	return 0;
}

/* Checks that the numbers ascend, and that the lines stand one after the other. Sets the bits of the
 * documents in `there`, and of documents that stay in `stays`. */
static int check_records(const struct sh_store *store, struct sh_store_segment *s, uint64_t *there,
    uint64_t *stays, struct sh_error *err)
{
	const char *text = s->part[SH_STORE_PART_DOCUMENTS].map.p;
	const struct sh_store_segment_entry *e = &s->entry;
	uint64_t at = 0, kept = 0, last = 0;
	struct sh_record r;

	for (size_t i = 0; i < e->documents; i++) {
		if (sh_store_segment_record(s, i, &r, err) < 0)
			return -1;
		if (r.number < e->first || r.number > e->last || (i && r.number <= last) ||
		    (i == 0 && r.number != e->first))
			return bad(s, i, "a record out of order", err);
		if (r.line.p != text + at || text[at + r.line.n] != '\n' ||
		    r.keeper >= store->manifest.next_number)
			return bad(s, i, "a bad record", err);
		at += r.line.n + 1;
		last = r.number;
		sh_bits_put(there, r.number);
		if (r.keeper == r.number) {
			sh_bits_put(stays, r.number);
			kept++;
		}
	}
	if (last != e->last || kept != e->kept || at != e->bytes)
		return bad(s, (size_t)e->documents - 1,
		    "the last record, but the manifest has other numbers", err);
	return 0;
}

/* set: the documents that may be in the list. */
static int check_list(const struct sh_store *store, struct sh_store_segment *s, enum sh_list list,
    const uint64_t *set, struct sh_error *err)
{
	struct sh_store_posting last = { 0 }, p;
	struct sh_record r;
	size_t at;

	for (size_t i = 0; i < sh_store_segment_length(s, list); i++, last = p) {
		bool after;
		int got = 1;

		if (sh_store_segment_posting(s, list, i, &p, err) < 0)
			return -1;
		after = p.key != last.key             ? p.key > last.key
			: p.document != last.document ? p.document > last.document
			: list == SH_LIST_POSTINGS    ? p.place >= last.place
						      : i == 0;
		if (!after || p.document < s->entry.first || p.document > s->entry.last ||
		    !sh_bits_has(set, p.document))
			got = 0;
		if (got && list == SH_LIST_IDS) {
			got = sh_store_segment_find(s, p.document, &at, err);
			if (got > 0)
				got = sh_store_segment_record(s, at, &r, err) < 0 ? -1 : 1;
			if (got > 0 &&
			    (sh_store_id_key(&store->manifest, r.id) != p.key || p.place))
				got = 0;
		}
		if (got < 0)
			return -1;
		if (got == 0)
			return sh_store_segment_damaged(s, SH_STORE_PART_INDEX,
			    list == SH_LIST_IDS ? "a bad id" : "a bad posting",
			    (list == SH_LIST_IDS ? s->ids : 0) + i * SH_STORE_POSTING_BYTES, err);
	}
	return 0;
}

int sh_store_check(struct sh_store *s, unsigned jobs, struct sh_error *err)
{
	size_t words = sh_bits_words(s->manifest.next_number);
	uint64_t *there = calloc(words, sizeof *there), *stays = calloc(words, sizeof *stays);
	struct sh_store_walk at = { 0 };
	struct sh_record r;
	int status = there && stays ? 0 : sh_error_nomem(err);

	if (status == 0 && s->n_segments)
		status = sh_parallel(s, 0, jobs, s->n_segments, 1, check_blocks, err);
	for (size_t i = 0; status == 0 && i < s->n_segments; i++)
		status = check_records(s, &s->segment[i], there, stays, err);
	for (size_t i = 0; status == 0 && i < s->n_segments; i++) {
		status = check_list(s, &s->segment[i], SH_LIST_POSTINGS, stays, err);
		if (status == 0)
			status = check_list(s, &s->segment[i], SH_LIST_IDS, there, err);
	}
	while (status == 0 && (status = sh_store_next(s, &at, &r, err)) > 0)
		status = sh_bits_has(stays, r.keeper)
			     ? 0
			     : sh_error_set(err, SH_ERR_RECORD,
				   "'%s' is damaged: document %08x has a keeper that does not "
				   "stay: restore the archive from a backup",
				   s->folder.path, r.number);
	free(there);
	free(stays);
	return status;
}
