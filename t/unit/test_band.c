/* SPDX-License-Identifier: MIT */
/* Band layouts: numbering, keys as text, the lowest-table rule, errors, the cost model. */
#include "band/band.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "fps.h"
#include "tap.h"

/* Draws a random layout with a limited number of tables. */
static void random_layout(struct sh_band *b)
{
	struct sh_error err;

	for (;;) {
		unsigned bits = 4 * (1 + below(below(4) ? 32 : 256)), k = below(9);

		if (sh_band_init(b, bits, k, k + 1 + below(6), &err) == 0)
			return;
	}
}

/* Writes the digits of a key bit by bit, by the definition in the header. */
static void slow_key(
    const struct sh_band *b, const struct sh_band_table *t, const uint64_t *fp, char *out)
{
	unsigned n = 0, digit = 0;

	out += sprintf(
	    out, "%02x%02x%0*x", b->k, b->blocks, (int)b->table_digits, (unsigned)t->number);
	for (unsigned c = 0; c < b->chosen; c++)
		for (unsigned i = b->bits * t->block[c] / b->blocks;
		     i < b->bits * (t->block[c] + 1U) / b->blocks; i++) {
			digit = digit << 1 | bit_of(fp, i);
			if (++n % 4 == 0) {
				out += sprintf(out, "%x", digit);
				digit = 0;
			}
		}
	for (; n < 4 * b->bits_digits; n++) {
		digit <<= 1;
		if (n % 4 == 3) {
			out += sprintf(out, "%x", digit);
			digit = 0;
		}
	}
}

/* Tables come in lexicographic order, each once. */
static bool numbering(const struct sh_band *b)
{
	struct sh_band_table room;
	unsigned narrowest = UINT_MAX, widest = 0;
	uint8_t last[SH_BAND_MAX_BLOCKS];

	for (uint32_t i = 0; i < b->tables; i++) {
		const struct sh_band_table *t = sh_band_table(b, i, &room);

		if (t->number != i || t->skipped > b->k)
			return false;
		narrowest = t->key_bits < narrowest ? t->key_bits : narrowest;
		widest = t->key_bits > widest ? t->key_bits : widest;
		for (unsigned c = 1; c < b->chosen; c++)
			if (t->block[c] <= t->block[c - 1])
				return false;
		if (i > 0 && memcmp(t->block, last, b->chosen) <= 0)
			return false;
		memcpy(last, t->block, b->chosen);
	}
	/* The width of a key is part of its form. */
	return b->key_bits_min == narrowest && b->key_bits_max == widest &&
	       b->bits_digits == (widest + 3) / 4;
}

static void numberings(void)
{
	unsigned bad = 0, n = 0;
	struct sh_error err;
	struct sh_band b;

	for (unsigned m = 1; m <= 14; m++)
		for (unsigned k = 0; k < m; k++, n++) {
			if (sh_band_init(&b, 64, k, m, &err) < 0) {
				bad++;
				continue;
			}
			bad += !numbering(&b);
			sh_band_free(&b);
		}
	ok(bad == 0, "tables are numbered in order, each once: %u layouts", n);
	ok(sh_band_init(&b, 64, 3, 6, &err) == 0 && b.tables == 20 && b.key_len == 4 + 2 + 9,
	    "64 bits, k 3, 6 blocks give 20 tables and keys of 15 digits");
	sh_band_free(&b);
	ok(sh_band_init(&b, 64, 10, 16, &err) == 0 && b.tables == 8008 && numbering(&b),
	    "a layout of 8008 tables needs no memory for them");
	sh_band_free(&b);
}

static void keys(unsigned cases)
{
	unsigned print = 0, parse = 0, derive = 0, foreign = 0;

	for (unsigned i = 0; i < cases; i++) {
		char key[SH_BAND_MAX_KEY + 1], slow[SH_BAND_MAX_KEY + 1];
		uint64_t fp[SH_FP_MAX_WORDS], other[SH_FP_MAX_WORDS];
		struct sh_band b, c;
		struct sh_band_table room;
		const struct sh_band_table *t;
		struct sh_error err;
		uint32_t number = 0;
		bool own = false;

		random_layout(&b);
		t = sh_band_table(&b, below(b.tables), &room);
		random_fp(fp, b.bits);
		memcpy(other, fp, sizeof fp);
		memset(key, '!', sizeof key);
		sh_band_key(&b, t, fp, key);
		slow_key(&b, t, fp, slow);
		print += strlen(slow) != b.key_len || memcmp(key, slow, b.key_len) != 0 ||
			 key[b.key_len] != '!';
		parse += sh_band_parse(&b, sh_slice(key, b.key_len), &number, &err) != 0 ||
			 number != t->number ||
			 sh_band_check_key(&b, t, sh_slice(key, b.key_len), fp, &err) != 0;
		derive += sh_band_from_key(&c, sh_slice(key, b.key_len), b.bits, &err) != 0 ||
			  c.k != b.k || c.blocks != b.blocks || c.key_len != b.key_len;
		sh_band_free(&c);
		number = below(b.bits);
		flip(other, number);
		for (unsigned j = 0; j < b.chosen; j++)
			own |= number >= b.start[t->block[j]] && number < b.start[t->block[j] + 1U];
		foreign +=
		    (sh_band_check_key(&b, t, sh_slice(key, b.key_len), other, &err) == 0) == own;
		sh_band_free(&b);
	}
	ok(print == 0, "keys of %u random layouts are printed as defined", cases);
	ok(parse == 0, "these keys parse to their table and bits");
	ok(derive == 0, "these keys give their layout");
	ok(foreign == 0,
	    "these keys belong to no fingerprint that differs in the blocks of the table");
}

