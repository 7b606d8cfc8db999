/* One kernel's scan. Each kernel's file defines these names, then includes this one:
 *
 *     NAME(f)   f with the kernel's suffix
 *     TARGET    the function attribute that allows the kernel's instructions
 *     TILE      the type that holds 8*n words in registers
 *     FAR       the type of the limit k
 *     far(k)              makes a FAR
 *     load(t, p, n)       fills the tile with the 8*n words at p
 *     compare(t, y, k, n) returns 32 bits: bit i < 8*n is set when word i differs from y in at most
 *                         k bits
 *     ADD(s, x, hit, y, i)  adds matches, as add_matches() does; may be left undefined */

#ifndef ADD
#define ADD NAME(add_matches)

/* Adds a match for each bit b of hit: position x + b, and the position of y. Leaves out pairs that
 * an earlier block has found. y is a position, or GATHERED for gathered[i]. */
static TARGET __attribute__((noinline)) void NAME(add_matches)(
    struct sh_scan *s, uint32_t x, uint32_t hit, uint32_t y, uint32_t i)
{
	uint64_t word;

	reserve_tile(s);
	y = y == GATHERED ? position_in_y(s, i) : y;
	word = s->y[y];
	for (; hit != 0; hit &= hit - 1) {
		uint32_t at = x + (uint32_t)__builtin_ctz(hit);

		s->match[s->matches] = (struct sh_scan_match){ at, y };
		s->matches += !found_before(s, s->x[at] ^ word);
	}
}
#endif

/* Compares y[0 .. count-1] with the 8*n words at position x. Bit b of `valid` is set when word b
 * belongs to the bucket. `from` is the position of y[0], or GATHERED when y is s->gathered. On the
 * diagonal y[0] is the word at x, and only words behind y[i] are compared with y[i]. */
static TARGET inline __attribute__((always_inline)) void NAME(sweep)(struct sh_scan *s, uint32_t x,
    uint32_t valid, const uint64_t *y, uint32_t count, uint32_t from, bool diagonal,
    const unsigned n)
{
	TILE tile;
	FAR far = NAME(far)(s->k);

	NAME(load)(&tile, s->x + x, n);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t hit = NAME(compare)(&tile, y[i], far, n) & valid;

		if (diagonal)
			hit &= i < 31 ? UINT32_MAX << (i + 1) : 0;
		if (__builtin_expect(hit != 0, 0))
			ADD(s, x, hit, from == GATHERED ? GATHERED : from + i, i);
	}
}

/* Compares the words of x at x .. x_end-1 with y[0 .. count-1]. */
static TARGET void NAME(compare_ranges)(
    struct sh_scan *s, uint32_t x, uint32_t x_end, const uint64_t *y, uint32_t count, uint32_t from)
{
	for (; x < x_end && !s->ended; x += SH_SCAN_TILE) {
		uint32_t left = x_end - x;
		uint32_t valid = left < SH_SCAN_TILE ? (UINT32_C(1) << left) - 1 : UINT32_MAX;

		if (left <= 8)
			NAME(sweep)(s, x, valid, y, count, from, false, 1);
		else if (left <= 16)
			NAME(sweep)(s, x, valid, y, count, from, false, 2);
		else if (left <= 24)
			NAME(sweep)(s, x, valid, y, count, from, false, 3);
		else
			NAME(sweep)(s, x, valid, y, count, from, false, 4);
	}
}

