#include "join/fpsort.h"

#include <stdbool.h>
#include <stdlib.h>

#include "io/parallel.h"
#include "join/scan.h"

enum {
	DIGIT = 8, /* bits of a pass */
	FEW = 32,  /* ranges up to this size are sorted by insertion */
	TOP = 16,  /* bits of the first pass of several threads */
	SOME = 64, /* buckets that a thread takes at a time */
};

struct sorter {
	struct sh_side *side, *room;
	sh_tie_fn *tie;
	const void *arg;
};

static int compare(const struct sorter *s, uint64_t x, uint32_t a, uint64_t y, uint32_t b)
{
	if (x != y)
		return x < y ? -1 : 1;
	return s->tie ? s->tie(s->arg, a, b) : 0;
}

static void insert_all(const struct sorter *s, uint32_t lo, uint32_t n)
{
	uint64_t *word = s->side->word;
	uint32_t *id = s->side->id;

	for (uint32_t i = lo + 1; i < lo + n; i++) {
		uint64_t w = word[i];
		uint32_t d = id[i], at = i;

		for (; at > lo && compare(s, word[at - 1], id[at - 1], w, d) > 0; at--) {
			word[at] = word[at - 1];
			id[at] = id[at - 1];
		}
		word[at] = w;
		id[at] = d;
	}
}

