/* SPDX-License-Identifier: MIT */
#include "passage/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buf.h"

enum {
	FILTER_MIN = 12,
	BITS_PER_ENTRY = 16,
	FREE_HITS = 1 << 14, /* hits of a document that never lower the bound of postings */
	HITS_A_TOKEN = 4,    /* more hits for each token before the current one */
	LOWERED_BOUND = 2,   /* postings of a group that are read above the number of free hits */
	TOKEN_BITS_MIN = 1 << 12,
};

static void fill_filter(struct sh_index *x)
{
	for (size_t i = 0; i < x->n; i++) {
		uint64_t bit = x->posting[i].key >> (64 - x->filter_bits);

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
		uint64_t key = x->posting[i].key;
		size_t slot = slot_of(x, key);

		for (j = i + 1; j < x->n && x->posting[j].key == key; j++)
			;
		x->exceeding += j - i > x->bound;
		while (x->slot[slot])
			slot = next_slot(x, slot);
		x->slot[slot] = (uint32_t)i + 1;
	}
}

static int add_posting(void *index, const struct sh_posting *p, struct sh_error *err)
{
	struct sh_index *x = index;

	if (x->n + 1 >= UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "more than %lu k-grams in the queries",
		    (unsigned long)UINT32_MAX - 1);
	if (SH_RESERVE(x->posting, x->cap, x->n + 1, err) < 0)
		return -1;
	x->posting[x->n++] = *p;
	return 0;
}

int sh_index_make(struct sh_index *x, const struct sh_texts *texts, struct sh_sorter *seeds,
    size_t bound, struct sh_error *err)
{
	*x = (struct sh_index){ .texts = texts, .bound = bound };
	if (sh_seeds_each(seeds, add_posting, x, err) < 0)
		return -1;
	for (x->filter_bits = FILTER_MIN; x->n * BITS_PER_ENTRY >> x->filter_bits;)
		x->filter_bits++;
	for (x->slot_bits = 1; 2 * x->n >> x->slot_bits;)
		x->slot_bits++;
	x->filter = calloc((size_t)1 << (x->filter_bits - 6), sizeof *x->filter);
	x->slot = calloc((size_t)1 << x->slot_bits, sizeof *x->slot);
	x->need = calloc(texts->n + 1, sizeof *x->need);
	if (!x->filter || !x->slot || !x->need)
		return sh_error_nomem(err);
	fill_filter(x);
	fill_slots(x);
	return 0;
}

void sh_index_free(struct sh_index *x)
{
	free(x->posting);
	free(x->filter);
	free(x->slot);
	free(x->need);
	*x = (struct sh_index){ 0 };
}

/* Returns the first posting with this key; x->n when there is none. */
static size_t find(const struct sh_index *x, uint64_t key)
{
	for (size_t s = slot_of(x, key); x->slot[s]; s = next_slot(x, s))
		if (x->posting[x->slot[s] - 1].key == key)
			return x->slot[s] - 1;
	return x->n;
}

/* Returns the number of postings of a group to read: at most the bound, and fewer when there are
 * many exact matches already. */
static size_t allowed(const struct sh_index *x, uint64_t hits, uint32_t token)
{
	return hits < FREE_HITS + HITS_A_TOKEN * (uint64_t)token ? x->bound : LOWERED_BOUND;
}

/* Writes the first tokens of the k-grams that pass the filter to an array with room for n_grams +
 * 1. Returns their number. */
static size_t filter_grams(const struct sh_index *x, const struct sh_seeds *seeds, uint32_t *room)
{
	const unsigned shift = 64 - x->filter_bits;
	size_t n = 0;

	/* Which k-grams pass is random, so there is no branch on it. */
	for (size_t i = 0; i < seeds->n_grams; i++) {
		uint64_t bit = seeds->gram[i] >> shift;

		room[n] = (uint32_t)i;
		n += x->filter[bit / 64] >> bit % 64 & 1;
	}
	return n;
}

/* ---- queries that share too few tokens ---- */

void sh_index_room_free(struct sh_index_room *room)
{
	free(room->token);
	free(room->verdict);
	free(room->gram);
	free(room->side);
	*room = (struct sh_index_room){ 0 };
}