/* Over all tables: a pair that agrees on at least M-K blocks is lowest in exactly one of its common
 * tables, the first. Any other pair has no common table. */
static bool lowest_once(const struct sh_band *b, const uint64_t *x, const uint64_t *y)
{
	unsigned agreeing = 0, lowest = 0, met = 0;
	bool first = true;

	for (unsigned i = 0; i < b->blocks; i++)
		agreeing += sh_fp_agree(x, y, b->start[i], b->start[i + 1]);
	for (uint32_t i = 0; i < b->tables; i++) {
		struct sh_band_table room;
		const struct sh_band_table *t = sh_band_table(b, i, &room);
		bool meets = true;

		for (unsigned r = 0; r < t->runs; r++)
			meets &= sh_fp_agree(x, y, t->run[r].from, t->run[r].to);
		if (!meets)
			continue;
		if (sh_band_lowest(t, x, y)) {
			lowest++;
			first &= met == 0;
		}
		met++;
	}
	return agreeing >= b->chosen ? lowest == 1 && first : lowest == 0 && met == 0;
}

static void lowest_rule(unsigned cases)
{
	unsigned bad = 0, lost = 0;

	for (unsigned i = 0; i < cases; i++) {
		uint64_t x[SH_FP_MAX_WORDS], y[SH_FP_MAX_WORDS];
		struct sh_band b;
		unsigned agreeing = 0;

		random_layout(&b);
		random_fp(x, b.bits);
		memcpy(y, x, sizeof x);
		for (unsigned d = below(b.k + 3); d > 0; d--) {
			unsigned at = below(b.bits);

			flip(y, at);
		}
		bad += !lowest_once(&b, x, y);
		for (unsigned j = 0; j < b.blocks; j++)
			agreeing += sh_fp_agree(x, y, b.start[j], b.start[j + 1]);
		lost += sh_fp_distance(x, y, b.words) <= b.k && agreeing < b.chosen;
		sh_band_free(&b);
	}
	ok(bad == 0, "exactly one common table, the first, counts a pair: %u random pairs", cases);
	ok(lost == 0, "a pair within k has a common table");
}

static const struct {
	unsigned bits, k, blocks;
	const char *says;
} impossible[] = {
	{ 64, 3, 3, "choose at least 4" },
	{ 64, 3, 0, "choose at least 4" },
	{ 64, 3, 65, "choose at most 64" },
	{ 1024, 3, 256, "choose at most 255" },
	{ 64, 64, 65, "below 64" },
	{ 1024, 255, 300, "is 254" },
	{ 63, 3, 6, "multiple of 4" },
	{ 0, 0, 1, "4 to 1024" },
	{ 1028, 3, 6, "4 to 1024" },
	{ 64, 16, 40, "choose fewer blocks" },
};

static const struct {
	const char *key, *says;
} bad_key[] = {
	{ "", "not a band key" },
	{ "030", "not a band key" },
	{ "0g06001234567890", "not a band key" },
	{ "0305001234567", "do not mix" },
	{ "0206001234567", "do not mix" },
	{ "03060012345678", "14 digits, expected 15" },
	{ "0306001234567890", "16 digits, expected 15" },
	{ "030600123456 89", "lower-case hex" },
	{ "03060012345678A", "lower-case hex" },
	{ "030 00123456789", "not a band key" },
	{ "0306g0123456789", "lower-case hex" },
	{ "030614123456789", "table 20, but its layout has 20" },
};

