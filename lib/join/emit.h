/* Converts pairs of nodes to pairs of ids. A node is a distinct fingerprint with the ids of its
 * records (join/nodes.h). */
#ifndef SH_JOIN_EMIT_H
#define SH_JOIN_EMIT_H

#include "io/pool.h"
#include "join/join.h"
#include "join/nodes.h"

/* Adds the line of a pair of ids to job->out. Returns 0, or -1 to stop. */
typedef int sh_pair_fn(struct sh_job *job, struct sh_slice id1, struct sh_slice id2,
    unsigned distance, struct sh_error *err);

/* The same for n pairs at once. SH_NODE_IDS_PAD bytes beyond each id are readable. */
struct sh_id_pair {
	struct sh_slice id1, id2;
	unsigned distance;
};

typedef int sh_pairs_fn(
    struct sh_job *job, const struct sh_id_pair *pair, size_t n, struct sh_error *err);

/* Receives n pairs whose ids are words; see sh_id_word_length(). */
struct sh_word_pair {
	uint64_t id1, id2;
	unsigned distance;
};

typedef int sh_word_pairs_fn(
    struct sh_job *job, const struct sh_word_pair *pair, size_t n, struct sh_error *err);

/* How the pairs of a join of nodes a with nodes b are written; b may be a. The order of the pairs
 * does not depend on the join's threads. out: see sh_join_set_out().
 *
 * same_set: b is a, or both are partitions of one set. Then id1 < id2 by bytes, and two records
 * with the same id are no pair. Otherwise id1 is from a and id2 from b.
 *
 * collapse: only the smallest id of a node is paired with ids of other nodes. With two sets this
 * holds for b alone, so that every id of a is paired. */
struct sh_emit {
	struct sh_nodes *a, *b;
	bool collapse;
	sh_pair_fn *pair;
	struct sh_job *out;
	bool same_set;
	sh_pairs_fn *pairs;      /* may be NULL: each pair goes to `pair` */
	sh_word_pairs_fn *words; /* may be NULL; needs `pairs` */
};

/* Joins the nodes of e->a with themselves, or with the nodes of e->b, and writes the pairs. Both
 * functions may reorder and collapse the nodes, so call sh_emit_identical() first. */
int sh_emit_self(const struct sh_emit *e, struct sh_join *j, struct sh_error *err);
int sh_emit_cross(const struct sh_emit *e, struct sh_join *j, struct sh_error *err);

/* Writes the pairs at distance 0 within each node of e->a. With collapse, pairs each id with the
 * smallest one only. */
int sh_emit_identical(const struct sh_emit *e, struct sh_join *j, struct sh_error *err);

#endif