/* Compares each two words of bucket v: a tile with all words before it, then within itself. */
static TARGET void NAME(compare_within)(struct sh_scan *s, uint32_t v)
{
	uint32_t x = s->x_start[v], x_end = s->x_start[v + 1];

	for (uint32_t at = x > s->within ? x : s->within; at < x_end && !s->ended;
	     at += SH_SCAN_TILE) {
		uint32_t left = x_end - at;
		uint32_t tile = left < SH_SCAN_TILE ? left : SH_SCAN_TILE;
		uint32_t valid = left < SH_SCAN_TILE ? (UINT32_C(1) << left) - 1 : UINT32_MAX;

		NAME(compare_ranges)(s, at, at + tile, s->x + x, at - x, x);
		if (tile <= 8)
			NAME(sweep)(s, at, valid, s->x + at, tile, at, true, 1);
		else if (tile <= 16)
			NAME(sweep)(s, at, valid, s->x + at, tile, at, true, 2);
		else
			NAME(sweep)(s, at, valid, s->x + at, tile, at, true, 4);
	}
}

/* Compares bucket v of x with all gathered words, and empties them. */
static TARGET void NAME(compare_gathered)(struct sh_scan *s, uint32_t v)
{
	s->piece_at[s->pieces] = s->gathered_n;
	NAME(compare_ranges)
	(s, s->x_start[v], s->x_start[v + 1], s->gathered, s->gathered_n, GATHERED);
	s->pieces = 0;
	s->gathered_n = 0;
}

/* Gathers bucket u of y, to be compared with bucket v of x. */
static TARGET inline __attribute__((always_inline)) void NAME(gather)(
    struct sh_scan *s, uint32_t v, uint32_t u)
{
	uint32_t from = s->y_start[u], count = s->y_start[u + 1] - from;
	uint64_t *to;

	if ((uint64_t)count * (s->x_start[v + 1] - s->x_start[v]) > s->limit) {
		end_unless(s, flush_matches(s) && s->large(s->ctx, v, u));
		return;
	}
	if (count > SH_SCAN_GATHERED / 2) {
		NAME(compare_ranges)(s, s->x_start[v], s->x_start[v + 1], s->y + from, count, from);
		return;
	}
	if (s->gathered_n + count > SH_SCAN_GATHERED)
		NAME(compare_gathered)(s, v);
	/* Copies COPIED words, enough for most buckets. The next copy overwrites the words beyond
	 * `count`. */
	to = s->gathered + s->gathered_n;
	for (uint32_t i = 0; i < count; i += COPIED)
		memcpy(to + i, s->y + from + i, COPIED * sizeof *to);
	s->piece_at[s->pieces] = s->gathered_n;
	s->piece_from[s->pieces] = from;
	s->pieces += count > 0;
	s->gathered_n += count;
}

/* Compares bucket v of x with the buckets v ^ flip[i] of y; in a self-join with buckets above v. */
static TARGET void NAME(compare_neighbours)(struct sh_scan *s, uint32_t v)
{
	uint32_t f = s->self, end, other[SH_SCAN_LISTED];

	while (f < s->flips && !s->ended) {
		uint32_t n = 0;

		/* Whether a bucket is above v is random: the list is made without a branch. */
		end = s->flips - f < SH_SCAN_LISTED ? s->flips : f + SH_SCAN_LISTED;
		for (; f < end; f++) {
			other[n] = v ^ s->flip[f];
			n += !s->self | (other[n] > v);
		}
		for (uint32_t i = 0; i < n && !s->ended; i++)
			NAME(gather)(s, v, other[i]);
	}
	if (s->gathered_n > 0)
		NAME(compare_gathered)(s, v);
}

static TARGET void NAME(scan)(struct sh_scan *s)
{
	s->ended = false;
	s->matches = s->pieces = 0;
	s->gathered_n = 0;
	for (uint32_t v = s->from; v < s->to && !s->ended; v++) {
		uint64_t n = s->x_start[v + 1] - s->x_start[v];

		if (n == 0)
			continue;
		if (s->self && n * n / 2 > s->limit)
			end_unless(s, flush_matches(s) && s->large(s->ctx, v, v));
		else if (s->self)
			NAME(compare_within)(s, v);
		if (s->flips > 1 || !s->self)
			NAME(compare_neighbours)(s, v);
	}
	end_unless(s, flush_matches(s));
}

#undef ADD
#undef NAME
#undef TARGET
#undef TILE
#undef FAR
