#include "join/distinct.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compare.h"
#include "base/wide.h"
#include "io/parallel.h"
#include "join/scan.h"

enum {
	BUCKET = 8,    /* mean number of fingerprints in a bucket of equal first bits */
	BITS_MAX = 24, /* largest number of these first bits */
	/* In a bucket of at most FEW fingerprints all are compared with all. A larger one uses a
	 * hash table. */
	FEW = 48,
	UNORDERED_MAX = 256, /* at most this number of fingerprints are not ordered */
	/* partitions are used when the largest has at most this number of elements */
	PARTITION_MAX = 4 * SH_SIDE_CACHED,
	RANGES = 16,      /* ranges for each thread */
	HASHES = 1 << 14, /* hashes that a thread computes at a time */
};

#define NONE UINT32_MAX

/* A hash table with open addressing. */
struct table {
	uint32_t *slot;     /* position of a distinct word, or NONE */
	size_t slots, mask; /* allocated slots; slots in use - 1 */
	uint64_t key;
};

int sh_copies_add(struct sh_copies *t, uint32_t at, uint32_t record, struct sh_error *err)
{
	if (SH_RESERVE(t->p, t->cap, t->n + 1, err) < 0)
		return -1;
	t->p[t->n++] = (struct sh_copy){ at, record };
	return 0;
}

/* Moves the distinct words of from[lo .. hi-1] to s, from position `out` on; `from` may be s.
 * Returns the position behind them, or NONE on failure. Most words have no copy, so the search does
 * not stop at the first match. */
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

/* Empties the table for n words. Clears only the slots that n words use: many small buckets may
 * follow a large one. */
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

/* The key is random and odd, so nobody can choose fingerprints that share one slot. */
static size_t hash(uint64_t x, uint64_t key)
{
	return (size_t)sh_wide_fold(x ^ key, key ^ UINT64_C(0x9E3779B97F4A7C14));
}

/* As few(), with a hash table. */
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
		/* The copies of a bucket are in the order of their records. */
		if (copies->n - before > 1 &&
		    sh_copies_sort(copies->p + before, copies->n - before, err) < 0)
			return -1;
	}
	s->n = out;
	return 0;
}

/* Treats the whole side as one bucket. Streams have many small sides; most allocate no memory. */
static int unordered(
    struct sh_side *s, struct table *t, struct sh_copies *copies, struct sh_error *err)
{
	uint32_t start[2] = { 0, s->n };

	for (uint32_t i = 0; i < s->n; i++)
		s->id[i] = i;
	s->n = 0;
	return buckets(s, s, start, 1, t, copies, err);
}

/* Appends copies. Adds `shift` to their positions, modulo 2^32. */
static int append_copies(
    struct sh_copies *to, const struct sh_copies *from, uint32_t shift, struct sh_error *err)
{
	size_t n = to->n + from->n;

	if (SH_RESERVE(to->p, to->cap, n, err) < 0)
		return -1;
	for (size_t i = 0; i < from->n; i++)
		to->p[to->n + i] = (struct sh_copy){ from->p[i].at + shift, from->p[i].record };
	to->n = n;
	return 0;
}

/* ---- in the whole side ---- */

/* Some buckets of an ordered side: the task of a thread. */
struct range {
	struct sh_side *side;
	const uint32_t *start; /* starts of its buckets, in an array with one more start */
	uint32_t n;            /* number of buckets */
	uint64_t key;
	uint32_t end; /* position behind the distinct words, which begin at start[0] */
	struct sh_copies copies;
};

static int reduce_ranges(void *ranges, size_t from, size_t to, struct sh_error *err)
{
	int status = 0;

	for (size_t i = from; status == 0 && i < to; i++) {
		struct range *r = (struct range *)ranges + i;
		struct table t = { .key = r->key };
		struct sh_side s = *r->side;

		s.n = r->start[0];
		status = buckets(&s, r->side, r->start, r->n, &t, &r->copies, err);
		r->end = s.n;
		free(t.slot);
	}
	return status;
}

/* Closes the gaps between the distinct words of the ranges. */
static int gather_ranges(struct sh_side *s, const struct range *ranges, size_t n,
    struct sh_copies *copies, struct sh_error *err)
{
	s->n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct range *r = &ranges[i];
		uint32_t from = r->start[0], many = r->end - from;

		if (append_copies(copies, &r->copies, s->n - from, err) < 0)
			return -1;
		if (from > s->n) {
			memmove(s->word + s->n, s->word + from, many * sizeof *s->word);
			memmove(s->id + s->n, s->id + from, many * sizeof *s->id);
		}
		s->n += many;
	}
	return 0;
}

