#include "band/band.h"

#include <stdlib.h>

#include "base/num.h"
#include "record/fields.h"

enum {
	CACHED_TABLES = 512,
	LAYOUT_DIGITS = 4, /* k and M */
	DRAWN_DIGITS = 13, /* k, 00, tables, key bits and seed */
};

/* C(n, r), or SH_BAND_MAX_TABLES + 1 when it is more than SH_BAND_MAX_TABLES. */
static uint32_t choose(unsigned n, unsigned r)
{
	uint64_t c = 1;

	if (r > n)
		return 0;
	if (r > n - r)
		r = n - r;
	for (unsigned i = 1; i <= r; i++) {
		c = c * (n - r + i) / i;
		if (c > SH_BAND_MAX_TABLES)
			return SH_BAND_MAX_TABLES + 1;
	}
	return (uint32_t)c;
}

/* UINT32_MAX: they are not digits. */
static uint32_t parse_number(const char *p, unsigned digits)
{
	uint64_t x;

	return sh_parse_hex_number(sh_slice(p, digits), &x) < 0 ? UINT32_MAX : (uint32_t)x;
}

static int check(unsigned bits, unsigned k, unsigned blocks, struct sh_error *err)
{
	if (!sh_fp_width_ok(bits))
		return sh_error_set(err, SH_ERR_PARAM,
		    "%u bits: a fingerprint has 4 to %d bits, a multiple of 4", bits,
		    SH_FP_MAX_BITS);
	if (k >= bits)
		return sh_error_set(err, SH_ERR_PARAM,
		    "distance %u takes in every pair of %u-bit fingerprints: choose one below %u",
		    k, bits, bits);
	if (k >= SH_BAND_MAX_BLOCKS)
		return sh_error_set(
		    err, SH_ERR_PARAM, "distance %u: bands go up to %d", k, SH_BAND_MAX_BLOCKS - 1);
	if (blocks <= k)
		return sh_error_set(err, SH_ERR_PARAM,
		    "%u blocks cannot guarantee distance %u: choose at least %u", blocks, k, k + 1);
	if (blocks > bits || blocks > SH_BAND_MAX_BLOCKS)
		return sh_error_set(err, SH_ERR_PARAM, "%u blocks of %u bits: choose at most %u",
		    blocks, bits, bits < SH_BAND_MAX_BLOCKS ? bits : SH_BAND_MAX_BLOCKS);
	if (choose(blocks, k) > SH_BAND_MAX_TABLES)
		return sh_error_set(err, SH_ERR_PARAM,
		    "%u blocks at distance %u make more than %d tables: choose fewer blocks, %u at "
		    "the least",
		    blocks, k, SH_BAND_MAX_TABLES, k + 1);
	return 0;
}

static unsigned block_bits(const struct sh_band *b, unsigned i)
{
	return (unsigned)(b->start[i + 1] - b->start[i]);
}

/* The widths of blocks differ by one bit at most: the extremes follow from how many are wide. */
static void measure_keys(struct sh_band *b)
{
	unsigned narrow = b->bits / b->blocks, wide = b->bits % b->blocks;
	unsigned spare = b->blocks - b->chosen;

	b->key_bits_max = b->chosen * narrow + (wide < b->chosen ? wide : b->chosen);
	b->key_bits_min = b->chosen * narrow + (wide > spare ? wide - spare : 0);
	b->table_digits = sh_hex_width(b->tables - 1);
	b->bits_digits = (b->key_bits_max + 3) / 4;
	b->key_len = LAYOUT_DIGITS + b->table_digits + b->bits_digits;
	b->layout_len = LAYOUT_DIGITS;
	sh_print_hex_number(b->layout, b->k, 2);
	sh_print_hex_number(b->layout + 2, b->blocks, 2);
}

/* Everything of a table that follows from its number and blocks. */
static void describe(const struct sh_band *b, struct sh_band_table *t)
{
	unsigned c = 0;

	t->key_bits = t->runs = t->skipped = 0;
	t->earlier = NULL;
	for (unsigned i = 0; c < b->chosen; i++) {
		struct sh_band_run r = { b->start[i], b->start[i + 1] };

		if (t->block[c] != i) {
			t->skip[t->skipped++] = r;
			continue;
		}
		c++;
		t->key_bits += block_bits(b, i);
		if (t->runs > 0 && t->run[t->runs - 1].to == r.from)
			t->run[t->runs - 1].to = r.to;
		else
			t->run[t->runs++] = r;
	}
}

