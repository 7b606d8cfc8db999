#include "join/level.h"

#include <stdlib.h>
#include <string.h>

enum {
	SHORT_K = 6, /* beyond, too many that differ more look near by 32 bits */
	RUN = 16,    /* so many are put in order one by one */
};

/* ---- what a block asks for --------------------------------------------------- */

/* All masks of up to `radius` of `bits` bits, the fewest bits first. */
static int list_flips(struct sh_level *l, unsigned bits, unsigned radius, struct sh_error *err)
{
	double volume = 1, term = 1;
	uint32_t n = 0;

	for (unsigned d = 1; d <= radius && d <= bits; d++)
		volume += term = term * (bits - d + 1) / d;
	free(l->flip);
	l->flip = malloc((size_t)volume * sizeof *l->flip);
	if (l->flip == NULL)
		return sh_error_nomem(err);
	l->flip[n++] = 0;
	for (unsigned d = 1; d <= radius && d <= bits; d++) {
		uint64_t mask = (UINT64_C(1) << d) - 1;

		/* Gosper: the next larger number with as many bits. */
		while (mask < UINT64_C(1) << bits) {
			uint64_t low = mask & -mask, up = mask + low;

			l->flip[n++] = (uint32_t)mask;
			mask = up | ((mask ^ up) >> 2) / low;
		}
	}
	l->flips = n;
	return 0;
}

/* Hold the given word of each fingerprint of the range. */
static void hold_word(const struct sh_level *l, const struct sh_range *r, unsigned word)
{
	if (r->side->words == 1)
		return;
	if (l->parent != NULL)
		sh_side_fetch(r->side, r->lo, r->n, word);
	else if (r->side->loaded != word)
		sh_side_load(r->side, word);
}

/* ---- short forms ---------------------------------------------------------------- */

/* Whether to compare 32 bits of each word first. */
static bool use_short(const struct sh_level *l)
{
	const struct sh_join *j = l->join;

	return l->parent == NULL && l->self && !l->dense && l->plan.blocks > 0 && j->words == 1 &&
	       j->kernel->scan_short && j->k <= SHORT_K && (l->plan.even || j->limits.shorten);
}

static void shorten(struct sh_level *l, uint32_t lo, uint32_t n)
{
	l->join->kernel->shorten(l->room->id + lo, l->x.side->word + lo, n, l->short_shift);
}

/* Of the bits above the block's, which are not alike in a bucket. */
static void make_short(struct sh_level *l)
{
	uint64_t mask = l->plan.block[l->at].mask;

	l->short_shift = (64 - (unsigned)__builtin_clzll(mask)) & 63;
	shorten(l, l->x.lo, l->x.n);
	memset(l->room->id + l->x.lo + l->x.n, 0, SH_SCAN_TILE * sizeof *l->room->id);
}

/* ---- order within a bucket ------------------------------------------------------- */

/* Whether word x comes before y in the order that the blocks up to the present one would have
 * made, the last the most significant. */
static bool comes_before(const struct sh_level *l, uint64_t x, uint64_t y)
{
	for (unsigned i = l->at; i-- > l->ordered;) {
		uint64_t mask = l->plan.block[i].mask, p = x & mask, q = y & mask;

		if (p != q)
			return p < q;
	}
	return false;
}

static void insert_run(const struct sh_level *l, uint64_t *word, uint32_t *id, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint64_t w = word[i];
		uint32_t d = id[i], at = i;

		for (; at > 0 && comes_before(l, w, word[at - 1]); at--) {
			word[at] = word[at - 1];
			id[at] = id[at - 1];
		}
		word[at] = w;
		id[at] = d;
	}
}

/* Merge the runs that end at `mid` and `end` to the same places of `to`. */
static void merge_runs(const struct sh_level *l, const struct sh_side *from, struct sh_side *to,
    uint32_t at, uint32_t mid, uint32_t end)
{
	uint32_t x = at, y = mid;

	for (; at < end; at++) {
		bool second =
		    x == mid || (y < end && comes_before(l, from->word[y], from->word[x]));
		uint32_t take = second ? y++ : x++;

		to->word[at] = from->word[take];
		to->id[at] = from->id[take];
	}
}

/* Bucket v in the order that it would have, had the whole side been put in order for each block;
 * stable. */
static void settle(void *ctx, uint32_t v)
{
	struct sh_level *l = ctx;
	struct sh_side *s = l->x.side, *room = l->room;
	uint32_t lo = l->x_start[v], end = l->x_start[v + 1], n = end - lo;

	for (uint32_t at = lo; at < end; at += RUN)
		insert_run(l, s->word + at, s->id + at, end - at < RUN ? end - at : RUN);
	for (uint64_t run = RUN; run < n; run *= 2) {
		for (uint64_t at = lo; at < end; at += 2 * run)
			merge_runs(l, s, room, (uint32_t)at,
			    (uint32_t)(at + run < end ? at + run : end),
			    (uint32_t)(at + 2 * run < end ? at + 2 * run : end));
		memcpy(s->word + lo, room->word + lo, n * sizeof *s->word);
		memcpy(s->id + lo, room->id + lo, n * sizeof *s->id);
	}
	if (l->scan.x32)
		shorten(l, lo, n);
}

