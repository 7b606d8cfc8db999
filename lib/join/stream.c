#include "join/stream.h"

#include <stdlib.h>

#include "join/keyorder.h"
#include "join/parts.h"
#include "record/fpline.h"

enum {
	MANY = 1 << 17,  /* records of a large bucket */
	LARGE = 8 << 20, /* or the bytes of its ids */
};

struct sh_stream {
	struct sh_stream_opts opts;
	unsigned sides;
	bool ready; /* the first record was read, and the members below are set */
	unsigned k; /* largest distance of a pair */
	struct sh_band band;
	struct sh_fp_form form;       /* form of the fields behind the key */
	char tag[SH_BAND_TAG_DIGITS]; /* tag of the record checked last */
	unsigned tag_n;               /* bytes of the tag; 0: it has none */
	struct sh_band_table room;
	struct sh_join *join;
	struct sh_keyorder order;  /* self-join only */
	struct sh_buf last_key[2]; /* two streams: the last key of each */
	struct sh_buf key;         /* key of the bucket in parts[] */
	uint32_t table;            /* number of the key's table */
	uint64_t bits;             /* bits of the key, when the layout has at most 64 */
	struct sh_side scratch;    /* scratch memory of both buckets and the join */
	struct sh_parts parts[2];
	uint64_t repeated;
};

struct sh_stream *sh_stream_new(
    const struct sh_stream_opts *opts, unsigned sides, struct sh_error *err)
{
	struct sh_stream *s = calloc(1, sizeof *s);

	if (!s) {
		sh_error_nomem(err);
		return NULL;
	}
	s->opts = *opts;
	s->sides = sides;
	for (unsigned i = 0; i < 2; i++) {
		sh_runs_init(&s->parts[i].runs, opts->tmpdir);
		sh_runs_init(&s->parts[i].sorted, opts->tmpdir);
	}
	if (sh_keyorder_init(&s->order, SH_STREAM_KEYS, err) < 0) {
		free(s);
		return NULL;
	}
	return s;
}

static void free_join(struct sh_stream *s)
{
	sh_join_delete(s->join);
	s->join = NULL;
	for (int i = 0; i < 2; i++)
		sh_parts_free(&s->parts[i]);
	sh_side_free(&s->scratch);
	s->scratch = (struct sh_side){ 0 };
}

void sh_stream_delete(struct sh_stream *s)
{
	if (!s)
		return;
	sh_band_free(&s->band);
	free_join(s);
	sh_keyorder_free(&s->order);
	for (int i = 0; i < 2; i++)
		sh_buf_free(&s->last_key[i]);
	sh_buf_free(&s->key);
	free(s);
}

/* Makes the bucket and its join. */
static int make_join(struct sh_stream *s, struct sh_error *err)
{
	/* A join needs memory for two partitions and the scratch memory. */
	size_t part = s->opts.memory / 3;

	s->join = sh_join_new(s->band.bits, s->k, NULL, err);
	if (!s->join)
		return -1;
	for (unsigned i = 0; i < 2; i++)
		if (sh_parts_init(
			&s->parts[i], s->band.words, part, &s->scratch, s->opts.tmpdir, err) < 0)
			return -1;
	/* In a join of two streams every new id is paired. So only the archive, side 1, is reduced
	 * to the smallest ids. */
	s->parts[s->sides - 1].first_only = s->opts.collapse;
	return 0;
}

/* Stores the properties of the first record. All other records must have the same. */
static int make_ready(struct sh_stream *s, const struct sh_band_record *r, struct sh_error *err)
{
	unsigned k;

	if (sh_band_from_key(&s->band, r->key, r->of.bits, err) < 0)
		return -1;
	k = s->opts.k < 0 ? s->band.k : (unsigned)s->opts.k;
	if (k > s->band.k) {
		unsigned guaranteed = s->band.k;

		sh_band_free(&s->band);
		return sh_error_set(err, SH_ERR_PARAM,
		    "-k %u, but these bands guarantee pairs only up to distance %u (shband -k %u)",
		    k, guaranteed, k);
	}
	s->k = k;
	s->form = sh_fp_form(r->of.bits / 4, SH_NO_TAG);
	if (make_join(s, err) < 0)
		return -1;
	s->ready = true;
	return 0;
}

