/* SPDX-License-Identifier: MIT */
/* Groups of near-duplicates from pairs, over nodes 0 .. n-1.
 *
 * The node with the lowest rank is the keeper of its group. Ranks must be distinct (a
 * permutation of 0 .. n-1). The result then does not depend on the order of the pairs or
 * of their ends. Without ranks (NULL) a node's number is its rank.
 *
 * There are two kinds of groups:
 *   single  A group is a connected component of the pairs.
 *   star    Nodes are visited in rank order. A node without a group becomes a keeper, and
 *           its neighbours without a group become its members. Every member is a direct
 *           neighbour of its keeper, so no chain of small changes makes a group. */
#ifndef SH_GROUP_GROUP_H
#define SH_GROUP_GROUP_H

#include "base/hmap.h"

/* ---- the nodes: distinct ids ---- */

/* The distinct ids of records. While ids are added, each id has a handle: its index in the map.
 * Sorted ids are numbered in bytewise order. */
struct sh_idset {
	struct sh_hmap ids; /* by handle; sh_hmap_init() and sh_hmap_put() make it */
	/* Set by sh_idset_sort(). */
	uint32_t n;       /* number of ids; all handles are below it */
	uint32_t *handle; /* by number */
	uint32_t *number; /* by handle */
};

/* Does nothing with a zeroed struct. */
void sh_idset_free(struct sh_idset *s);

/* Numbers the ids 0, 1, ... in bytewise order, by threads >= 1 threads. Call it once, after all ids
 * were added and before the functions below. */
int sh_idset_sort(struct sh_idset *s, unsigned threads, struct sh_error *err);

/* Sets *number to the number of the id and returns true; returns false when the set lacks it. Any
 * thread may call it. */
bool sh_idset_find(const struct sh_idset *s, struct sh_slice id, uint32_t *number);

/* Returns the id of a number below s->n, valid until sh_idset_free(). */
static inline struct sh_slice sh_idset_id(const struct sh_idset *s, uint32_t number)
{
	return sh_hmap_key(&s->ids, s->handle[number]);
}

/* ---- groups ---- */

/* A pair of nodes. similarity: in ten thousandths, rounded. Both are SH_EDGE_NONE when they are not
 * known. measure: of the similarity; the caller gives the number a meaning. */
struct sh_edge {
	uint32_t a, b;
	uint32_t distance : 14, similarity : 14, measure : 4;
};

#define SH_EDGE_NONE 0x3FFFU

/* The connected components of the pairs so far (union-find): 4 bytes a node. A zeroed struct has no
 * nodes. */
struct sh_union {
	uint32_t *parent;
	uint32_t n, cap;
};

void sh_union_free(struct sh_union *u);
/* Adds the nodes up to n-1, each as a component of its own. */
int sh_union_grow(struct sh_union *u, uint32_t n, struct sh_error *err);
/* Returns the lowest node of a node's component. Halves the path to it. */
uint32_t sh_union_find(struct sh_union *u, uint32_t node);
/* Joins the components of a and b. */
void sh_union_link(struct sh_union *u, uint32_t a, uint32_t b);
/* Adds all nodes up to the highest node of n edges, and joins the components of each edge. */
int sh_union_link_all(
    struct sh_union *u, const struct sh_edge *edge, size_t n, struct sh_error *err);

/* The next two functions store the keeper of each of the n nodes in keeper[n]. fixed: the nodes of
 * the first `fixed` ranks are keepers, also where a pair connects two of these nodes. */

/* Groups are the components. number: the node of each of the n elements of u, a permutation; NULL:
 * element i is node i. */
void sh_group_single(uint32_t *keeper, uint32_t n, struct sh_union *u, const uint32_t *number,
    const uint32_t *rank, uint32_t fixed);
/* Groups are stars of m edges, in time O(n + m). Needs 12 bytes a node and 4 bytes an edge. Returns
 * -1 when memory runs out. */
int sh_group_star(uint32_t *keeper, uint32_t n, const struct sh_edge *edge, size_t m,
    const uint32_t *rank, uint32_t fixed, struct sh_error *err);

/* Stores all nodes in order[], group by group, in the order of the keepers. In each group the
 * keeper comes first, then the other nodes in ascending order. */
int sh_group_order(uint32_t *order, const uint32_t *keeper, uint32_t n, struct sh_error *err);

/* Stores in size[k] the number of nodes of the group of keeper k; 0 when k is no keeper. */
void sh_group_sizes(uint32_t *size, const uint32_t *keeper, uint32_t n);

/* Stores in weakest[k] the index of the weakest edge in the group of keeper k; SIZE_MAX
 * when there is none. The weakest edge has the lowest similarity, then the largest distance,
 * then the lower ends. An edge without a similarity is stronger than all edges with one. The
 * order of the edges does not matter. star: only edges of the keeper count. */
void sh_group_weakest(size_t *weakest, const uint32_t *keeper, uint32_t n,
    const struct sh_edge *edge, size_t m, int star);

#endif
