/* SPDX-License-Identifier: MIT */
#include "passage/index.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/buf.h"
#include "base/compare.h"
#include "passage/placed.h"

enum {
	FILTER_MIN = 12,
	BITS_PER_ENTRY = 16,
	FREE_HITS = 1 << 14, /* hits of a document that never lower the bound of places */
	HITS_A_TOKEN = 4,    /* more hits for each token before the current one */
	LOWERED_BOUND = 2,   /* places of a k-gram that are read above the number of free hits */
	TOKEN_BITS_MIN = 1 << 12,
};

/* ---- groups ---- */

/* Adds the group of n postings; with `several` only when they are of several documents. */
static int add_group(struct sh_index *x, const struct sh_sorter *postings, const char *record,
    size_t n, bool several, struct sh_error *err)
{
	size_t from = x->start[x->n], to = from + n;
	uint32_t documents = 1;

	if (to >= UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "more than %lu seeds that documents share",
		    (unsigned long)UINT32_MAX - 1);
	if (SH_TABLES_RESERVE(x->tables, x->key, x->key_cap, x->n + 1, err) < 0 ||
	    SH_TABLES_RESERVE(x->tables, x->documents, x->documents_cap, x->n + 1, err) < 0 ||
	    SH_TABLES_RESERVE(x->tables, x->start, x->start_cap, x->n + 2, err) < 0 ||
	    SH_TABLES_RESERVE(x->tables, x->place, x->place_cap, to, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct sh_posting p = sh_posting_at(postings, record + i * postings->size);

		x->place[from + i] = (struct sh_index_place){ p.document, p.token };
		documents += i && p.document != x->place[from + i - 1].document;
	}
	if (several && documents == 1)
		return 0;
	x->key[x->n] = sh_be64(record);
	x->documents[x->n] = documents;
	x->start[++x->n] = (uint32_t)to;
	return 0;
}

static int make_groups(
    struct sh_index *x, struct sh_sorter *postings, bool several, struct sh_error *err)
{
	struct sh_sorted sorted = { 0 };
	int status = sh_sorter_finish(postings, SH_POSTING_KEY_SIZE, err);

	if (SH_TABLES_RESERVE(x->tables, x->start, x->start_cap, 1, err) < 0)
		return -1;
	x->start[0] = 0;
	for (size_t range = 0; status == 0 && range < postings->ranges; range++) {
		const char *record;

		status = sh_sorter_load(postings, range, &sorted, err);
		record = sorted.record;
		for (size_t left = sorted.n, n; status == 0 && left; left -= n) {
			n = sh_postings_group(postings, record, left);
			status =
			    n == 1 && several ? 0 : add_group(x, postings, record, n, several, err);
			record += n * postings->size;
		}
	}
	sh_sorted_free(&sorted);
	return status;
}

static int by_token(const void *x, const void *y)
{
	const struct sh_index_seed *a = x, *b = y;

	return sh_compare(a->token, b->token);
}

/* Makes x->seed and x->at. */
static int list_seeds(struct sh_index *x, struct sh_error *err)
{
	size_t documents = x->texts->n, n = x->start[x->n];
	uint64_t sum = 0;

	x->at = sh_tables_get(x->tables, documents + 1, sizeof *x->at, err);
	x->seed = x->at ? sh_tables_get(x->tables, n + 1, sizeof *x->seed, err) : NULL;
	if (!x->seed)
		return -1;
	for (size_t i = 0; i < n; i++)
		x->at[x->place[i].document]++;
	for (size_t d = 0; d <= documents; d++) {
		uint64_t seeds = x->at[d];

		x->at[d] = sum;
		sum += seeds;
	}
	for (uint32_t group = 0; group < x->n; group++) {
		const struct sh_index_place *p = x->place + x->start[group];
		uint32_t size = (uint32_t)sh_index_size(x, group), before = 0;

		for (uint32_t i = 0; i < size; i++) {
			before = i && p[i].document != p[i - 1].document ? i : before;
			x->seed[x->at[p[i].document]++] =
			    (struct sh_index_seed){ p[i].token, group, before };
		}
	}
	/* at[d] is now the end of document d. */
	memmove(x->at + 1, x->at, documents * sizeof *x->at);
	x->at[0] = 0;
	for (size_t d = 0; d < documents; d++)
		if (x->at[d + 1] - x->at[d] > 1)
			qsort(x->seed + x->at[d], (size_t)(x->at[d + 1] - x->at[d]),
			    sizeof *x->seed, by_token);
	return 0;
}

/* Makes the filter and the hash table. */
static int hash_keys(struct sh_index *x, struct sh_error *err)
{
	size_t mask;

	for (x->filter_bits = FILTER_MIN;
	     (size_t)x->start[x->n] * BITS_PER_ENTRY >> x->filter_bits;)
		x->filter_bits++;
	for (x->slot_bits = 1; 2 * x->n >> x->slot_bits;)
		x->slot_bits++;
	x->filter = calloc((size_t)1 << (x->filter_bits - 6), sizeof *x->filter);
	x->slot = calloc((size_t)1 << x->slot_bits, sizeof *x->slot);
	if (!x->filter || !x->slot)
		return sh_error_nomem(err);
	mask = ((size_t)1 << x->slot_bits) - 1;
	for (size_t i = 0; i < x->n; i++) {
		size_t slot = (size_t)x->key[i] & mask;

		while (x->slot[slot])
			slot = (slot + 1) & mask;
		x->slot[slot] = (uint32_t)i + 1;
		sh_bits_put(x->filter, (size_t)(x->key[i] >> (64 - x->filter_bits)));
	}
	return 0;
}

int sh_index_make(struct sh_index *x, const struct sh_texts *texts, struct sh_sorter *postings,
    enum sh_index_use use, struct sh_error *err)
{
	x->texts = texts;
	x->tables = texts->tables;
	if (make_groups(x, postings, use == SH_INDEX_EARLIER, err) < 0)
		return -1;
	return use == SH_INDEX_EARLIER   ? list_seeds(x, err)
	       : use == SH_INDEX_QUERIES ? hash_keys(x, err)
					 : 0;
}

void sh_index_free(struct sh_index *x)
{
	void *arrays[] = { x->key, x->documents, x->start, x->place, x->seed, x->at };

	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		sh_tables_put(x->tables, arrays[i]);
	free(x->filter);
	free(x->slot);
	*x = (struct sh_index){ 0 };
}

size_t sh_index_frequent(const struct sh_index *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->n; i++)
		n += sh_index_size(x, i) > x->bound;
	return n;
}

