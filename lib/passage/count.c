#include "passage/count.h"

#include <stdlib.h>

#include "base/buf.h"

struct sh_counter {
	const struct sh_links *l;
	uint32_t documents, least;
	uint32_t *size; /* documents of the group that begins with posting i */
	struct sh_counted *passage;
	size_t n, cap;
	uint32_t n_sampled;
	uint32_t before[SH_COUNT_SAMPLE], behind[SH_COUNT_SAMPLE];
};

struct sh_counter *sh_counter_new(
    const struct sh_links *l, uint32_t documents, uint32_t least, struct sh_error *err)
{
	struct sh_counter *c = calloc(1, sizeof *c);

	if (c)
		c->size = calloc(l->groups->n + 1, sizeof *c->size);
	if (!c || !c->size) {
		free(c);
		sh_error_nomem(err);
		return NULL;
	}
	c->l = l;
	c->documents = documents;
	c->least = least;
	for (size_t i = 0; i < l->groups->n; i++) {
		const struct sh_posting *p = &l->groups->posting[i];

		c->size[p->of.in.first] += p->of.in.run == i;
	}
	return c;
}

void sh_counter_delete(struct sh_counter *c)
{
	if (!c)
		return;
	free(c->size);
	free(c->passage);
	free(c);
}

/* Descending. */
static int by_length(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	return a > b ? -1 : a < b;
}

/* How far each of some other documents agrees, before and behind the seed's first token. */
static void sample(struct sh_counter *c, const struct sh_posting *p, struct sh_side side)
{
	const struct sh_groups *g = c->l->groups;
	size_t first = p->of.in.first, n = sh_group_end(g, first) - first;
	size_t step = n <= SH_COUNT_SAMPLE ? 1 : n / SH_COUNT_SAMPLE;
	uint32_t last = UINT32_MAX;

	c->n_sampled = 0;
	for (size_t i = first; i < first + n && c->n_sampled < SH_COUNT_SAMPLE; i += step) {
		const struct sh_posting *q = &g->posting[i];
		struct sh_side other = sh_texts_side(c->l->texts, q->document);

		if (q->document == p->document || q->document == last)
			continue;
		last = q->document;
		c->before[c->n_sampled] = sh_match_backward(side, p->token, other, q->token);
		c->behind[c->n_sampled++] = sh_match_forward(side, p->token, other, q->token);
	}
	qsort(c->before, c->n_sampled, sizeof *c->before, by_length);
	qsort(c->behind, c->n_sampled, sizeof *c->behind, by_length);
}

static int add(struct sh_counter *c, const struct sh_counted *found, struct sh_error *err)
{
	struct sh_counted *last = c->n ? &c->passage[c->n - 1] : NULL;

	if (last && found->from <= last->to) {
		last->from = found->from < last->from ? found->from : last->from;
		last->to = found->to > last->to ? found->to : last->to;
		last->min = found->min < last->min ? found->min : last->min;
		last->max = found->max > last->max ? found->max : last->max;
		return 0;
	}
	if (c->n == c->cap &&
	    sh_grow((void **)&c->passage, &c->cap, c->n + 1, sizeof *c->passage, err) < 0)
		return -1;
	c->passage[c->n++] = *found;
	return 0;
}

/* The passage around a seed that enough documents have. */
static int add_around(struct sh_counter *c, const struct sh_posting *p, uint32_t size,
    struct sh_side side, struct sh_error *err)
{
	uint64_t others = size - 1, wanted = c->documents - 1, rank;
	struct sh_counted found;

	sample(c, p, side);
	if (c->n_sampled == 0)
		return 0;
	rank = c->n_sampled >= others ? wanted : (wanted * c->n_sampled + others - 1) / others;
	rank = rank == 0 ? 1 : rank > c->n_sampled ? c->n_sampled : rank;
	found = (struct sh_counted){ p->token - c->before[rank - 1], p->token + c->behind[rank - 1],
		size, size };
	return add(c, &found, err);
}

int sh_counter_run(struct sh_counter *c, uint32_t document, const struct sh_counted **passages,
    size_t *n, struct sh_error *err)
{
	const struct sh_groups *g = c->l->groups;
	struct sh_side side = sh_texts_side(c->l->texts, document);
	size_t kept = 0;

	c->n = 0;
	for (uint64_t i = g->at[document]; i < g->at[document + 1]; i++) {
		const struct sh_posting *p = &g->posting[g->order[i]];
		uint32_t size = c->size[p->of.in.first];
		struct sh_counted *last = c->n ? &c->passage[c->n - 1] : NULL;

		if (size < c->documents)
			continue;
		if (last && p->token + c->l->longest <= last->to) {
			last->min = size < last->min ? size : last->min;
			last->max = size > last->max ? size : last->max;
		} else if (add_around(c, p, size, side, err) < 0) {
			return -1;
		}
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->passage[i].to - c->passage[i].from >= c->least)
			c->passage[kept++] = c->passage[i];
	*passages = c->passage;
	*n = kept;
	return 0;
}
