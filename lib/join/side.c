/* SPDX-License-Identifier: MIT */
#include "join/side.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "io/parallel.h"

enum {
	CACHED = 1 << 17, /* elements that the cache holds: more of them are ordered in two steps */
	DIGIT = 11,       /* bits of a step whose 2^11 destinations the cache holds */
	SEGMENT = 1 << 18, /* elements that a thread counts and moves at a time */
	FEW = 48,          /* elements that are sorted by insertion */
	BUCKET = 200,      /* elements of an average bucket: one more step almost sorts it */
	SORTED = 1 << 15,  /* elements that a thread sorts at a time, about */
};

/* A position plus a tile of the scan must not overflow. */
#define N_MAX (UINT32_MAX - 64)

int sh_join_side_reserve(struct sh_join_side *s, size_t n, struct sh_error *err)
{
	size_t cap = s->cap + s->cap / 2, words, numbers;

	if (n <= s->cap && s->word)
		return 0;
	if (n > N_MAX)
		return sh_error_set(err, SH_ERR_PARAM,
		    "%zu fingerprints: a join in memory takes at most %u", n, (unsigned)N_MAX);
	cap = cap < n ? n : cap;
	words = numbers = s->cap ? s->cap + SH_SIDE_PAD : 0;
	if (SH_RESERVE(s->word, words, cap + SH_SIDE_PAD, err) < 0 ||
	    SH_RESERVE(s->number, numbers, cap + SH_SIDE_PAD, err) < 0)
		return -1;
	s->cap = cap;
	return 0;
}

void sh_join_side_free(struct sh_join_side *s)
{
	free(s->word);
	free(s->number);
	*s = (struct sh_join_side){ 0 };
}

int sh_join_side_load(
    struct sh_join_side *s, const uint64_t *fp, size_t n, unsigned words, struct sh_error *err)
{
	if (sh_join_side_reserve(s, n, err) < 0)
		return -1;
	s->fp = fp;
	s->words = words;
	s->n = (uint32_t)n;
	for (uint32_t i = 0; i < s->n; i++) {
		s->word[i] = fp[(size_t)i * words];
		s->number[i] = i;
	}
	return 0;
}

void sh_join_side_fetch(struct sh_join_side *s, unsigned word)
{
	for (uint32_t i = 0; s->words > 1 && i < s->n; i++)
		s->word[i] = s->fp[(size_t)s->number[i] * s->words + word];
}

/* ---- keys ---- */

/* Gathers the bits of a mask: run i of adjacent ones is shifted to its place in the key. */
struct key {
	unsigned bits, runs;
	uint8_t shift[SH_SIDE_KEY_BITS];
	uint64_t mask[SH_SIDE_KEY_BITS];
};

static struct key key_of_mask(uint64_t mask)
{
	struct key k = { 0 };

	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(mask >> bit & 1))
			continue;
		if (bit == 0 || !(mask >> (bit - 1) & 1)) {
			k.shift[k.runs] = (uint8_t)(bit - k.bits);
			k.mask[k.runs++] = 0;
		}
		k.mask[k.runs - 1] |= UINT64_C(1) << k.bits++;
	}
	return k;
}

static inline uint32_t key_of(const struct key *k, uint64_t word)
{
	uint64_t x = word >> k->shift[0] & k->mask[0];

	for (unsigned i = 1; i < k->runs; i++)
		x |= word >> k->shift[i] & k->mask[i];
	return (uint32_t)x;
}

/* ---- ordering by a key ---- */

/* A large side is ordered in two steps. The first step moves the elements from `s` to `room`, into
 * parts by the upper bits of their keys. The second step moves each part back, by the lower bits,
 * while the part is in the cache. A small side has one step, whose parts are the buckets. */
struct ordering {
	struct sh_join_side *s, *room;
	struct key key;
	unsigned low; /* bits of the second step; 0: there is none */
	size_t parts;
	uint32_t *next; /* by segment and part: where the segment's next element goes */
	uint32_t *part; /* by part: its first position; one more for the end */
	uint32_t *start;
};

