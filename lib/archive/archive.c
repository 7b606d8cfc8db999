#include "archive/archive.h"

#include <errno.h>
#include <stdlib.h>

#include "archive/segment_write.h"
#include "base/bits.h"
#include "base/merge.h"
#include "base/num.h"
#include "io/hold.h"

enum { OWN_NUMBERS = 65536 };

/* ---- the manifest ---- */

static int read_manifest(struct sh_archive *a, bool *there, struct sh_error *err)
{
	int got;

	sh_manifest_free(&a->manifest);
	a->text.n = 0;
	got = sh_folder_read(&a->folder, SH_MANIFEST_NAME, &a->text, err);
	*there = got > 0;
	if (got <= 0)
		return got;
	if (sh_manifest_parse(&a->manifest, sh_buf_slice(&a->text), err) == 0)
		return 0;
	if (err->code == SH_ERR_RECORD) {
		char what[sizeof err->text];

		memcpy(what, err->text, sizeof what);
		sh_error_set(err, SH_ERR_RECORD, "'%.200s/" SH_MANIFEST_NAME "': %.250s",
		    a->folder.path, what);
	}
	return -1;
}

static int write_manifest(
    const struct sh_folder *folder, const struct sh_manifest *m, struct sh_error *err)
{
	struct sh_buf text = { 0 };
	int status = sh_manifest_print(m, &text, err);

	if (status == 0)
		status = sh_folder_put(folder, SH_MANIFEST_NEW, text.p, text.n, err);
	sh_buf_free(&text);
	return status;
}

static int publish(const struct sh_folder *folder, struct sh_error *err)
{
	return sh_folder_publish(folder, SH_MANIFEST_NEW, SH_MANIFEST_NAME, err);
}

/* ---- leftovers ---- */

static bool is_referred_to(const struct sh_archive *a, const char *name)
{
	for (size_t i = 0; i < a->manifest.n_segments; i++) {
		for (enum sh_part p = 0; p < SH_PARTS; p++) {
			char part[SH_NAME_MAX];

			if (p == SH_PART_STORE && a->manifest.store == SH_STORE_NONE)
				continue;
			sh_part_name(part, a->manifest.segment[i].number, p, a->manifest.store);
			if (strcmp(part, name) == 0)
				return true;
		}
	}
	return false;
}

/* Segments of changes that were not finished, or of older states that were copied back, have numbers
 * below or little above the next one. 20261231.txt is somebody's, who has put it there. */
static bool is_leftover(const struct sh_archive *a, const char *name)
{
	uint64_t number;

	if (strcmp(name, SH_MANIFEST_NEW) == 0)
		return true;
	return sh_is_part_name(name) && sh_parse_hex_number(sh_slice(name, 8), &number) == 0 &&
	       number < (uint64_t)a->manifest.next_segment + OWN_NUMBERS &&
	       !is_referred_to(a, name);
}

static int sweep_one(void *arg, const char *name, struct sh_error *err)
{
	struct sh_archive *a = arg;

	return is_leftover(a, name) ? sh_folder_remove(&a->folder, name, err) : 0;
}

bool sh_archive_owns(const char *name)
{
	return strcmp(name, SH_MANIFEST_NAME) == 0 || strcmp(name, SH_MANIFEST_NEW) == 0 ||
	       strcmp(name, "lock") == 0 || sh_is_part_name(name);
}

/* Each segment has one. Others, too, call texts by eight digits. */
static int find_keys(void *arg, const char *name, struct sh_error *err)
{
	(void)arg;
	(void)err;
	return sh_is_part_name(name) && strcmp(name + 8, ".key") == 0;
}

/* ---- opening ---- */

static int no_manifest(struct sh_archive *a, struct sh_error *err)
{
	int parts = sh_folder_list(&a->folder, find_keys, NULL, err);

	if (parts < 0)
		return -1;
	if (parts)
		return sh_error_set(err, SH_ERR_PARAM,
		    "'%s' has lost its " SH_MANIFEST_NAME ": take back a copy of the archive",
		    a->folder.path);
	return sh_error_set(
	    err, SH_ERR_PARAM, "there is no archive in '%s' (--init makes one)", a->folder.path);
}

int sh_archive_create(const char *path, const struct sh_manifest *m, uint64_t wait,
    struct sh_loose *loose, struct sh_error *err)
{
	struct sh_archive a = { 0 };
	bool there;
	int status = sh_folder_open(&a.folder, path, true, err);

