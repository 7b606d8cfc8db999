/* SPDX-License-Identifier: MIT */
#include "fp/permutations.h"

#include <string.h>

#include "base/num.h"
#include "base/rows.h"

/* The prime of the legacy scheme. */
#define MERSENNE ((UINT64_C(1) << 61) - 1)

/* ---- random numbers ----
 *
 * The generator of numpy.random.RandomState: the Mersenne Twister MT19937 (Matsumoto, Nishimura
 * 1998), seeded by one number of 32 bits. */

enum { N = 624, M = 397 };

struct mt19937 {
	uint32_t state[N];
	unsigned at; /* index of the next word of the state */
};

static void seed_by(struct mt19937 *r, uint32_t seed)
{
	for (uint32_t i = 0; i < N; i++) {
		r->state[i] = seed;
		seed = UINT32_C(1812433253) * (seed ^ seed >> 30) + i + 1;
	}
	r->at = N;
}

static void refill(struct mt19937 *r)
{
	for (unsigned i = 0; i < N; i++) {
		uint32_t y = (r->state[i] & UINT32_C(0x80000000)) |
			     (r->state[(i + 1) % N] & UINT32_C(0x7fffffff));

		r->state[i] = r->state[(i + M) % N] ^ y >> 1 ^ (y & 1 ? UINT32_C(0x9908b0df) : 0);
	}
	r->at = 0;
}

static uint32_t next32(struct mt19937 *r)
{
	uint32_t y;

	if (r->at == N)
		refill(r);
	y = r->state[r->at++];
	y ^= y >> 11;
	y ^= y << 7 & UINT32_C(0x9d2c5680);
	y ^= y << 15 & UINT32_C(0xefc60000);
	return y ^ y >> 18;
}

static uint64_t next64(struct mt19937 *r)
{
	uint64_t upper = next32(r);

	return upper << 32 | next32(r);
}

/* Returns a random number from 0 to `most`, inclusive, as RandomState.randint() draws uint64: a
 * draw keeps only the low bits up to the highest bit of `most`, and is repeated when above
 * `most`. */
static uint64_t at_most(struct mt19937 *r, uint64_t most)
{
	uint64_t mask = most, x;

	for (unsigned shift = 1; shift < 64; shift *= 2)
		mask |= mask >> shift;
	do
		x = next64(r) & mask;
	while (x > most);
	return x;
}

/* ---- affine32 ---- */

/* Draws all a, then all b. Each a is made odd: otherwise the function would not be a permutation.
 * numpy draws a number below 2^31 by a mask. */
static void draw_affine32(struct sh_permutations *p, uint32_t seed)
{
	struct mt19937 r;

	seed_by(&r, seed);
	for (unsigned i = 0; i < p->n; i++)
		p->a[i] = (next32(&r) & UINT32_C(0x7fffffff)) * 2 + 1;
	for (unsigned i = 0; i < p->n; i++)
		p->b[i] = next32(&r);
}

/* The finalizer of MurmurHash3 for 32 bits. */
static uint32_t finalize32(uint32_t h)
{
	h ^= h >> 16;
	h *= UINT32_C(0x85ebca6b);
	h ^= h >> 13;
	h *= UINT32_C(0xc2b2ae35);
	return h ^ h >> 16;
}

static void least_affine32(const struct sh_permutations *p, uint64_t hash, struct sh_signature *s)
{
	uint32_t h = finalize32((uint32_t)hash), *value = s->value.narrow;

	for (unsigned i = 0; i < p->n; i++) {
		uint32_t x = (uint32_t)p->a[i] * h + (uint32_t)p->b[i];

		value[i] = x < value[i] ? x : value[i];
	}
}

/* ---- affine64 ---- */

/* As draw_affine32() with numbers of 64 bits: each a comes from a number below 2^63. */
static void draw_affine64(struct sh_permutations *p, uint32_t seed)
{
	struct mt19937 r;

	seed_by(&r, seed);
	for (unsigned i = 0; i < p->n; i++)
		p->a[i] = at_most(&r, UINT64_MAX >> 1) * 2 + 1;
	for (unsigned i = 0; i < p->n; i++)
		p->b[i] = next64(&r);
}

