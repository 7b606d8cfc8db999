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
	struct sh_join *join;
	struct sh_join_side scratch;
	struct sh_parts bucket[2]; /* by side */
	uint64_t repeated;

	/* The source of records, and the next record of each side. */
	sh_bands_next *next;
	void *arg;
	struct sh_band_record r[2];
	bool more[2]; /* r[side] is a record; otherwise the side has ended, or failed */
	bool failed;
	struct sh_error stopped; /* when `failed` */
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
	const struct sh_band_table *table;
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
	table = &b->band.table[number];
	order = sh_slice_cmp(r->key, sh_buf_slice(last));
	if (order == 0 && sh_band_same_key(table, r->of.fp, b->first[side]))
		return 0;
	if (sh_band_check_key(&b->band, table, r->key, r->of.fp, err) < 0)
		return -1;
	if (order < 0)
		return sh_error_set(err, SH_ERR_PARAM,
		    "the keys are not in bytewise order: sort the bands with LC_ALL=C sort");
	memcpy(b->first[side], r->of.fp, b->band.words * sizeof *r->of.fp);
	last->n = 0;
	return sh_buf_add(last, r->key.p, r->key.n, err);
}

/* ---- buckets ---- */

static void advance(struct sh_bands *b, unsigned side)
{
	int got = b->next(b->arg, side, &b->r[side], &b->stopped);

	b->more[side] = got > 0;
	b->failed = b->failed || got < 0;
}

/* Returns whether a side has a record of this key. */
static bool has_key(const struct sh_bands *b, unsigned side, struct sh_slice key)
{
	return b->more[side] && sh_slice_eq(b->r[side].key, key);
}

/* Reads the records of a key; adds them to the bucket unless `skips`. Adds their number to *n. */
static int read_bucket(struct sh_bands *b, unsigned side, struct sh_slice key, bool skips,
    size_t *n, struct sh_error *err)
{
	sh_parts_clear(&b->bucket[side]);
	for (; has_key(b, side, key); ++*n) {
		const struct sh_fp_record *r = &b->r[side].of;

		if (!skips && sh_parts_add(&b->bucket[side], r->fp, r->id, err) < 0)
			return -1;
		advance(b, side);
	}
	return 0;
}

/* Joins the bucket of a key. Identical fingerprints share a key in each table; their pairs belong
 * to table 0, and repeated records are counted there. */
static int join_bucket(
    struct sh_bands *b, struct sh_slice key, struct sh_job *out, struct sh_error *err)
{
	struct sh_pairs how = { .collapse = b->opts.collapse };
	uint32_t number;

	if (sh_band_parse(&b->band, key, &number, err) < 0)
		return -1;
	sh_join_set_table(b->join, &b->band.table[number]);
	how.identical = number == 0;
	for (unsigned side = 0; side < b->opts.sides; side++)
		if (sh_parts_close(&b->bucket[side], err) < 0)
			return -1;
	if (sh_parts_join(&b->bucket[0], b->opts.sides == 2 ? &b->bucket[1] : NULL, how, b->join,
		out, err) < 0)
		return -1;
	for (unsigned side = 0; side < b->opts.sides && number == 0; side++)
		b->repeated += b->bucket[side].repeated;
	return 0;
}

int sh_bands_join(
    struct sh_bands *b, sh_bands_next *next, void *arg, struct sh_job *out, struct sh_error *err)
{
	unsigned sides = b->opts.sides;
	struct sh_buf room = { 0 };
	int status = 0;

	b->next = next;
	b->arg = arg;
	for (unsigned side = 0; side < sides; side++)
		advance(b, side);
	while (status == 0 && !b->failed && (b->more[0] || b->more[1])) {
		bool second =
		    !b->more[0] || (b->more[1] && sh_slice_cmp(b->r[1].key, b->r[0].key) < 0);
		struct sh_slice key = b->r[second].key;
		bool skips = sides == 2 && !has_key(b, !second, key);
		size_t n = 0;

		/* The record of the key goes when the next one is read. */
		room.n = 0;
		status = sh_buf_add(&room, key.p, key.n, err);
		key = sh_buf_slice(&room);
		for (unsigned side = 0; side < sides && status == 0; side++)
			status = read_bucket(b, side, key, skips, &n, err);
		if (status == 0 && n > 1 && !skips)
			status = join_bucket(b, key, out, err);
	}
	sh_buf_free(&room);
	if (status == 0 && b->failed) {
		*err = b->stopped;
		return -1;
	}
	return status;
}