static void first_table(const struct sh_band *b, struct sh_band_table *t)
{
	t->number = 0;
	for (unsigned i = 0; i < b->chosen; i++)
		t->block[i] = (uint8_t)i;
	describe(b, t);
}

bool sh_band_table_next(const struct sh_band *b, struct sh_band_table *t)
{
	unsigned i = b->chosen;

	/* The last block that still has room to its right moves, the later ones follow it. */
	while (i > 0 && t->block[i - 1] == b->blocks - b->chosen + i - 1)
		i--;
	if (i == 0)
		return false;
	t->block[i - 1]++;
	for (; i < b->chosen; i++)
		t->block[i] = (uint8_t)(t->block[i - 1] + 1);
	t->number++;
	describe(b, t);
	return true;
}

static void unrank(const struct sh_band *b, uint32_t number, struct sh_band_table *t)
{
	uint32_t left = number;
	unsigned block = 0;

	t->number = number;
	for (unsigned i = 0; i < b->chosen; i++, block++) {
		uint32_t n;

		/* n combinations go on with this block: skip them while they are too few. */
		while (left >= (n = choose(b->blocks - block - 1, b->chosen - i - 1))) {
			left -= n;
			block++;
		}
		t->block[i] = (uint8_t)block;
	}
	describe(b, t);
}

static int fill_cache(struct sh_band *b, struct sh_error *err)
{
	b->cache = malloc(b->tables * sizeof *b->cache);
	if (b->cache == NULL)
		return sh_error_nomem(err);
	first_table(b, &b->cache[0]);
	for (uint32_t i = 1; i < b->tables; i++) {
		b->cache[i] = b->cache[i - 1];
		sh_band_table_next(b, &b->cache[i]);
	}
	return 0;
}

int sh_band_init(
    struct sh_band *b, unsigned bits, unsigned k, unsigned blocks, struct sh_error *err)
{
	*b = (struct sh_band){ .bits = bits, .k = k, .blocks = blocks };
	if (check(bits, k, blocks, err) < 0)
		return -1;
	b->words = SH_FP_WORDS(bits);
	b->chosen = blocks - k;
	b->tables = choose(blocks, k);
	for (unsigned i = 0; i <= blocks; i++)
		b->start[i] = (uint16_t)(bits * i / blocks);
	measure_keys(b);
	return b->tables <= CACHED_TABLES ? fill_cache(b, err) : 0;
}

void sh_band_free(struct sh_band *b)
{
	free(b->cache);
	free(b->mask);
	b->cache = NULL;
	b->mask = NULL;
}

const struct sh_band_table *sh_band_table(
    const struct sh_band *b, uint32_t number, struct sh_band_table *room)
{
	if (b->cache != NULL)
		return &b->cache[number];
	unrank(b, number, room);
	return room;
}

/* The key's bits, left-aligned. */
static void gather(
    const struct sh_band *b, const struct sh_band_table *t, const uint64_t *fp, uint64_t *key)
{
	unsigned at = 0;

	for (unsigned i = 0; i < SH_FP_WORDS(b->key_bits_max); i++)
		key[i] = 0;
	for (unsigned r = 0; r < t->runs; r++) {
		unsigned from = t->run[r].from, to = t->run[r].to;

		while (from < to) {
			unsigned room = 64 - at % 64, n = to - from < room ? to - from : room;

			key[at / 64] |= sh_fp_bits(fp, from, n) << (room - n);
			from += n;
			at += n;
		}
	}
}

void sh_band_head(const struct sh_band *b, uint32_t number, char *out)
{
	memcpy(out, b->layout, b->layout_len);
	sh_print_hex_number(out + b->layout_len, number, b->table_digits);
}

void sh_band_key(
    const struct sh_band *b, const struct sh_band_table *t, const uint64_t *fp, char *out)
{
	uint64_t key[SH_FP_MAX_WORDS];

	gather(b, t, fp, key);
	sh_band_head(b, t->number, out);
	sh_print_hex(out + b->layout_len + b->table_digits, key, b->bits_digits);
}

static int no_key(struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD, "this is no band key: shband makes them");
}

/* The layout of keys that begin with k and 00. */
static int drawn_from_key(
    struct sh_band *b, struct sh_slice key, unsigned bits, unsigned k, struct sh_error *err)
{
	uint32_t tables, key_bits, seed;