/* The finalizer of MurmurHash3 for 64 bits. */
static uint64_t finalize64(uint64_t h)
{
	h ^= h >> 33;
	h *= UINT64_C(0xff51afd7ed558ccd);
	h ^= h >> 33;
	h *= UINT64_C(0xc4ceb9fe1a85ec53);
	return h ^ h >> 33;
}

static void least_affine64(const struct sh_permutations *p, uint64_t hash, struct sh_signature *s)
{
	uint64_t h = finalize64(hash), *value = s->value.wide;

	for (unsigned i = 0; i < p->n; i++) {
		uint64_t x = p->a[i] * h + p->b[i];

		value[i] = x < value[i] ? x : value[i];
	}
}

/* ---- legacy ---- */

/* Draws a and b in turns. */
static void draw_legacy(struct sh_permutations *p, uint32_t seed)
{
	struct mt19937 r;

	seed_by(&r, seed);
	for (unsigned i = 0; i < p->n; i++) {
		p->a[i] = 1 + at_most(&r, MERSENNE - 2);
		p->b[i] = at_most(&r, MERSENNE - 1);
	}
}

static void least_legacy(const struct sh_permutations *p, uint64_t hash, struct sh_signature *s)
{
	uint32_t h = (uint32_t)hash, *value = s->value.narrow;

	for (unsigned i = 0; i < p->n; i++) {
		/* 2^61 is 1 modulo MERSENNE: the bits from 61 on are added to the lower bits. */
		uint64_t wide = p->a[i] * h + p->b[i], rest = (wide & MERSENNE) + (wide >> 61);
		uint32_t x = (uint32_t)(rest < MERSENNE ? rest : rest - MERSENNE);

		value[i] = x < value[i] ? x : value[i];
	}
}

/* ---- all ---- */

static const struct sh_permutation_scheme rows[] = {
	{ "affine32", 8, draw_affine32, least_affine32 },
	{ "affine64", 16, draw_affine64, least_affine64 },
	{ "legacy", 8, draw_legacy, least_legacy },
};

const struct sh_permutation_scheme *sh_permutation_scheme_at(unsigned i)
{
	return sh_row_at(SH_ROWS(rows), i);
}

const struct sh_permutation_scheme *sh_permutation_scheme_find(const char *name)
{
	return sh_row_find(SH_ROWS(rows), name);
}

void sh_permutations_init(struct sh_permutations *p, const struct sh_permutation_scheme *scheme,
    unsigned n, uint32_t seed)
{
	p->scheme = scheme;
	p->n = n;
	scheme->draw(p, seed);
}

/* Sets all bytes of the n values. */
static void fill(const struct sh_permutations *p, int byte, struct sh_signature *s)
{
	memset(&s->value, byte, (size_t)p->n * p->scheme->digits / 2);
}

void sh_permutations_sign(
    const struct sh_permutations *p, const uint64_t *hash, size_t n, struct sh_signature *s)
{
	fill(p, 0xff, s);
	for (size_t i = 0; i < n; i++)
		p->scheme->least(p, hash[i], s);
}

bool sh_permutations_empty(const struct sh_permutations *p, enum sh_empty rule,
    const struct sh_hash *hash, struct sh_signature *s)
{
	uint64_t h;

	switch (rule) {
	case SH_EMPTY_ZERO:
		fill(p, 0, s);
		return true;
	case SH_EMPTY_ONES:
		sh_permutations_sign(p, NULL, 0, s);
		return true;
	case SH_EMPTY_TEXT:
		sh_hash_feature(hash, sh_slice("", 0), 0, 64, &h);
		sh_permutations_sign(p, &h, 1, s);
		return true;
	default:
		return false;
	}
}

size_t sh_permutations_print(
    const struct sh_permutations *p, const struct sh_signature *s, char *out)
{
	unsigned digits = p->scheme->digits;

	for (unsigned i = 0; i < p->n; i++)
		sh_print_hex_number(out + (size_t)i * digits,
		    digits == 16 ? s->value.wide[i] : s->value.narrow[i], digits);
	return (size_t)p->n * digits;
}
