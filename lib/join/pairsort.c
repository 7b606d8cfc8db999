#include "join/pairsort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/numsort.h"
#include "io/parallel.h"
#include "io/radix.h"

enum { PARTS = SH_RADIX_PARTS };

/* Threads move the pairs to parts, then sort parts. Pairs that agree in the highest
 * SH_RADIX_PART_BITS bits that differ are a part. */
struct sorter {
	uint64_t *pair, *room;
	size_t n;
	unsigned shift; /* number of bits below the first bits */
	size_t start[PARTS + 1];
	size_t kept[PARTS + 1]; /* by part: number of distinct pairs; then index of the first */
};

static bool in_order(const uint64_t *pair, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (pair[i - 1] >= pair[i])
			return false;
	return true;
}

/* ---- parts ---- */

static size_t drop_repeated(const uint64_t *from, uint64_t *to, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (i == 0 || from[i] != to[kept - 1])
			to[kept++] = from[i];
	return kept;
}

/* Sorts parts, and writes the distinct pairs of each to s->pair, where the part begins. */
static int sort_parts(void *arg, size_t from, size_t to, struct sh_error *err)
{
	struct sorter *s = arg;

	(void)err;
	for (size_t d = from; d < to; d++) {
		size_t at = s->start[d], n = s->start[d + 1] - at;
		const uint64_t *sorted = sh_numsort(s->room + at, s->pair + at, n);

		s->kept[d] = drop_repeated(sorted, s->pair + at, n);
	}
	return 0;
}

static size_t place_parts(struct sorter *s)
{
	size_t at = 0;

	for (size_t d = 0; d < PARTS; d++) {
		size_t n = s->kept[d];

		s->kept[d] = at;
		at += n;
	}
	return s->kept[PARTS] = at;
}

static int move_parts(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct sorter *s = arg;

	(void)err;
	for (size_t d = from; d < to; d++)
		memcpy(s->room + s->kept[d], s->pair + s->start[d],
		    (s->kept[d + 1] - s->kept[d]) * sizeof *s->room);
	return 0;
}

/* ---- all ---- */

static void choose_parts(struct sorter *s)
{
	uint64_t differ = 0;
	unsigned bits;

	for (size_t i = 1; i < s->n; i++)
		differ |= s->pair[i] ^ s->pair[0];
	bits = differ ? 64 - (unsigned)__builtin_clzll(differ) : 0;
	s->shift = bits > SH_RADIX_PART_BITS ? bits - SH_RADIX_PART_BITS : 0;
}

static int sort_by(struct sorter *s, unsigned threads, size_t *n, struct sh_error *err)
{
	struct sh_radix first = { s->pair, s->room, s->n, sizeof *s->pair, s->shift };

	if (sh_radix_parts(&first, threads, s->start, err) < 0 ||
	    sh_parallel(s, 0, threads, PARTS, 1, sort_parts, err) < 0)
		return -1;
	*n = place_parts(s);
	return sh_parallel(s, 0, threads, PARTS, 1, move_parts, err);
}

int sh_pairs_sort(
    struct sh_pairs *p, unsigned threads, struct sh_tables *tables, struct sh_error *err)
{
	struct sorter s = { .pair = p->pair, .n = p->n };

	if (in_order(p->pair, p->n))
		return 0;
	s.room = sh_tables_get(tables, p->cap, sizeof *s.room, err);
	if (!s.room)
		return -1;
	choose_parts(&s);
	if (sort_by(&s, threads, &p->n, err) < 0) {
		sh_tables_put(tables, s.room);
		return -1;
	}
	sh_tables_put(tables, s.pair);
	p->pair = s.room;
	return 0;
}
