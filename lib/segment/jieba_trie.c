/* SPDX-License-Identifier: MIT */
#include "segment/jieba_trie.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/compare.h"

/* ---- unused nodes ---- */

/* Node numbers are below NODES_MAX: a trie of 16 bytes a node then has at most 2 GiB. */
#define NODES_MAX (UINT32_C(1) << 27)

/* The set of unused nodes. One bit per node lets free_nodes_fit() try 64 bases at a time. In a
 * zeroed struct all nodes are in the set. */
struct free_nodes {
	uint64_t *bits; /* bit 1: in the set; nodes beyond bits[] are in the set */
	size_t n, cap;  /* in words of 64 bits */
	uint32_t first; /* nodes SH_CODE_END .. first - 1 are not in the set */
};

static inline bool free_nodes_has(const struct free_nodes *f, uint32_t at)
{
	return at / 64 >= f->n || f->bits[at / 64] >> at % 64 & 1;
}

static void free_nodes_free(struct free_nodes *f)
{
	free(f->bits);
	*f = (struct free_nodes){ 0 };
}

/* Extends bits[] so that node `at` has a bit, and one word more, because window() reads two words.
 * SH_ERR_RANGE: `at` is NODES_MAX or greater. */
static int free_nodes_extend(struct free_nodes *f, uint64_t at, struct sh_error *err)
{
	size_t want = (size_t)(at / 64 + 2);

	if (at >= NODES_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "dictionary too large");
	if (SH_RESERVE(f->bits, f->cap, want, err) < 0)
		return -1;
	while (f->n < want)
		f->bits[f->n++] = UINT64_MAX;
	return 0;
}

static void free_nodes_remove(struct free_nodes *f, uint32_t at)
{
	f->bits[at / 64] &= ~(UINT64_C(1) << at % 64);
}

static void free_nodes_add(struct free_nodes *f, uint32_t at)
{
	f->bits[at / 64] |= UINT64_C(1) << at % 64;
	if (at < f->first)
		f->first = at;
}

/* Returns the bits of nodes at .. at + 63. */
static inline uint64_t window(const struct free_nodes *f, uint32_t at)
{
	const uint64_t *w = f->bits + at / 64;

	return w[0] >> at % 64 | w[1] << 1 << (63 - at % 64);
}

/* Finds the least *base such that node *base + codes[i] is in the set, and at least SH_CODE_END,
 * for all n >= 1 ascending codes. Extends bits[] to these nodes. Does not remove them. */
static int free_nodes_fit(
    struct free_nodes *f, const uint32_t *codes, size_t n, uint32_t *base, struct sh_error *err)
{
	uint32_t at;
	uint64_t fit;

	if (f->first < SH_CODE_END)
		f->first = SH_CODE_END;
	/* Tries 64 bases in one step. Bit i of `fit` is 1 when base at + i - codes[0] fits: the
	 * nodes of all codes are in the set. */
	for (at = f->first;; at += 64) {
		if (free_nodes_extend(f, (uint64_t)at + codes[n - 1] - codes[0] + 64, err) < 0)
			return -1;
		fit = window(f, at);
		if (fit == 0 && at == f->first)
			f->first += 64;
		for (size_t i = 1; i < n && fit; i++)
			fit &= window(f, at + codes[i] - codes[0]);
		if (fit)
			break;
	}
	*base = at + (uint32_t)__builtin_ctzll(fit) - codes[0];
	return 0;
}

/* ---- building from all words ---- */

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

	struct free_nodes free;
	uint32_t *codes; /* of the children being placed */
	size_t codes_cap;
};

/* Returns the natural log of a frequency; -INFINITY for 0. */
static double log_of(uint64_t freq)
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
	if (free_nodes_fit(&b->free, b->codes, k->n_kids, &k->base, err) < 0)
		return -1;
	for (uint32_t i = 0; i < k->n_kids; i++)
		free_nodes_remove(&b->free, k->base + kids[i].code);
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
		node[k->slot].log_freq = log_of(f[k->slot]);
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
	free_nodes_free(&b.free);
	return status;
}

/* ---- adding a word ---- */

struct sh_jieba_own {
	struct sh_jieba_node *node;
	uint64_t *freq;
	uint32_t *first; /* first child of each node, 0: none */
	uint32_t *next;  /* next sibling of each node, 0: none */
	size_t n, node_cap, freq_cap, first_cap, next_cap;
	struct free_nodes free;
	uint32_t *codes; /* scratch: codes of the children that move */
	size_t codes_cap;
};

static void delete_own(struct sh_jieba_own *own)
{
	free(own->node);
	free(own->freq);
	free(own->first);
	free(own->next);
	free(own->codes);
	free_nodes_free(&own->free);
	free(own);
}

/* Extends the trie to at least `want` nodes. The new nodes are unused. */
static int more_nodes(struct sh_jieba_own *o, size_t want, struct sh_error *err)
{
	if (SH_RESERVE(o->node, o->node_cap, want, err) < 0 ||
	    SH_RESERVE(o->freq, o->freq_cap, want, err) < 0 ||
	    SH_RESERVE(o->first, o->first_cap, want, err) < 0 ||
	    SH_RESERVE(o->next, o->next_cap, want, err) < 0)
		return -1;
	for (; o->n < want; o->n++) {
		o->node[o->n] = (struct sh_jieba_node){ -INFINITY, 0, SH_NODE_FREE };
		o->freq[o->n] = 0;
		o->first[o->n] = o->next[o->n] = 0;
	}
	return 0;
}

static void publish(struct sh_jieba *j)
{
	j->node = j->own->node;
	j->freq = j->own->freq;
	j->h.n_nodes = (uint32_t)j->own->n;
}

