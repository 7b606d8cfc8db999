#include "join/distinct.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compare.h"
#include "base/wide.h"
#include "join/scan.h"

enum {
	BUCKET = 8, /* mean number of fingerprints whose first bits are ordered alike */
	BITS_MAX = 24,
	FEW = 48,       /* compared each with each; more by a table */
	NO_TABLE = 256, /* as long as the whole side is small */
};

#define NONE UINT32_MAX

struct table {
	uint32_t *slot;
	size_t slots, mask; /* one less than those in use */
	uint64_t key;
};

int sh_twins_add(struct sh_twins *t, uint32_t at, uint32_t record, struct sh_error *err)
{
	if (t->n == t->cap && sh_grow((void **)&t->p, &t->cap, t->n + 1, sizeof *t->p, err) < 0)
		return -1;
	t->p[t->n++] = (struct sh_twin){ at, record };
	return 0;
}

/* Move the distinct ones of lo .. hi-1 of `from`, which may be s, down to `out` of s; returns where
 * the next one goes, or NONE on failure. Most have no twin, so all are compared without asking
 * which. */
static uint32_t few(struct sh_side *s, const struct sh_side *from, uint32_t lo, uint32_t hi,
    uint32_t out, struct sh_twins *twins, struct sh_error *err)
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
		if (sh_twins_add(twins, at, from->id[i], err) < 0)
			return NONE;
	}
	return out;
}

/* For n words: after many there may be few again, which must not pay for a table of many. */
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

/* Multiply and fold by a random odd key: nobody can choose fingerprints for one slot. */
static size_t hash(uint64_t x, uint64_t key)
{
	return (size_t)sh_wide_fold(x ^ key, key ^ UINT64_C(0x9E3779B97F4A7C14));
}

static uint32_t many(struct sh_side *s, const struct sh_side *from, uint32_t lo, uint32_t hi,
    uint32_t out, struct table *t, struct sh_twins *twins, struct sh_error *err)
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
		} else if (sh_twins_add(twins, t->slot[at], from->id[i], err) < 0) {
			return NONE;
		}
	}
	return out;
}

/* Few: twins that are in order of records already. */
static void insert_twins(struct sh_twin *p, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sh_twin t = p[i];
		size_t at = i;

		for (; at > 0 && p[at - 1].at > t.at; at--)
			p[at] = p[at - 1];
		p[at] = t;
	}
}

/* Count them by place. */
static int count_twins(struct sh_twin *p, size_t n, struct sh_error *err)
{
	uint32_t least = UINT32_MAX, most = 0, *next;
	struct sh_twin *room = malloc(n * sizeof *room);
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

int sh_twins_sort(struct sh_twin *p, size_t n, struct sh_error *err)
{
	if (n > FEW)
		return count_twins(p, n, err);
	insert_twins(p, n);
	return 0;
}

/* The distinct ones of n buckets of `from` go behind those that s has. */
static int buckets(struct sh_side *s, const struct sh_side *from, const uint32_t *start, uint32_t n,
    struct table *t, struct sh_twins *twins, struct sh_error *err)
{
	uint32_t out = s->n;

	for (uint32_t v = 0; v < n; v++) {
		uint32_t lo = start[v], hi = start[v + 1];
		size_t before = twins->n;

		out = hi - lo > FEW ? many(s, from, lo, hi, out, t, twins, err)
				    : few(s, from, lo, hi, out, twins, err);
		if (out == NONE)
			return -1;
		/* They come in order of records. */
		if (twins->n - before > 1 &&
		    sh_twins_sort(twins->p + before, twins->n - before, err) < 0)
			return -1;
	}
	s->n = out;
	return 0;
}

/* Without order, for the many small sets of a stream: most ask for no memory at all. */
static int unordered(
    struct sh_side *s, struct table *t, struct sh_twins *twins, struct sh_error *err)
{
	uint32_t start[2] = { 0, s->n };

	for (uint32_t i = 0; i < s->n; i++)
		s->id[i] = i;
	s->n = 0;
	return buckets(s, s, start, 1, t, twins, err);
}

static int ordered(struct sh_side *s, struct sh_side *room, const struct sh_key *first,
    struct table *t, struct sh_twins *twins, struct sh_error *err)
{
	size_t n = (size_t)1 << first->bits;
	uint32_t *start = malloc((2 * n + 1) * sizeof *start);
	int status;

	if (!start)
		return sh_error_nomem(err);
	sh_side_order_new(s, first, start, room, start + n + 1);
	s->n = 0;
	status = buckets(s, s, start, (uint32_t)n, t, twins, err);
	free(start);
	return status;
}

/* In radix partitions, each while it is in the cache. A partition is ordered to where its distinct
 * words go: behind those of the partitions before it. */
static int partitioned(struct sh_side *s, struct sh_split *split, struct sh_side *room,
    struct table *t, struct sh_twins *twins, struct sh_error *err)
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
		status = buckets(s, &part, start, n, t, twins, err);
	}
	free(start);
	return status;
}

int sh_distinct(struct sh_side *s, struct sh_side *room, uint64_t key, struct sh_twins *twins,
    struct sh_error *err)
{
	struct table t = { .key = key };
	struct sh_split split;
	struct sh_key first;
	unsigned bits = 1;
	int status;

	if (s->n <= NO_TABLE) {
		status = unordered(s, &t, twins, err);
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
	status = split.most <= SH_SIDE_CACHED ? partitioned(s, &split, room, &t, twins, err)
					      : ordered(s, room, &first, &t, twins, err);
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

/* Returns an earlier record equal to that of twin i, or that record itself. It is the record at the
 * twin's place of the side, unless two fingerprints have the same hash; then an earlier twin of that place. */
static uint32_t first_equal(
    const uint64_t *fp, unsigned words, const struct sh_side *s, const struct sh_twins *t, size_t i)
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
	struct sh_twins twins = { 0 };
	int status = sh_side_reserve(&s, n, err);

	for (uint32_t i = 0; status == 0 && i < n; i++) {
		s.word[i] = hash_wide(fp + (size_t)i * words, words, key);
		first[i] = i;
	}
	if (status == 0)
		status = sh_distinct(&s, room, key, &twins, err);
	for (size_t i = 0; status == 0 && i < twins.n; i++)
		first[twins.p[i].record] = first[first_equal(fp, words, &s, &twins, i)];
	free(twins.p);
	sh_side_free(&s);
	return status;
}
