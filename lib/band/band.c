/* SPDX-License-Identifier: MIT */
#include "band/band.h"

#include <stdlib.h>

#include "base/num.h"

#define MANY UINT64_C(1000000000)

/* Returns C(n, r), or MANY when it is more. */
static uint64_t choose(unsigned n, unsigned r)
{
	uint64_t c = 1;

	if (r > n)
		return 0;
	if (r > n - r)
		r = n - r;
	for (unsigned i = 1; i <= r && c < MANY; i++)
		c = c * (n - r + i) / i;
	return c < MANY ? c : MANY;
}

static int check(unsigned bits, unsigned k, unsigned blocks, struct sh_error *err)
{
	if (!sh_fp_width_ok(bits))
		return sh_error_set(err, SH_ERR_PARAM,
		    "%u bits: a fingerprint has 4 to %d bits, a multiple of 4", bits,
		    SH_FP_MAX_BITS);
	if (k >= bits)
		return sh_error_set(err, SH_ERR_PARAM,
		    "distance %u contains every pair of %u-bit fingerprints: choose one below %u",
		    k, bits, bits);
	if (k >= SH_BAND_MAX_BLOCKS)
		return sh_error_set(err, SH_ERR_PARAM,
		    "distance %u: the largest distance of bands is %d", k, SH_BAND_MAX_BLOCKS - 1);
	if (blocks <= k)
		return sh_error_set(err, SH_ERR_PARAM,
		    "%u blocks cannot guarantee distance %u: choose at least %u", blocks, k, k + 1);
	if (blocks > bits || blocks > SH_BAND_MAX_BLOCKS)
		return sh_error_set(err, SH_ERR_PARAM, "%u blocks of %u bits: choose at most %u",
		    blocks, bits, bits < SH_BAND_MAX_BLOCKS ? bits : SH_BAND_MAX_BLOCKS);
	if (choose(blocks, k) > SH_BAND_MAX_TABLES)
		return sh_error_set(err, SH_ERR_PARAM,
		    "%u blocks at distance %u make %s%llu tables, each with a line for every "
		    "fingerprint: choose fewer blocks, at least %u (at most %d tables)",
		    blocks, k, choose(blocks, k) == MANY ? "at least " : "",
		    (unsigned long long)choose(blocks, k), k + 1, SH_BAND_MAX_TABLES);
	return 0;
}

static unsigned block_bits(const struct sh_band *b, unsigned i)
{
	return (unsigned)(b->start[i + 1] - b->start[i]);
}

/* Blocks differ in width by at most one bit. The number of wide blocks therefore gives the widest
 * and the narrowest key. */
static void measure_keys(struct sh_band *b)
{
	unsigned narrow = b->bits / b->blocks, wide = b->bits % b->blocks;
	unsigned left_out = b->blocks - b->chosen;

	b->key_bits_max = b->chosen * narrow + (wide < b->chosen ? wide : b->chosen);
	b->key_bits_min = b->chosen * narrow + (wide > left_out ? wide - left_out : 0);
	b->table_digits = sh_hex_width(b->tables - 1);
	b->bits_digits = (b->key_bits_max + 3) / 4;
	b->key_len = SH_BAND_LAYOUT + b->table_digits + b->bits_digits;
	sh_print_hex_number(b->layout, b->k, 2);
	sh_print_hex_number(b->layout + 2, b->blocks, 2);
}

/* Fills in the bits of a table's blocks, and of the blocks that it skips. */
static void describe(const struct sh_band *b, struct sh_band_table *t)
{
	unsigned c = 0;

	t->key_bits = t->runs = t->skipped = 0;
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

static void unrank(const struct sh_band *b, uint32_t number, struct sh_band_table *t)
{
	uint32_t left = number;
	unsigned block = 0;

	t->number = number;
	for (unsigned i = 0; i < b->chosen; i++, block++) {
		uint32_t n;

		/* n combinations continue with this block: skip them while n is too small. */
		while (left >= (n = (uint32_t)choose(b->blocks - block - 1, b->chosen - i - 1))) {
			left -= n;
			block++;
		}
		t->block[i] = (uint8_t)block;
	}
	describe(b, t);
}

int sh_band_init(
    struct sh_band *b, unsigned bits, unsigned k, unsigned blocks, struct sh_error *err)
{
	*b = (struct sh_band){ .bits = bits, .k = k, .blocks = blocks };
	if (check(bits, k, blocks, err) < 0)
		return -1;
	b->words = SH_FP_WORDS(bits);
	b->chosen = blocks - k;
	b->tables = (uint32_t)choose(blocks, k);
	for (unsigned i = 0; i <= blocks; i++)
		b->start[i] = (uint16_t)(bits * i / blocks);
	measure_keys(b);
	b->table = malloc(b->tables * sizeof *b->table);
	if (!b->table)
		return sh_error_nomem(err);
	for (uint32_t i = 0; i < b->tables; i++)
		unrank(b, i, &b->table[i]);
	return 0;
}

void sh_band_free(struct sh_band *b)
{
	free(b->table);
	b->table = NULL;
}
