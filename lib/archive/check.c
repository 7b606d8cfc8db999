/* Checks every byte of an archive. */
#include <stdlib.h>

#include "archive/keys.h"
#include "archive/maintain.h"
#include "archive/sketch.h"
#include "base/bits.h"
#include "io/parallel.h"

/* The documents of an archive, by number: filled from .doc, then compared with the other files. */
struct checking {
	struct sh_archive *archive;
	uint64_t *there, *stays;
	uint64_t documents, kept;
};

/* The state of one thread. */
struct checker {
	struct checking *all;
	struct sh_sketch sketch, sequence;
};

static int wrong(
    const struct sh_checked *c, uint64_t record, const char *what, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "'%s/%s' is damaged: record %llu %s: restore the archive from a backup", c->folder,
	    c->name, (unsigned long long)record, what);
}

static bool has(const struct checking *k, const uint64_t *set, uint32_t x)
{
	return x < k->archive->manifest.next_number && sh_bits_has(set, x);
}

static int count_is(const struct sh_checked *c, uint64_t got, uint64_t want, struct sh_error *err)
{
	return got == want ? 0
			   : wrong(c, got, "is the last, but the manifest has another number", err);
}

/* ---- .doc ---- */

static int check_docs(struct checking *k, struct sh_segment *s, struct sh_error *err)
{
	struct sh_checked *c = &s->part[SH_PART_DOC];
	struct sh_doc_record r = { 0 };
	struct sh_slice line;
	uint64_t n = 0, last = 0;

	sh_folder_expect(&c->map, true);
	for (size_t at = 0; at < c->map.n; at += line.n + 1) {
		n++;
		if (sh_checked_line(c, at, &line, err) < 0 || sh_doc_parse(line, &r, err) < 0)
			return -1;
		if ((n == 1 && r.number != s->entry.first) || (n > 1 && r.number <= last) ||
		    r.number > s->entry.last)
			return wrong(c, n, "is out of order", err);
		last = r.number;
		sh_bits_put(k->there, r.number);
		if (r.keeper == r.number) {
			sh_bits_put(k->stays, r.number);
			k->kept++;
		}
	}
	if (n == 0 || last != s->entry.last)
		return wrong(c, n, "is the last, not the one that the manifest names", err);
	k->documents += n;
	return count_is(c, n, s->entry.part[SH_PART_DOC].records, err);
}

static int check_keepers(struct checking *k, struct sh_segment *s, struct sh_error *err)
{
	struct sh_checked *c = &s->part[SH_PART_DOC];
	struct sh_doc_record r;
	struct sh_slice line;
	uint64_t n = 0;

	for (size_t at = 0; at < c->map.n; at += line.n + 1) {
		n++;
		if (sh_checked_line(c, at, &line, err) < 0 || sh_doc_parse(line, &r, err) < 0)
			return -1;
		if (!has(k, k->stays, r.keeper))
			return wrong(c, n, "names a keeper that did not stay", err);
	}
	return 0;
}

/* ---- .key ---- */

static int check_keys(struct checking *k, struct sh_segment *s, struct sh_error *err)
{
	struct sh_checked *c = &s->part[SH_PART_KEY];
	size_t n = sh_segment_keys(s);
	uint64_t key, last = 0, ids = 0;
	uint32_t number, last_number = 0;

	if (c->map.n % SH_KEY_LINE)
		return wrong(c, n, "is cut short", err);
	sh_folder_expect(&c->map, true);
	for (size_t i = 0; i < n; i++) {
		if (sh_segment_key(s, i, &key, &number, err) < 0)
			return -1;
		if (i && (key < last || (key == last && number <= last_number)))
			return wrong(c, i + 1, "is out of order", err);
		if (number < s->entry.first || number > s->entry.last ||
		    !has(k, sh_key_band(key) == SH_KEY_BAND_ID ? k->there : k->stays, number))
			return wrong(c, i + 1, "has the number of no document", err);
		ids += sh_key_band(key) == SH_KEY_BAND_ID;
		last = key;
		last_number = number;
	}
	if (ids != s->entry.part[SH_PART_DOC].records)
		return wrong(c, n, "is the last: not each document has the key of its id", err);
	return count_is(c, n, s->entry.part[SH_PART_KEY].records, err);
}