static void adopt(struct sh_jieba_own *o, uint32_t parent, uint32_t child)
{
	o->next[child] = o->first[parent];
	o->first[parent] = child;
}

static bool is_used(const struct sh_jieba *j, uint32_t node)
{
	return j->node[node].check != SH_NODE_FREE && j->node[node].check != 0;
}

/* Copies the trie. Fails when a node's parent is unused, as in a damaged file: the
 * node's code is unknown. */
static int copy_trie(const struct sh_jieba *j, struct sh_jieba_own *o, struct sh_error *err)
{
	uint32_t n = j->h.n_nodes;

	if (more_nodes(o, n, err) < 0 || free_nodes_extend(&o->free, n, err) < 0)
		return -1;
	for (uint32_t i = 1; i < n; i++) {
		uint32_t parent = j->node[i].check;

		if (!is_used(j, i))
			continue;
		if (parent >= n || !is_used(j, parent) || i - j->node[parent].base >= SH_CODE_END ||
		    (i < SH_CODE_END && parent != SH_NODE_ROOT))
			return sh_error_set(err, SH_ERR_RECORD, "damaged dictionary");
		o->node[i] = j->node[i];
		o->freq[i] = j->freq[i];
		if (i >= SH_CODE_END)
			free_nodes_remove(&o->free, i);
		if (i != SH_NODE_ROOT)
			adopt(o, parent, i);
	}
	return 0;
}

static int own_trie(struct sh_jieba *j, struct sh_error *err)
{
	struct sh_jieba_own *o;

	if (j->own)
		return 0;
	o = calloc(1, sizeof *o);
	if (!o)
		return sh_error_nomem(err);
	if (copy_trie(j, o, err) < 0) {
		delete_own(o);
		return -1;
	}
	j->own = o;
	j->delete_own = delete_own;
	publish(j);
	return 0;
}

static int by_code(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return sh_compare(a, b);
}

/* Finds a base with unused nodes for the children of `parent`, and for one more child of code
 * `extra`. */
static int find_base(
    struct sh_jieba_own *o, uint32_t parent, uint32_t extra, uint32_t *base, struct sh_error *err)
{
	uint32_t c = o->first[parent];
	size_t n;

	for (n = 0;; n++, c = o->next[c]) {
		if (SH_RESERVE(o->codes, o->codes_cap, n + 1, err) < 0)
			return -1;
		o->codes[n] = c ? c - o->node[parent].base : extra;
		if (!c)
			break;
	}
	n++;
	qsort(o->codes, n, sizeof *o->codes, by_code);
	if (free_nodes_fit(&o->free, o->codes, n, base, err) < 0)
		return -1;
	return more_nodes(o, (size_t)*base + o->codes[n - 1] + 1, err);
}

/* Moves a node to the unused node `to`, without its children. The caller updates
 * the parent's list. */
static void move_node(struct sh_jieba_own *o, uint32_t from, uint32_t to)
{
	o->node[to] = o->node[from];
	o->freq[to] = o->freq[from];
	o->first[to] = o->first[from];
	for (uint32_t c = o->first[from]; c; c = o->next[c])
		o->node[c].check = to;
	o->node[from] = (struct sh_jieba_node){ -INFINITY, 0, SH_NODE_FREE };
	o->freq[from] = 0;
	o->first[from] = 0;
	free_nodes_remove(&o->free, to);
	free_nodes_add(&o->free, from);
}

/* Moves the children of `parent` to a base with room for one more child of code `extra`. */
static int move_children(
    struct sh_jieba_own *o, uint32_t parent, uint32_t extra, struct sh_error *err)
{
	uint32_t base, old = o->node[parent].base, next;

	if (find_base(o, parent, extra, &base, err) < 0)
		return -1;
	next = o->first[parent];
	o->first[parent] = 0;
	while (next) {
		uint32_t child = next, to = child - old + base;

		next = o->next[child];
		move_node(o, child, to);
		adopt(o, parent, to);
	}
	o->node[parent].base = base;
	return 0;
}

/* Makes a new child of `parent` for a code. When its node is in use, by the child of another node
 * or for the children of the root, all children of `parent` move. */
static int add_child(
    struct sh_jieba_own *o, uint32_t parent, uint32_t code, uint32_t *child, struct sh_error *err)
{
	uint32_t base = o->node[parent].base, at = base + code;

	if (parent != SH_NODE_ROOT &&
	    (base == 0 || at < SH_CODE_END || !free_nodes_has(&o->free, at)) &&
	    move_children(o, parent, code, err) < 0)
		return -1;
	at = o->node[parent].base + code;
	if (free_nodes_extend(&o->free, at, err) < 0 || more_nodes(o, (size_t)at + 1, err) < 0)
		return -1;
	o->node[at] = (struct sh_jieba_node){ -INFINITY, 0, parent };
	if (at >= SH_CODE_END)
		free_nodes_remove(&o->free, at);
	adopt(o, parent, at);
	*child = at;
	return 0;
}

int sh_jieba_put(struct sh_jieba *j, const uint32_t *codes, size_t n, uint64_t freq, bool split,
    struct sh_error *err)
{
	uint32_t at = SH_NODE_ROOT, child;
	uint64_t old;
	int status = own_trie(j, err);

	for (size_t i = 0; i < n && status == 0; i++) {
		child = sh_jieba_child(j, at, codes[i]);
		if (child == 0) {
			status = add_child(j->own, at, codes[i], &child, err);
			publish(j);
		}
		at = child;
	}
	if (status < 0)
		return -1;
	old = j->own->freq[at] & SH_FREQ_SPLIT;
	if (split && !old)
		j->h.n_split++;
	j->own->freq[at] = freq | (split ? SH_FREQ_SPLIT : old);
	j->own->node[at].log_freq = log_of(freq);
	return 0;
}
