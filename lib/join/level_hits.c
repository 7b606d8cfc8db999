/* Spots of a level's scan become hits: pairs that are near, and that no earlier block has found. */
#include "base/bits.h"
#include "join/level.h"

bool sh_join_send(struct sh_join *j)
{
	size_t n = j->hits;

	j->hits = 0;
	return n == 0 || j->fn(j->ctx, j->hit, n, j->err) == 0;
}

static bool found_by(const struct sh_block *b, const uint64_t *fx, const uint64_t *fy)
{
	uint64_t x = (fx[b->word] ^ fy[b->word]) & b->mask;

	for (unsigned i = 0; i < b->radius && x != 0; i++)
		x &= x - 1;
	return x == 0;
}

/* Whether no earlier block of any level finds the pair too. */
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

/* Spots of fingerprints of one word, all of which are pairs, without a branch on them. */
static bool take_words(const struct sh_level *l, const struct sh_spot *spot, size_t n)
{
	struct sh_join *j = l->join;
	const uint64_t *x = l->x.side->word, *y = l->y.side->word;
	const uint32_t *x_id = l->x.side->id, *y_id = l->y.side->id;
	bool self = j->self;

	for (size_t end; n > 0; spot += end, n -= end) {
		struct sh_hit *hit = &j->hit[j->hits];

		end = n < SH_JOIN_HITS - j->hits ? n : SH_JOIN_HITS - j->hits;
		for (size_t i = 0; i < end; i++) {
			uint32_t a = x_id[spot[i].x], b = y_id[spot[i].y], less = a < b ? a : b;

			hit[i].a = self ? less : a;
			hit[i].b = self ? a ^ b ^ less : b;
			hit[i].distance = sh_count_bits(x[spot[i].x] ^ y[spot[i].y]);
		}
		j->hits += end;
		if (j->hits == SH_JOIN_HITS && !sh_join_send(j))
			return false;
	}
	return true;
}

bool sh_level_take(void *ctx, const struct sh_spot *spot, size_t n)
{
	struct sh_level *l = ctx;
	struct sh_join *j = l->join;
	const struct sh_side *x = l->x.side, *y = l->y.side;

	if (j->words == 1 && !j->keep)
		return take_words(l, spot, n);
	for (size_t i = 0; i < n; i++) {
		/* A fingerprint of one word is at hand; of a wide one only the number is. */
		const uint64_t *fx = &x->word[spot[i].x], *fy = &y->word[spot[i].y];
		struct sh_hit *hit = &j->hit[j->hits];

		if (j->words > 1) {
			fx = x->fp + (size_t)x->id[spot[i].x] * j->words;
			fy = y->fp + (size_t)y->id[spot[i].y] * j->words;
		}
		if ((j->words > 1 && !first_find(l, fx, fy)) ||
		    (j->keep && !j->keep(j->keep_arg, fx, fy)))
			continue;
		hit->distance = j->kernel->distance(fx, fy, j->words);
		if (hit->distance > j->k)
			continue;
		hit->a = x->id[spot[i].x];
		hit->b = y->id[spot[i].y];
		if (j->self && hit->a > hit->b) {
			hit->a = hit->b;
			hit->b = x->id[spot[i].x];
		}
		if (++j->hits == SH_JOIN_HITS && !sh_join_send(j))
			return false;
	}
	return true;
}
