/* SPDX-License-Identifier: MIT */
#include "segment/jieba_trie.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/compare.h"
#include "segment/jieba_free.h"

/* A node being built. The path from the root to this node has `depth` codes. Words lo .. hi - 1
 * begin with these codes. */
struct draft {
	uint32_t lo, hi;
	uint32_t depth;
	uint32_t code;         /* the last code of the path */
	uint32_t parent;       /* index of the parent; lower than the draft's own index */
	uint32_t kids, n_kids; /* index of the first child; children are adjacent, by code */
	uint32_t base, slot;   /* slot: the node's number in the trie */
	uint64_t freq;         /* sum of the frequencies of the words */
};

struct builder {
	const struct sh_trie_word *words;
	const uint32_t *pool;
	struct draft *drafts;
	size_t n, cap;

	struct sh_free_nodes free;
	uint32_t *codes; /* of the children being placed */
	size_t codes_cap;
};

double sh_jieba_log(uint64_t freq)
{
	return freq ? log((double)freq) : -INFINITY;
}

static int by_codes(const void *pa, const void *pb, void *pool)
{
	const struct sh_trie_word *a = pa, *b = pb;
	const uint32_t *x = (const uint32_t *)pool + a->at, *y = (const uint32_t *)pool + b->at;

	for (uint32_t i = 0; i < a->n && i < b->n; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return sh_compare(a->order, b->order);
}

static int add_draft(struct builder *b, struct draft k, struct sh_error *err)
{
	if (SH_RESERVE(b->drafts, b->cap, b->n + 1, err) < 0)
		return -1;
	b->drafts[b->n++] = k;
	return 0;
}

/* Adds the children of a draft. */
static int unfold(struct builder *b, uint32_t at, struct sh_error *err)
{
	struct draft k = b->drafts[at];
	uint32_t lo = k.lo;

	b->drafts[at].kids = (uint32_t)b->n;
	while (lo < k.hi && b->words[lo].n == k.depth)
		lo++;
	while (lo < k.hi) {
		uint32_t code = b->pool[b->words[lo].at + k.depth], hi = lo;

		while (hi < k.hi && b->pool[b->words[hi].at + k.depth] == code)
			hi++;
		if (add_draft(b,
			(struct draft){
			    .lo = lo, .hi = hi, .depth = k.depth + 1, .code = code, .parent = at },
			err) < 0)
			return -1;
		b->drafts[at].n_kids++;
		lo = hi;
	}
	return 0;
}

/* Returns the last of the equal words that end at a draft; NULL when the draft is only a prefix. */
static const struct sh_trie_word *word_at(const struct builder *b, const struct draft *k)
{
	const struct sh_trie_word *w = NULL;

	for (uint32_t i = k->lo; i < k->hi && b->words[i].n == k->depth; i++)
		w = &b->words[i];
	return w;
}

static void sum_frequencies(struct builder *b)
{
	for (size_t i = b->n; i-- > 1;) {
		const struct sh_trie_word *w = word_at(b, &b->drafts[i]);

		if (w)
			b->drafts[i].freq += w->freq;
		b->drafts[b->drafts[i].parent].freq += b->drafts[i].freq;
	}
}

/* Chooses the base of a draft: the least one at which the nodes of all children are unused. */
static int choose_base(struct builder *b, struct draft *k, struct sh_error *err)
{
	const struct draft *kids = b->drafts + k->kids;

	if (SH_RESERVE(b->codes, b->codes_cap, k->n_kids, err) < 0)
		return -1;
	for (uint32_t i = 0; i < k->n_kids; i++)
		b->codes[i] = kids[i].code;
	if (sh_free_nodes_fit(&b->free, b->codes, k->n_kids, &k->base, err) < 0)
		return -1;
	for (uint32_t i = 0; i < k->n_kids; i++)
		sh_free_nodes_remove(&b->free, k->base + kids[i].code);
	return 0;
}

/* Orders drafts: most children first, because many children fit in few places; then the most
 * frequent first, so that their nodes are close together; then by index. */
static int by_children(const void *pa, const void *pb, void *drafts)
{
	const struct draft *a = (const struct draft *)drafts + *(const uint32_t *)pa;
	const struct draft *b = (const struct draft *)drafts + *(const uint32_t *)pb;

	if (a->n_kids != b->n_kids)
		return a->n_kids > b->n_kids ? -1 : 1;
	if (a->freq != b->freq)
		return a->freq > b->freq ? -1 : 1;
	return a < b ? -1 : a > b;
}

static int choose_bases(struct builder *b, struct sh_error *err)
{
	uint32_t *order = malloc(b->n * sizeof *order);
	size_t n = 0;
	int status = 0;

	if (!order)
		return sh_error_nomem(err);
	for (size_t i = 1; i < b->n; i++) /* the base of the root is 0 */
		if (b->drafts[i].n_kids)
			order[n++] = (uint32_t)i;
	qsort_r(order, n, sizeof *order, by_children, b->drafts);
	for (size_t i = 0; i < n && status == 0; i++)
		status = choose_base(b, b->drafts + order[i], err);
	free(order);
	return status;
}

/* Sets the slot of each draft. Returns the number of nodes: the largest slot + 1. */
static uint32_t assign_slots(struct builder *b)
{
	uint32_t top = SH_CODE_END - 1;

	b->drafts[0].slot = SH_NODE_ROOT;
	for (size_t i = 1; i < b->n; i++) {
		struct draft *k = b->drafts + i;

		k->slot = b->drafts[k->parent].base + k->code;
		if (k->slot > top)
			top = k->slot;
	}
	return top + 1;
}

static int write_nodes(const struct builder *b, struct sh_jieba_node **nodes, uint64_t **freq,
    uint32_t n, struct sh_error *err)
{
	struct sh_jieba_node *node = malloc(n * sizeof *node);
	uint64_t *f = calloc(n, sizeof *f);

	if (!node || !f) {
		free(node);
		free(f);
		return sh_error_nomem(err);
	}
	for (uint32_t s = 0; s < n; s++)
		node[s] = (struct sh_jieba_node){ -INFINITY, 0, SH_NODE_FREE };
	node[SH_NODE_ROOT].check = SH_NODE_ROOT;
	for (size_t i = 1; i < b->n; i++) {
		const struct draft *k = b->drafts + i;
		const struct sh_trie_word *w = word_at(b, k);

		f[k->slot] = w ? w->freq : 0;
		node[k->slot].log_freq = sh_jieba_log(f[k->slot]);
		node[k->slot].base = k->base;
		node[k->slot].check = b->drafts[k->parent].slot;
	}
	*nodes = node;
	*freq = f;
	return 0;
}

static int build(struct builder *b, size_t n_words, struct sh_jieba_node **nodes, uint64_t **freq,
    uint32_t *n_nodes, struct sh_error *err)
{
	if (add_draft(b, (struct draft){ .hi = (uint32_t)n_words }, err) < 0)
		return -1;
	for (size_t i = 0; i < b->n; i++)
		if (unfold(b, (uint32_t)i, err) < 0)
			return -1;
	sum_frequencies(b);
	if (choose_bases(b, err) < 0)
		return -1;
	*n_nodes = assign_slots(b);
	return write_nodes(b, nodes, freq, *n_nodes, err);
}

int sh_trie_build(struct sh_trie_word *words, size_t n, const uint32_t *pool,
    struct sh_jieba_node **nodes, uint64_t **freq, uint32_t *n_nodes, struct sh_error *err)
{
	struct builder b = { .words = words, .pool = pool };
	int status;

	/* Numbers of words have 32 bits. The trie has less than 2^27 nodes in any case. */
	if (n > UINT32_MAX / 4)
		return sh_error_set(err, SH_ERR_RANGE, "dictionary too large");
	qsort_r(words, n, sizeof *words, by_codes, (void *)(uintptr_t)pool);
	status = build(&b, n, nodes, freq, n_nodes, err);
	free(b.drafts);
	free(b.codes);
	sh_free_nodes_free(&b.free);
	return status;
}
