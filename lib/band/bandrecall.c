/* Tables drawn at random, for an expected recall: fewer tables than an exact layout needs.
 *
 * The bits of a fingerprint are shuffled and cut into keys of `key_bits` bits, at most 16 keys. The
 * bits are shuffled again for the next keys. Keys of one shuffle share no bit: errors that change
 * one key tend to leave the other keys equal (disjoint tables as in multi-index hashing, random
 * bits as in bit sampling: Indyk, Motwani 1998).
 *
 * The shuffle is that of Fisher and Yates, from the last place down. Place i is exchanged with
 * place r mod (i + 1), where r is the next number of SplitMix64. The seed is its first state. */
#include <stdlib.h>

#include "band/band.h"
#include "base/num.h"

/* A fused multiply-add would round differently; GCC makes none under -std=c11. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* The keys of one shuffle. all_changed() cannot add the terms of more keys in doubles. */
enum { SLICES_MAX = 16 };

static unsigned slices_of(unsigned bits, unsigned key_bits)
{
	return bits / key_bits < SLICES_MAX ? bits / key_bits : SLICES_MAX;
}

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next(uint64_t *state)
{
	uint64_t x = *state += UINT64_C(0x9E3779B97F4A7C15);

	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

static void shuffle(uint16_t *bit, unsigned n, uint64_t *state)
{
	for (unsigned i = 0; i < n; i++)
		bit[i] = (uint16_t)i;
	for (unsigned i = n - 1; i > 0; i--) {
		unsigned other = (unsigned)(next(state) % (i + 1));
		uint16_t b = bit[i];

		bit[i] = bit[other];
		bit[other] = b;
	}
}

static bool has_bit(const uint64_t *mask, unsigned bit)
{
	return mask[bit / 64] >> (63 - bit % 64) & 1;
}

/* Fills *t with table `number`: the runs of successive bits of its mask. */
static void describe(const struct sh_band *b, struct sh_band_table *t, uint32_t number)
{
	const uint64_t *mask = b->mask + (size_t)number * b->words;

	*t = (struct sh_band_table){
		.number = number, .key_bits = b->key_bits_max, .words = b->words, .earlier = b->mask
	};
	for (unsigned i = 0; i < b->bits; i++) {
		if (!has_bit(mask, i))
			continue;
		if (t->runs > 0 && t->run[t->runs - 1].to == i)
			t->run[t->runs - 1].to++;
		else
			t->run[t->runs++] = (struct sh_band_run){ (uint16_t)i, (uint16_t)(i + 1) };
	}
}

static void draw(struct sh_band *b)
{
	unsigned slices = slices_of(b->bits, b->key_bits_max);
	uint16_t bit[SH_FP_MAX_BITS];
	uint64_t state = b->seed;

	for (uint32_t t = 0; t < b->tables; t++) {
		const uint16_t *own = bit + t % slices * b->key_bits_max;
		uint64_t *mask = b->mask + (size_t)t * b->words;

		if (t % slices == 0)
			shuffle(bit, b->bits, &state);
		for (unsigned i = 0; i < b->key_bits_max; i++)
			mask[own[i] / 64] |= UINT64_C(1) << (63 - own[i] % 64);
		describe(b, &b->cache[t], t);
	}
}

static void write_layout(struct sh_band *b)
{
	sh_print_hex_number(b->layout, b->k, 2);
	sh_print_hex_number(b->layout + 2, 0, 2);
	sh_print_hex_number(b->layout + 4, b->tables, 3);
	sh_print_hex_number(b->layout + 7, b->key_bits_max, 2);
	sh_print_hex_number(b->layout + 9, b->seed, 4);
	b->layout_len = 13;
	b->table_digits = sh_hex_width(b->tables - 1);
	b->bits_digits = (b->key_bits_max + 3) / 4;
	b->key_len = b->layout_len + b->table_digits + b->bits_digits;
}

int sh_band_draw(struct sh_band *b, unsigned bits, unsigned k, unsigned key_bits, unsigned tables,
    unsigned seed, struct sh_error *err)
{
	*b = (struct sh_band){ .bits = bits, .words = SH_FP_WORDS(bits), .k = k, .drawn = true };
	if (!sh_fp_width_ok(bits) || k >= bits || k >= SH_BAND_MAX_BLOCKS || key_bits == 0 ||
	    key_bits > bits || key_bits > SH_BAND_MAX_DRAWN_BITS || tables == 0 ||
	    tables > SH_BAND_MAX_DRAWN || seed > SH_BAND_MAX_SEED)
		return sh_error_set(err, SH_ERR_PARAM,
		    "no such tables: %u of %u bits, seed %u, for %u bits at distance %u", tables,
		    key_bits, seed, bits, k);
	b->tables = tables;
	b->seed = seed;
	b->key_bits_min = b->key_bits_max = key_bits;
	b->mask = calloc((size_t)tables * b->words, sizeof *b->mask);
	b->cache = malloc(tables * sizeof *b->cache);
	if (!b->mask || !b->cache) {
		sh_band_free(b);
		return sh_error_nomem(err);
	}
	write_layout(b);
	draw(b);
	return 0;
}

/* ---- expected recall ---------------------------------------------------------- */

/* Returns the probability that d of n places, drawn at random, all lie outside the first `taken`
 * places. */
static double none_in_front(unsigned n, unsigned taken, unsigned d)
{
	double chance = 1;

	if (d > n - taken)
		return 0;
	for (unsigned i = 0; i < d; i++)
		chance = chance * (n - taken - i) / (n - i);
	return chance;
}

/* Returns the probability that d wrong bits change each of `slices` keys of one shuffle, by
 * inclusion and exclusion. */
static double all_changed(unsigned bits, unsigned key_bits, unsigned slices, unsigned d)
{
	double chance = 0, ways = 1;

	for (unsigned j = 0; j <= slices; j++) {
		chance += ways * none_in_front(bits, j * key_bits, d);
		ways = -ways * (slices - j) / (j + 1);
	}
	return chance > 0 ? chance : 0;
}

double sh_band_recall(unsigned bits, unsigned key_bits, unsigned tables, unsigned distance)
{
	unsigned slices = slices_of(bits, key_bits);
	double whole = all_changed(bits, key_bits, slices, distance);
	double missed = all_changed(bits, key_bits, tables % slices, distance);

	for (unsigned i = 0; i < tables / slices; i++)
		missed *= whole;
	return 1 - missed;
}

unsigned sh_band_tables_for(unsigned bits, unsigned key_bits, unsigned distance, double recall)
{
	unsigned low = 0, high = SH_BAND_MAX_DRAWN;

	if (sh_band_recall(bits, key_bits, high, distance) < recall)
		return 0;
	while (high - low > 1) {
		unsigned middle = (low + high) / 2;

		if (sh_band_recall(bits, key_bits, middle, distance) < recall)
			low = middle;
		else
			high = middle;
	}
	return high;
}
