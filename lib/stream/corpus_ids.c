/* SPDX-License-Identifier: MIT */
/* The ids of a corpus: a hash table of documents by the hash of their ids. */
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/num.h"
#include "base/siphash.h"
#include "io/parallel.h"
#include "stream/corpus.h"

enum {
	GRAIN = 1 << 12, /* documents that a thread puts into the table at once */
	AHEAD = 16,      /* number of documents ahead whose slots are prefetched */
};

static size_t slot_of(const struct sh_corpus *c, uint64_t hash)
{
	return (size_t)(hash >> (64 - c->slot_bits));
}

static size_t next_slot(const struct sh_corpus *c, size_t slot)
{
	return (slot + 1) & (((size_t)1 << c->slot_bits) - 1);
}

/* ---- finding ---- */

static uint32_t find_line_number(const struct sh_corpus *c, struct sh_slice id)
{
	uint64_t number;
	size_t i;

	if (sh_parse_u64(id, &number) < 0 || id.p[0] == '0')
		return SH_CORPUS_NONE;
	i = sh_lower_bound(c->number, c->n, number);
	return i < c->n && c->number[i] == number ? (uint32_t)i : SH_CORPUS_NONE;
}

/* Returns the first document after `from` whose id has this hash, or SH_CORPUS_NONE. */
static uint32_t find_hash(const struct sh_corpus *c, uint64_t hash, uint32_t from)
{
	uint32_t best = SH_CORPUS_NONE;

	if (!c->slots)
		return best;
	for (size_t s = slot_of(c, hash); c->slots[s]; s = next_slot(c, s)) {
		uint32_t i = c->slots[s] - 1;

		if (c->hash[i] == hash && (from == SH_CORPUS_NONE || i > from) && i < best)
			best = i;
	}
	return best;
}

uint32_t sh_corpus_find(const struct sh_corpus *c, struct sh_slice id, uint32_t from)
{
	if (c->form.line_ids)
		return from == SH_CORPUS_NONE ? find_line_number(c, id) : SH_CORPUS_NONE;
	return find_hash(c, sh_siphash(c->key, id.p, id.n), from);
}

/* ---- indexing ---- */

struct indexer {
	struct sh_corpus *corpus;
	bool *repeated; /* by document: an earlier document has the id */
	struct sh_document_room room, other;
};

static int have_same_id(struct indexer *x, uint32_t i, uint32_t j, bool *same, struct sh_error *err)
{
	const struct sh_corpus *c = x->corpus;
	struct sh_document a, b;

	*same = false;
	if (c->hash[i] != c->hash[j])
		return 0;
	if (sh_corpus_document(c, i, &x->room, &a, err) < 0 ||
	    sh_corpus_document(c, j, &x->other, &b, err) < 0)
		return -1;
	*same = sh_slice_eq(a.id, b.id);
	return 0;
}

/* Stores `new` in the slot when the slot still has the value `old`. Returns whether it did. */
static bool store(struct sh_corpus *c, size_t slot, uint32_t old, uint32_t new)
{
	return __atomic_compare_exchange_n(
	    &c->slots[slot], &old, new, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Puts a document into the first empty slot from the slot of its hash on. Only the first document
 * of an id keeps a slot, for any order of the threads. No slot becomes empty again, so documents of
 * one id meet at the same slot. */
static int put(struct indexer *x, uint32_t document, struct sh_error *err)
{
	struct sh_corpus *c = x->corpus;
	size_t slot = slot_of(c, c->hash[document]);

	for (;;) {
		uint32_t there = __atomic_load_n(&c->slots[slot], __ATOMIC_RELAXED);
		bool same = false;

		if (there && have_same_id(x, there - 1, document, &same, err) < 0)
			return -1;
		if (there && !same) {
			slot = next_slot(c, slot);
			continue;
		}
		if (same && there - 1 < document) {
			x->repeated[document] = true;
			return 0;
		}
		if (!store(c, slot, there, document + 1))
			continue;
		if (same)
			x->repeated[there - 1] = true;
		return 0;
	}
}

static int put_range(void *indexer, size_t from, size_t to, struct sh_error *err)
{
	struct indexer *x = indexer;
	const struct sh_corpus *c = x->corpus;

	for (size_t i = from; i < to; i++) {
		if (i + AHEAD < to)
			__builtin_prefetch(&c->slots[slot_of(c, c->hash[i + AHEAD])]);
		if (put(x, (uint32_t)i, err) < 0)
			return -1;
	}
	return 0;
}

static int put_all(struct sh_corpus *c, bool *repeated, struct sh_error *err)
{
	unsigned jobs = c->jobs ? c->jobs : 1;
	struct indexer *x = calloc(jobs, sizeof *x);
	int status;

	if (!x)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < jobs; i++)
		x[i] = (struct indexer){ .corpus = c, .repeated = repeated };
	status = sh_parallel(x, sizeof *x, jobs, c->n, GRAIN, put_range, err);
	for (unsigned i = 0; i < jobs; i++) {
		sh_document_room_free(&x[i].room);
		sh_document_room_free(&x[i].other);
	}
	free(x);
	return status;
}

/* Removes the repeated documents. first: the first of them. */
static void remove_repeated(struct sh_corpus *c, const bool *repeated, size_t first)
{
	size_t kept = first;

	for (size_t i = first; i < c->n; i++) {
		if (repeated[i])
			continue;
		c->at[kept] = c->at[i];
		c->hash[kept++] = c->hash[i];
	}
	c->repeated += c->n - kept;
	c->n = kept;
}

/* Fills the empty table. When documents are removed, the remaining documents get new numbers, and
 * the table is filled again. */
static int fill_table(struct sh_corpus *c, bool *repeated, struct sh_error *err)
{
	const bool *first;

	if (put_all(c, repeated, err) < 0)
		return -1;
	first = memchr(repeated, true, c->n);
	if (!first)
		return 0;
	remove_repeated(c, repeated, (size_t)(first - repeated));
	memset(c->slots, 0, sizeof *c->slots << c->slot_bits);
	return put_all(c, repeated, err);
}

int sh_corpus_index(struct sh_corpus *c, struct sh_error *err)
{
	bool *repeated;
	int status;

	if (c->form.line_ids || c->n == 0)
		return 0;
	for (c->slot_bits = 1; (size_t)1 << c->slot_bits < 2 * c->n;)
		c->slot_bits++;
	c->slots =
	    sh_tables_get_zeroed(c->tables, (size_t)1 << c->slot_bits, sizeof *c->slots, err);
	repeated = sh_tables_get_zeroed(c->tables, c->n, sizeof *repeated, err);
	status = c->slots && repeated ? fill_table(c, repeated, err) : -1;
	sh_tables_put(c->tables, repeated);
	return status;
}