static int ordered(unsigned threads, struct sh_side *s, struct sh_side *room,
    const struct sh_key *first, uint64_t key, struct sh_copies *copies, struct sh_error *err)
{
	size_t buckets = (size_t)1 << first->bits, n = threads == 1 ? 1 : (size_t)threads * RANGES;
	uint32_t *start = malloc((buckets + 1) * sizeof *start);
	struct range *ranges = calloc(n, sizeof *ranges);
	int status = start && ranges ? 0 : sh_error_nomem(err);

	if (status == 0)
		status = sh_side_order_by(threads, s, first, true, start, room, err);
	for (size_t i = 0; status == 0 && i < n; i++) {
		uint32_t from = (uint32_t)(buckets * i / n), to = (uint32_t)(buckets * (i + 1) / n);

		ranges[i] = (struct range){ s, start + from, to - from, key, 0, { 0 } };
	}
	if (status == 0)
		status = sh_parallel(ranges, 0, threads, n, 1, reduce_ranges, err);
	if (status == 0)
		status = gather_ranges(s, ranges, n, copies, err);
	for (size_t i = 0; ranges && i < n; i++)
		free(ranges[i].copies.p);
	free(ranges);
	free(start);
	return status;
}

/* ---- in radix partitions ---- */

/* The partitions of a side. Their distinct words are stored in the order of the partitions. */
struct partitions {
	struct sh_side *side;
	const struct sh_side *room;
	const struct sh_split *split;
	struct sh_copies *copies;
	pthread_mutex_t lock; /* protects `copies`, `turn` and side->n */
	pthread_cond_t changed;
	size_t turn; /* the partition whose position is known next */
};

/* The state of a thread that reduces partitions to their distinct words. */
struct reducer {
	struct partitions *all;
	struct sh_side part; /* memory for the largest partition; unused with one thread */
	uint32_t *start;     /* 2^rest + 1 starts, and 2^rest elements of scratch memory */
	struct table table;
	struct sh_copies copies; /* of the current partition, by position in it */
};

/* Sets *at to the position of the n distinct words of partition i, behind the words of the earlier
 * partitions. Waits for the earlier partitions, so it must be called for each one, also after a
 * failure. status: 0, or -1 after a failure. Returns the status, or -1. */
static int get_place(
    struct reducer *r, size_t i, uint32_t n, int status, uint32_t *at, struct sh_error *err)
{
	struct partitions *all = r->all;

	pthread_mutex_lock(&all->lock);
	while (all->turn != i)
		pthread_cond_wait(&all->changed, &all->lock);
	*at = all->side->n;
	if (status == 0)
		status = append_copies(all->copies, &r->copies, *at, err);
	all->side->n += n;
	all->turn++;
	pthread_cond_broadcast(&all->changed);
	pthread_mutex_unlock(&all->lock);
	return status;
}

static int reduce_partition(struct reducer *r, size_t i, struct sh_error *err)
{
	const struct partitions *all = r->all;
	const struct sh_split *p = all->split;
	struct sh_side *s = all->side, part = r->part;
	uint32_t n = UINT32_C(1) << p->rest, at;
	int status;

	if (!part.word)
		part = (struct sh_side){ .word = s->word + s->n, .id = s->id + s->n };
	sh_split_order(p, (uint32_t)i, all->room, &part, r->start, r->start + n + 1);
	part.n = 0;
	r->copies.n = 0;
	status = buckets(&part, &part, r->start, n, &r->table, &r->copies, err);
	status = get_place(r, i, part.n, status, &at, err);
	if (status == 0 && r->part.word) {
		memcpy(s->word + at, part.word, part.n * sizeof *s->word);
		memcpy(s->id + at, part.id, part.n * sizeof *s->id);
	}
	return status;
}

static int reduce_partitions(void *reducer, size_t from, size_t to, struct sh_error *err)
{
	int status = 0;

	for (size_t i = from; status == 0 && i < to; i++)
		status = reduce_partition(reducer, i, err);
	return status;
}

static int reducer_init(
    struct reducer *r, struct partitions *all, uint64_t key, struct sh_error *err)
{
	const struct sh_split *p = all->split;

	*r = (struct reducer){ .all = all, .table = { .key = key } };
	r->start = malloc((((size_t)2 << p->rest) + 1) * sizeof *r->start);
	if (!r->start)
		return sh_error_nomem(err);
	return p->threads == 1 ? 0 : sh_side_reserve(&r->part, p->most, err);
}

/* Orders and reduces each radix partition while it is in the cache. Writes its distinct words
 * behind the words of the earlier partitions. */
