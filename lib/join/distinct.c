#include "join/distinct.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compare.h"
#include "base/wide.h"
#include "join/scan.h"

enum {
	BUCKET = 8, /* mean number of fingerprints in a bucket of equal first bits */
	BITS_MAX = 24,
	FEW =
	    48, /* a bucket up to this size is compared all with all; a larger one uses a hash table */
	NO_TABLE = 256, /* up to this number of fingerprints are not ordered */
};

#define NONE UINT32_MAX

struct table {
	uint32_t *slot;
	size_t slots, mask; /* mask: slots in use - 1 */
	uint64_t key;
};

int sh_copies_add(struct sh_copies *t, uint32_t at, uint32_t record, struct sh_error *err)
{
	if (t->n == t->cap && sh_grow((void **)&t->p, &t->cap, t->n + 1, sizeof *t->p, err) < 0)
		return -1;
	t->p[t->n++] = (struct sh_copy){ at, record };
	return 0;
}

/* Moves the distinct words of from[lo .. hi-1] to s[out ..]; `from` may be s. Returns the
 * position behind them, or NONE on failure. Most words have no copy, so the search does not stop
 * at the first match. */
static uint32_t few(struct sh_side *s, const struct sh_side *from, uint32_t lo, uint32_t hi,
    uint32_t out, struct sh_copies *copies, struct sh_error *err)
{
	uint32_t first = out;

	for (uint32_t i = lo; i < hi; i++) {
		uint64_t x = from->word[i], same = 0;
		uint32_t at = first;

		for (uint32_t j = first; j < out; j++)
			same |= (uint64_t)(s->word[j] == x);
		if (!same) {
			s->word[out] = x;
			s->id[out++] = from->id[i];
			continue;
		}
		while (s->word[at] != x)
			at++;
		if (sh_copies_add(copies, at, from->id[i], err) < 0)
			return NONE;
	}
	return out;
}

/* Empties the table, for n words. Only the part needed for n is cleared: a large bucket may be
 * followed by many small ones. */
static int empty_table(struct table *t, size_t n, struct sh_error *err)
{
	size_t want = 64;

	while (want < 2 * n)
		want *= 2;
	if (want > t->slots) {
		free(t->slot);
		t->slots = 0;
		t->slot = malloc(want * sizeof *t->slot);
		if (!t->slot)
			return sh_error_nomem(err);
		t->slots = want;
	}
	memset(t->slot, 0xff, want * sizeof *t->slot);
	t->mask = want - 1;
	return 0;
}

/* Multiplies by a random odd key and folds: nobody can choose fingerprints that share one slot. */
static size_t hash(uint64_t x, uint64_t key)
{
	return (size_t)sh_wide_fold(x ^ key, key ^ UINT64_C(0x9E3779B97F4A7C14));
}

static uint32_t many(struct sh_side *s, const struct sh_side *from, uint32_t lo, uint32_t hi,
    uint32_t out, struct table *t, struct sh_copies *copies, struct sh_error *err)
{
	if (empty_table(t, hi - lo, err) < 0)
		return NONE;
	for (uint32_t i = lo; i < hi; i++) {
		uint64_t x = from->word[i];
		size_t at = hash(x, t->key) & t->mask;

		while (t->slot[at] != NONE && s->word[t->slot[at]] != x)
			at = (at + 1) & t->mask;
		if (t->slot[at] == NONE) {
			t->slot[at] = out;
			s->word[out] = x;
			s->id[out++] = from->id[i];
		} else if (sh_copies_add(copies, t->slot[at], from->id[i], err) < 0) {
			return NONE;
		}
	}
	return out;
}

/* Sorts a few copies by insertion. */
static void insert_copies(struct sh_copy *p, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sh_copy t = p[i];
		size_t at = i;

		for (; at > 0 && p[at - 1].at > t.at; at--)
			p[at] = p[at - 1];
		p[at] = t;
	}
}

/* Sorts many copies by counting. */
static int count_copies(struct sh_copy *p, size_t n, struct sh_error *err)
{
	uint32_t least = UINT32_MAX, most = 0, *next;
	struct sh_copy *room = malloc(n * sizeof *room);
	size_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		least = p[i].at < least ? p[i].at : least;
		most = p[i].at > most ? p[i].at : most;
	}
	next = calloc((size_t)(most - least) + 1, sizeof *next);
	if (!room || !next) {
		free(room);
		free(next);
		return sh_error_nomem(err);
	}
	for (size_t i = 0; i < n; i++)
		next[p[i].at - least]++;
	for (size_t v = 0; v <= most - least; v++) {
		size_t many = next[v];

		next[v] = (uint32_t)sum;
		sum += many;
	}
	for (size_t i = 0; i < n; i++)
		room[next[p[i].at - least]++] = p[i];
	memcpy(p, room, n * sizeof *p);
	free(room);
	free(next);
	return 0;
}

int sh_copies_sort(struct sh_copy *p, size_t n, struct sh_error *err)
{
	if (n > FEW)
		return count_copies(p, n, err);
	insert_copies(p, n);
	return 0;
}

/* Appends the distinct words of n buckets of `from` to the words of s. */
static int buckets(struct sh_side *s, const struct sh_side *from, const uint32_t *start, uint32_t n,
    struct table *t, struct sh_copies *copies, struct sh_error *err)
{
	uint32_t out = s->n;