static int check_order(
    struct sh_stream *s, unsigned side, struct sh_slice key, struct sh_error *err)
{
	struct sh_buf *last = &s->last_key[side];
	int c = sh_slice_cmp(key, sh_buf_slice(last));

	if (c == 0)
		return 0;
	if (c < 0)
		return sh_error_set(err, SH_ERR_PARAM,
		    "keys are not in bytewise order, as a join of two streams needs (LC_ALL=C "
		    "sort)");
	last->n = 0;
	return sh_buf_add(last, key.p, key.n, err);
}

int sh_stream_check(
    struct sh_stream *s, unsigned side, struct sh_band_record *r, struct sh_error *err)
{
	unsigned bits;
	uint32_t number;

	if (!s->ready && make_ready(s, r, err) < 0)
		return -1;
	bits = s->band.bits;
	if (sh_same_width(&bits, &r->of, err) < 0 ||
	    sh_band_parse(&s->band, r->key, &number, err) < 0)
		return -1;
	r->of.tag = sh_band_cut_tag(&s->band, &r->key);
	s->tag_n = r->of.tag == SH_NO_TAG ? 0 : SH_BAND_TAG_DIGITS;
	memcpy(s->tag, r->key.p + r->key.n, s->tag_n);
	if (!sh_band_key_is(&s->band, sh_band_table(&s->band, number, &s->room), r->key, r->of.fp))
		return sh_error_set(err, SH_ERR_RECORD,
		    "key '%.*s' is not that of fingerprint %.*s in this table", (int)r->key.n,
		    r->key.p, (int)(r->of.hex.n > 64 ? 64 : r->of.hex.n), r->of.hex.p);
	return s->sides == 2 ? check_order(s, side, r->key, err) : 0;
}

static const struct sh_band_table *bucket_table(struct sh_stream *s)
{
	return sh_band_table(&s->band, s->table, &s->room);
}

/* Joins one partition with itself. Identical fingerprints share a key in each table; their pairs
 * belong to table 0. */
static int join_part(void *arg, struct sh_nodes *a, struct sh_error *err)
{
	struct sh_stream *s = arg;
	struct sh_emit e = { a, a, s->opts.collapse, s->opts.pair, s->opts.out, true, NULL, NULL };

	if (s->table == 0 && sh_emit_identical(&e, s->join, err) < 0)
		return -1;
	sh_join_set_table(s->join, bucket_table(s));
	return sh_emit_self(&e, s->join, err);
}

static int join_two(void *arg, struct sh_nodes *a, struct sh_nodes *b, struct sh_error *err)
{
	struct sh_stream *s = arg;
	struct sh_emit e = { a, b, s->opts.collapse, s->opts.pair, s->opts.out, s->sides == 1, NULL,
		NULL };

	sh_join_set_table(s->join, bucket_table(s));
	return sh_emit_cross(&e, s->join, err);
}

static int join_bucket(struct sh_stream *s, struct sh_error *err)
{
	const struct sh_parts_join join = { join_part, join_two, s };
	struct sh_parts *p = &s->parts[0];

	p->copy = s->table == 0 ? s->opts.pair : NULL;
	p->out = s->opts.out;
	if (sh_parts_close(p, err) < 0)
		return -1;
	if (s->table == 0)
		s->repeated += p->repeated;
	return sh_parts_join_self(p, &join, err);
}

/* Joins the bucket and forgets it. Frees the memory of a large bucket: another stream, of another
 * thread, may have the next one. */
static int end_bucket(struct sh_stream *s, struct sh_error *err)
{
	struct sh_parts *p = &s->parts[0];
	bool large = p->runs.n || p->nodes.records > MANY || p->nodes.ids.text.n > LARGE;

	if ((large || p->nodes.records > 1) && join_bucket(s, err) < 0)
		return -1;
	sh_parts_clear(p);
	if (!large)
		return 0;
	free_join(s);
	return make_join(s, err);
}