static int by_tie(const void *a, const void *b, void *arg)
{
	const struct sorter *s = arg;

	return s->tie(s->arg, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* Orders lo .. lo+n-1, which agree on all but the last `bits` bits. */
static void sort_range(struct sorter *s, uint32_t lo, uint32_t n, unsigned bits)
{
	uint32_t start[(1 << DIGIT) + 1], next[1 << DIGIT];
	struct sh_key key;

	if (n <= FEW) {
		insert_all(s, lo, n);
		return;
	}
	if (bits == 0) {
		if (s->tie)
			qsort_r(s->side->id + lo, n, sizeof *s->side->id, by_tie, s);
		return;
	}
	sh_key_init(&key, (UINT64_MAX << (64 - DIGIT)) >> (64 - bits));
	sh_side_order(s->side, lo, n, &key, start, s->room, next);
	for (unsigned d = 0; d < 1 << DIGIT; d++)
		sort_range(s, start[d], start[d + 1] - start[d], bits - DIGIT);
}

void sh_side_sort(struct sh_side *s, struct sh_side *room, sh_tie_fn *tie, const void *arg)
{
	struct sorter o = { s, room, tie, arg };

	sort_range(&o, 0, s->n, 64);
}

/* ---- by several threads -------------------------------------------------------------- */

/* Bucket v is start[v] .. start[v+1]-1. Its words agree on all but the last `bits` bits. */
struct buckets {
	struct sorter *sorter;
	const uint32_t *start;
	unsigned bits;
};

static bool is_large(const uint32_t *start, size_t v)
{
	return start[v + 1] - start[v] > SH_SIDE_CACHED;
}

static int sort_small_buckets(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct buckets *b = arg;

	(void)err;
	for (size_t v = from; v < to; v++)
		if (!is_large(b->start, v))
			sort_range(b->sorter, b->start[v], b->start[v + 1] - b->start[v], b->bits);
	return 0;
}

struct differences {
	const uint64_t *word;
	/* 1 where a word differs from the first one: the low half and the high half, because atomic
	 * numbers of 64 bits need a library on 32-bit processors */
	uint32_t low, high;
};

static void add_differences(void *arg, size_t from, size_t to)
{
	struct differences *d = arg;
	uint64_t bits = 0;

	for (size_t i = from; i < to; i++)
		bits |= d->word[i] ^ d->word[0];
	__atomic_fetch_or(&d->low, (uint32_t)bits, __ATOMIC_RELAXED);
	__atomic_fetch_or(&d->high, (uint32_t)(bits >> 32), __ATOMIC_RELAXED);
}

/* Sets *bits to the number of low bits that hold all differences of the words, rounded up to whole
 * digits. */
static int differing(
    unsigned threads, const uint64_t *word, uint32_t n, unsigned *bits, struct sh_error *err)
{
	struct differences d = { .word = word };
	uint64_t all;

	if (sh_parallel_each(threads, n, add_differences, &d, err) < 0)
		return -1;
	all = (uint64_t)d.high << 32 | d.low;
	*bits = all ? (64 - (unsigned)__builtin_clzll(all) + DIGIT - 1) / DIGIT * DIGIT : 0;
	return 0;
}

/* Orders lo .. lo+n-1 by the key. Only a whole side is aligned as several threads need it. */
static int order_by(unsigned threads, struct sorter *s, uint32_t lo, uint32_t n,
    const struct sh_key *key, uint32_t *start, struct sh_error *err)
{
	uint32_t *next;

	if (n == s->side->n)
		return sh_side_order_by(threads, s->side, key, false, start, s->room, err);
	next = malloc(sizeof *next << key->bits);
	if (!next)
		return sh_error_nomem(err);
	sh_side_order(s->side, lo, n, key, start, s->room, next);
	free(next);
	return 0;
}

/* Orders lo .. lo+n-1. Large buckets come one after the other, then each thread takes small
 * ones. */
static int sort_large(
    unsigned threads, struct sorter *s, uint32_t lo, uint32_t n, struct sh_error *err)
{
	unsigned bits, top;
	uint32_t *start;
	struct buckets b;
	struct sh_key key;
	int status;

	if (differing(threads, s->side->word + lo, n, &bits, err) < 0)
		return -1;
	if (n <= SH_SIDE_CACHED || bits == 0) {
		sort_range(s, lo, n, bits);
		return 0;
	}
	top = bits < TOP ? bits : TOP;
	start = malloc((((size_t)1 << top) + 1) * sizeof *start);
	if (!start)
		return sh_error_nomem(err);
	sh_key_init(&key, (UINT64_MAX << (64 - top)) >> (64 - bits));
	status = order_by(threads, s, lo, n, &key, start, err);
	for (size_t v = 0; status == 0 && v < (size_t)1 << top; v++)
		if (is_large(start, v))
			status = sort_large(threads, s, start[v], start[v + 1] - start[v], err);
	b = (struct buckets){ s, start, bits - top };
	if (status == 0)
		status =
		    sh_parallel(&b, 0, threads, (size_t)1 << top, SOME, sort_small_buckets, err);
	free(start);
	return status;
}

int sh_side_sort_by(unsigned threads, struct sh_side *s, struct sh_side *room, sh_tie_fn *tie,
    const void *arg, struct sh_error *err)
{
	struct sorter o = { s, room, tie, arg };

	if (threads > 1)
		return sort_large(threads, &o, 0, s->n, err);
	sort_range(&o, 0, s->n, 64);
	return 0;
}

static int get_side(struct sh_side *s, struct sh_tables *tables, size_t n, struct sh_error *err)
{
	*s = (struct sh_side){ .n = (uint32_t)n, .words = 1 };
	s->word = sh_tables_get(tables, n + SH_SCAN_TILE, sizeof *s->word, err);
	s->id = s->word ? sh_tables_get(tables, n + SH_SCAN_TILE, sizeof *s->id, err) : NULL;
	return s->id ? 0 : -1;
}

int sh_sorted_get(struct sh_sorted *s, struct sh_tables *tables, size_t n, struct sh_error *err)
{
	*s = (struct sh_sorted){ 0 };
	if (get_side(&s->side, tables, n, err) == 0 && get_side(&s->room, tables, n, err) == 0)
		return 0;
	sh_sorted_put(s, tables);
	return -1;
}

static void put_side(struct sh_side *s, struct sh_tables *tables)
{
	sh_tables_put(tables, s->word);
	sh_tables_put(tables, s->id);
	*s = (struct sh_side){ 0 };
}

void sh_sorted_put_room(struct sh_sorted *s, struct sh_tables *tables)
{
	put_side(&s->room, tables);
}

void sh_sorted_put(struct sh_sorted *s, struct sh_tables *tables)
{
	put_side(&s->side, tables);
	put_side(&s->room, tables);
}