/* Begins a document: sets the bits of its tokens. Returns -1 when memory runs out. */
static int fill_room(const struct sh_index *x, struct sh_token_hashes document,
    struct sh_index_room *room, struct sh_error *err)
{
	size_t bits = TOKEN_BITS_MIN;

	while (bits < BITS_PER_ENTRY * document.n && bits >> 31 == 0)
		bits *= 2;
	if (SH_RESERVE(room->token, room->token_cap, bits / 64, err) < 0)
		return -1;
	if (!room->verdict && !(room->verdict = calloc(x->texts->n + 1, sizeof *room->verdict)))
		return sh_error_nomem(err);
	memset(room->token, 0, bits / 8);
	room->token_mask = (uint32_t)(bits - 1);
	for (size_t i = 0; i < document.n; i++)
		sh_bits_put(room->token, document.token[i] & room->token_mask);
	if (++room->serial > UINT32_MAX / 2) {
		memset(room->verdict, 0, x->texts->n * sizeof *room->verdict);
		room->serial = 1;
	}
	return 0;
}

/* Returns whether the document may have enough tokens of the query. Other tokens can share a
 * bit. */
static bool may_match(const struct sh_index *x, struct sh_index_room *room, uint32_t query)
{
	struct sh_token_hashes side;
	uint32_t found = 0;

	if (room->verdict[query] >> 1 == room->serial)
		return room->verdict[query] & 1;
	side = sh_texts_tokens(x->texts, query);
	for (size_t i = 0; i < side.n; i++)
		found += sh_bits_has(room->token, side.token[i] & room->token_mask);
	room->verdict[query] = room->serial << 1 | (found >= x->need[query]);
	return found >= x->need[query];
}

/* ---- hits ---- */

static int add_hits(const struct sh_index *x, const struct sh_seeds *seeds,
    struct sh_token_hashes document, const uint32_t *gram, size_t n, struct sh_index_room *room,
    struct sh_matcher *m, struct sh_error *err)
{
	uint32_t covered = 0;
	uint64_t hits = 0;

	if (fill_room(x, document, room, err) < 0)
		return -1;
	for (size_t j = 0; j < n; j++) {
		uint32_t token = gram[j];
		uint64_t key = seeds->gram[token];
		size_t first = find(x, key), most = allowed(x, hits, token), i = first;
		bool exceeds = first + x->bound < x->n && x->posting[first + x->bound].key == key;

		if (exceeds && token + x->longest <= covered)
			continue;
		for (; i < x->n && i - first < most && x->posting[i].key == key; i++) {
			const struct sh_posting *p = &x->posting[i];
			struct sh_match match;

			if (!may_match(x, room, p->document))
				continue;
			if (sh_matcher_hit(m, p->document, token, p->token, &match, err) < 0)
				return -1;
			hits += match.from == token;
			if (exceeds && match.n >= x->enough && match.from + match.n > covered)
				covered = match.from + match.n;
		}
	}
	return 0;
}

struct sh_token_hashes sh_index_tokens(const void *x, uint32_t document)
{
	return sh_texts_tokens(((const struct sh_index *)x)->texts, document);
}

/* ---- spans ---- */

int sh_index_spans(const struct sh_index *x, const struct sh_seeds *seeds,
    struct sh_index_room *room, struct sh_matcher *m, struct sh_span **spans, size_t *n,
    struct sh_error *err)
{
	size_t tokens = seeds->tokens.n, grams;
	struct sh_token_hashes side;

	*n = 0;
	if (SH_RESERVE(room->gram, room->gram_cap, tokens + 1, err) < 0)
		return -1;
	grams = filter_grams(x, seeds, room->gram);
	if (grams == 0)
		return 0;
	if (SH_RESERVE(room->side, room->side_cap, tokens, err) < 0)
		return -1;
	for (size_t i = 0; i < tokens; i++)
		room->side[i] = (uint32_t)seeds->token[i];
	side = (struct sh_token_hashes){ room->side, tokens };
	sh_matcher_begin(m, side, sh_index_tokens, x);
	if (add_hits(x, seeds, side, room->gram, grams, room, m, err) < 0)
		return -1;
	return sh_matcher_spans(m, spans, n, err);
}
