/* What the parts of pair/dedup.c share, in the order in which it is found. Of no use to others. */
#ifndef SH_PAIR_DEDUP_STATE_H
#define SH_PAIR_DEDUP_STATE_H

#include "base/compare.h"
#include "fp/fingerprint.h"
#include "pair/dedup.h"
#include "pair/fpsort.h"
#include "pair/group.h"

enum {
	SH_DEDUP_BATCH = 1 << 19, /* candidates at a time, at the most */
	SH_DEDUP_FEATURES_MAX = UINT16_MAX,
};

/* A pair of vertices to be looked at. */
struct sh_candidate {
	uint32_t a, b;
	uint16_t distance, similarity;
	bool passes;
};

struct sh_dedup_worker {
	struct sh_dedup *dedup;
	struct sh_verifier *verifier;
	struct sh_document_room room[2];
	uint32_t *first; /* of the sets of one fingerprint, the best document of each */
	size_t first_cap;
	struct sh_join *join;
};

struct sh_dedup {
	struct sh_dedup_opts opts;
	unsigned words;
	struct sh_dedup_stats stats;
	struct sh_dedup_worker *worker;
	void **workers;

	/* by document */
	uint64_t *fp;
	uint64_t *rank;     /* NULL as long as all are 0 */
	uint16_t *features; /* at most SH_DEDUP_FEATURES_MAX are counted */
	bool *is_protected; /* NULL as long as none is */
	size_t n, fp_cap, rank_cap, features_cap, protected_cap;
	uint32_t *same;   /* the document that stands for all of its fingerprint and features */
	uint32_t *keeper; /* at first: its vertex */

	/* documents with features by fingerprint, the best first; a node is a fingerprint */
	uint32_t *order;
	size_t n_order;
	uint32_t *node; /* where in order each begins, then where in vertex */
	size_t n_nodes;
	uint64_t *node_fp;

	uint32_t *vertex; /* its document */
	uint32_t n_vertices;

	struct sh_dedup_parts *parts; /* while they are joined, see dedup_join.c */
	struct sh_candidate *candidate;
	size_t n_candidates, batch;
	struct sh_edge *edge;
	size_t n_edges, edge_cap;
};

/* Its fingerprint. */
static inline const uint64_t *sh_dedup_fp(const struct sh_dedup *d, uint32_t document)
{
	return d->fp + (size_t)document * d->words;
}

static inline bool sh_dedup_protects(const struct sh_dedup *d, uint32_t document)
{
	return d->is_protected && d->is_protected[document];
}

/* Which of two documents stays: negative for x, positive for y. */
static inline int sh_dedup_better(const struct sh_dedup *d, uint32_t x, uint32_t y)
{
	if (sh_dedup_protects(d, x) != sh_dedup_protects(d, y))
		return sh_dedup_protects(d, x) ? -1 : 1;
	if (d->rank && d->rank[x] != d->rank[y])
		return d->rank[x] < d->rank[y] ? -1 : 1;
	return sh_compare(x, y);
}

/* dedup_vertices.c: documents to nodes, nodes to vertices. */
int sh_dedup_find_vertices(struct sh_dedup *d, struct sh_error *err);

/* dedup_join.c: which vertices may be alike: those of one fingerprint, and those within k. */
int sh_dedup_join_equal(struct sh_dedup *d, struct sh_error *err);
int sh_dedup_join_near(struct sh_dedup *d, struct sh_error *err);

/* dedup_small.c: and those of few features. */
int sh_dedup_join_small(struct sh_dedup *d, struct sh_error *err);

/* dedup_verify.c: candidates, by vertex, to edges, a batch at a time. */
int sh_candidates_add(
    struct sh_dedup *d, uint32_t a, uint32_t b, unsigned distance, struct sh_error *err);
int sh_candidates_flush(struct sh_dedup *d, struct sh_error *err);

#endif
