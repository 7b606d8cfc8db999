/* SPDX-License-Identifier: MIT */
#include "match/sample.h"

#include <stdlib.h>

#include "base/compare.h"
#include "hash/mix.h"

int sh_sample_init(struct sh_sample *s, uint64_t seed, size_t per_level, struct sh_error *err)
{
	*s = (struct sh_sample){ .seed = sh_mix_moremur(seed + SH_MIX_GOLDEN),
		.per_level = per_level,
		.pair = calloc(SH_SAMPLE_LEVELS * per_level + 1, sizeof *s->pair) };
	return s->pair ? 0 : sh_error_nomem(err);
}

void sh_sample_free(struct sh_sample *s)
{
	free(s->pair);
	*s = (struct sh_sample){ 0 };
}

void sh_sample_add(
    struct sh_sample *s, uint32_t a, uint32_t b, unsigned measure, unsigned similarity)
{
	struct sh_sampled *first;
	struct sh_sampled new = { sh_mix_moremur(s->seed ^ sh_mix_moremur((uint64_t)a << 32 | b)),
		a, b, measure, similarity };
	unsigned level = similarity / SH_SAMPLE_STEP;
	size_t i;

	if (level >= SH_SAMPLE_LEVELS || s->per_level == 0)
		return;
	/* Pairs are in ascending order of keys: most new pairs are decided by the last one. */
	first = s->pair + level * s->per_level;
	i = s->n[level];
	if (i == s->per_level) {
		if (first[i - 1].key <= new.key)
			return;
		i--;
	} else {
		s->n[level]++;
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
	for (unsigned i = 0; i < SH_SAMPLE_LEVELS; i++)
		qsort(s->pair + i * s->per_level, s->n[i], sizeof *s->pair, by_similarity);
}