	if (key.n < DRAWN_DIGITS || (tables = parse_number(key.p + 4, 3)) == UINT32_MAX ||
	    (key_bits = parse_number(key.p + 7, 2)) == UINT32_MAX ||
	    (seed = parse_number(key.p + 9, 4)) == UINT32_MAX)
		return no_key(err);
	return sh_band_draw(b, bits, k, key_bits, tables, seed, err);
}

int sh_band_from_key(struct sh_band *b, struct sh_slice key, unsigned bits, struct sh_error *err)
{
	uint32_t k, blocks, number;
	int status;

	*b = (struct sh_band){ 0 };
	if (key.n < LAYOUT_DIGITS || (k = parse_number(key.p, 2)) == UINT32_MAX ||
	    (blocks = parse_number(key.p + 2, 2)) == UINT32_MAX)
		return no_key(err);
	status = blocks == 0 ? drawn_from_key(b, key, bits, k, err)
			     : sh_band_init(b, bits, k, blocks, err);
	if (status == 0 && sh_band_parse(b, key, &number, err) == 0)
		return 0;
	/* The record is at fault, not a parameter of the program. */
	if (err->code == SH_ERR_PARAM && blocks == 0)
		sh_error_set(err, SH_ERR_RECORD,
		    "the band key declares tables drawn at random, impossible for %u bits", bits);
	else if (err->code == SH_ERR_PARAM)
		sh_error_set(err, SH_ERR_RECORD,
		    "the band key declares distance %u and %u blocks, impossible for %u bits", k,
		    blocks, bits);
	sh_band_free(b);
	return -1;
}

static int check_layout(const struct sh_band *b, struct sh_slice key, struct sh_error *err)
{
	uint32_t k, blocks;

	if (key.n >= b->layout_len && memcmp(key.p, b->layout, b->layout_len) == 0) {
		if (key.n == b->key_len || key.n == b->key_len + SH_BAND_TAG_DIGITS)
			return 0;
		return sh_error_set(err, SH_ERR_RECORD,
		    "the band key has %zu digits, expected %u for %u-bit fingerprints", key.n,
		    b->key_len, b->bits);
	}
	if (key.n < LAYOUT_DIGITS || (k = parse_number(key.p, 2)) == UINT32_MAX ||
	    (blocks = parse_number(key.p + 2, 2)) == UINT32_MAX)
		return no_key(err);
	if (blocks == 0 || b->drawn)
		return sh_error_set(err, SH_ERR_RECORD,
		    "the band key is for other tables than the earlier ones: do not mix layouts");
	return sh_error_set(err, SH_ERR_RECORD,
	    "the band key is for distance %u and %u blocks, the earlier ones for distance "
	    "%u and %u blocks: do not mix layouts",
	    k, blocks, b->k, b->blocks);
}

int sh_band_parse(
    const struct sh_band *b, struct sh_slice key, uint32_t *number, struct sh_error *err)
{
	const char *bits;
	uint64_t word[SH_FP_MAX_WORDS];
	uint32_t t;

	if (check_layout(b, key, err) < 0)
		return -1;
	t = parse_number(key.p + b->layout_len, b->table_digits);
	bits = key.p + b->layout_len + b->table_digits;
	if (t == UINT32_MAX || sh_parse_hex(sh_slice(bits, b->bits_digits), word) < 0 ||
	    (key.n > b->key_len &&
		parse_number(key.p + b->key_len, SH_BAND_TAG_DIGITS) == UINT32_MAX))
		return sh_error_set(err, SH_ERR_RECORD,
		    "the band key holds something else than lower-case hex digits");
	if (t >= b->tables)
		return sh_error_set(err, SH_ERR_RECORD,
		    "the band key names table %u, but its layout has %u, counted from 0",
		    (unsigned)t, (unsigned)b->tables);
	*number = t;
	return 0;
}

int sh_band_cut_tag(const struct sh_band *b, struct sh_slice *key)
{
	if (key->n != b->key_len + SH_BAND_TAG_DIGITS)
		return SH_NO_TAG;
	key->n = b->key_len;
	return (int)parse_number(key->p + b->key_len, SH_BAND_TAG_DIGITS);
}

bool sh_band_key_is(
    const struct sh_band *b, const struct sh_band_table *t, struct sh_slice key, const uint64_t *fp)
{
	char want[SH_BAND_MAX_KEY];

	sh_band_key(b, t, fp, want);
	return key.n == b->key_len && memcmp(key.p, want, key.n) == 0;
}
