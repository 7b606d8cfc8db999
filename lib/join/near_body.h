/* One kernel's scan, included once for each by near.c, which defines before:
 *
 *     NAME(f)   f with the kernel's suffix
 *     TARGET    the function attribute that allows its instructions
 *     TILE      how many rests find and close look at: COPIED or half of them
 *     copy(to, from)      COPIED rests
 *     has(rest, n, x)     whether x is among rest[0 .. n-1]; true may be wrong
 *     find(rest, x)       of a tile at `rest` those that are x, bit by bit
 *     close(rest, x)      of a tile those that differ from x in one bit at the most */

/* Spots of position x with what has been collected. */
static TARGET __attribute__((noinline)) void NAME(add_equal)(
    struct sh_near *s, const struct sh_near_met *m, uint32_t x)
{
	for (uint32_t at = 0; at < m->n; at += TILE)
		for (uint32_t hit = NAME(find)(m->rest + at, s->rest[x]); hit; hit &= hit - 1) {
			uint32_t i = at + (uint32_t)__builtin_ctz(hit);

			if (i < m->n)
				add_spot(s, x, came_from(m, i));
		}
}

/* Spots of position x with those of its bucket before it, from lo on. */
static TARGET __attribute__((noinline)) void NAME(add_close)(
    struct sh_near *s, uint32_t lo, uint32_t x)
{
	for (uint32_t at = lo; at < x; at += TILE)
		for (uint32_t hit = NAME(close)(s->rest + at, s->rest[x]); hit; hit &= hit - 1) {
			uint32_t y = at + (uint32_t)__builtin_ctz(hit);

			if (y < x)
				add_spot(s, x, y);
		}
}

/* A bucket that two tiles hold, or one, against all that it has to meet. */
static TARGET inline __attribute__((always_inline)) void NAME(meet)(
    struct sh_near *s, const struct sh_near_met *m, uint32_t lo, uint32_t end, const bool two_tiles)
{
	uint32_t before = 0;

	for (uint32_t x = lo; x < end; x++) {
		uint16_t rest = s->rest[x];
		uint32_t hit = NAME(close)(s->rest + lo, rest);

		if (two_tiles)
			hit |= NAME(close)(s->rest + lo + TILE, rest) << TILE % COPIED;
		hit &= before;
		before = 2 * before + 1;
		if (__builtin_expect(NAME(has)(m->rest, m->n, rest), 0))
			NAME(add_equal)(s, m, x);
		if (__builtin_expect(hit != 0, 0))
			NAME(add_close)(s, lo, x);
	}
}

static TARGET inline __attribute__((always_inline)) void NAME(collect)(
    const struct sh_near *s, struct sh_near_met *m, uint32_t v)
{
	uint32_t n = 0, most = 0, pieces = 0;

	for (uint32_t i = 0, met = neighbours(s, v); i < met; i++) {
		uint32_t u = neighbour(v, i), from = s->start[u];
		uint32_t count = s->start[u + 1] - from;

		/* The next bucket will most often ask for the next one here. */
		__builtin_prefetch(s->rest + from + 2 * COPIED);
		/* What is too much is overwritten. */
		NAME(copy)(m->rest + n, s->rest + from);
		m->piece_at[pieces] = n;
		m->piece_from[pieces++] = from;
		most = count > most ? count : most;
		n += count <= COPIED ? count : 0;
	}
	/* Nor is what stands there from another time taken for something. */
	NAME(copy)(m->rest + n, s->none);
	NAME(copy)(m->rest + n + COPIED, s->none);
	m->n = n;
	m->pieces = pieces;
	m->many = most > COPIED;
}

/* The same of any bucket, one neighbour after the other. */
static TARGET __attribute__((noinline)) void NAME(meet_many)(struct sh_near *s, uint32_t v)
{
	uint32_t lo = s->start[v], end = s->start[v + 1];

	for (uint32_t x = lo; x < end && !s->ended; x++) {
		for (uint32_t i = 0, met = neighbours(s, v); i < met; i++) {
			uint32_t u = neighbour(v, i), from = s->start[u];
			uint32_t to = s->start[u + 1];

			if (NAME(has)(s->rest + from, to - from, s->rest[x]))
				for (uint32_t y = from; y < to; y++)
					if (s->rest[y] == s->rest[x])
						add_spot(s, x, y);
		}
		NAME(add_close)(s, lo, x);
	}
}

static TARGET void NAME(scan)(struct sh_near *s)
{
	uint32_t buckets = UINT32_C(1) << s->bits;

	s->ended = false;
	s->spots = 0;
	/* More bits than a rest has, unless it has 16. */
	memset(s->none, 0xff, sizeof s->none);
	NAME(collect)(s, &s->met[0], 0);
	for (uint32_t v = 0; v < buckets && !s->ended; v++) {
		const struct sh_near_met *m = &s->met[v % 2];
		uint32_t lo = s->start[v], end = s->start[v + 1];

		/* What has just been written is not read at once. */
		if (v + 1 < buckets)
			NAME(collect)(s, &s->met[(v + 1) % 2], v + 1);
		if (__builtin_expect(m->many | (end - lo > COPIED), 0))
			NAME(meet_many)(s, v);
		else if (end - lo > TILE)
			NAME(meet)(s, m, lo, end, true);
		else
			NAME(meet)(s, m, lo, end, false);
	}
	(void)flush_spots(s);
}

#undef NAME
#undef TARGET
#undef TILE
