/* From the matches of a scan to pairs: matches that are within k and that no earlier block finds. */
#include "base/bits.h"
#include "join/level.h"

bool sh_join_send(struct sh_join *j)
{
	size_t n = j->pairs;

	j->pairs = 0;
	return n == 0 || j->fn(j->ctx, j->pair, n, j->err) == 0;
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

/* Returns a pair; in a self-join the lesser number is `a`. Nothing predicts which number is less, so
 * there is no branch on it. */
static inline struct sh_join_pair in_order(
    const struct sh_join *j, uint32_t a, uint32_t b, unsigned distance)
{
	uint32_t least = a < b ? a : b, swap = (a ^ least) & -(uint32_t)j->self;

	return (struct sh_join_pair){ a ^ swap, b ^ swap, distance };
}

/* Of one-word fingerprints every match is a pair: the scan has compared them in full. */
static bool add_words(const struct sh_level *l, const struct sh_match *match, size_t n)
{
	const struct sh_side *x = l->x.side, *y = l->y.side;
	struct sh_join *j = l->join;

	for (size_t end; n > 0; match += end, n -= end) {
		end = n < SH_JOIN_PAIRS - j->pairs ? n : SH_JOIN_PAIRS - j->pairs;
		for (size_t i = 0; i < end; i++) {
			uint32_t a = match[i].x, b = match[i].y;

			j->pair[j->pairs + i] =
			    in_order(j, x->id[a], y->id[b], sh_count_bits(x->word[a] ^ y->word[b]));
		}
		j->pairs += end;
		if (j->pairs == SH_JOIN_PAIRS && !sh_join_send(j))
			return false;
	}
	return true;
}

bool sh_level_add_matches(void *ctx, const struct sh_match *match, size_t n)
{
	struct sh_level *l = ctx;
	struct sh_join *j = l->join;
	const struct sh_side *x = l->x.side, *y = l->y.side;

	if (j->words == 1 && !j->table)
		return add_words(l, match, n);
	for (size_t i = 0; i < n; i++) {
		uint32_t a = match[i].x, b = match[i].y;
		/* A side holds one word of each fingerprint; the others are in the caller's array. */
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
		j->pair[j->pairs++] = in_order(j, x->id[a], y->id[b], distance);
		if (j->pairs == SH_JOIN_PAIRS && !sh_join_send(j))
			return false;
	}
	return true;
}
