/* SPDX-License-Identifier: MIT */
#include "join/bands.h"

#include <stdlib.h>
#include <string.h>

struct sh_bands {
	struct sh_bands_opts opts;
	bool ready;                         /* the layout is known */
	struct sh_band band;                /* the layout */
	struct sh_buf last[2];              /* by side: the last key, without its tag */
	uint64_t first[2][SH_FP_MAX_WORDS]; /* by side: the first fingerprint of that key */
	struct sh_band_table room;          /* for sh_band_table() */
	const struct sh_band_table *table;  /* of the last record checked */
	struct sh_join *join;
	struct sh_join_side scratch;
	struct sh_parts bucket[2]; /* by side */
	uint64_t repeated;
};

struct sh_bands *sh_bands_new(const struct sh_bands_opts *opts, struct sh_error *err)
{
	struct sh_bands *b = calloc(1, sizeof *b);

	if (b)
		b->opts = *opts;
	else
		sh_error_nomem(err);
	return b;
}

void sh_bands_delete(struct sh_bands *b)
{
	if (!b)
		return;
	for (unsigned side = 0; side < 2; side++) {
		sh_buf_free(&b->last[side]);
		if (b->ready)
			sh_parts_free(&b->bucket[side]);
	}
	if (b->ready)
		sh_band_free(&b->band);
	sh_join_side_free(&b->scratch);
	sh_join_delete(b->join);
	free(b);
}

uint64_t sh_bands_repeated(const struct sh_bands *b)
{
	return b->repeated;
}

/* Gets the layout from the key of the first record. */
static int make_ready(struct sh_bands *b, const struct sh_band_record *r, struct sh_error *err)
{
	const struct sh_bands_opts *o = &b->opts;
	unsigned k;

	if (sh_band_from_key(&b->band, r->key, r->of.bits, err) < 0)
		return -1;
	k = o->k < 0 ? b->band.k : (unsigned)o->k;
	if (k > b->band.k)
		sh_error_set(err, SH_ERR_PARAM,
		    "-k %u, but these bands guarantee pairs only up to distance %u (shband -k %u)",
		    k, b->band.k, k);
	else
		b->join = sh_join_new(b->band.bits, k, o->threads, err);
	if (!b->join) {
		sh_band_free(&b->band);
		return -1;
	}
	for (unsigned side = 0; side < 2; side++) {
		sh_parts_init(&b->bucket[side], b->band.words, o->memory / (o->sides + 1),
		    o->threads, &b->scratch, o->tmpdir);
	}
	b->ready = true;
	return 0;
}

int sh_bands_check(
    struct sh_bands *b, unsigned side, struct sh_band_record *r, struct sh_error *err)
{
	struct sh_buf *last = &b->last[side];
	unsigned bits;
	uint32_t number;
	int order;

	if (!b->ready && make_ready(b, r, err) < 0)
		return -1;
	bits = b->band.bits;
	if (sh_same_width(&bits, &r->of, err) < 0 ||
	    sh_band_parse(&b->band, r->key, &number, err) < 0)
		return -1;
	r->of.tag = sh_band_cut_tag(&b->band, &r->key);
	if (!b->table || b->table->number != number)
		b->table = sh_band_table(&b->band, number, &b->room);
	order = sh_slice_cmp(r->key, sh_buf_slice(last));
	if (order == 0 && sh_band_same_key(b->table, r->of.fp, b->first[side]))
		return 0;
	if (sh_band_check_key(&b->band, b->table, r->key, r->of.fp, err) < 0)
		return -1;
	if (order < 0)
		return sh_error_set(err, SH_ERR_PARAM,
		    "the keys are not in bytewise order: sort the bands with LC_ALL=C sort");
	memcpy(b->first[side], r->of.fp, b->band.words * sizeof *r->of.fp);
	last->n = 0;
	return sh_buf_add(last, r->key.p, r->key.n, err);
}

/* ---- buckets ---- */

/* The next record of each side. */
struct heads {
	struct sh_bands *bands;
	sh_bands_next *next;
	void *arg;
	struct sh_error *err;
	struct sh_band_record r[2];
	bool more[2]; /* r[side] is a record; otherwise the side has ended, or failed */
	bool failed;
};

static void advance(struct heads *h, unsigned side)
{
	int got = h->next(h->arg, side, &h->r[side], h->err);

	h->more[side] = got > 0;
	if (got < 0)
		h->failed = true;
}

/* Returns whether a side has a record of this key. */
static bool has_key(const struct heads *h, unsigned side, struct sh_slice key)
{
	return h->more[side] && sh_slice_eq(h->r[side].key, key);
}

/* Reads the records of a key; adds them to the bucket unless `skips`. Adds their number to *n. */
static int read_bucket(struct heads *h, unsigned side, struct sh_slice key, bool skips, size_t *n,
    struct sh_error *err)
{
	struct sh_parts *bucket = &h->bands->bucket[side];

	sh_parts_clear(bucket);
	while (has_key(h, side, key)) {
		if (!skips && sh_parts_add(bucket, h->r[side].of.fp, h->r[side].of.id, err) < 0)
			return -1;
		advance(h, side);
		++*n;
	}
	return 0;
}

/* Joins the bucket of a key. Identical fingerprints share a key in each table; their pairs belong
 * to table 0, and repeated records are counted there. */
static int join_bucket(
    struct sh_bands *b, struct sh_slice key, struct sh_job *out, struct sh_error *err)
{
	struct sh_pairs how = { .collapse = b->opts.collapse };
	struct sh_band_table room;
	const struct sh_band_table *table;
	uint32_t number;

	if (sh_band_parse(&b->band, key, &number, err) < 0)
		return -1;
	table = sh_band_table(&b->band, number, &room);
	sh_join_set_table(b->join, table);
	how.identical = number == 0;
	for (unsigned side = 0; side < b->opts.sides; side++)
		if (sh_parts_close(&b->bucket[side], err) < 0)
			return -1;
	if (sh_parts_join(&b->bucket[0], b->opts.sides == 2 ? &b->bucket[1] : NULL, &how, b->join,
		out, err) < 0)
		return -1;
	for (unsigned side = 0; side < b->opts.sides && number == 0; side++)
		b->repeated += b->bucket[side].repeated;
	return 0;
}

int sh_bands_join(
    struct sh_bands *b, sh_bands_next *next, void *arg, struct sh_job *out, struct sh_error *err)
{
	struct sh_error stopped;
	struct heads h = { .bands = b, .next = next, .arg = arg, .err = &stopped };
	unsigned sides = b->opts.sides;
	struct sh_buf room = { 0 };
	int status = 0;

	for (unsigned side = 0; side < sides; side++)
		advance(&h, side);
	while (status == 0 && !h.failed && (h.more[0] || h.more[1])) {
		bool second = !h.more[0] || (h.more[1] && sh_slice_cmp(h.r[1].key, h.r[0].key) < 0);
		struct sh_slice key = h.r[second].key;
		bool skips = sides == 2 && !has_key(&h, !second, key);
		size_t n = 0;

		/* The record of the key goes when the next one is read. */
		room.n = 0;
		status = sh_buf_add(&room, key.p, key.n, err);
		key = sh_buf_slice(&room);
		for (unsigned side = 0; side < sides && status == 0; side++)
			status = read_bucket(&h, side, key, skips, &n, err);
		if (status == 0 && n > 1 && !skips)
			status = join_bucket(b, key, out, err);
	}
	sh_buf_free(&room);
	if (status == 0 && h.failed) {
		*err = stopped;
		return -1;
	}
	return status;
}
