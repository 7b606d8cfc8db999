/* SPDX-License-Identifier: MIT */
#include "io/radix.h"

#include <stdlib.h>
#include <string.h>

#include "io/parallel.h"

enum { SLICE = 1 << 16 }; /* least number of records for each further thread */

static size_t digit_of(const char *record, unsigned shift, size_t digits)
{
	uint64_t key;

	memcpy(&key, record, sizeof key);
	return (size_t)(key >> shift) & (digits - 1);
}

/* Adds the number of records of each digit to at[]. */
static void count(
    const struct sh_radix *r, const char *p, const char *end, size_t digits, size_t *at)
{
	for (; p < end; p += r->size)
		at[digit_of(p, r->shift, digits)]++;
}

/* Moves each record to the index at[digit], which then increases. */
static void move(
    const struct sh_radix *r, const char *p, const char *end, size_t digits, size_t *at)
{
	size_t size = r->size;
	unsigned shift = r->shift;
	char *all = r->to;

	for (; p < end; p += size) {
		char *to = all + at[digit_of(p, shift, digits)]++ * size;

		memcpy(to, p, 8);
		if (size == 16)
			memcpy(to + 8, p + 8, 8);
	}
}

void sh_radix_pass(const struct sh_radix *r)
{
	/* 16 KiB, which stay in the first-level cache */
	size_t at[SH_RADIX_DIGITS] = { 0 }, sum = 0;
	const char *p = r->from, *end = p + r->n * r->size;

	count(r, p, end, SH_RADIX_DIGITS, at);
	for (size_t d = 0; d < SH_RADIX_DIGITS; d++) {
		size_t n = at[d];

		at[d] = sum;
		sum += n;
	}
	move(r, p, end, SH_RADIX_DIGITS, at);
}

/* Task i moves the records of slice i. */
struct slices {
	const struct sh_radix *radix;
	size_t n;
	size_t (*at)[SH_RADIX_PARTS]; /* by slice and part: records; then index of the next one */
};

static const char *begin_of(const struct slices *s, size_t slice)
{
	const struct sh_radix *r = s->radix;

	return (const char *)r->from + (slice < s->n ? r->n / s->n * slice : r->n) * r->size;
}

static int count_slices(void *slices, size_t from, size_t to, struct sh_error *err)
{
	const struct slices *s = slices;

	(void)err;
	for (size_t i = from; i < to; i++)
		count(s->radix, begin_of(s, i), begin_of(s, i + 1), SH_RADIX_PARTS, s->at[i]);
	return 0;
}

static int move_slices(void *slices, size_t from, size_t to, struct sh_error *err)
{
	const struct slices *s = slices;

	(void)err;
	for (size_t i = from; i < to; i++)
		move(s->radix, begin_of(s, i), begin_of(s, i + 1), SH_RADIX_PARTS, s->at[i]);
	return 0;
}

/* Turns the counts of slices into indexes: by part, then by slice. */
static void place_slices(struct slices *s, size_t *start)
{
	size_t sum = 0;

	for (size_t part = 0; part < SH_RADIX_PARTS; part++) {
		start[part] = sum;
		for (size_t i = 0; i < s->n; i++) {
			size_t n = s->at[i][part];

			s->at[i][part] = sum;
			sum += n;
		}
	}
	start[SH_RADIX_PARTS] = sum;
}

int sh_radix_parts(const struct sh_radix *r, unsigned threads, size_t *start, struct sh_error *err)
{
	struct slices s = { .radix = r, .n = r->n / SLICE < threads ? r->n / SLICE + 1 : threads };
	int status;

	s.at = calloc(s.n, sizeof *s.at);
	if (!s.at)
		return sh_error_nomem(err);
	status = sh_parallel(&s, 0, threads, s.n, 1, count_slices, err);
	place_slices(&s, start);
	if (status == 0)
		status = sh_parallel(&s, 0, threads, s.n, 1, move_slices, err);
	free(s.at);
	return status;
}
