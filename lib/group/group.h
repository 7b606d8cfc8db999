/* Groups of near-duplicates from pairs, over nodes 0 .. n-1.
 *
 * A rank says who stays: the node with the lowest rank is its group's keeper.
 * Ranks must be distinct (a permutation of 0 .. n-1), so that the result is the same
 * whatever the order of the pairs and whichever end comes first. Without ranks
 * (NULL) a node's number is its rank.
 *
 * Two ways to link:
 *   single  a group is a connected component of the pairs;
 *   star    nodes are taken in rank order; one that is still free becomes a keeper
 *           and takes its free neighbours: every member is a direct neighbour of its
 *           keeper, so that no chain of small steps leads far away. */
#ifndef SH_GROUP_GROUP_H
#define SH_GROUP_GROUP_H

#include "io/tables.h"

/* A pair; similarity in ten thousandths, rounded, or SH_EDGE_NONE when it is not known. */
struct sh_edge {
	uint32_t a, b;
	uint16_t distance;
	uint16_t similarity;
};

#define SH_EDGE_NONE UINT16_MAX

/* Components as pairs arrive: 4 bytes a node (and 4 more with ranks, borrowed). */
struct sh_union {
	uint32_t *parent;
	uint32_t n, cap;
	const uint32_t *rank;
};

/* u begins with no nodes; zeroing it does as well. rank may be NULL. */
void sh_union_init(struct sh_union *u, const uint32_t *rank);
void sh_union_free(struct sh_union *u);
/* Make nodes up to n-1, each its own group. */
int sh_union_grow(struct sh_union *u, uint32_t n, struct sh_error *err);
/* The keeper of a node's group: iterative, halves the path. */
uint32_t sh_union_find(struct sh_union *u, uint32_t node);
/* Join the groups of a and b. */
void sh_union_link(struct sh_union *u, uint32_t a, uint32_t b);

/* keeper[i] of each of the n nodes; O(n + m). edge is read only.
 * Beside keeper, single takes nothing; star 12 bytes a node and 8 an edge. */
int sh_group_single(uint32_t *keeper, uint32_t n, const struct sh_edge *edge, size_t m,
    const uint32_t *rank, struct sh_error *err);
int sh_group_star(uint32_t *keeper, uint32_t n, const struct sh_edge *edge, size_t m,
    const uint32_t *rank, struct sh_error *err);

/* The same with what star takes beside keeper in tables. */
int sh_group_star_in(struct sh_tables *tables, uint32_t *keeper, uint32_t n,
    const struct sh_edge *edge, size_t m, const uint32_t *rank, struct sh_error *err);

/* size[k] = number of nodes of keeper k's group, 0 for nodes that keep nothing. */
void sh_group_sizes(uint32_t *size, const uint32_t *keeper, uint32_t n);

/* weakest[k] = index of the weakest edge inside keeper k's group, SIZE_MAX when it
 * has none: the lowest similarity when edges know it, else the largest distance;
 * among equals the one with the lower ends, so that the order of the edges does not
 * matter. Under star links only edges that touch the keeper count. */
void sh_group_weakest(size_t *weakest, const uint32_t *keeper, uint32_t n,
    const struct sh_edge *edge, size_t m, int star);

#endif
