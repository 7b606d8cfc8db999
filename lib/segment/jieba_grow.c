/* SPDX-License-Identifier: MIT */
#include "segment/jieba_grow.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/compare.h"
#include "segment/jieba_free.h"
#include "segment/jieba_trie.h"

struct sh_jieba_own {
	struct sh_jieba_node *node;
	uint64_t *freq;
	uint32_t *first; /* first child of each node, 0: none */
	uint32_t *next;  /* next sibling of each node, 0: none */
	size_t n, node_cap, freq_cap, first_cap, next_cap;
	struct sh_free_nodes free;
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
	sh_free_nodes_free(&own->free);
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

	if (more_nodes(o, n, err) < 0 || sh_free_nodes_extend(&o->free, n, err) < 0)
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
			sh_free_nodes_remove(&o->free, i);
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

/* Returns the number of children of a node. */
static size_t children(const struct sh_jieba_own *o, uint32_t parent)
{
	size_t n = 0;

	for (uint32_t c = o->first[parent]; c; c = o->next[c])
		n++;
	return n;
}

static int by_code(const void *pa, const void *pb)
{
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	return sh_compare(a, b);
}

/* Finds a base with unused nodes for the children of `parent`, and for one more child of code
 * `extra`. extra = 0: no more child. */
static int find_base(
    struct sh_jieba_own *o, uint32_t parent, uint32_t extra, uint32_t *base, struct sh_error *err)
{
	size_t n = 0, want = children(o, parent) + 1;

	if (SH_RESERVE(o->codes, o->codes_cap, want, err) < 0)
		return -1;
	if (extra)
		o->codes[n++] = extra;
	for (uint32_t c = o->first[parent]; c; c = o->next[c])
		o->codes[n++] = c - o->node[parent].base;
	qsort(o->codes, n, sizeof *o->codes, by_code);
	if (sh_free_nodes_fit(&o->free, o->codes, n, base, err) < 0)
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
	sh_free_nodes_remove(&o->free, to);
	sh_free_nodes_add(&o->free, from);
}

/* Moves the children of `parent` to a base with room for one more child of code `extra`; 0: no more
 * child. Updates *track when the node *track moves. */
static int move_children(
    struct sh_jieba_own *o, uint32_t parent, uint32_t extra, uint32_t *track, struct sh_error *err)
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
		if (*track == child)
			*track = to;
	}
	o->node[parent].base = base;
	return 0;
}

/* Makes a new child of *parent for a code. Updates *parent when the parent moves. */
static int add_child(
    struct sh_jieba_own *o, uint32_t *parent, uint32_t code, uint32_t *child, struct sh_error *err)
{
	uint32_t at = o->node[*parent].base + code, none = 0;

	if (*parent != SH_NODE_ROOT && o->node[*parent].base == 0) {
		if (move_children(o, *parent, code, &none, err) < 0)
			return -1;
	} else if (*parent != SH_NODE_ROOT &&
		   (at < SH_CODE_END || !sh_free_nodes_has(&o->free, at))) {
		/* Node `at` is in use, by a child of `other` or for the children of the root. */
		uint32_t other = at < SH_CODE_END ? SH_NODE_FREE : o->node[at].check;
		bool self = other >= o->n || children(o, *parent) < children(o, other);

		if (move_children(o, self ? *parent : other, self ? code : 0, parent, err) < 0)
			return -1;
	}
	at = o->node[*parent].base + code;
	if (sh_free_nodes_extend(&o->free, at, err) < 0 || more_nodes(o, (size_t)at + 1, err) < 0)
		return -1;
	o->node[at] = (struct sh_jieba_node){ -INFINITY, 0, *parent };
	if (at >= SH_CODE_END)
		sh_free_nodes_remove(&o->free, at);
	adopt(o, *parent, at);
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
			status = add_child(j->own, &at, codes[i], &child, err);
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
	j->own->node[at].log_freq = sh_jieba_log(freq);
	return 0;
}