	for (uint32_t v = 0; v < n; v++) {
		uint32_t lo = start[v], hi = start[v + 1];
		size_t before = copies->n;

		out = hi - lo > FEW ? many(s, from, lo, hi, out, t, copies, err)
				    : few(s, from, lo, hi, out, copies, err);
		if (out == NONE)
			return -1;
		/* Copies of one bucket come in the order of their records. */
		if (copies->n - before > 1 &&
		    sh_copies_sort(copies->p + before, copies->n - before, err) < 0)
			return -1;
	}
	s->n = out;
	return 0;
}

/* Without ordering, for the many small sets of a stream: most allocate nothing. */
static int unordered(
    struct sh_side *s, struct table *t, struct sh_copies *copies, struct sh_error *err)
{
	uint32_t start[2] = { 0, s->n };

	for (uint32_t i = 0; i < s->n; i++)
		s->id[i] = i;
	s->n = 0;
	return buckets(s, s, start, 1, t, copies, err);
}

static int ordered(struct sh_side *s, struct sh_side *room, const struct sh_key *first,
    struct table *t, struct sh_copies *copies, struct sh_error *err)
{
	size_t n = (size_t)1 << first->bits;
	uint32_t *start = malloc((2 * n + 1) * sizeof *start);
	int status;

	if (!start)
		return sh_error_nomem(err);
	sh_side_order_new(s, first, start, room, start + n + 1);
	s->n = 0;
	status = buckets(s, s, start, (uint32_t)n, t, copies, err);
	free(start);
	return status;
}

/* Orders one radix partition after the other, each while it is in the cache. Writes the distinct
 * words of each partition behind the partitions before it. */
static int partitioned(struct sh_side *s, struct sh_split *split, struct sh_side *room,
    struct table *t, struct sh_copies *copies, struct sh_error *err)
{
	uint32_t n = UINT32_C(1) << split->rest;
	uint32_t *start = malloc((2 * (size_t)n + 1) * sizeof *start);
	int status = start ? 0 : sh_error_nomem(err);

	if (status == 0)
		sh_split_move(split, s, true, room);
	s->n = 0;
	for (unsigned i = 0; status == 0 && i < split->parts; i++) {
		struct sh_side part = { .word = s->word + s->n, .id = s->id + s->n };

		sh_split_order(split, i, room, &part, start, start + n + 1);
		status = buckets(s, &part, start, n, t, copies, err);
	}
	free(start);
	return status;
}

int sh_distinct(struct sh_side *s, struct sh_side *room, uint64_t key, struct sh_copies *copies,
    struct sh_error *err)
{
	struct table t = { .key = key };
	struct sh_split split;
	struct sh_key first;
	unsigned bits = 1;
	int status;

	if (s->n <= NO_TABLE) {
		status = unordered(s, &t, copies, err);
		free(t.slot);
		return status;
	}
	while (bits < BITS_MAX && s->n >> bits > BUCKET)
		bits++;
	sh_key_init(&first, UINT64_MAX << (64 - bits));
	if (sh_side_reserve(room, s->n, err) < 0)
		return -1;
	split.most = UINT32_MAX;
	if (s->n > SH_SIDE_CACHED)
		sh_split_init(&split, s, &first);
	status = split.most <= SH_SIDE_CACHED ? partitioned(s, &split, room, &t, copies, err)
					      : ordered(s, room, &first, &t, copies, err);
	free(t.slot);
	return status;
}

/* ---- wide fingerprints ------------------------------------------------------------- */

static uint64_t hash_wide(const uint64_t *fp, unsigned words, uint64_t key)
{
	uint64_t h = key;

	for (unsigned i = 0; i < words; i++)
		h = sh_wide_fold(h ^ fp[i], key ^ UINT64_C(0x9E3779B97F4A7C14));
	return h;
}

/* Returns an earlier record with the fingerprint of copy i, or that copy's own record. The first
 * record of the copy's element is the usual answer. When two fingerprints share one hash, it is an
 * earlier copy of that element. */
static uint32_t first_equal(const uint64_t *fp, unsigned words, const struct sh_side *s,
    const struct sh_copies *t, size_t i)
{
	uint32_t at = t->p[i].at, record = t->p[i].record, first = s->id[at];
	size_t bytes = words * sizeof *fp, before = i;

	while (memcmp(fp + (size_t)first * words, fp + (size_t)record * words, bytes) != 0)
		first = before > 0 && t->p[before - 1].at == at ? t->p[--before].record : record;
	return first;
}

int sh_distinct_wide(const uint64_t *fp, size_t n, unsigned words, uint64_t key,
    struct sh_side *room, uint32_t *first, struct sh_error *err)
{
	struct sh_side s = { .words = 1, .n = (uint32_t)n };
	struct sh_copies copies = { 0 };
	int status = sh_side_reserve(&s, n, err);

	for (uint32_t i = 0; status == 0 && i < n; i++) {
		s.word[i] = hash_wide(fp + (size_t)i * words, words, key);
		first[i] = i;
	}
	if (status == 0)
		status = sh_distinct(&s, room, key, &copies, err);
	for (size_t i = 0; status == 0 && i < copies.n; i++)
		first[copies.p[i].record] = first[first_equal(fp, words, &s, &copies, i)];
	free(copies.p);
	sh_side_free(&s);
	return status;
}
