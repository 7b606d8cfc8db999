/* SPDX-License-Identifier: MIT */
/* One kernel's scan. Each kernel's file defines these names, then includes this one:
 *
 *     NAME(f)   f with the kernel's suffix
 *     TARGET    the function attribute that allows the kernel's instructions
 *     TILE      the type that holds 8 * n words in registers, n from 1 to 4
 *     LIMIT     the type of the limit k
 *     limit(k)               makes a LIMIT
 *     load(tile, p, n)       fills the tile with the 8 * n words at p
 *     compare(tile, y, k, n) returns 32 bits: bit i is set when word i of the tile differs from y
 *                            in at most k bits; a few others may be set */

/* Passes on a match for each bit of hit: position x + bit, and y. */
static bool NAME(report)(const struct sh_scan *s, uint32_t x, uint32_t hit, uint32_t y)
{
	for (; hit != 0; hit &= hit - 1)
		if (!s->match(s->ctx, x + (uint32_t)__builtin_ctz(hit), y))
			return false;
	return true;
}

/* Compares the tile at position x, whose valid words have a bit in `valid`, with the words of y at
 * y .. y_end-1. */
static TARGET inline __attribute__((always_inline)) bool NAME(sweep)(const struct sh_scan *s,
    const TILE *tile, LIMIT k, uint32_t x, uint32_t valid, uint32_t y, uint32_t y_end,
    const unsigned n)
{
	for (; y < y_end; y++) {
		uint32_t hit = NAME(compare)(tile, s->y[y], k, n) & valid;

		if (__builtin_expect(hit != 0, 0) && !NAME(report)(s, x, hit, y))
			return false;
	}
	return true;
}

/* Compares the 8 * n words of bucket v at position x with all that they have to be compared with,
 * while they are in registers. */
static TARGET inline __attribute__((always_inline)) bool NAME(scan_tile)(
    const struct sh_scan *s, uint32_t v, uint32_t x, const unsigned n)
{
	const uint32_t begin = s->x_start[v], end = s->x_start[v + 1], size = end - begin;
	const uint32_t left = end - x;
	const uint32_t valid = left < SH_SCAN_TILE ? (UINT32_C(1) << left) - 1 : UINT32_MAX;
	const LIMIT k = NAME(limit)(s->k);
	TILE tile;

	NAME(load)(&tile, s->x + x, n);
	/* Its own bucket: the words before the tile, then each word with the later ones. */
	if (s->self && (uint64_t)size * size / 2 <= s->limit) {
		if (!NAME(sweep)(s, &tile, k, x, valid, begin, x, n))
			return false;
		for (uint32_t i = 0; i + 1 < left && i < SH_SCAN_TILE - 1; i++) {
			uint32_t hit = NAME(compare)(&tile, s->x[x + i], k, n) & valid;

			hit &= UINT32_MAX << (i + 1);
			if (__builtin_expect(hit != 0, 0) && !NAME(report)(s, x, hit, x + i))
				return false;
		}
	}
	for (uint32_t f = s->self; f < s->flips; f++) {
		uint32_t u = v ^ s->flip[f], y = s->y_start[u], y_end = s->y_start[u + 1];

		if ((s->self && u < v) || (uint64_t)size * (y_end - y) > s->limit)
			continue;
		if (!NAME(sweep)(s, &tile, k, x, valid, y, y_end, n))
			return false;
	}
	return true;
}

/* Passes on the neighbours of bucket v that have too many candidates. */
static bool NAME(scan_large)(const struct sh_scan *s, uint32_t v)
{
	uint64_t size = s->x_start[v + 1] - s->x_start[v];

	if (s->self && size * size / 2 > s->limit && !s->large(s->ctx, v, v))
		return false;
	for (uint32_t f = s->self; f < s->flips; f++) {
		uint32_t u = v ^ s->flip[f];

		if (!(s->self && u < v) && size * (s->y_start[u + 1] - s->y_start[u]) > s->limit &&
		    !s->large(s->ctx, v, u))
			return false;
	}
	return true;
}

static TARGET bool NAME(scan)(const struct sh_scan *s, uint32_t v, uint32_t from, uint32_t to)
{
	for (; from < to; v++) {
		uint32_t begin = s->x_start[v], end = s->x_start[v + 1];
		uint32_t x =
		    begin + (from - begin + SH_SCAN_TILE - 1) / SH_SCAN_TILE * SH_SCAN_TILE;

		from = end;
		if (x >= end)
			continue;
		for (; x < end && x < to; x += SH_SCAN_TILE) {
			uint32_t left = end - x;
			bool more = left <= 8    ? NAME(scan_tile)(s, v, x, 1)
				    : left <= 16 ? NAME(scan_tile)(s, v, x, 2)
				    : left <= 24 ? NAME(scan_tile)(s, v, x, 3)
						 : NAME(scan_tile)(s, v, x, 4);

			if (!more)
				return false;
		}
		/* Behind the last tile of the bucket. */
		if (x >= end && (uint64_t)(end - begin) * s->largest > s->limit &&
		    !NAME(scan_large)(s, v))
			return false;
	}
	return true;
}

#undef NAME
#undef TARGET
#undef TILE
#undef LIMIT
