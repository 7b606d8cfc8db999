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

/* ---- a trie in memory ---- */

struct sh_jieba_own {
	struct sh_jieba_node *node;
	uint64_t *freq;
	uint32_t *first; /* first child of each node, 0: none */
	uint32_t *next;  /* next sibling of each node, 0: none */
	size_t n, node_cap, freq_cap, first_cap, next_cap;
	struct free_nodes free;
	uint32_t *codes; /* scratch: of the children that get a base */
	size_t codes_cap;
};

static void free_trie(struct sh_jieba_own *o)
{
	free(o->node);
	free(o->freq);
	free(o->first);
	free(o->next);
	free(o->codes);
	free_nodes_free(&o->free);
}

static void delete_own(struct sh_jieba_own *o)
{
	free_trie(o);
	free(o);
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

/* Finds a base with unused nodes for children of the n >= 1 ascending codes in o->codes. */
static int find_base(struct sh_jieba_own *o, size_t n, uint32_t *base, struct sh_error *err)
{
	if (free_nodes_fit(&o->free, o->codes, n, base, err) < 0)
		return -1;
	return more_nodes(o, (size_t)*base + o->codes[n - 1] + 1, err);
}

/* Makes node `at` a child of `parent`. There must be room for it. */
static void make_child(struct sh_jieba_own *o, uint32_t parent, uint32_t at)
{
	o->node[at] = (struct sh_jieba_node){ -INFINITY, 0, parent };
	if (at >= SH_CODE_END)
		free_nodes_remove(&o->free, at);
	o->next[at] = o->first[parent];
	o->first[parent] = at;
}

/* Sets the frequency of the word that ends at a node. flag: SH_FREQ_SPLIT, or 0. */
static void set_freq(struct sh_jieba_own *o, uint32_t at, uint64_t freq, uint64_t flag)
{
	o->freq[at] = freq | flag;
	o->node[at].log_freq = freq ? log((double)freq) : -INFINITY;
}

/* ---- building from all words ---- */

/* A node whose children are to be made. Words lo .. hi - 1 begin with the `depth` codes of the path
 * from the root to this node. */
struct branch {
	uint32_t lo, hi, depth, node;
};

struct builder {
	const struct sh_trie_word *words;
	const uint32_t *pool;
	struct sh_jieba_own trie;
	struct branch *queue;
	size_t n, cap;
};

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

/* Makes the children of a branch, and appends them to the queue. Sets the frequency of the word
 * that ends at the branch: the last one of equal words. */
static int make_children(struct builder *b, struct branch k, struct sh_error *err)
{
	struct sh_jieba_own *o = &b->trie;
	uint32_t base = 0;
	size_t from = b->n, n;

	for (; k.lo < k.hi && b->words[k.lo].n == k.depth; k.lo++)
		set_freq(o, k.node, b->words[k.lo].freq, 0);
	for (uint32_t lo = k.lo, hi; lo < k.hi; lo = hi) {
		uint32_t code = b->pool[b->words[lo].at + k.depth];

		for (hi = lo; hi < k.hi && b->pool[b->words[hi].at + k.depth] == code;)
			hi++;
		n = b->n - from;
		if (SH_RESERVE(b->queue, b->cap, b->n + 1, err) < 0 ||
		    SH_RESERVE(o->codes, o->codes_cap, n + 1, err) < 0)
			return -1;
		b->queue[b->n++] = (struct branch){ lo, hi, k.depth + 1, code };
		o->codes[n] = code;
	}
	n = b->n - from;
	if (n && k.node != SH_NODE_ROOT && find_base(o, n, &base, err) < 0)
		return -1;
	o->node[k.node].base = base;
	for (; from < b->n; from++) {
		b->queue[from].node += base;
		make_child(o, k.node, b->queue[from].node);
	}
	return 0;
}

int sh_trie_build(struct sh_trie_word *words, size_t n, const uint32_t *pool,
    struct sh_jieba_node **nodes, uint64_t **freq, uint32_t *n_nodes, struct sh_error *err)
{
	struct builder b = { .words = words, .pool = pool };
	struct branch all = { 0, (uint32_t)n, 0, SH_NODE_ROOT };
	int status;

	/* Numbers of words have 32 bits. The trie has less than 2^27 nodes in any case. */
	if (n > UINT32_MAX / 4)
		return sh_error_set(err, SH_ERR_RANGE, "dictionary too large");
	qsort_r(words, n, sizeof *words, by_codes, (void *)(uintptr_t)pool);
	status = more_nodes(&b.trie, SH_CODE_END, err);
	if (status == 0) {
		b.trie.node[SH_NODE_ROOT].check = SH_NODE_ROOT;
		status = make_children(&b, all, err);
	}
	for (size_t i = 0; i < b.n && status == 0; i++)
		status = make_children(&b, b.queue[i], err);
	if (status == 0) {
		*nodes = b.trie.node;
		*freq = b.trie.freq;
		*n_nodes = (uint32_t)b.trie.n;
		b.trie.node = NULL;
		b.trie.freq = NULL;
	}
	free_trie(&b.trie);
	free(b.queue);
	return status;
}

/* ---- adding a word ---- */

static void publish(struct sh_jieba *j)
{
	j->node = j->own->node;
	j->freq = j->own->freq;
	j->h.n_nodes = (uint32_t)j->own->n;
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
		if (i != SH_NODE_ROOT)
			make_child(o, parent, i);
		o->node[i] = j->node[i];
		o->freq[i] = j->freq[i];
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

/* Moves the children of `parent` to a base with room for one more child of code `extra`. The
 * children of these children stay. */
static int move_children(
    struct sh_jieba_own *o, uint32_t parent, uint32_t extra, struct sh_error *err)
{
	uint32_t base, old = o->node[parent].base, next = o->first[parent];
	size_t n = 0;

	for (uint32_t c = next;; c = o->next[c]) {
		if (SH_RESERVE(o->codes, o->codes_cap, n + 1, err) < 0)
			return -1;
		o->codes[n++] = c ? c - old : extra;
		if (!c)
			break;
	}
	qsort(o->codes, n, sizeof *o->codes, by_code);
	if (find_base(o, n, &base, err) < 0)
		return -1;
	o->node[parent].base = base;
	o->first[parent] = 0;
	while (next) {
		uint32_t from = next, to = from - old + base;

		next = o->next[from];
		make_child(o, parent, to);
		o->node[to] = o->node[from];
		o->freq[to] = o->freq[from];
		o->first[to] = o->first[from];
		for (uint32_t c = o->first[from]; c; c = o->next[c])
			o->node[c].check = to;
		o->node[from] = (struct sh_jieba_node){ -INFINITY, 0, SH_NODE_FREE };
		o->freq[from] = 0;
		o->first[from] = 0;
		free_nodes_add(&o->free, from);
	}
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
	make_child(o, parent, at);
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
	set_freq(j->own, at, freq, split ? SH_FREQ_SPLIT : old);
	return 0;
}