static int count_segments(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct ordering *o = arg;

	(void)err;
	for (size_t g = from; g < to; g++) {
		uint32_t *count = o->next + g * o->parts;
		size_t end = (g + 1) * SEGMENT < o->s->n ? (g + 1) * SEGMENT : o->s->n;

		memset(count, 0, o->parts * sizeof *count);
		for (size_t i = g * SEGMENT; i < end; i++)
			count[key_of(&o->key, o->s->word[i]) >> o->low]++;
	}
	return 0;
}

static int move_segments(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct ordering *o = arg;

	(void)err;
	for (size_t g = from; g < to; g++) {
		uint32_t *next = o->next + g * o->parts;
		size_t end = (g + 1) * SEGMENT < o->s->n ? (g + 1) * SEGMENT : o->s->n;

		for (size_t i = g * SEGMENT; i < end; i++) {
			uint64_t word = o->s->word[i];
			uint32_t at = next[key_of(&o->key, word) >> o->low]++;

			o->room->word[at] = word;
			o->room->number[at] = o->s->number[i];
		}
	}
	return 0;
}

static int order_parts(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct ordering *o = arg;
	uint32_t keys = UINT32_C(1) << o->low, next[1 << (SH_SIDE_KEY_BITS - DIGIT)];

	(void)err;
	for (size_t p = from; p < to; p++) {
		uint32_t at = o->part[p], end = o->part[p + 1], *start = o->start + p * keys;

		memset(next, 0, keys * sizeof *next);
		for (uint32_t i = at; i < end; i++)
			next[key_of(&o->key, o->room->word[i]) & (keys - 1)]++;
		for (uint32_t v = 0, sum = at; v < keys; v++) {
			uint32_t count = next[v];

			start[v] = next[v] = sum;
			sum += count;
		}
		for (uint32_t i = at; i < end; i++) {
			uint64_t word = o->room->word[i];
			uint32_t to_at = next[key_of(&o->key, word) & (keys - 1)]++;

			o->s->word[to_at] = word;
			o->s->number[to_at] = o->room->number[i];
		}
	}
	return 0;
}

/* Sets start[] and returns true when the elements are in order already: a sorted side is in the
 * order of its first bits. */
static bool is_ordered(const struct ordering *o, size_t buckets)
{
	size_t v = 0;

	o->start[0] = 0;
	for (uint32_t i = 0; i < o->s->n; i++) {
		uint32_t key = key_of(&o->key, o->s->word[i]);

		if (key < v)
			return false;
		while (v < key)
			o->start[++v] = i;
	}
	while (v < buckets)
		o->start[++v] = o->s->n;
	return true;
}

static void exchange(struct sh_join_side *s, struct sh_join_side *room)
{
	uint64_t *word = s->word;
	uint32_t *number = s->number;
	size_t cap = s->cap;

	s->word = room->word, s->number = room->number, s->cap = room->cap;
	room->word = word, room->number = number, room->cap = cap;
}

int sh_join_side_order(struct sh_join_side *s, struct sh_join_side *room, uint64_t mask,
    uint32_t *start, unsigned threads, struct sh_error *err)
{
	struct ordering o = { s, room, key_of_mask(mask), .start = start };
	size_t segments = s->n / SEGMENT + 1, buckets = (size_t)1 << o.key.bits;
	uint32_t sum = 0;
	int status;

	if (is_ordered(&o, buckets))
		return 0;
	if (sh_join_side_reserve(room, s->n, err) < 0)
		return -1;
	o.low = s->n > CACHED && o.key.bits > DIGIT ? o.key.bits / 2 : 0;
	o.parts = buckets >> o.low;
	o.next = malloc((segments * o.parts + o.parts + 1) * sizeof *o.next);
	if (!o.next)
		return sh_error_nomem(err);
	o.part = o.low ? o.next + segments * o.parts : start;
	status = sh_parallel(&o, 0, threads, segments, 1, count_segments, err);
	for (size_t p = 0; p < o.parts; p++) {
		o.part[p] = sum;
		for (size_t g = 0; g < segments; g++) {
			uint32_t count = o.next[g * o.parts + p];

			o.next[g * o.parts + p] = sum;
			sum += count;
		}
	}
	o.part[o.parts] = start[buckets] = sum;
	if (status == 0)
		status = sh_parallel(&o, 0, threads, segments, 1, move_segments, err);
	if (status == 0 && o.low)
		status = sh_parallel(&o, 0, threads, o.parts, 8, order_parts, err);
	else
		exchange(s, room);
	free(o.next);
	return status;
}

