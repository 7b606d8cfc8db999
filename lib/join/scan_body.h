/* One kernel's scan, included once for each by scan.c and its neighbours, which define before:
 *
 *     NAME(f)   f with the kernel's suffix
 *     TARGET    the function attribute that allows its instructions
 *     WORD      what is compared, uint64_t; or uint32_t for short forms
 *     WORDS(s, x)  those of side x or y
 *     GROUP     how many words a register holds, or are compared together
 *     TILE      type of GROUP*n words held in registers; FAR, the same for the limit k
 *     load(t, p, n)      fill the tile with n groups of words
 *     match(t, y, k, n)  bit i of the 32-bit result: word i is within k of y
 *     ADD(s, x, hit, y, i)  what adds spots; when it is not defined, plain C
 *
 * and for short forms, with SHORT:
 *
 *     neither(t, y, k, n)  whether surely no word is near y[0] or y[1]
 *     quick(s, x, x_end)  the spots of a small bucket, in any order when they are several */

#ifdef SHORT
#define NEITHER(t, y, k, n) NAME(neither)(t, y, k, n)
#define QUICK(s, x, x_end)  NAME(quick)(s, x, x_end)
#define IN_ORDER            false
#else
#define NEITHER(t, y, k, n) false
#define QUICK(s, x, x_end)  NAME(triangle)(s, x, x_end)
#define IN_ORDER            ((s)->settle == NULL)
#endif

#ifndef ADD
#define ADD NAME(add_spots)

/* One spot for each bit of hit that no earlier block has found. y is a position, or NEAR for
 * near[i]. */
static TARGET __attribute__((noinline)) void NAME(add_spots)(
    struct sh_scan *s, uint32_t x, uint32_t hit, uint32_t y, uint32_t i)
{
	room_for_tile(s);
	append_spots(s, x, hit, y == NEAR ? came_from(s, i) : y);
}
#endif

/* Compare y[0 .. count-1] with the GROUP * n words of the tile at position x. `from` is the
 * position of y[0], or NEAR when y is s->near. On the diagonal only lanes above i count. */
static TARGET inline __attribute__((always_inline)) void NAME(sweep)(struct sh_scan *s, uint32_t x,
    uint32_t valid, const WORD *y, uint32_t count, uint32_t from, bool diagonal, const unsigned n)
{
	TILE tile;
	FAR far = NAME(far)(s->k);

	NAME(load)(&tile, WORDS(s, x) + x, n);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t hit;

		if (!diagonal && i + 1 < count && NEITHER(&tile, y + i, far, n)) {
			i++;
			continue;
		}
		hit = NAME(match)(&tile, y[i], far, n) & valid;
		if (diagonal)
			hit &= i < 31 ? UINT32_MAX << (i + 1) : 0;
		if (__builtin_expect(hit != 0, 0))
			ADD(s, x, hit, from == NEAR ? NEAR : from + i, i);
	}
}

/* The words of x at x .. x_end-1 against y[0 .. count-1]. */
static TARGET void NAME(meet)(
    struct sh_scan *s, uint32_t x, uint32_t x_end, const WORD *y, uint32_t count, uint32_t from)
{
	for (; x < x_end && !s->ended; x += SH_SCAN_TILE) {
		uint32_t left = x_end - x;
		uint32_t valid = left < SH_SCAN_TILE ? (UINT32_C(1) << left) - 1 : UINT32_MAX;

		if (GROUP <= 8 && left <= 8)
			NAME(sweep)(s, x, valid, y, count, from, false, 1);
		else if (left <= 16)
			NAME(sweep)(s, x, valid, y, count, from, false, 16 / GROUP);
		else if (GROUP <= 8 && left <= 24)
			NAME(sweep)(s, x, valid, y, count, from, false, 3);
		else
			NAME(sweep)(s, x, valid, y, count, from, false, 32 / GROUP);
	}
}

/* Each two words of one bucket: a tile against all before it, then within itself. */
static TARGET void NAME(triangle)(struct sh_scan *s, uint32_t x, uint32_t x_end)
{
	for (uint32_t at = x; at < x_end && !s->ended; at += SH_SCAN_TILE) {
		uint32_t left = x_end - at;
		uint32_t tile = left < SH_SCAN_TILE ? left : SH_SCAN_TILE;
		uint32_t valid = left < SH_SCAN_TILE ? (UINT32_C(1) << left) - 1 : UINT32_MAX;

		NAME(meet)(s, at, at + tile, WORDS(s, x) + x, at - x, x);
		if (GROUP <= 8 && tile <= 8)
			NAME(sweep)(s, at, valid, WORDS(s, x) + at, tile, at, true, 1);
		else if (tile <= 16)
			NAME(sweep)(s, at, valid, WORDS(s, x) + at, tile, at, true, 16 / GROUP);
		else
			NAME(sweep)(s, at, valid, WORDS(s, x) + at, tile, at, true, 32 / GROUP);
	}
}