	if (status == 0)
		status = sh_folder_lock(&a.folder, true, wait, err);
	if (status == 0)
		status = read_manifest(&a, &there, err);
	if (status == 0 && there)
		status =
		    sh_error_set(err, SH_ERR_PARAM, "there is an archive in '%s' already", path);
	else if (status == 0 && (status = sh_folder_list(&a.folder, find_keys, NULL, err)) > 0)
		status = no_manifest(&a, err);
	if (status == 0) {
		sh_loose_begin(loose, &a.folder, 0);
		status = write_manifest(&a.folder, m, err);
		if (status == 0)
			status = publish(&a.folder, err);
		if (status < 0)
			sh_folder_drop(&a.folder, SH_MANIFEST_NEW);
		sh_loose_end(loose);
	}
	sh_archive_close(&a);
	return status;
}

int sh_archive_open(struct sh_archive *a, const char *path, struct sh_error *err)
{
	bool there;

	*a = (struct sh_archive){ 0 };
	if (sh_folder_open(&a->folder, path, false, err) < 0) {
		if (errno == ENOENT)
			sh_error_set(err, SH_ERR_PARAM,
			    "there is no archive in '%s' (--init makes one)", path);
		return -1;
	}
	if (read_manifest(a, &there, err) == 0) {
		if (there)
			return 0;
		no_manifest(a, err);
	}
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
	bool there;

	if (sh_folder_lock(&a->folder, alone, wait, err) < 0)
		return -1;
	/* What is added to one that was moved away is lost to who put another there. */
	if (!sh_folder_in_place(&a->folder))
		return sh_error_set(
		    err, SH_ERR_PARAM, "'%s' is another archive now: run it again", a->folder.path);
	if (read_manifest(a, &there, err) < 0)
		return -1;
	if (!there)
		return no_manifest(a, err);
	/* A run that was killed may have renamed the manifest and not synced it. Until that is done the
	 * one on the disk may be the older one: what it refers to is needed, and documents that are
	 * known here are not known there. */
	if (alone && (sh_folder_sync(&a->folder, err) < 0 ||
			 sh_folder_list(&a->folder, sweep_one, a, err) < 0))
		return -1;
	return open_segments(a, err);
}

/* ---- records ---- */

struct sh_segment *sh_archive_segment_of(struct sh_archive *a, uint32_t number)
{
	size_t lo = 0, hi = a->n_segments;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (a->segment[mid].entry.last < number)
			lo = mid + 1;
		else
			hi = mid;
	}
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

/* ---- changes ---- */

int sh_change_begin(struct sh_change *c, struct sh_archive *a, struct sh_error *err)
{
	*c = (struct sh_change){ .archive = a, .next = a->manifest };
	c->next.segment = NULL;
	c->next.n_segments = c->next.segments_cap = 0;
	for (size_t i = 0; i < a->manifest.n_segments; i++)
		if (sh_manifest_add(&c->next, &a->manifest.segment[i], err) < 0)
			return -1;
	sh_loose_begin(a->loose, &a->folder, c->next.next_segment);
	return 0;
}

int sh_change_number(struct sh_change *c, uint32_t *number, struct sh_error *err)
{
	if (c->next.next_segment == UINT32_MAX)
		return sh_error_set(
		    err, SH_ERR_RANGE, "the archive has had all segments that it can number");
	sh_loose_add(c->archive->loose, c->next.next_segment);
	*number = c->next.next_segment++;
	return 0;
}

/* Room for others: most often it was a full disk. */
static void clear_away(struct sh_change *c)
{
	struct sh_archive *a = c->archive;
	struct sh_error ignored;

	if (c->next.next_segment != a->manifest.next_segment)
		(void)sh_folder_list(&a->folder, sweep_one, a, &ignored);
}

void sh_change_end(struct sh_change *c)
{
	if (!c->is_out)
		clear_away(c);
	sh_loose_end(c->archive->loose);
	sh_manifest_free(&c->next);
}

static bool goes(const uint64_t *drop, uint32_t number)
{
	return drop && sh_bits_has(drop, number);
}

/* The segments that are merged. */
struct merging {
	struct sh_segment *s;
	size_t n;
	size_t *at; /* of each, the next record of .key */
	uint32_t *number;
	const uint64_t *drop;
	struct sh_segment_writer to;
	uint64_t kept;
};

static int next_key(void *arg, size_t i, struct sh_slice *key, struct sh_error *err)
{
	struct merging *m = arg;
	struct sh_segment *s = &m->s[i];
	uint64_t k;

	if (m->at[i] == sh_segment_keys(s))
		return 0;
	if (sh_segment_key(s, m->at[i], &k, &m->number[i], err) < 0)
		return -1;
	*key = sh_slice(s->part[SH_PART_KEY].map.p + m->at[i]++ * SH_KEY_LINE, SH_KEY_LINE);
	return 1;
}

