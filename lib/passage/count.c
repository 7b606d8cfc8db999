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

/* Chooses other documents that have the seed, at most SH_COUNT_SAMPLE. Sets ahead[i] to the tokens
 * of such a document from the seed on, and behind[i] to those before, which end at behind[i].token.
 * Starts to load them: they lie anywhere in memory. Returns the number of documents. */
static uint32_t sample(const struct sh_counter *c, uint32_t document, uint32_t group,
    struct sh_token_hashes *ahead, struct sh_token_hashes *behind)
{
	const struct sh_texts *t = c->index->texts;
	const struct sh_index_place *p = c->index->place + c->index->start[group];
	const struct sh_index_place *sampled[SH_COUNT_SAMPLE];
	size_t size = sh_index_size(c->index, group);
	size_t step = size <= SH_COUNT_SAMPLE ? 1 : size / SH_COUNT_SAMPLE;
	uint32_t n = 0;

	for (size_t i = 0; i < size && n < SH_COUNT_SAMPLE; i += step) {
		if (p[i].document == document || (n && p[i].document == sampled[n - 1]->document))
			continue;
		__builtin_prefetch(&t->at[p[i].document]);
		sampled[n++] = &p[i];
	}
	for (uint32_t i = 0; i < n; i++) {
		struct sh_token_hashes other = sh_texts_tokens(t, sampled[i]->document);
		const uint32_t *at = other.token + sampled[i]->token;

		__builtin_prefetch(at);
		ahead[i] = (struct sh_token_hashes){ at, other.n - sampled[i]->token };
		behind[i] = (struct sh_token_hashes){ at, sampled[i]->token };
	}
	return n;
}

/* Returns how many tokens at least `wanted` of the n others have in common with this document, from
 * the seed on, or before it. Changes the array. */
static uint32_t agreement(struct sh_token_hashes side, bool before, struct sh_token_hashes *others,
    uint32_t n, uint64_t wanted)
{
	uint32_t length = 0;

	for (; length < side.n; length++) {
		ptrdiff_t i = before ? -1 - (ptrdiff_t)length : (ptrdiff_t)length;
		uint32_t agree = 0;

		for (uint32_t j = 0; j < n; j++)
			if (length < others[j].n && others[j].token[i] == side.token[i])
				others[agree++] = others[j];
		if (agree < wanted)
			break;
		n = agree;
	}
	return length;
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
	const struct sh_index *x = c->index;
	struct sh_token_hashes ahead[SH_COUNT_SAMPLE], behind[SH_COUNT_SAMPLE];
	struct sh_token_hashes side = sh_texts_tokens(x->texts, document);
	const uint32_t *at = side.token + p->token;
	uint32_t size = x->documents[p->group], most = SEEDS_AROUND * x->enough;
	uint32_t n = sample(c, document, p->group, ahead, behind), left, right, end;
	uint64_t others = size - 1, wanted = c->documents - 1;

	if (n == 0)
		return 0;
	if (n < others)
		wanted = (wanted * n + others - 1) / others;
	wanted = wanted == 0 ? 1 : wanted > n ? n : wanted;
	left = agreement(
	    (struct sh_token_hashes){ at, least(p->token, most) }, true, behind, n, wanted);
	right = agreement((struct sh_token_hashes){ at, least((uint32_t)side.n - p->token, most) },
	    false, ahead, n, wanted);
	/* When the measure reached its limit, the last seed within it continues. */
	end = p->token + right;
	end = right == most ? end - 2 * x->enough : end + 1;
	end = end < x->longest ? 0 : end - x->longest;
	c->skip = greatest(end, c->skip);
	return add(c, &(struct sh_counted){ p->token - left, p->token + right, size, size }, err);
}

int sh_counter_run(struct sh_counter *c, uint32_t document, struct sh_error *err)
{
	const struct sh_index *x = c->index;
	size_t kept = 0;

	c->n = 0;
	c->skip = 0;
	for (uint64_t i = x->at[document]; i < x->at[document + 1]; i++) {
		const struct sh_index_seed *p = &x->seed[i];
		struct sh_counted *last = c->n ? &c->passage[c->n - 1] : NULL;
		uint32_t size = x->documents[p->group];

		if (size < c->documents)
			continue;
		if (last && p->token < c->skip) {
			last->min = least(last->min, size);
			last->max = greatest(last->max, size);
		} else if (add_around(c, document, p, err) < 0) {
			return -1;
		}
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->passage[i].to - c->passage[i].from >= c->least)
			c->passage[kept++] = c->passage[i];
	c->n = kept;
	return 0;
}