/* Each two of bucket v. Nearly all buckets have one spot at the most, whose place in the order does
 * not depend on that of the bucket. */
static TARGET inline __attribute__((always_inline)) void NAME(within)(struct sh_scan *s, uint32_t v)
{
	uint32_t x = s->x_start[v], x_end = s->x_start[v + 1];
	uint64_t pairs;
	size_t before;

	/* Where the bucket before had several, this one may as well. */
	if (x_end - x <= SMALL && !s->several) {
		if (s->spots + SMALL * SMALL / 2 > SH_SCAN_SPOTS)
			end_unless(s, flush_spots(s));
		before = s->spots;
		pairs = s->near_pairs;
		QUICK(s, x, x_end);
		if (IN_ORDER || s->spots - before < 2)
			return;
		s->spots = before;
		s->near_pairs = pairs;
	}
	if (s->settle)
		s->settle(s->ctx, v);
	before = s->spots;
	NAME(triangle)(s, x, x_end);
	s->several = s->spots - before > 1;
}

static TARGET void NAME(meet_near)(struct sh_scan *s, uint32_t v)
{
	s->piece_at[s->pieces] = s->near_n;
	NAME(meet)(s, s->x_start[v], s->x_start[v + 1], WORDS(s, near), s->near_n, NEAR);
	s->pieces = 0;
	s->near_n = 0;
}

/* Bucket u of y joins what bucket v is to be compared with. */
static TARGET inline __attribute__((always_inline)) void NAME(collect)(
    struct sh_scan *s, uint32_t v, uint32_t u)
{
	uint32_t from = s->y_start[u], count = s->y_start[u + 1] - from;
	WORD *to;

	if ((uint64_t)count * (s->x_start[v + 1] - s->x_start[v]) > s->limit) {
		end_unless(s, flush_spots(s) && s->large(s->ctx, v, u));
		return;
	}
	if (count > SH_SCAN_NEAR / 2) {
		NAME(meet)(s, s->x_start[v], s->x_start[v + 1], WORDS(s, y) + from, count, from);
		return;
	}
	if (s->near_n + count > SH_SCAN_NEAR)
		NAME(meet_near)(s, v);
	/* The next bucket of x will most often ask for the next one here. */
	__builtin_prefetch(WORDS(s, y) + from + 3 * COPIED);
	/* Sixteen at a time: most buckets have no more, and what is too much is overwritten. */
	to = WORDS(s, near) + s->near_n;
	for (uint32_t i = 0; i < count; i += COPIED)
		memcpy(to + i, WORDS(s, y) + from + i, COPIED * sizeof *to);
	s->piece_at[s->pieces] = s->near_n;
	s->piece_from[s->pieces] = from;
	s->pieces += count > 0;
	s->near_n += count;
}

/* Bucket v of x against the buckets of y on the other side of the flips. */
static TARGET void NAME(neighbours)(struct sh_scan *s, uint32_t v)
{
	uint32_t f = s->self, end, other[SH_SCAN_OTHERS];

	while (f < s->flips && !s->ended) {
		uint32_t n = 0;

		/* Listed without a branch, which nothing could predict. */
		end = s->flips - f < SH_SCAN_OTHERS ? s->flips : f + SH_SCAN_OTHERS;
		for (; f < end; f++) {
			other[n] = v ^ s->flip[f];
			n += !s->self | (other[n] > v);
		}
		for (uint32_t i = 0; i < n && !s->ended; i++)
			NAME(collect)(s, v, other[i]);
	}
	if (s->near_n > 0)
		NAME(meet_near)(s, v);
}

static TARGET void NAME(scan)(struct sh_scan *s)
{
	s->ended = false;
	s->near_pairs = 0;
	s->spots = s->pieces = 0;
	s->near_n = 0;
	s->several = false;
	for (uint32_t v = s->first; v < s->buckets && !s->ended; v++) {
		uint64_t n = s->x_start[v + 1] - s->x_start[v];

		if (n == 0)
			continue;
		if (s->self && n * n / 2 > s->limit)
			end_unless(s, flush_spots(s) && s->large(s->ctx, v, v));
		else if (s->self)
			NAME(within)(s, v);
		if (s->flips > 1 || !s->self)
			NAME(neighbours)(s, v);
	}
	end_unless(s, flush_spots(s));
}

#undef NEITHER
#undef QUICK
#undef IN_ORDER
#undef ADD
#undef SHORT
#undef NAME
#undef TARGET
#undef TILE
#undef FAR
#undef WORD
#undef WORDS
#undef GROUP