static int merge_keys(struct merging *m, struct sh_error *err)
{
	struct sh_merge heap = { .next = next_key, .arg = m };
	int status = sh_merge_init(&heap, m->n, err);
	size_t top;

	while (status == 0 && sh_merge_top(&heap, &top)) {
		if (!goes(m->drop, m->number[top]))
			status = sh_segment_write(&m->to, SH_PART_KEY, heap.key[top], err);
		if (status == 0)
			status = sh_merge_pop(&heap, err);
	}
	sh_merge_free(&heap);
	return status;
}

static int copy_lines(
    struct merging *m, struct sh_segment *s, enum sh_part part, struct sh_error *err)
{
	struct sh_checked *c = &s->part[part];
	struct sh_slice line;
	uint32_t number;

	for (size_t at = 0; at < c->map.n; at += line.n + 1) {
		if (sh_checked_line(c, at, &line, err) < 0 ||
		    sh_line_number(line, &number, err) < 0)
			return -1;
		if (goes(m->drop, number))
			continue;
		if (part == SH_PART_DOC)
			sh_segment_covers(&m->to, number, number);
		if (sh_segment_write(&m->to, part, sh_slice(line.p, line.n + 1), err) < 0)
			return -1;
	}
	return 0;
}

static int merge_parts(struct merging *m, struct sh_error *err)
{
	for (size_t i = 0; i < m->n; i++) {
		for (enum sh_part part = 0; part < SH_PART_SUM; part++)
			sh_folder_expect(&m->s[i].part[part].map, true);
		if (copy_lines(m, &m->s[i], SH_PART_DOC, err) < 0 ||
		    (m->to.store != SH_STORE_NONE &&
			copy_lines(m, &m->s[i], SH_PART_STORE, err) < 0))
			return -1;
	}
	return merge_keys(m, err);
}

static int merge_into(
    struct merging *m, struct sh_change *c, struct sh_segment_entry *out, struct sh_error *err)
{
	uint32_t number = 0;
	int status = sh_change_number(c, &number, err);

	if (status == 0)
		status = sh_segment_create(&m->to, &c->archive->folder, number, c->next.store, err);
	if (status == 0)
		status = merge_parts(m, err);
	if (status == 0)
		status = sh_segment_finish(&m->to, err);
	sh_segment_abandon(&m->to);
	*out = m->to.entry;
	if (m->to.empty) {
		out->first = 1;
		out->last = 0;
	}
	return status;
}

int sh_change_merge(struct sh_change *c, size_t from, size_t to, const uint64_t *drop,
    struct sh_segment_entry *out, struct sh_error *err)
{
	size_t n = to - from;
	struct merging m = { .n = n, .drop = drop };
	int status = 0;

	m.s = calloc(n, sizeof *m.s);
	m.at = calloc(n, sizeof *m.at);
	m.number = calloc(n, sizeof *m.number);
	if (!m.s || !m.at || !m.number)
		status = sh_error_nomem(err);
	for (size_t i = 0; status == 0 && i < n; i++)
		status = sh_segment_open(
		    &m.s[i], &c->archive->folder, &c->next.segment[from + i], c->next.store, err);
	if (status == 0)
		status = merge_into(&m, c, out, err);
	for (size_t i = 0; m.s && i < n; i++)
		sh_segment_close(&m.s[i]);
	free(m.s);
	free(m.at);
	free(m.number);
	return status;
}

static unsigned size_class(const struct sh_segment_entry *e)
{
	uint64_t n = e->part[SH_PART_DOC].records;
	unsigned class = 0;

	while (n /= SH_FAN_OUT)
		class ++;
	return class;
}

int sh_change_settle(struct sh_change *c, struct sh_error *err)
{
	struct sh_manifest *m = &c->next;

	while (m->n_segments) {
		unsigned class = size_class(&m->segment[m->n_segments - 1]);
		struct sh_segment_entry all;
		size_t from = m->n_segments;

		while (from > 0 && size_class(&m->segment[from - 1]) <= class)
			from--;
		if (m->n_segments - from < SH_FAN_OUT)
			return 0;
		if (sh_change_merge(c, from, m->n_segments, NULL, &all, err) < 0)
			return -1;
		m->segment[from] = all;
		m->n_segments = from + 1;
	}
	return 0;
}

static int put_in_place(struct sh_change *c, struct sh_error *err)
{
	struct sh_archive *a = c->archive;
	struct sh_manifest old = a->manifest;

	c->is_out = true;
	if (publish(&a->folder, err) < 0)
		return -1;
	a->manifest = c->next;
	c->next = old;
	return sh_folder_list(&a->folder, sweep_one, a, err);
}

int sh_change_commit(struct sh_change *c, struct sh_error *err)
{
	struct sh_hold hold;
	int status;

	if (write_manifest(&c->archive->folder, &c->next, err) < 0)
		return -1;
	sh_hold_begin(&hold);
	status = put_in_place(c, err);
	sh_loose_end(c->archive->loose);
	sh_hold_end(&hold);
	return status;
}
