/* From pairs of nodes to pairs of ids. */
#ifndef SH_JOIN_EMIT_H
#define SH_JOIN_EMIT_H

#include "join/join.h"
#include "join/nodes.h"

/* Receives a pair of ids; 0 or -1. */
typedef int sh_pair_fn(
    void *arg, struct sh_slice id1, struct sh_slice id2, unsigned distance, struct sh_error *err);

/* The same, many at a time, for who can make use of it. SH_NODE_IDS_PAD bytes behind each id may be
 * read. */
struct sh_id_pair {
	struct sh_slice id1, id2;
	unsigned distance;
};

typedef int sh_pairs_fn(void *arg, const struct sh_id_pair *pair, size_t n, struct sh_error *err);

/* The same, of ids that are words (sh_id_of_word()), as spelled ones are. */
struct sh_word_pair {
	uint64_t id1, id2;
	unsigned distance;
};

typedef int sh_word_pairs_fn(
    void *arg, const struct sh_word_pair *pair, size_t n, struct sh_error *err);

/* What becomes of the hits of a join of `a` with b, which may be a itself.
 *
 * Within one set (b is a, or both are parts of it): id1 < id2 by bytes; one and the
 * same id is no pair. Across two sets: id1 from a, id2 from b. collapse: of a node's
 * ids only the smallest takes part in pairs with other nodes; across, on b's side
 * alone, so that every new id is told of. */
struct sh_emit {
	struct sh_nodes *a, *b;
	bool collapse;
	sh_pair_fn *pair;
	void *arg;
	bool same_set;
	sh_pairs_fn *pairs;      /* may be NULL: all come one by one */
	sh_word_pairs_fn *words; /* may be NULL; else pairs are there as well */
};

/* Join the nodes of e->a with themselves, or with those of e->b, and give their pairs. It may
 * reorder the nodes, and collapse them: sh_emit_identical() comes before. */
int sh_emit_self(const struct sh_emit *e, struct sh_join *j, struct sh_error *err);
int sh_emit_cross(const struct sh_emit *e, struct sh_join *j, struct sh_error *err);

/* The pairs at distance 0 within a's nodes: all, or with collapse the smallest id with
 * each other. */
int sh_emit_identical(const struct sh_emit *e, struct sh_error *err);

#endif