/* Sets *bits to the digits at the end of a key. Returns -1 when they are not hexadecimal. */
static int parse_bits(const struct sh_stream *s, const char *key, uint64_t *bits)
{
	unsigned digits = s->band.bits_digits;

	return sh_parse_hex(sh_slice(key + s->band.key_len - digits, digits), bits);
}

/* Stores the key of the next bucket. */
static int begin_bucket(struct sh_stream *s, struct sh_slice key, struct sh_error *err)
{
	s->key.n = 0;
	if (sh_band_parse(&s->band, key, &s->table, err) < 0 ||
	    sh_buf_add(&s->key, key.p, key.n, err) < 0)
		return -1;
	if (s->band.bits_digits <= 16)
		parse_bits(s, key.p, &s->bits);
	return 0;
}

/* Ends the bucket before the next key. */
static int change_bucket(struct sh_stream *s, struct sh_slice key, struct sh_error *err)
{
	if (end_bucket(s, err) < 0)
		return -1;
	return s->opts.begins ? s->opts.begins(s->opts.arg, key, err)
			      : sh_keyorder_next(&s->order, key, err);
}

int sh_stream_add(struct sh_stream *s, const struct sh_band_record *r, struct sh_error *err)
{
	if (!sh_slice_eq(r->key, sh_buf_slice(&s->key)) &&
	    (change_bucket(s, r->key, err) < 0 || begin_bucket(s, r->key, err) < 0))
		return -1;
	return sh_parts_add(&s->parts[0], r->of.fp, r->of.id, err);
}

/* Returns whether n bytes are equal. Keys are short: a call of memcmp() would take longer. */
static inline bool same_key(const char *p, const char *q, size_t n)
{
	size_t i = 0;

	for (; i + 8 <= n; i += 8)
		if (sh_le64(p + i) != sh_le64(q + i))
			return false;
	return memcmp(p + i, q + i, n - i) == 0;
}

/* Returns whether all keys so far ascend, and the key at p is greater than the last one, in the
 * same table: the common case. Then sets *bits to its bits. */
static bool is_next_key(const struct sh_stream *s, const char *p, uint64_t *bits)
{
	unsigned head = s->band.key_len - s->band.bits_digits;

	return memcmp(p, s->key.p, head) == 0 && parse_bits(s, p, bits) == 0 && *bits > s->bits &&
	       s->order.ascends;
}

static int next_bucket(
    struct sh_stream *s, struct sh_slice key, uint64_t bits, struct sh_error *err)
{
	if (change_bucket(s, key, err) < 0)
		return -1;
	memcpy(s->key.p, key.p, key.n);
	s->bits = bits;
	return 0;
}

/* Reads a band record whose tag is that of the last checked record. Does not examine the key.
 * Returns the length of its line; 0 when sh_stream_check() must read the record. */
static size_t band_line(
    const struct sh_stream *s, const char *p, const char *end, uint64_t *fp, struct sh_slice *id)
{
	unsigned n = s->band.key_len + s->tag_n;
	size_t len;

	if ((size_t)(end - p) <= n || p[n] != '\t' ||
	    memcmp(p + s->band.key_len, s->tag, s->tag_n) != 0)
		return 0;
	len = sh_fp_line(p + n + 1, end, &s->form, fp, id);
	return len ? n + 1 + len : 0;
}

/* Adds the record of the line at p. Returns the length of the line; 0 when sh_stream_check() must
 * read the record; or -1. */
