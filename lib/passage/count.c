/* SPDX-License-Identifier: MIT */
#include "passage/count.h"

#include <stdlib.h>

#include "base/buf.h"

enum { SEEDS_AROUND = 16 }; /* times the tokens in which the next seed begins */

uint32_t *sh_count_documents(const struct sh_groups *g, struct sh_error *err)
{
	uint32_t *size = sh_tables_get_zeroed(g->tables, g->n + 1, sizeof *size, err);

	for (size_t i = 0; size && i < g->n; i++)
		size[sh_group_first(&g->posting[i])] += sh_group_run(&g->posting[i]) == i;
	return size;
}

void sh_counter_free(struct sh_counter *c)
{
	free(c->passage);
}

/* Chooses postings of other documents that have the seed, one a document. Starts to load their
 * tokens, which lie anywhere in memory. */
static void sample(struct sh_counter *c, const struct sh_posting *p)
{
	const struct sh_groups *g = c->links->groups;
	const struct sh_texts *t = c->links->texts;
	size_t first = sh_group_first(p), n = sh_group_end(g, first) - first;
	size_t step = n <= SH_COUNT_SAMPLE ? 1 : n / SH_COUNT_SAMPLE;
	uint32_t last = UINT32_MAX;

	c->n_sampled = 0;
	for (size_t i = first; i < first + n && c->n_sampled < SH_COUNT_SAMPLE; i += step) {
		const struct sh_posting *q = &g->posting[i];

		if (q->document == p->document || q->document == last)
			continue;
		last = q->document;
		__builtin_prefetch(&t->at[last]);
		c->sample[c->n_sampled++] = q;
	}
	for (uint32_t i = 0; i < c->n_sampled; i++)
		__builtin_prefetch(&t->token[t->at[c->sample[i]->document] + c->sample[i]->token]);
}

/* Adds the length to the n longest ones, descending, at most `most` of them. Returns their new
 * number. */
static uint32_t put_length(uint32_t *longest, uint32_t n, uint32_t most, uint32_t length)
{
	uint32_t i;

	if (n == most && longest[n - 1] >= length)
		return n;
	n += n < most;
	for (i = n - 1; i > 0 && longest[i - 1] < length; i--)
		longest[i] = longest[i - 1];
	longest[i] = length;
	return n;
}

/* Returns up to `most` tokens before token *token and up to `most` from it on. *token becomes its
 * index in them. */
static struct sh_token_hashes around(struct sh_token_hashes side, uint32_t most, uint32_t *token)
{
	uint32_t from = *token > most ? *token - most : 0;
	size_t to = side.n - *token > most ? *token + (size_t)most : side.n;

	*token -= from;
	return (struct sh_token_hashes){ side.token + from, to - from };
}

/* Sets *before and *behind to the numbers of tokens, before and from the seed's first token on, in
 * which at least `wanted` sampled documents agree with this one. Looks no farther than the next
 * seeds, which continue. So a long passage that too few documents have is not compared again from
 * each seed. */
static void measure(const struct sh_counter *c, const struct sh_posting *p,
    struct sh_token_hashes side, uint32_t wanted, uint32_t *before, uint32_t *behind)
{
	uint32_t left[SH_COUNT_SAMPLE], right[SH_COUNT_SAMPLE], n = 0, m = 0;
	uint32_t token = p->token, most = SEEDS_AROUND * c->links->enough;

	side = around(side, most, &token);
	for (uint32_t i = 0; i < c->n_sampled; i++) {
		uint32_t at = c->sample[i]->token;
		struct sh_token_hashes other =
		    around(sh_texts_tokens(c->links->texts, c->sample[i]->document), most, &at);

		n = put_length(left, n, wanted, sh_match_backward(side, token, other, at));
		m = put_length(right, m, wanted, sh_match_forward(side, token, other, at));
	}
	*before = left[wanted - 1];
	*behind = right[wanted - 1];
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
	if (SH_RESERVE(c->passage, c->cap, c->n + 1, err) < 0)
		return -1;
	c->passage[c->n++] = *found;
	return 0;
}

/* Adds the passage around a seed that enough documents contain. */
static int add_around(struct sh_counter *c, const struct sh_posting *p, uint32_t size,
    struct sh_token_hashes side, struct sh_error *err)
{
	uint64_t others = size - 1, wanted = c->documents - 1, rank;
	uint32_t before, behind, end;
	struct sh_counted found;

	sample(c, p);
	if (c->n_sampled == 0)
		return 0;
	rank = c->n_sampled >= others ? wanted : (wanted * c->n_sampled + others - 1) / others;
	rank = rank == 0 ? 1 : rank > c->n_sampled ? c->n_sampled : rank;
	measure(c, p, side, (uint32_t)rank, &before, &behind);
	found = (struct sh_counted){ p->token - before, p->token + behind, size, size };
	/* When the measure reached its limit, the last seed within it continues. */
	end = behind == SEEDS_AROUND * c->links->enough ? p->token + behind - 2 * c->links->enough
							: found.to + 1;
	end = end < c->links->longest ? 0 : end - c->links->longest;
	c->skip = end > c->skip ? end : c->skip;
	return add(c, &found, err);
}

int sh_counter_run(struct sh_counter *c, uint32_t document, const struct sh_counted **passages,
    size_t *n, struct sh_error *err)
{
	const struct sh_groups *g = c->links->groups;
	struct sh_token_hashes side = sh_texts_tokens(c->links->texts, document);
	size_t kept = 0;

	c->n = 0;
	c->skip = 0;
	for (uint64_t i = g->at[document]; i < g->at[document + 1]; i++) {
		const struct sh_posting *p = &g->posting[g->order[i]];
		uint32_t size = c->size[sh_group_first(p)];
		struct sh_counted *last = c->n ? &c->passage[c->n - 1] : NULL;

		if (size < c->documents)
			continue;
		if (last && p->token < c->skip) {
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
