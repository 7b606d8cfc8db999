#include "passage/index.h"

#include <stdlib.h>

enum { FILTER_MIN = 12, SPARE = 16, MANY = 1 << 14, HITS_A_TOKEN = 4, FEW = 2 };

static void fill_filter(struct sh_index *x)
{
	for (size_t i = 0; i < x->n; i++) {
		uint64_t bit = x->posting[i].of.key >> (64 - x->filter_bits);

		x->filter[bit / 64] |= UINT64_C(1) << bit % 64;
	}
}

static size_t slot_of(const struct sh_index *x, uint64_t key)
{
	return (size_t)(key & ((UINT64_C(1) << x->slot_bits) - 1));
}

static size_t next_slot(const struct sh_index *x, size_t slot)
{
	return (slot + 1) & (((size_t)1 << x->slot_bits) - 1);
}

static void fill_slots(struct sh_index *x)
{
	for (size_t i = 0, j; i < x->n; i = j) {
		uint64_t key = x->posting[i].of.key;
		size_t slot = slot_of(x, key);

		for (j = i + 1; j < x->n && x->posting[j].of.key == key; j++)
			;
		x->exceeding += j - i > x->bound;
		while (x->slot[slot])
			slot = next_slot(x, slot);
		x->slot[slot] = (uint32_t)i + 1;
	}
}

int sh_index_make(
    struct sh_index *x, struct sh_texts *texts, size_t bound, unsigned jobs, struct sh_error *err)
{
	*x = (struct sh_index){ .texts = texts, .n = texts->n_postings, .bound = bound };
	if (x->n >= UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "more than %lu k-grams in the queries",
		    (unsigned long)UINT32_MAX - 1);
	x->posting = texts->posting;
	if (sh_postings_sort(x->posting, x->n, jobs, err) < 0)
		return -1;
	for (x->filter_bits = FILTER_MIN; x->n * SPARE >> x->filter_bits;)
		x->filter_bits++;
	for (x->slot_bits = 1; 2 * x->n >> x->slot_bits;)
		x->slot_bits++;
	x->filter = calloc((size_t)1 << (x->filter_bits - 6), sizeof *x->filter);
	x->slot = calloc((size_t)1 << x->slot_bits, sizeof *x->slot);
	if (!x->filter || !x->slot) {
		sh_index_free(x);
		return sh_error_nomem(err);
	}
	fill_filter(x);
	fill_slots(x);
	return 0;
}

void sh_index_free(struct sh_index *x)
{
	free(x->filter);
	free(x->slot);
	x->filter = NULL;
	x->slot = NULL;
}

/* The first posting of this key; x->n: there is none. */
static size_t find(const struct sh_index *x, uint64_t key)
{
	for (size_t s = slot_of(x, key); x->slot[s]; s = next_slot(x, s))
		if (x->posting[x->slot[s] - 1].of.key == key)
			return x->slot[s] - 1;
	return x->n;
}

/* How many postings of a group are looked at: up to the bound, fewer where exact matches have become many. */
static size_t allowed(const struct sh_index *x, uint64_t hits, uint32_t token)
{
	return hits < MANY + HITS_A_TOKEN * (uint64_t)token ? x->bound : FEW;
}

size_t sh_index_filter(const struct sh_index *x, const struct sh_seeds *seeds, uint32_t *room)
{
	const unsigned shift = 64 - x->filter_bits;
	size_t n = 0;

	/* Without a branch: few pass, and which ones nothing predicts. */
	for (size_t i = 0; i < seeds->n_grams; i++) {
		uint64_t bit = seeds->gram[i] >> shift;

		room[n] = (uint32_t)i;
		n += x->filter[bit / 64] >> bit % 64 & 1;
	}
	return n;
}

int sh_index_hits(const struct sh_index *x, const struct sh_seeds *seeds, const uint32_t *room,
    size_t n, struct sh_matcher *m, struct sh_error *err)
{
	uint32_t covered = 0;
	uint64_t hits = 0;

	for (size_t j = 0; j < n; j++) {
		uint32_t token = room[j];
		uint64_t key = seeds->gram[token];
		size_t first = find(x, key), most = allowed(x, hits, token), i = first;
		bool exceeds =
		    first + x->bound < x->n && x->posting[first + x->bound].of.key == key;

		if (exceeds && token + x->longest <= covered)
			continue;
		for (; i < x->n && i - first < most && x->posting[i].of.key == key; i++) {
			struct sh_match match;

			if (sh_matcher_hit(m, x->posting[i].document, token, x->posting[i].token,
				&match, err) < 0)
				return -1;
			hits += match.from == token;
			if (exceeds && match.n >= x->enough && match.from + match.n > covered)
				covered = match.from + match.n;
		}
	}
	return 0;
}

struct sh_side sh_index_side(const void *x, uint32_t document)
{
	return sh_texts_side(((const struct sh_index *)x)->texts, document);
}