/* ---- the store ---- */

static int check_store(struct checker *w, struct sh_segment *s, struct sh_error *err)
{
	struct sh_checked *c = &s->part[SH_PART_STORE];
	struct sh_slice line;
	uint64_t n = 0;
	uint32_t number, last = 0;

	sh_folder_expect(&c->map, true);
	for (size_t at = 0; at < c->map.n; at += line.n + 1) {
		n++;
		if (sh_checked_line(c, at, &line, err) < 0 ||
		    sh_line_number(line, &number, err) < 0)
			return -1;
		if (n > 1 && number <= last)
			return wrong(c, n, "is out of order", err);
		if (number < s->entry.first || number > s->entry.last ||
		    !has(w->all, w->all->stays, number))
			return wrong(c, n, "has the number of no document", err);
		last = number;
		if (s->store == SH_ARCHIVE_SKETCH &&
		    sh_sketch_parse(sh_line_rest(line), &w->sketch, err) < 0)
			return -1;
		if (s->store == SH_ARCHIVE_SEQUENCE &&
		    sh_sequence_parse(sh_line_rest(line), &w->sketch, &w->sequence, err) < 0)
			return -1;
	}
	return count_is(c, n, s->entry.part[SH_PART_STORE].records, err);
}

/* ---- all ---- */

/* Task i checks segment i / 2: its keepers and keys, or its store. */
static int check_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct checker *w = worker;
	struct checking *k = w->all;

	for (size_t i = from; i < to; i++) {
		struct sh_segment *s = &k->archive->segment[i / 2];

		if (i % 2 == 0 && (check_keepers(k, s, err) < 0 || check_keys(k, s, err) < 0))
			return -1;
		if (i % 2 && s->store != SH_ARCHIVE_NONE && check_store(w, s, err) < 0)
			return -1;
	}
	return 0;
}

static int check_rest(struct checking *k, unsigned jobs, struct sh_error *err)
{
	struct checker *w = calloc(jobs, sizeof *w);
	int status;

	if (!w)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < jobs; i++)
		w[i].all = k;
	status = sh_parallel(w, sizeof *w, jobs, 2 * k->archive->n_segments, 1, check_some, err);
	for (unsigned i = 0; i < jobs; i++) {
		sh_sketch_free(&w[i].sketch);
		sh_sketch_free(&w[i].sequence);
	}
	free(w);
	return status;
}

int sh_archive_check(struct sh_archive *a, unsigned jobs, struct sh_error *err)
{
	size_t words = sh_bits_words(a->manifest.next_number);
	struct checking k = { .archive = a,
		.there = calloc(words, sizeof *k.there),
		.stays = calloc(words, sizeof *k.stays) };
	int status = k.there && k.stays ? 0 : sh_error_nomem(err);

	for (size_t i = 0; status == 0 && i < a->n_segments; i++)
		status = check_docs(&k, &a->segment[i], err);
	if (status == 0 && (k.documents != a->manifest.documents || k.kept != a->manifest.kept))
		status = sh_error_set(err, SH_ERR_RECORD,
		    "'%s' has %llu documents, %llu of which stayed; its " SH_MANIFEST_NAME
		    " says %llu and %llu: restore the archive from a backup",
		    a->folder.path, (unsigned long long)k.documents, (unsigned long long)k.kept,
		    (unsigned long long)a->manifest.documents,
		    (unsigned long long)a->manifest.kept);
	if (status == 0)
		status = check_rest(&k, jobs, err);
	free(k.there);
	free(k.stays);
	return status;
}
