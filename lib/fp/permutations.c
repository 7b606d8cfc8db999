#include "fp/permutations.h"

#include <string.h>

#include "base/num.h"
#include "hash/mt19937.h"

#define MERSENNE ((UINT64_C(1) << 61) - 1)

/* ---- affine32 ---- */

/* Draws all a, then all b. Each a is odd, so that the permutation is one. */
static void draw_affine(struct sh_permutations *p, uint32_t seed)
{
	struct sh_mt19937 r;

	sh_mt19937_seed(&r, seed);
	for (unsigned i = 0; i < p->n; i++)
		p->a[i] = (sh_mt19937_next32(&r) & UINT32_C(0x7fffffff)) * 2 + 1;
	for (unsigned i = 0; i < p->n; i++)
		p->b[i] = sh_mt19937_next32(&r);
}

/* The finalizer of MurmurHash3. */
static uint32_t finalize(uint32_t h)
{
	h ^= h >> 16;
	h *= UINT32_C(0x85ebca6b);
	h ^= h >> 13;
	h *= UINT32_C(0xc2b2ae35);
	return h ^ h >> 16;
}

static void least_affine(const struct sh_permutations *p, uint32_t hash, uint32_t *value)
{
	for (unsigned i = 0; i < p->n; i++) {
		uint32_t x = (uint32_t)p->a[i] * hash + (uint32_t)p->b[i];

		value[i] = x < value[i] ? x : value[i];
	}
}

/* ---- legacy ---- */

/* Draws a and b in turns. */
static void draw_legacy(struct sh_permutations *p, uint32_t seed)
{
	struct sh_mt19937 r;

	sh_mt19937_seed(&r, seed);
	for (unsigned i = 0; i < p->n; i++) {
		p->a[i] = 1 + sh_mt19937_below(&r, MERSENNE - 2);
		p->b[i] = sh_mt19937_below(&r, MERSENNE - 1);
	}
}

static uint32_t same(uint32_t h)
{
	return h;
}

static void least_legacy(const struct sh_permutations *p, uint32_t hash, uint32_t *value)
{
	for (unsigned i = 0; i < p->n; i++) {
		uint64_t wide = p->a[i] * hash + p->b[i], rest = (wide & MERSENNE) + (wide >> 61);
		uint32_t x = (uint32_t)(rest < MERSENNE ? rest : rest - MERSENNE);

		value[i] = x < value[i] ? x : value[i];
	}
}

/* ---- both ---- */

static const struct sh_permutation_scheme rows[] = {
	{ "affine32", draw_affine, finalize, least_affine },
	{ "legacy", draw_legacy, same, least_legacy },
};

const struct sh_permutation_scheme *sh_permutation_scheme_at(unsigned i)
{
	return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

const struct sh_permutation_scheme *sh_permutation_scheme_find(const char *name)
{
	const struct sh_permutation_scheme *row;

	for (unsigned i = 0; (row = sh_permutation_scheme_at(i)); i++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

void sh_permutations_init(struct sh_permutations *p, const struct sh_permutation_scheme *scheme,
    unsigned n, uint32_t seed)
{
	p->scheme = scheme;
	p->n = n;
	scheme->draw(p, seed);
}

void sh_permutations_sign(
    const struct sh_permutations *p, const uint64_t *hash, size_t n, uint32_t *value)
{
	memset(value, 0xff, p->n * sizeof *value);
	for (size_t i = 0; i < n; i++)
		p->scheme->least(p, p->scheme->prepare((uint32_t)hash[i]), value);
}

bool sh_permutations_empty(const struct sh_permutations *p, enum sh_empty rule,
    const struct sh_hash *hash, uint32_t *value)
{
	uint64_t h;

	switch (rule) {
	case SH_EMPTY_ZERO:
		memset(value, 0, p->n * sizeof *value);
		return true;
	case SH_EMPTY_ONES:
		sh_permutations_sign(p, NULL, 0, value);
		return true;
	case SH_EMPTY_TEXT:
		sh_hash_feature(hash, sh_slice("", 0), 0, 64, &h);
		sh_permutations_sign(p, &h, 1, value);
		return true;
	default:
		return false;
	}
}

size_t sh_permutations_print(const struct sh_permutations *p, const uint32_t *value, char *out)
{
	size_t n = 0;

	for (unsigned i = 0; i < p->n; i++)
		n += sh_print_hex_number(out + n, value[i], SH_SIGNATURE_DIGITS);
	return n;
}
