#include "join/level.h"

#include <stdlib.h>
#include <string.h>

/* Lists all masks of `bits` bits with at most `radius` bits set, those with the fewest first. */
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

		/* Gosper: steps to the next larger number with as many bits set. */
		while (mask < UINT64_C(1) << bits) {
			uint64_t low = mask & -mask, up = mask + low;

			l->flip[n++] = (uint32_t)mask;
			mask = up | ((mask ^ up) >> 2) / low;
		}
	}
	l->flips = n;
	return 0;
}

/* Makes the side hold the given word of each fingerprint of the range. */
static void hold_word(const struct sh_level *l, const struct sh_range *r, unsigned word)
{
	if (r->side->words == 1)
		return;
	if (l->parent != NULL)
		sh_side_fetch(r->side, r->lo, r->n, word);
	else if (r->side->loaded != word)
		sh_side_load(r->side, word);
}

static bool join_buckets(void *ctx, uint32_t v, uint32_t u);

/* Scans all buckets. Two buckets with more candidates than `limit` become a level of their own. */
static void run_scan(struct sh_level *l, uint32_t buckets, uint64_t limit)
{
	struct sh_scan *s = &l->scan;

	s->x = l->x.side->word;
	s->y = l->y.side->word;
	s->x_start = l->x_start;
	s->y_start = l->self ? l->x_start : l->y_start;
	s->buckets = buckets;
	s->flip = l->flip;
	s->flips = l->flips;
	s->self = l->self;
	s->k = l->join->k;
	s->limit = limit;
	s->flush = sh_level_add_matches;
	s->large = join_buckets;
	s->ctx = l;
	sh_level_list_earlier(l);
	l->join->kernel->scan(s);
}

/* Returns the word on which fingerprints differ most, by a small sample. */
static unsigned most_different_word(const struct sh_level *l)
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
	unsigned word = l->join->words > 1 ? most_different_word(l) : 0;

	hold_word(l, &l->x, word);
	if (!l->self)
		hold_word(l, &l->y, word);
	l->x_start = x_start;
	l->y_start = y_start;
	l->flip = flip;
	l->flips = 1;
	run_scan(l, 1, UINT64_MAX);
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

/* Returns whether a block is joined in radix partitions that the processor's cache holds: a partition
 * is joined as soon as it is in order. Then *p is the split. */
static bool splits(const struct sh_level *l, const struct sh_key *key, struct sh_split *p)
{
	const struct sh_join *j = l->join;

	if (l->parent != NULL || !l->self || j->words > 1 || l->plan.block[l->at].radius > 0 ||
	    key->bits < 2 || l->x.n <= j->limits.cached)
		return false;
	sh_split_init(p, l->x.side, key);
	return p->most <= j->limits.cached;
}

/* Joins a block partition by partition, each in a copy: the range itself keeps its order. */
static int join_partitions(struct sh_level *l, const struct sh_split *p)
{
	struct sh_range whole = l->x;
	struct sh_side *scratch = l->scratch;
	struct sh_join *j = l->join;

	if (sh_side_reserve(&j->part, p->most, j->err) < 0 ||
	    sh_side_reserve(&j->part_scratch, p->most, j->err) < 0)
		return -1;
	j->part.words = 1;
	l->x.side = l->y.side = &j->part;
	l->scratch = &j->part_scratch;
	for (unsigned i = 0; i < p->parts && !l->scan.ended; i++) {
		l->x.n = l->y.n = p->start[i + 1] - p->start[i];
		sh_split_order(p, i, scratch, &j->part, l->x_start, l->next);
		memset(j->part.word + l->x.n, 0, SH_SCAN_TILE * sizeof *j->part.word);
		run_scan(l, UINT32_C(1) << p->rest, j->limits.large);
	}
	l->x = l->y = whole;
	l->scratch = scratch;
	return l->scan.ended ? -1 : 0;
}

static void order_range(struct sh_level *l, struct sh_range *r, const struct sh_key *key,
    unsigned word, uint32_t *start)
{
	hold_word(l, r, word);
	sh_side_order(r->side, r->lo, r->n, key, start, l->scratch, l->next);
}

static int join_block(struct sh_level *l)
{
	const struct sh_block *b = &l->plan.block[l->at];
	struct sh_split split;
	struct sh_key key;

	if (list_flips(l, b->bits, b->radius, l->join->err) < 0)
		return -1;
	sh_key_init(&key, b->mask);
	l->scan.ended = false;
	if (splits(l, &key, &split)) {
		sh_split_move(&split, l->x.side, false, l->scratch);
		return join_partitions(l, &split);
	}
	order_range(l, &l->x, &key, b->word, l->x_start);
	if (!l->self)
		order_range(l, &l->y, &key, b->word, l->y_start);
	run_scan(l, UINT32_C(1) << b->bits, l->join->limits.large);
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

/* Joins buckets v of x and u of y, which hold too many candidates, on the bits not used yet. */
static bool join_buckets(void *ctx, uint32_t v, uint32_t u)
{
	struct sh_level *up = ctx, *l = malloc(sizeof *l);
	const struct sh_block *b = &up->plan.block[up->at];
	uint32_t few = up->join->limits.few;
	bool good;

	if (l == NULL)
		return sh_error_nomem(up->join->err) == 0;
	/* The rest of the struct is large, and is written before it is read. */
	memset(l, 0, offsetof(struct sh_level, earlier));
	l->join = up->join;
	l->parent = up;
	l->scratch = up->scratch;
	l->depth = up->depth + 1;
	l->self = up->self && v == u;
	l->x = (struct sh_range){ up->x.side, up->scan.x_start[v],
		up->scan.x_start[v + 1] - up->scan.x_start[v] };
	l->y = (struct sh_range){ up->y.side, up->scan.y_start[u],
		up->scan.y_start[u + 1] - up->scan.y_start[u] };
	l->k = up->k - (unsigned)__builtin_popcountll(v ^ u);
	if (l->depth < SH_LEVEL_DEPTH && l->x.n >= few && l->y.n >= few)
		sh_level_plan(l);
	good = sh_level_join(l) == 0;
	if (good && up->join->words > 1) {
		sh_side_fetch(l->x.side, l->x.lo, l->x.n, b->word);
		sh_side_fetch(l->y.side, l->y.lo, l->y.n, b->word);
	}
	free(l);
	return good;
}