static ssize_t add_line(struct sh_stream *s, const struct sh_band_table *table, const char *p,
    const char *end, struct sh_error *err)
{
	unsigned key_len = s->band.key_len;
	uint64_t fp[SH_FP_MAX_WORDS], bits = s->bits;
	struct sh_slice id;
	size_t len = band_line(s, p, end, fp, &id);

	if (len == 0)
		return 0;
	if (!same_key(p, s->key.p, key_len)) {
		if (!is_next_key(s, p, &bits) || sh_band_bits(table, fp) != bits)
			return 0;
		if (next_bucket(s, sh_slice(p, key_len), bits, err) < 0)
			return -1;
	} else if (sh_band_bits(table, fp) != bits) {
		return 0;
	}
	if (sh_parts_add(&s->parts[0], fp, id, err) < 0)
		return -1;
	return (ssize_t)len;
}

ssize_t sh_stream_add_lines(
    struct sh_stream *s, struct sh_slice text, size_t *lines, struct sh_error *err)
{
	const char *p = text.p, *end = text.p + text.n;
	const struct sh_band_table *table;
	ssize_t took;

	*lines = 0;
	if (s->key.n == 0 || s->band.bits_digits > 16)
		return 0;
	table = bucket_table(s);
	while (end > p && end[-1] != '\n')
		end--;
	while ((took = add_line(s, table, p, end, err)) > 0) {
		p += took;
		(*lines)++;
	}
	return took < 0 ? -1 : p - text.p;
}

int sh_stream_finish(struct sh_stream *s, struct sh_error *err)
{
	s->key.n = 0;
	return s->ready ? end_bucket(s, err) : 0;
}

/* ---- two streams ---- */

/* The record of a side that was read last and is not in a bucket yet. */
struct ahead {
	struct sh_band_record record;
	int got; /* 1 when there is a record */
};

struct cross {
	struct sh_stream *stream;
	sh_stream_next *next;
	void *arg;
	struct ahead ahead[2];
};

static int advance(struct cross *c, unsigned side, struct sh_error *err)
{
	c->ahead[side].got = c->next(c->arg, side, &c->ahead[side].record, err);
	return c->ahead[side].got < 0 ? -1 : 0;
}

/* Reads all records of a side that have the bucket's key. */
static int gather(struct cross *c, unsigned side, struct sh_error *err)
{
	struct sh_stream *s = c->stream;
	struct ahead *a = &c->ahead[side];

	sh_parts_clear(&s->parts[side]);
	while (a->got && sh_slice_eq(a->record.key, sh_buf_slice(&s->key))) {
		if (sh_parts_add(&s->parts[side], a->record.of.fp, a->record.of.id, err) < 0 ||
		    advance(c, side, err) < 0)
			return -1;
	}
	return sh_parts_close(&s->parts[side], err);
}

static int cross_bucket(struct cross *c, struct sh_error *err)
{
	struct sh_stream *s = c->stream;
	const struct sh_parts_join join = { NULL, join_two, s };

	if (begin_bucket(s, c->ahead[0].record.key, err) < 0 || gather(c, 0, err) < 0 ||
	    gather(c, 1, err) < 0)
		return -1;
	if (s->table == 0)
		s->repeated += s->parts[0].repeated + s->parts[1].repeated;
	return sh_parts_join_cross(&s->parts[0], &s->parts[1], &join, err);
}

void sh_stream_set_out(struct sh_stream *s, struct sh_job *out)
{
	s->opts.out = out;
}

int sh_stream_cross(
    struct sh_stream *s, sh_stream_next *next, void *arg, const bool *pause, struct sh_error *err)
{
	struct cross c = { s, next, arg, { { .got = 0 } } };

	if (advance(&c, 0, err) < 0 || advance(&c, 1, err) < 0)
		return -1;
	while ((c.ahead[0].got || c.ahead[1].got) && !(pause && *pause)) {
		int order = !c.ahead[0].got ? 1
			    : !c.ahead[1].got
				? -1
				: sh_slice_cmp(c.ahead[0].record.key, c.ahead[1].record.key);

		/* Both sides are read to their ends, because all records must be checked. */
		if (order == 0 ? cross_bucket(&c, err) < 0 : advance(&c, order > 0, err) < 0)
			return -1;
	}
	return 0;
}

uint64_t sh_stream_repeated(const struct sh_stream *s)
{
	return s->repeated;
}
