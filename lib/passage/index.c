/* SPDX-License-Identifier: MIT */
#include "passage/index.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/buf.h"
#include "passage/placed.h"

enum {
	FILTER_MIN = 12,
	BITS_PER_ENTRY = 16,
	FREE_HITS = 1 << 14, /* hits of a document that never lower the bound of places */
	HITS_A_TOKEN = 4,    /* more hits for each token before the current one */
	LOWERED_BOUND = 2,   /* places of a k-gram that are read above the number of free hits */
	TOKEN_BITS_MIN = 1 << 12,
};

int sh_index_make(struct sh_index *x, const struct sh_texts *texts, struct sh_sorter *postings,
    const struct sh_index_opts *opts, struct sh_error *err)
{
	const struct sh_groups *g = &x->groups;
	size_t mask;

	*x = (struct sh_index){ .texts = texts, .opts = *opts };
	if (sh_groups_make(&x->groups, NULL, postings, true, err) < 0)
		return -1;
	for (x->filter_bits = FILTER_MIN; g->n_members * BITS_PER_ENTRY >> x->filter_bits;)
		x->filter_bits++;
	for (x->slot_bits = 1; 2 * g->n >> x->slot_bits;)
		x->slot_bits++;
	x->filter = calloc((size_t)1 << (x->filter_bits - 6), sizeof *x->filter);
	x->slot = calloc((size_t)1 << x->slot_bits, sizeof *x->slot);
	if (!x->filter || !x->slot)
		return sh_error_nomem(err);
	mask = ((size_t)1 << x->slot_bits) - 1;
	for (size_t i = 0; i < g->n; i++) {
		size_t slot = (size_t)g->key[i] & mask;

		while (x->slot[slot])
			slot = (slot + 1) & mask;
		x->slot[slot] = (uint32_t)i + 1;
		sh_bits_put(x->filter, (size_t)(g->key[i] >> (64 - x->filter_bits)));
		x->exceeding += sh_group_size(g, i) > opts->bound;
	}
	return 0;
}

void sh_index_free(struct sh_index *x)
{
	sh_groups_free(&x->groups);
	free(x->filter);
	free(x->slot);
	*x = (struct sh_index){ 0 };
}

/* Returns the group with this key; groups.n when there is none. */
static size_t find(const struct sh_index *x, uint64_t key)
{
	size_t mask = ((size_t)1 << x->slot_bits) - 1;

	for (size_t s = (size_t)key & mask; x->slot[s]; s = (s + 1) & mask)
		if (x->groups.key[x->slot[s] - 1] == key)
			return x->slot[s] - 1;
	return x->groups.n;
}

/* Writes the first tokens of the k-grams that pass the filter to an array with room for n_grams +
 * 1. Returns their number. */
static size_t filter_grams(const struct sh_index *x, const struct sh_seeds *seeds, uint32_t *room)
{
	const unsigned shift = 64 - x->filter_bits;
	size_t n = 0;

	/* Which k-grams pass is random, so there is no branch on it. */
	for (size_t i = 0; i < seeds->n_grams; i++) {
		room[n] = (uint32_t)i;
		n += sh_bits_has(x->filter, (size_t)(seeds->gram[i] >> shift));
	}
	return n;
}

/* ---- queries that share too few tokens ---- */

void sh_index_room_free(struct sh_index_room *room)
{
	free(room->token);
	free(room->verdict);
	free(room->gram);
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
	uint64_t found = 0;
	bool enough;

	if (room->verdict[query] >> 1 == room->serial)
		return room->verdict[query] & 1;
	side = sh_texts_tokens(x->texts, query);
	for (size_t i = 0; i < side.n; i++)
		found += sh_bits_has(room->token, side.token[i] & room->token_mask);
	enough = found >= x->opts.least && found >= sh_coverage_needs(x->opts.coverage, side.n);
	room->verdict[query] = room->serial << 1 | enough;
	return enough;
}

/* ---- spans ---- */

int sh_index_spans(const struct sh_index *x, const struct sh_seeds *seeds,
    struct sh_index_room *room, struct sh_matcher *m, struct sh_span **spans, size_t *n,
    struct sh_error *err)
{
	struct sh_token_hashes side = { seeds->token, seeds->tokens.n };
	const struct sh_groups *g = &x->groups;
	uint32_t covered = 0;
	uint64_t hits = 0;
	size_t grams;

	*n = 0;
	if (SH_RESERVE(room->gram, room->gram_cap, side.n + 1, err) < 0)
		return -1;
	grams = filter_grams(x, seeds, room->gram);
	if (grams == 0)
		return 0;
	sh_matcher_begin(m, side);
	if (fill_room(x, side, room, err) < 0)
		return -1;
	for (size_t j = 0; j < grams; j++) {
		uint32_t token = room->gram[j];
		size_t group = find(x, seeds->gram[token]), places, most = x->opts.bound;
		bool exceeds;

		if (group == g->n)
			continue;
		places = sh_group_size(g, group);
		exceeds = places > most;
		if (exceeds && token + x->opts.longest <= covered)
			continue;
		if (hits >= FREE_HITS + HITS_A_TOKEN * (uint64_t)token)
			most = LOWERED_BOUND;
		for (size_t i = 0; i < places && i < most; i++) {
			const struct sh_group_member *p = &g->member[g->start[group] + i];
			struct sh_match match;

			if (!may_match(x, room, p->document))
				continue;
			if (sh_matcher_hit(m, p->document, token, p->token, &match, err) < 0)
				return -1;
			hits += match.from == token;
			if (exceeds && match.n >= SH_CHANCE_VERBATIM &&
			    match.from + match.n > covered)
				covered = match.from + match.n;
		}
	}
	return sh_matcher_spans(m, spans, n, err);
}