/* ---- levels ----------------------------------------------------------------- */

static bool join_buckets(void *ctx, uint32_t v, uint32_t u);

/* Scan the buckets from `first` on. */
static void run_scan(struct sh_level *l, uint32_t first, uint32_t buckets, uint64_t limit)
{
	struct sh_scan *s = &l->scan;
	bool by_short = use_short(l);

	s->x = l->x.side->word;
	s->y = l->y.side->word;
	s->x_start = l->x_start;
	s->y_start = l->self ? l->x_start : l->y_start;
	s->first = first;
	s->buckets = buckets;
	s->flip = l->flip;
	s->flips = l->flips;
	s->self = l->self;
	s->k = l->join->k;
	s->limit = limit;
	s->flush = sh_level_take;
	s->large = join_buckets;
	s->settle = l->at > l->ordered ? settle : NULL;
	s->ctx = l;
	sh_level_list_earlier(l);
	s->x32 = s->y32 = by_short ? l->room->id : NULL;
	if (by_short)
		make_short(l);
	(by_short ? l->join->kernel->scan_short : l->join->kernel->scan)(s);
}

/* The word on which neighbours in a small sample differ most. */
static unsigned telling_word(const struct sh_level *l)
{
	uint32_t n = l->x.n < l->y.n ? l->x.n : l->y.n, step = n / 16 + 1;
	unsigned best = 0, most = 0;

	for (unsigned w = 0; w < l->join->words; w++) {
		unsigned d = 0;

		for (uint32_t i = 0; i < n; i += step) {
			uint32_t a = l->x.side->id[l->x.lo + i];
			uint32_t b = l->y.side->id[l->y.lo + (l->self ? n - 1 - i : i)];

			d += sh_fp_distance(l->x.side->fp + (size_t)a * l->join->words + w,
			    l->y.side->fp + (size_t)b * l->join->words + w, 1);
		}
		if (d > most) {
			most = d;
			best = w;
		}
	}
	return best;
}

static int compare_all(struct sh_level *l)
{
	uint32_t x_start[2] = { l->x.lo, l->x.lo + l->x.n };
	uint32_t y_start[2] = { l->y.lo, l->y.lo + l->y.n };
	uint32_t flip[1] = { 0 };
	unsigned word = l->join->words > 1 ? telling_word(l) : 0;

	hold_word(l, &l->x, word);
	if (!l->self)
		hold_word(l, &l->y, word);
	l->x_start = x_start;
	l->y_start = y_start;
	l->flip = flip;
	l->flips = 1;
	run_scan(l, 0, 1, UINT64_MAX);
	l->x_start = l->y_start = l->flip = NULL;
	return l->scan.ended ? -1 : 0;
}

static int get_starts(struct sh_level *l, struct sh_error *err)
{
	unsigned bits = 0;
	size_t n;

	for (unsigned i = 0; i < l->plan.blocks; i++)
		if (l->plan.block[i].bits > bits)
			bits = l->plan.block[i].bits;
	n = (size_t)1 << bits;
	l->x_start = malloc((n + 1) * sizeof *l->x_start);
	l->y_start = l->self ? NULL : malloc((n + 1) * sizeof *l->y_start);
	l->next = malloc(n * sizeof *l->next);
	if (l->x_start == NULL || l->next == NULL || (!l->self && l->y_start == NULL))
		return sh_error_nomem(err);
	return 0;
}

/* Put the ranges in order for blocks that were joined in parts. */
static void order_owed(struct sh_level *l)
{
	struct sh_key key;

	for (; l->ordered < l->at; l->ordered++) {
		sh_key_init(&key, l->plan.block[l->ordered].mask);
		sh_side_order(l->x.side, l->x.lo, l->x.n, &key, l->x_start, l->room, l->next);
	}
}

/* Whether a block's buckets can be joined as soon as they are in order, without regard to others,
 * in parts that the cache holds: then *p is made. */
static bool splits(const struct sh_level *l, const struct sh_key *key, struct sh_split *p)
{
	const struct sh_join *j = l->join;

	if (l->parent != NULL || !l->self || l->dense || j->words > 1 ||
	    l->plan.block[l->at].radius > 0 || key->bits < 2 || l->x.n <= j->limits.cached)
		return false;
	sh_split_init(p, l->x.side, key);
	return p->most <= j->limits.cached;
}

/* Whether a bucket of a part is so large that it gets a plan of its own. */
static bool has_large(const struct sh_level *l, uint32_t buckets)
{
	for (uint32_t v = 0; v < buckets; v++) {
		uint64_t n = l->x_start[v + 1] - l->x_start[v];

		if (n * n / 2 > l->join->limits.large)
			return true;
	}
	return false;
}

