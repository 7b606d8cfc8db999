/* SPDX-License-Identifier: MIT */
#include "join/side.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buf.h"
#include "io/parallel.h"

enum {
	DIGIT = 8,         /* bits of a step: the first-level cache holds its destinations */
	SEGMENT = 1 << 18, /* elements that a thread counts and moves at a time */
	FEW = 48,          /* elements that are ordered by insertion */
	RUN = 3,           /* elements that share their high bits, on average */
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

	while (mask) {
		uint64_t left = mask & (mask + (mask & -mask)), run = mask ^ left;
		unsigned shift = (unsigned)__builtin_ctzll(run) - k.bits;

		k.shift[k.runs] = (uint8_t)shift;
		k.mask[k.runs++] = run >> shift;
		k.bits += sh_count_bits(run);
		mask = left;
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

/* ---- order ---- */

/* A step orders by one digit of the key: it moves the elements from `s` to `room`. */
struct step {
	struct sh_join_side *s, *room;
	struct key digit;
	uint32_t *next; /* by segment and digit: where the segment's next element goes */
};

static int count_segments(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct step *o = arg;

	(void)err;
	for (size_t g = from; g < to; g++) {
		uint32_t *count = o->next + (g << o->digit.bits);
		size_t end = (g + 1) * SEGMENT < o->s->n ? (g + 1) * SEGMENT : o->s->n;

		memset(count, 0, sizeof *count << o->digit.bits);
		for (size_t i = g * SEGMENT; i < end; i++)
			count[key_of(&o->digit, o->s->word[i])]++;
	}
	return 0;
}

static int move_segments(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct step *o = arg;

	(void)err;
	for (size_t g = from; g < to; g++) {
		uint32_t *next = o->next + (g << o->digit.bits);
		size_t end = (g + 1) * SEGMENT < o->s->n ? (g + 1) * SEGMENT : o->s->n;

		for (size_t i = g * SEGMENT; i < end; i++) {
			uint64_t word = o->s->word[i];
			uint32_t at = next[key_of(&o->digit, word)]++;

			o->room->word[at] = word;
			o->room->number[at] = o->s->number[i];
		}
	}
	return 0;
}

static void exchange(struct sh_join_side *s, struct sh_join_side *room)
{
	uint64_t *word = s->word;
	uint32_t *number = s->number;
	size_t cap = s->cap;

	s->word = room->word, s->number = room->number, s->cap = room->cap;
	room->word = word, room->number = number, room->cap = cap;
}

static int order_digit(struct sh_join_side *s, struct sh_join_side *room, uint64_t mask,
    unsigned threads, struct sh_error *err)
{
	struct step o = { s, room, key_of_mask(mask), NULL };
	size_t segments = s->n / SEGMENT + 1, digits = (size_t)1 << o.digit.bits;
	uint32_t sum = 0;
	int status;

	o.next = malloc(segments * digits * sizeof *o.next);
	if (!o.next)
		return sh_error_nomem(err);
	status = sh_parallel(&o, 0, threads, segments, 1, count_segments, err);
	for (size_t v = 0; status == 0 && v < digits; v++)
		for (size_t g = 0; g < segments; g++) {
			uint32_t count = o.next[g * digits + v];

			o.next[g * digits + v] = sum;
			sum += count;
		}
	if (status == 0)
		status = sh_parallel(&o, 0, threads, segments, 1, move_segments, err);
	exchange(s, room);
	free(o.next);
	return status;
}

static bool is_ordered(const struct sh_join_side *s, uint64_t mask)
{
	for (uint32_t i = 1; i < s->n; i++)
		if ((s->word[i] & mask) < (s->word[i - 1] & mask))
			return false;
	return true;
}

static void insert(struct sh_join_side *s, uint64_t mask)
{
	for (uint32_t i = 1; i < s->n; i++) {
		uint64_t word = s->word[i];
		uint32_t number = s->number[i], at = i;

		for (; at && (s->word[at - 1] & mask) > (word & mask); at--) {
			s->word[at] = s->word[at - 1];
			s->number[at] = s->number[at - 1];
		}
		s->word[at] = word;
		s->number[at] = number;
	}
}

/* Orders n elements from `from` on. */
static int order_run(struct sh_join_side *s, struct sh_join_side *room, uint32_t from, uint32_t n,
    uint64_t mask, struct sh_error *err)
{
	struct sh_join_side run = {
		.n = n, .cap = n, .word = s->word + from, .number = s->number + from
	};
	struct sh_join_side other = {
		.cap = n, .word = room->word + from, .number = room->number + from
	};

	if (sh_join_side_order(&run, &other, mask, 1, err) < 0)
		return -1;
	if (run.word != s->word + from) {
		memcpy(s->word + from, run.word, n * sizeof *s->word);
		memcpy(s->number + from, run.number, n * sizeof *s->number);
	}
	return 0;
}

/* Returns the mask without its n lowest ones. */
static uint64_t without_lowest(uint64_t mask, unsigned n)
{
	while (n--)
		mask &= mask - 1;
	return mask;
}

int sh_join_side_order(struct sh_join_side *s, struct sh_join_side *room, uint64_t mask,
    unsigned threads, struct sh_error *err)
{
	unsigned bits = sh_count_bits(mask), digit, high = DIGIT;
	const uint64_t all = mask;

	if (s->n <= FEW) {
		insert(s, mask);
		return 0;
	}
	if (is_ordered(s, mask))
		return 0;
	if (sh_join_side_reserve(room, s->n, err) < 0)
		return -1;
	/* The high bits are those that leave few elements in a run of equal ones. Their lowest
	 * digit comes first: each step keeps the order of the steps before. */
	while (high < bits && s->n >> high > RUN)
		high += DIGIT;
	high = high < bits ? high : bits;
	for (unsigned low = bits - high; low < bits; low += digit) {
		digit = bits - low < DIGIT ? bits - low : DIGIT;
		if (order_digit(s, room,
			without_lowest(mask, low) ^ without_lowest(mask, low + digit), threads,
			err) < 0)
			return -1;
	}
	if (high == bits)
		return 0;
	mask = without_lowest(mask, bits - high);
	for (uint32_t from = 0, end; from < s->n; from = end) {
		for (end = from + 1; end < s->n && !((s->word[end] ^ s->word[from]) & mask);)
			end++;
		if (end > from + 1 && order_run(s, room, from, end - from, all ^ mask, err) < 0)
			return -1;
	}
	return 0;
}

uint32_t sh_join_side_buckets(const struct sh_join_side *s, uint64_t mask, uint32_t *start)
{
	struct key k = key_of_mask(mask);
	size_t v = 0, buckets = (size_t)1 << k.bits;
	uint32_t largest = 0;

	start[0] = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t key = key_of(&k, s->word[i]);

		while (v < key)
			start[++v] = i;
		largest = i + 1 - start[v] > largest ? i + 1 - start[v] : largest;
	}
	while (v < buckets)
		start[++v] = s->n;
	return largest;
}