/* ---- sorting ---- */

static void insert(struct sh_join_side *s, uint32_t lo, uint32_t n)
{
	for (uint32_t i = lo + 1; i < lo + n; i++) {
		uint64_t word = s->word[i];
		uint32_t number = s->number[i], at = i;

		for (; at > lo && s->word[at - 1] > word; at--) {
			s->word[at] = s->word[at - 1];
			s->number[at] = s->number[at - 1];
		}
		s->word[at] = word;
		s->number[at] = number;
	}
}

/* Sorts n elements from lo on by the lowest `bits` bits of their words. The other bits are
 * equal. */
static void sort_range(
    struct sh_join_side *s, struct sh_join_side *room, uint32_t lo, uint32_t n, unsigned bits)
{
	unsigned digit = bits < 8 ? bits : 8, shift = bits - digit;
	uint32_t next[257];

	if (bits == 0 || n <= FEW) {
		insert(s, lo, n);
		return;
	}
	memset(next, 0, sizeof next);
	for (uint32_t i = lo; i < lo + n; i++)
		next[(s->word[i] >> shift & 255) + 1]++;
	for (unsigned v = 0; v < 256; v++)
		next[v + 1] += next[v];
	memcpy(room->word + lo, s->word + lo, n * sizeof *s->word);
	memcpy(room->number + lo, s->number + lo, n * sizeof *s->number);
	for (uint32_t i = lo; i < lo + n; i++) {
		uint32_t at = lo + next[room->word[i] >> shift & 255]++;

		s->word[at] = room->word[i];
		s->number[at] = room->number[i];
	}
	for (unsigned v = 0; v < 256; v++) {
		uint32_t from = v ? next[v - 1] : 0;

		if (next[v] - from > 1)
			sort_range(s, room, lo + from, next[v] - from, shift);
	}
}

struct sorting {
	struct sh_join_side *s, *room;
	const uint32_t *start;
	unsigned bits; /* that order the buckets */
};

static int sort_buckets(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct sorting *o = arg;

	(void)err;
	for (size_t v = from; v < to; v++) {
		uint32_t at = o->start[v], n = o->start[v + 1] - at;

		if (n > 1)
			sort_range(o->s, o->room, at, n, 64 - o->bits);
	}
	return 0;
}

int sh_join_side_sort(
    struct sh_join_side *s, struct sh_join_side *room, unsigned threads, struct sh_error *err)
{
	struct sorting o = { s, room, .bits = 1 };
	uint32_t *start;
	size_t buckets;
	int status;

	if (s->n <= FEW) {
		insert(s, 0, s->n);
		return 0;
	}
	if (sh_join_side_reserve(room, s->n, err) < 0)
		return -1;
	while (o.bits < SH_SIDE_KEY_BITS && s->n >> o.bits > BUCKET)
		o.bits++;
	buckets = (size_t)1 << o.bits;
	start = malloc((buckets + 1) * sizeof *start);
	if (!start)
		return sh_error_nomem(err);
	o.start = start;
	status = sh_join_side_order(s, room, UINT64_MAX << (64 - o.bits), start, threads, err);
	if (status == 0)
		status = sh_parallel(
		    &o, 0, threads, buckets, buckets / (s->n / SORTED + 1) + 1, sort_buckets, err);
	free(start);
	return status;
}
