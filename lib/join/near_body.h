/* One kernel's scan. near.c includes this file once for each kernel, and defines before:
 *
 *     NAME(f)   f with the kernel's suffix
 *     TARGET    the function attribute that allows the kernel's instructions
 *     TILE, COPIED        16 and SH_NEAR_COPIED
 *     copy(to, from)      copies COPIED rests
 *     has(rest, n, x)     returns whether x is among rest[0 .. n-1]; may also return true when x is
 *                         among the next 63 rests
 *     find(rest, x)       returns a bit for each of 16 rests that equals x
 *     within_one(rest, x) the same for each rest that differs from x in at most one bit */

/* Adds matches of position x with the gathered rests that equal its own. */
static TARGET __attribute__((noinline)) void NAME(add_equal)(
    struct sh_near *s, const struct sh_near_gathered *g, uint32_t x)
{
	for (uint32_t at = 0; at < g->n; at += TILE)
		for (uint32_t hit = NAME(find)(g->rest + at, s->rest[x]); hit; hit &= hit - 1) {
			uint32_t i = at + (uint32_t)__builtin_ctz(hit);

			if (i < g->n)
				add_match(s, x, position_of(g, i));
		}
}

/* Adds matches of position x with the positions lo .. x-1 of its bucket. */
static TARGET __attribute__((noinline)) void NAME(add_close)(
    struct sh_near *s, uint32_t lo, uint32_t x)
{
	for (uint32_t at = lo; at < x; at += TILE)
		for (uint32_t hit = NAME(within_one)(s->rest + at, s->rest[x]); hit;
		     hit &= hit - 1) {
			uint32_t y = at + (uint32_t)__builtin_ctz(hit);

			if (y < x)
				add_match(s, x, y);
		}
}

/* Compares a bucket of one or two tiles with itself and with all gathered rests. */
static TARGET inline __attribute__((always_inline)) void NAME(compare_bucket)(struct sh_near *s,
    const struct sh_near_gathered *g, uint32_t lo, uint32_t end, const bool two_tiles)
{
	uint32_t before = 0; /* a bit for each position before x */

	for (uint32_t x = lo; x < end; x++) {
		uint16_t rest = s->rest[x];
		uint32_t hit = NAME(within_one)(s->rest + lo, rest);

		if (two_tiles)
			hit |= NAME(within_one)(s->rest + lo + TILE, rest) << TILE;
		hit &= before;
		before = 2 * before + 1;
		if (__builtin_expect(NAME(has)(g->rest, g->n, rest), 0))
			NAME(add_equal)(s, g, x);
		if (__builtin_expect(hit != 0, 0))
			NAME(add_close)(s, lo, x);
	}
}

/* Gathers the rests of the neighbours of bucket v. */
static TARGET inline __attribute__((always_inline)) void NAME(gather)(
    const struct sh_near *s, struct sh_near_gathered *g, uint32_t v)
{
	uint32_t n = 0, most = 0, neighbours = count_neighbours(s, v);

	for (uint32_t i = 0; i < neighbours; i++) {
		uint32_t u = neighbour(v, i), from = s->start[u];
		uint32_t count = s->start[u + 1] - from;

		/* The next copy overwrites the rests beyond `count`, or all rests of a bucket with
		 * more than COPIED: compare_large() then does not use them. */
		NAME(copy)(g->rest + n, s->rest + from);
		g->at[i] = n;
		g->from[i] = from;
		most = count > most ? count : most;
		n += count <= COPIED ? count : 0;
	}
	/* has() reads behind the last rest, so no old rest may be left there. */
	NAME(copy)(g->rest + n, s->no_rest);
	NAME(copy)(g->rest + n + COPIED, s->no_rest);
	g->n = n;
	g->neighbours = neighbours;
	g->incomplete = most > COPIED;
}

/* Compares a bucket of any size with itself and with neighbours of any size. */
static TARGET __attribute__((noinline)) void NAME(compare_large)(struct sh_near *s, uint32_t v)
{
	uint32_t lo = s->start[v], end = s->start[v + 1], neighbours = count_neighbours(s, v);

	for (uint32_t x = lo; x < end && !s->ended; x++) {
		for (uint32_t i = 0; i < neighbours; i++) {
			uint32_t u = neighbour(v, i), from = s->start[u];
			uint32_t to = s->start[u + 1];

			if (NAME(has)(s->rest + from, to - from, s->rest[x]))
				for (uint32_t y = from; y < to; y++)
					if (s->rest[y] == s->rest[x])
						add_match(s, x, y);
		}
		NAME(add_close)(s, lo, x);
	}
}

static TARGET void NAME(scan)(struct sh_near *s)
{
	s->ended = false;
	s->matches = 0;
	/* No rest is 0xffff unless rests have 16 bits. Then has() may return true wrongly, which
	 * costs only a call of add_equal(). */
	memset(s->no_rest, 0xff, sizeof s->no_rest);
	NAME(gather)(s, &s->gathered[s->from % 2], s->from);
	for (uint32_t v = s->from; v < s->to && !s->ended; v++) {
		const struct sh_near_gathered *g = &s->gathered[v % 2];
		uint32_t lo = s->start[v], end = s->start[v + 1];

		/* Gathers one bucket ahead: reading values that were just written would stall. */
		if (v + 1 < s->to)
			NAME(gather)(s, &s->gathered[(v + 1) % 2], v + 1);
		if (__builtin_expect(g->incomplete | (end - lo > COPIED), 0))
			NAME(compare_large)(s, v);
		else if (end - lo > TILE)
			NAME(compare_bucket)(s, g, lo, end, true);
		else
			NAME(compare_bucket)(s, g, lo, end, false);
	}
	(void)flush_matches(s);
}

#undef NAME
#undef TARGET