/* ---- earlier documents ---- */

int sh_index_earlier(const struct sh_index *x, uint32_t document, struct sh_matcher *m,
    struct sh_span **spans, size_t *n, struct sh_error *err)
{
	uint32_t few = 1 + x->nearest, covered = 0, from, to;

	sh_matcher_begin(m, sh_texts_tokens(x->texts, document));
	for (uint64_t i = x->at[document]; i < x->at[document + 1]; i++) {
		const struct sh_index_seed *s = &x->seed[i];
		const struct sh_index_place *place = x->place + x->start[s->group];
		bool all = sh_index_size(x, s->group) <= x->bound;
		uint32_t hits = all || s->before < few ? s->before : few;

		if (!all && s->token + x->longest <= covered)
			continue;
		for (uint32_t k = 0; k < hits; k++) {
			const struct sh_index_place *p = &place[k ? s->before - hits + k : 0];

			if (sh_matcher_hit(m, p->document, s->token, p->token, &from, &to, err) < 0)
				return -1;
			if (!all && to - from >= x->enough && to > covered)
				covered = to;
		}
	}
	return sh_matcher_spans(m, spans, n, err);
}

/* ---- queries ---- */

/* Returns the group with this key; x->n when there is none. */
static size_t find(const struct sh_index *x, uint64_t key)
{
	size_t mask = ((size_t)1 << x->slot_bits) - 1;

	for (size_t s = (size_t)key & mask; x->slot[s]; s = (s + 1) & mask)
		if (x->key[x->slot[s] - 1] == key)
			return x->slot[s] - 1;
	return x->n;
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
	enough = found >= x->least && found >= sh_coverage_needs(x->coverage, side.n);
	room->verdict[query] = room->serial << 1 | enough;
	return enough;
}

int sh_index_queries(const struct sh_index *x, const struct sh_seeds *seeds,
    struct sh_index_room *room, struct sh_matcher *m, struct sh_span **spans, size_t *n,
    struct sh_error *err)
{
	struct sh_token_hashes side = { seeds->token, seeds->tokens.n };
	uint32_t covered = 0, from, to;
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
		size_t group = find(x, seeds->gram[token]), places, most = x->bound;
		bool exceeds;

		if (group == x->n)
			continue;
		places = sh_index_size(x, group);
		exceeds = places > most;
		if (exceeds && token + x->longest <= covered)
			continue;
		if (hits >= FREE_HITS + HITS_A_TOKEN * (uint64_t)token)
			most = LOWERED_BOUND;
		for (size_t i = 0; i < places && i < most; i++) {
			const struct sh_index_place *p = &x->place[x->start[group] + i];

			if (!may_match(x, room, p->document))
				continue;
			if (sh_matcher_hit(m, p->document, token, p->token, &from, &to, err) < 0)
				return -1;
			hits += from == token;
			if (exceeds && to - from >= x->enough && to > covered)
				covered = to;
		}
	}
	return sh_matcher_spans(m, spans, n, err);
}