static int partitioned(struct sh_side *s, struct sh_split *split, struct sh_side *room,
    uint64_t key, struct sh_copies *copies, struct sh_error *err)
{
	struct partitions all = { .side = s, .room = room, .split = split, .copies = copies };
	struct reducer *r = calloc(split->threads, sizeof *r);
	int status = r ? sh_split_move(split, s, true, room, err) : sh_error_nomem(err);

	s->n = 0;
	pthread_mutex_init(&all.lock, NULL);
	pthread_cond_init(&all.changed, NULL);
	for (unsigned i = 0; status == 0 && i < split->threads; i++)
		status = reducer_init(&r[i], &all, key, err);
	if (status == 0)
		status = sh_parallel(
		    r, sizeof *r, split->threads, split->parts, 1, reduce_partitions, err);
	for (unsigned i = 0; r && i < split->threads; i++) {
		sh_side_free(&r[i].part);
		free(r[i].start);
		free(r[i].table.slot);
		free(r[i].copies.p);
	}
	pthread_cond_destroy(&all.changed);
	pthread_mutex_destroy(&all.lock);
	free(r);
	return status;
}

/* ---- either way ---- */

static int order_and_reduce(unsigned threads, struct sh_side *s, struct sh_side *room, uint64_t key,
    struct sh_copies *copies, struct sh_error *err)
{
	struct sh_split split = { .most = UINT32_MAX };
	struct sh_key first;
	unsigned bits = 1;
	int status = 0;

	while (bits < BITS_MAX && s->n >> bits > BUCKET)
		bits++;
	sh_key_init(&first, UINT64_MAX << (64 - bits));
	if (s->n > SH_SIDE_CACHED)
		status = sh_split_init(&split, threads, s, &first, err);
	if (status == 0)
		status = split.most <= PARTITION_MAX
			     ? partitioned(s, &split, room, key, copies, err)
			     : ordered(threads, s, room, &first, key, copies, err);
	sh_split_free(&split);
	return status;
}

int sh_distinct(unsigned threads, struct sh_side *s, struct sh_side *room, uint64_t key,
    struct sh_copies *copies, struct sh_error *err)
{
	struct table t = { .key = key };
	int status;

	if (s->n > UNORDERED_MAX)
		return sh_side_reserve(room, s->n, err) < 0
			   ? -1
			   : order_and_reduce(threads, s, room, key, copies, err);
	status = unordered(s, &t, copies, err);
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

/* Returns an earlier record that has the fingerprint of copy i, or the copy's own record when there
 * is none. It is the first record of the copy's element, unless two fingerprints share one hash.
 * Then it may be an earlier copy of that element. */
static uint32_t first_equal(const uint64_t *fp, unsigned words, const struct sh_side *s,
    const struct sh_copies *t, size_t i)
{
	uint32_t at = t->p[i].at, record = t->p[i].record, first = s->id[at];
	size_t bytes = words * sizeof *fp, before = i;

	while (memcmp(fp + (size_t)first * words, fp + (size_t)record * words, bytes) != 0)
		first = before > 0 && t->p[before - 1].at == at ? t->p[--before].record : record;
	return first;
}

/* The arguments of hash_some(). */
struct hashing {
	const uint64_t *fp;
	unsigned words;
	uint64_t key;
	uint64_t *hash;
	uint32_t *first;
};

static int hash_some(void *hashing, size_t from, size_t to, struct sh_error *err)
{
	const struct hashing *h = hashing;

	(void)err;
	for (size_t i = from; i < to; i++) {
		h->hash[i] = hash_wide(h->fp + i * h->words, h->words, h->key);
		h->first[i] = (uint32_t)i;
	}
	return 0;
}

int sh_distinct_wide(unsigned threads, const uint64_t *fp, size_t n, unsigned words, uint64_t key,
    struct sh_side *room, uint32_t *first, struct sh_error *err)
{
	struct sh_side s = { .words = 1, .n = (uint32_t)n };
	struct hashing h = { fp, words, key, NULL, first };
	struct sh_copies copies = { 0 };
	int status = sh_side_reserve(&s, n, err);

	h.hash = s.word;
	if (status == 0)
		status = sh_parallel(&h, 0, threads, n, HASHES, hash_some, err);
	if (status == 0)
		status = sh_distinct(threads, &s, room, key, &copies, err);
	for (size_t i = 0; status == 0 && i < copies.n; i++)
		first[copies.p[i].record] = first[first_equal(fp, words, &s, &copies, i)];
	free(copies.p);
	sh_side_free(&s);
	return status;
}
