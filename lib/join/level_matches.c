/* From the matches of a scan to pairs: matches that are within k and that no earlier block
 * finds. */
#include "base/bits.h"
#include "join/level.h"

bool sh_joiner_send(struct sh_joiner *w)
{
	size_t n = w->pairs;

	w->pairs = 0;
	return n == 0 || w->join->each(w->join->ctx, w->job, w->pair, n, w->err) == 0;
}

static bool found_by(const struct sh_block *b, const uint64_t *fx, const uint64_t *fy)
{
	uint64_t x = (fx[b->word] ^ fy[b->word]) & b->mask;

	for (unsigned i = 0; i < b->radius && x != 0; i++)
		x &= x - 1;
	return x == 0;
}

/* Returns whether no earlier block of any level finds the pair. */
static bool first_find(const struct sh_level *l, const uint64_t *fx, const uint64_t *fy)
{
	for (; l != NULL; l = l->parent)
		for (unsigned i = 0; i < l->at; i++)
			if (found_by(&l->plan.block[i], fx, fy))
				return false;
	return true;
}

void sh_level_list_earlier(struct sh_level *l)
{
	unsigned n = 0;

	l->scan.earlier = l->earlier;
	for (const struct sh_level *up = l; up != NULL && l->join->words == 1; up = up->parent)
		for (unsigned i = 0; i < up->at; i++) {
			l->earlier[n].mask = up->plan.block[i].mask;
			l->earlier[n++].radius = up->plan.block[i].radius;
		}
	l->scan.earlier_n = n;
}

/* Returns a pair; in a self-join the lesser number is `a`. The order is random, so a branch on it
 * would often be mispredicted. */
static inline struct sh_join_pair in_order(
    const struct sh_join *j, uint32_t a, uint32_t b, unsigned distance)
{
	uint32_t least = a < b ? a : b, swap = (a ^ least) & -(uint32_t)j->self;

	return (struct sh_join_pair){ a ^ swap, b ^ swap, distance };
}

/* Adds matches of one-word fingerprints: each is a pair, since the scan has compared all bits. */
static bool add_words(const struct sh_level *l, const struct sh_scan_match *match, size_t n)
{
	const struct sh_side *x = l->x.side, *y = l->y.side;
	struct sh_join *j = l->join;
	struct sh_joiner *w = l->joiner;

	for (size_t end; n > 0; match += end, n -= end) {
		end = n < SH_JOIN_PAIRS - w->pairs ? n : SH_JOIN_PAIRS - w->pairs;
		for (size_t i = 0; i < end; i++) {
			uint32_t a = match[i].x, b = match[i].y;

			w->pair[w->pairs + i] =
			    in_order(j, x->id[a], y->id[b], sh_count_bits(x->word[a] ^ y->word[b]));
		}
		w->pairs += end;
		if (w->pairs == SH_JOIN_PAIRS && !sh_joiner_send(w))
			return false;
	}
	return true;
}

bool sh_level_add_matches(void *ctx, const struct sh_scan_match *match, size_t n)
{
	struct sh_level *l = ctx;
	struct sh_join *j = l->join;
	struct sh_joiner *w = l->joiner;
	const struct sh_side *x = l->x.side, *y = l->y.side;

	if (j->words == 1 && !j->table)
		return add_words(l, match, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t a = match[i].x, b = match[i].y;
		/* A side holds one word of each fingerprint; the other words are in the caller's
		 * array. */
		const uint64_t *fx = &x->word[a], *fy = &y->word[b];
		unsigned distance;

		if (j->words > 1) {
			fx = x->fp + (size_t)x->id[a] * j->words;
			fy = y->fp + (size_t)y->id[b] * j->words;
		}
		if ((j->words > 1 && !first_find(l, fx, fy)) ||
		    (j->table && !sh_band_lowest(j->table, fx, fy)))
			continue;
		distance = j->kernel->distance(fx, fy, j->words);
		if (distance > j->k)
			continue;
		w->pair[w->pairs++] = in_order(j, x->id[a], y->id[b], distance);
		if (w->pairs == SH_JOIN_PAIRS && !sh_joiner_send(w))
			return false;
	}
	return true;
}
