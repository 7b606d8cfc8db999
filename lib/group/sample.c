#include "group/sample.h"

#include <stdlib.h>

#include "base/compare.h"
#include "hash/mix.h"

int sh_sample_init(struct sh_sample *s, uint64_t seed, size_t per_distance, unsigned distances,
    struct sh_error *err)
{
	*s = (struct sh_sample){ sh_mix_moremur(seed + SH_MIX_GOLDEN), per_distance, distances,
		calloc(distances * per_distance + 1, sizeof *s->pair),
		calloc(distances, sizeof *s->n) };
	return s->pair && s->n ? 0 : sh_error_nomem(err);
}

void sh_sample_free(struct sh_sample *s)
{
	free(s->pair);
	free(s->n);
	*s = (struct sh_sample){ 0 };
}

void sh_sample_add(
    struct sh_sample *s, uint32_t a, uint32_t b, unsigned distance, unsigned similarity)
{
	struct sh_sampled *first;
	struct sh_sampled new = { sh_mix_moremur(s->seed ^ sh_mix_moremur((uint64_t)a << 32 | b)),
		a, b, similarity };
	size_t i;

	if (distance >= s->distances || s->per_distance == 0)
		return;
	/* Ascending by key: most pairs are no match for the last one. */
	first = s->pair + distance * s->per_distance;
	i = s->n[distance];
	if (i == s->per_distance) {
		if (first[i - 1].key <= new.key)
			return;
		i--;
	} else {
		s->n[distance]++;
	}
	for (; i > 0 && first[i - 1].key > new.key; i--)
		first[i] = first[i - 1];
	first[i] = new;
}

static int by_similarity(const void *a, const void *b)
{
	const struct sh_sampled *x = a, *y = b;

	if (x->similarity != y->similarity)
		return x->similarity > y->similarity ? -1 : 1;
	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return sh_compare(x->b, y->b);
}

void sh_sample_sort(struct sh_sample *s)
{
	for (unsigned d = 0; d < s->distances; d++)
		qsort(s->pair + d * s->per_distance, s->n[d], sizeof *s->pair, by_similarity);
}