/* Join a block part by part, in copies: the range stays as it is. Ends before a part with a large
 * bucket, which would be reordered for later blocks too, and where spots are many. Returns how many
 * parts were joined. */
static unsigned join_parts(struct sh_level *l, struct sh_split *p)
{
	struct sh_range whole = l->x;
	struct sh_side *room = l->room;
	struct sh_join *j = l->join;
	unsigned i;

	sh_split_move(p, whole.side, false, room);
	j->part.words = 1;
	l->x.side = l->y.side = &j->part;
	l->room = &j->part_room;
	for (i = 0; i < p->parts && !l->scan.ended && !l->dense; i++) {
		l->x.n = l->y.n = p->start[i + 1] - p->start[i];
		sh_split_order(p, i, room, &j->part, l->x_start, l->next);
		if (has_large(l, UINT32_C(1) << p->rest))
			break;
		memset(j->part.word + l->x.n, 0, SH_SCAN_TILE * sizeof *j->part.word);
		run_scan(l, 0, UINT32_C(1) << p->rest, j->limits.large);
		l->dense = l->scan.near_pairs > l->x.n / 2;
	}
	l->x = l->y = whole;
	l->room = room;
	return i;
}

static int join_block(struct sh_level *l)
{
	const struct sh_block *b = &l->plan.block[l->at];
	struct sh_join *j = l->join;
	struct sh_split split;
	struct sh_key key;
	uint32_t first = 0;

	if (list_flips(l, b->bits, b->radius, j->err) < 0)
		return -1;
	sh_key_init(&key, b->mask);
	l->scan.ended = false;
	if (splits(l, &key, &split)) {
		if (sh_side_reserve(&j->part, split.most, j->err) < 0 ||
		    sh_side_reserve(&j->part_room, split.most, j->err) < 0)
			return -1;
		first = join_parts(l, &split) << split.rest;
		if (l->scan.ended || first == UINT32_C(1) << b->bits)
			return l->scan.ended ? -1 : 0;
	}
	order_owed(l);
	hold_word(l, &l->x, b->word);
	sh_side_order(l->x.side, l->x.lo, l->x.n, &key, l->x_start, l->room, l->next);
	l->ordered = l->at + 1;
	if (!l->self) {
		hold_word(l, &l->y, b->word);
		sh_side_order(l->y.side, l->y.lo, l->y.n, &key, l->y_start, l->room, l->next);
	}
	run_scan(l, first, UINT32_C(1) << b->bits, j->limits.large);
	return l->scan.ended ? -1 : 0;
}

int sh_level_join(struct sh_level *l)
{
	int status = 0;

	if (l->plan.blocks == 0)
		return compare_all(l);
	status = get_starts(l, l->join->err);
	for (l->at = 0; l->at < l->plan.blocks && status == 0; l->at++)
		status = join_block(l);
	free(l->x_start);
	free(l->y_start);
	free(l->next);
	free(l->flip);
	l->x_start = l->y_start = l->next = l->flip = NULL;
	return status;
}

/* Two buckets that hold too many candidates: they are joined on the other bits. */
static bool join_buckets(void *ctx, uint32_t v, uint32_t u)
{
	struct sh_level *up = ctx, *l = malloc(sizeof *l);
	const struct sh_block *b = &up->plan.block[up->at];
	unsigned used = (unsigned)__builtin_popcountll(v ^ u);
	uint32_t few = up->join->limits.few;
	bool good;

	if (l == NULL)
		return sh_error_nomem(up->join->err) == 0;
	/* The scan and its list are large, and written before they are read. */
	memset(l, 0, offsetof(struct sh_level, earlier));
	l->join = up->join;
	l->parent = up;
	l->room = up->room;
	l->depth = up->depth + 1;
	l->self = up->self && v == u;
	l->x = (struct sh_range){ up->x.side, up->scan.x_start[v],
		up->scan.x_start[v + 1] - up->scan.x_start[v] };
	l->y = (struct sh_range){ up->y.side, up->scan.y_start[u],
		up->scan.y_start[u + 1] - up->scan.y_start[u] };
	l->k = up->k - used;
	if (l->depth < SH_LEVEL_DEPTH && l->x.n >= few && l->y.n >= few)
		sh_level_plan(l);
	good = sh_level_join(l) == 0;
	/* They were reordered, in the room where short forms lay. */
	if (good && up->scan.x32) {
		shorten(up, l->x.lo, l->x.n);
		shorten(up, l->y.lo, l->y.n);
	}
	if (good && up->join->words > 1) {
		sh_side_fetch(l->x.side, l->x.lo, l->x.n, b->word);
		sh_side_fetch(l->y.side, l->y.lo, l->y.n, b->word);
	}
	free(l);
	return good;
}