static void errors(void)
{
	struct sh_band_table room;
	struct sh_error err;
	struct sh_band b;
	uint64_t fp = 0;
	uint32_t number;

	for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++)
		ok(sh_band_init(
		       &b, impossible[i].bits, impossible[i].k, impossible[i].blocks, &err) == -1 &&
			strstr(err.text, impossible[i].says) != NULL,
		    "%s", err.text);
	ok(sh_band_init(&b, 64, 3, 6, &err) == 0, "a key of layout 64, 3, 6 parses");
	for (size_t i = 0; i < sizeof bad_key / sizeof *bad_key; i++)
		ok((sh_band_parse(&b, sh_slice_str(bad_key[i].key), &number, &err) == -1 ||
		       sh_band_check_key(&b, sh_band_table(&b, number, &room),
			   sh_slice_str(bad_key[i].key), &fp, &err) == -1) &&
			err.code == SH_ERR_RECORD && strstr(err.text, bad_key[i].says) != NULL,
		    "'%s': %s", bad_key[i].key, err.text);
	ok(sh_band_parse(&b, sh_slice_str("030613123456789"), &number, &err) == 0 && number == 19,
	    "a key of the last table parses");
	sh_band_free(&b);
	ok(sh_band_from_key(&b, sh_slice_str("0603001234"), 64, &err) == -1 &&
		err.code == SH_ERR_RECORD && strstr(err.text, "impossible for 64 bits") != NULL,
	    "%s", err.text);
	ok(sh_band_from_key(&b, sh_slice_str("03060012345678"), 64, &err) == -1 &&
		err.code == SH_ERR_RECORD,
	    "a first key of a wrong length is refused: %s", err.text);
}

static void costs(void)
{
	struct sh_band_cost row[64];
	struct sh_error err;
	unsigned best = 0;
	int n = sh_band_choose(row, 64, &best, 64, 3, &err);
	double least = row[best].sort_seconds + row[best].compare_seconds;
	bool cheapest = true;

	for (int i = 0; i < n; i++) {
		printf("# M %u: %u tables of %u bits, %u bytes a line, %.3g candidates, %.3g + "
		       "%.3g s\n",
		    row[i].blocks, (unsigned)row[i].tables, row[i].key_bits, row[i].record_bytes,
		    row[i].candidates, row[i].sort_seconds, row[i].compare_seconds);
		cheapest &= row[i].sort_seconds + row[i].compare_seconds >= least;
	}
	ok(n >= 2 && cheapest, "the cheapest of %d layouts is chosen: %u blocks", n,
	    row[best].blocks);
	ok(row[0].blocks == 4 && row[0].tables == 4 && row[0].key_bits == 16 &&
		row[0].record_bytes == 4 + 1 + 4 + 1 + 16 + 1 + SH_BAND_ID + 1,
	    "4 blocks: the plan has the numbers of the layout");
	for (unsigned k = 0; k <= 12; k++)
		n = n && sh_band_choose(row, 64, &best, 64, k, &err) > 0;
	ok(n > 0, "every k up to 12 has a layout at 64 bits");
	ok(sh_band_choose(row, 64, &best, 1024, 200, &err) > 0 &&
		sh_band_choose(row, 64, &best, 1024, 0, &err) > 0 &&
		sh_band_choose(row, 64, &best, 4, 4, &err) == 0,
	    "wide and impossible plans end with a layout or an error");
}

/* Checks the figures against band.h. */
static bool is_priced(const struct sh_band_cost *c)
{
	double count = SH_BAND_COUNT, lines = c->tables * count, buckets = exp2(c->key_bits);
	double sort = lines * c->record_bytes * log2(lines) * SH_COST_SORT;
	double candidates = lines * count / 2 / buckets, all = candidates * SH_COST_COMPARE;
	bool good = fabs(c->sort_seconds - sort) < 1e-9 * sort &&
		    fabs(c->candidates - candidates) < 1e-9 * candidates &&
		    c->compare_seconds < all * (1 + 1e-9) &&
		    (c->bucket >= 2 || c->compare_seconds > all * (1 - 1e-9)) &&
		    (c->bucket < 500 || c->compare_seconds < all / 2);

	if (!good)
		printf("# %u tables of %u bits: %.9g s, not %.9g; %.9g s of %.9g s\n",
		    (unsigned)c->tables, c->key_bits, c->sort_seconds, sort, c->compare_seconds,
		    all);
	return good;
}

static void prices(void)
{
	unsigned best, bad = 0, all = 0;
	struct sh_band_cost row[64];
	struct sh_error err;

	for (unsigned k = 1; k < 14; k++) {
		int n = sh_band_choose(row, 64, &best, 64, k, &err);

		all += (unsigned)n;
		while (n > 0)
			bad += row[--n].bucket < 1e4 && !is_priced(&row[n]);
	}
	ok(bad == 0 && all > 20, "%u layouts have the cost of the formula in band.h", all);
}

int main(int argc, char **argv)
{
	unsigned cases = argc > 1 ? (unsigned)atoi(argv[1]) : rng_rounds(10000);

	rng_init(20240608);
	numberings();
	keys(cases);
	lowest_rule(cases);
	errors();
	costs();
	prices();
	return done_testing();
}
