/* SPDX-License-Identifier: MIT */
#include "passage/count.h"

#include <stdlib.h>

#include "base/buf.h"

enum { SEEDS_AROUND = 16 }; /* times the tokens in which the next seed begins */

static uint32_t least(uint32_t x, uint32_t y)
{
	return x < y ? x : y;
}

static uint32_t greatest(uint32_t x, uint32_t y)
{
	return x > y ? x : y;
}

void sh_counter_free(struct sh_counter *c)
{
	free(c->passage);
}

/* Chooses members of other documents that have the seed, at most one a document. Starts to load
 * their tokens, which lie anywhere in memory. Returns their number. */
static uint32_t sample(const struct sh_counter *c, uint32_t document, uint32_t group,
    const struct sh_index_place **sampled)
{
	const struct sh_texts *t = c->index->texts;
	const struct sh_index_place *m = c->index->place + c->index->start[group];
	size_t size = sh_index_size(c->index, group);
	size_t step = size <= SH_COUNT_SAMPLE ? 1 : size / SH_COUNT_SAMPLE;
	uint32_t n = 0;

	for (size_t i = 0; i < size && n < SH_COUNT_SAMPLE; i += step) {
		if (m[i].document == document || (n && m[i].document == sampled[n - 1]->document))
			continue;
		__builtin_prefetch(&t->at[m[i].document]);
		sampled[n++] = &m[i];
	}
	for (uint32_t i = 0; i < n; i++)
		__builtin_prefetch(&t->token[t->at[sampled[i]->document] + sampled[i]->token]);
	return n;
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

static int add(struct sh_counter *c, const struct sh_counted *found, struct sh_error *err)
{
	struct sh_counted *last = c->n ? &c->passage[c->n - 1] : NULL;

	if (last && found->from <= last->to) {
		*last = (struct sh_counted){ least(last->from, found->from),
			greatest(last->to, found->to), least(last->min, found->min),
			greatest(last->max, found->max) };
		return 0;
	}
	if (SH_RESERVE(c->passage, c->cap, c->n + 1, err) < 0)
		return -1;
	c->passage[c->n++] = *found;
	return 0;
}

/* Adds the passage around a seed that enough documents contain: the tokens before and from the
 * seed's first token on in which enough sampled documents agree with this one. Looks no farther
 * than the next seeds, which continue. So a long passage that too few documents have is not
 * compared again from each seed. */
static int add_around(
    struct sh_counter *c, uint32_t document, const struct sh_index_seed *p, struct sh_error *err)
{
	const struct sh_index_place *sampled[SH_COUNT_SAMPLE];
	uint32_t size = c->index->documents[p->group], most = SEEDS_AROUND * c->index->enough,
		 token = p->token;
	uint32_t n = sample(c, document, p->group, sampled), lefts = 0, rights = 0, end;
	uint32_t left[SH_COUNT_SAMPLE] = { 0 }, right[SH_COUNT_SAMPLE] = { 0 };
	uint64_t others = size - 1, wanted = c->documents - 1;
	struct sh_token_hashes side =
	    around(sh_texts_tokens(c->index->texts, document), most, &token);
	struct sh_counted found;

	if (n == 0)
		return 0;
	if (n < others)
		wanted = (wanted * n + others - 1) / others;
	wanted = wanted == 0 ? 1 : wanted > n ? n : wanted;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = sampled[i]->token;
		struct sh_token_hashes other =
		    around(sh_texts_tokens(c->index->texts, sampled[i]->document), most, &at);

		lefts = put_length(
		    left, lefts, (uint32_t)wanted, sh_match_backward(side, token, other, at));
		rights = put_length(
		    right, rights, (uint32_t)wanted, sh_match_forward(side, token, other, at));
	}
	found = (struct sh_counted){ p->token - left[wanted - 1], p->token + right[wanted - 1],
		size, size };
	/* When the measure reached its limit, the last seed within it continues. */
	end = right[wanted - 1] == most ? found.to - 2 * c->index->enough : found.to + 1;
	end = end < c->index->longest ? 0 : end - c->index->longest;
	c->skip = end > c->skip ? end : c->skip;
	return add(c, &found, err);
}

int sh_counter_run(struct sh_counter *c, uint32_t document, const struct sh_counted **passages,
    size_t *n, struct sh_error *err)
{
	const struct sh_index *x = c->index;
	size_t kept = 0;

	c->n = 0;
	c->skip = 0;
	for (uint64_t i = x->at[document]; i < x->at[document + 1]; i++) {
		const struct sh_index_seed *p = &x->seed[i];
		uint32_t size = x->documents[p->group];

		if (size < c->documents)
			continue;
		if (!c->n || p->token >= c->skip) {
			if (add_around(c, document, p, err) < 0)
				return -1;
			continue;
		}
		c->passage[c->n - 1].min = least(c->passage[c->n - 1].min, size);
		c->passage[c->n - 1].max = greatest(c->passage[c->n - 1].max, size);
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->passage[i].to - c->passage[i].from >= c->least)
			c->passage[kept++] = c->passage[i];
	*passages = c->passage;
	*n = kept;
	return 0;
}
