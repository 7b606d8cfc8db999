/* SPDX-License-Identifier: MIT */
/* One kernel's scan. scan.c defines these names for each kernel, then includes this file:
 *
 *     NAME(f)   f with the kernel's suffix
 *     TARGET    the function attribute that allows the kernel's instructions
 *     VECTOR    a vector of uint64_t, of the size of a register
 *     count(v)  returns the number of ones in each word of a vector
 *     least(v, w)  returns the least of each two words, which are below 2^31
 *     signs(v)  returns a number whose bit i is the most significant bit of word i */

#define LANES  (sizeof(VECTOR) / sizeof(uint64_t))
#define INLINE static TARGET inline __attribute__((always_inline))

/* Passes on a match for each bit of hit: position x + bit, and y. */
static bool NAME(report)(const struct sh_scan *s, uint32_t x, uint32_t hit, uint32_t y)
{
	for (; hit != 0; hit &= hit - 1)
		if (!s->match(s->ctx, x + (uint32_t)__builtin_ctz(hit), y))
			return false;
	return true;
}

/* Returns 32 bits: bit i is set when word i of the tile, of 8 * n words, differs from y in less
 * than `above` bits: the difference of both numbers is then negative. */
INLINE uint32_t NAME(compare)(const VECTOR *tile, uint64_t y, VECTOR above, const unsigned n)
{
	VECTOR ones[SH_SCAN_TILE / LANES], least;
	uint32_t hit = 0;

	least = ones[0] = NAME(count)(tile[0] ^ y);
#pragma GCC unroll 16
	for (unsigned i = 1; i < 8 * n / LANES; i++) {
		ones[i] = NAME(count)(tile[i] ^ y);
		least = NAME(least)(least, ones[i]);
	}
	if (__builtin_expect(NAME(signs)(least - above) == 0, 1))
		return 0;
#pragma GCC unroll 16
	for (unsigned i = 0; i < 8 * n / LANES; i++)
		hit |= NAME(signs)(ones[i] - above) << i * LANES;
	return hit;
}

/* Compares the tile at position x, whose valid words have a bit in `valid`, with the words of y at
 * y .. y_end-1. */
INLINE bool NAME(sweep)(const struct sh_scan *s, const VECTOR *tile, VECTOR above, uint32_t x,
    uint32_t valid, uint32_t y, uint32_t y_end, const unsigned n)
{
	for (; y < y_end; y++) {
		uint32_t hit = NAME(compare)(tile, s->y[y], above, n) & valid;

		if (__builtin_expect(hit != 0, 0) && !NAME(report)(s, x, hit, y))
			return false;
	}
	return true;
}

/* Compares the 8 * n words of bucket v at position x with all that they have to be compared with,
 * while they are in registers. */
INLINE bool NAME(scan_tile)(const struct sh_scan *s, uint32_t v, uint32_t x, const unsigned n)
{
	const uint32_t begin = s->x_start[v], end = s->x_start[v + 1], size = end - begin;
	const uint32_t left = end - x;
	const uint32_t valid = left < SH_SCAN_TILE ? (UINT32_C(1) << left) - 1 : UINT32_MAX;
	const VECTOR above = (VECTOR){ 0 } + (s->k + UINT64_C(1));
	VECTOR tile[SH_SCAN_TILE / LANES];

	memcpy(tile, s->x + x, n * 64);
	/* Its own bucket: the words before the tile, then each word with the later ones. */
	if (s->self && (uint64_t)size * size / 2 <= s->limit) {
		if (!NAME(sweep)(s, tile, above, x, valid, begin, x, n))
			return false;
		for (uint32_t i = 0; i + 1 < left && i < SH_SCAN_TILE - 1; i++) {
			uint32_t hit = NAME(compare)(tile, s->x[x + i], above, n) & valid;

			hit &= UINT32_MAX << (i + 1);
			if (__builtin_expect(hit != 0, 0) && !NAME(report)(s, x, hit, x + i))
				return false;
		}
	}
	for (uint32_t f = s->self; f < s->flips; f++) {
		uint32_t u = v ^ s->flip[f], y = s->y_start[u], y_end = s->y_start[u + 1];

		if ((s->self && u < v) || (uint64_t)size * (y_end - y) > s->limit)
			continue;
		if (!NAME(sweep)(s, tile, above, x, valid, y, y_end, n))
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
		    !scan_large(s, v))
			return false;
	}
	return true;
}

#undef LANES
#undef INLINE
#undef NAME
#undef TARGET
#undef VECTOR
