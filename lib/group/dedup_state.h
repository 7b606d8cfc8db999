/* The state that the files lib/group/dedup*.c share, in the order of its computation. */
#ifndef SH_GROUP_DEDUP_STATE_H
#define SH_GROUP_DEDUP_STATE_H

#include "group/dedup.h"
#include "group/group.h"
#include "group/smalljoin.h"
#include "join/fpsort.h"
#include "join/share.h"
#include "record/fingerprint.h"

enum {
	SH_DEDUP_BATCH = 1 << 19, /* candidates held at once, at most */
	SH_DEDUP_LINKS = 1 << 14, /* the same for chains, which make later candidates redundant */
	SH_DEDUP_FEATURES_MAX = UINT16_MAX,
};

#define SH_UNDECIDED UINT32_MAX /* not known yet whether the vertex stays */

/* A pair of vertices to be compared. */
struct sh_candidate {
	uint32_t a, b;
	uint32_t item; /* see dedup_star.c */
	uint16_t distance, similarity;
	bool passes;
};

/* Some of the vertices, which are joined with themselves or with others. */
struct sh_subset {
	uint32_t *vertex; /* ascending; NULL: 0 .. n-1 */
	uint32_t n;
	uint32_t *node; /* by node: its first place in vertex; NULL: not computed */
	uint64_t *fp;   /* of each node */
	size_t n_nodes;
};

static inline uint32_t sh_subset_vertex(const struct sh_subset *c, uint32_t i)
{
	return c->vertex ? c->vertex[i] : i;
}

/* The vertices of few features, or of few tokens, to be joined by these. */
struct sh_dedup_small {
	struct sh_small_sets sets;
	uint32_t *vertex; /* by set, ascending */
	size_t cap;
	uint64_t
	    threshold; /* the Jaccard similarity of sets that may be duplicates, in millionths */
};

struct sh_dedup_worker {
	struct sh_dedup *dedup;
	struct sh_verifier *verifier;
	struct sh_document_room room[2];
	uint32_t *first; /* of the sets of one fingerprint, the best document of each */
	size_t first_cap;
	struct sh_join *join;
};

/* Takes a candidate pair of vertices, from one thread at a time. Returning -1 stops the join. */
typedef int sh_dedup_take(
    struct sh_dedup *d, uint32_t a, uint32_t b, unsigned distance, struct sh_error *err);

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
	struct sh_subset all; /* its nodes begin in order, then in vertex */

	/* by vertex, which are numbered by fingerprint */
	uint32_t *vertex;   /* its document */
	uint32_t *place;    /* among all, the best 0 */
	uint32_t *at_place; /* the vertex there; of chains the parents of `likely` */
	uint32_t *
	    vertex_keeper; /* itself: it stays; another: it is a duplicate of that; or SH_UNDECIDED */
	uint32_t n_vertices;

	/* Short documents as sets of their features, and as bags of their tokens. */
	struct sh_dedup_small small, bags;

	/* dedup_share.c: samples of documents; then, by vertex, the better ones it shares features
	 * with: partner[partner_end[v]] .. partner[partner_end[v + 1] - 1] */
	struct sh_share share;
	uint64_t *partner_end;
	uint32_t *partner;
	size_t n_partners, partner_cap;
	bool *is_member; /* by vertex, of the subset that is joined */

	struct sh_dedup_parts *parts; /* while they are joined, see dedup_join.c */
	sh_dedup_take *take;

	struct sh_candidate *candidate, *verified; /* those by the workers at present */
	size_t n_candidates, batch;
	struct sh_edge *edge;
	size_t n_edges, edge_cap;
	struct sh_union chains, likely; /* dedup_verify.c */

	/* dedup_star.c: pairs of a join, as places: worse << 32 | better */
	uint64_t *pair;
	size_t n_pairs, pair_cap, pairs_limit;
	bool too_many; /* there were more than that */
};

/* The fingerprint of a document. */
static inline const uint64_t *sh_dedup_fp(const struct sh_dedup *d, uint32_t document)
{
	return d->fp + (size_t)document * d->words;
}

static inline bool sh_dedup_protects(const struct sh_dedup *d, uint32_t document)
{
	return d->is_protected && d->is_protected[document];
}

/* Returns whether both vertices are protected. Neither can be dropped, so their pair is ignored. */
static inline bool sh_dedup_both_protected(const struct sh_dedup *d, uint32_t x, uint32_t y)
{
	return sh_dedup_protects(d, d->vertex[x]) && sh_dedup_protects(d, d->vertex[y]);
}

/* dedup_vertices.c: documents to nodes, nodes to vertices, vertices to places. */
int sh_dedup_find_vertices(struct sh_dedup *d, struct sh_error *err);
int sh_dedup_find_places(struct sh_dedup *d, struct sh_error *err);

/* dedup_subset.c: sh_subset_pick() picks the vertices of `from` whose places are lo .. hi-1: with
 * `stay` the ones that stay, otherwise the ones that may still be dropped. sh_subset_find_nodes()
 * computes the nodes unless they are known. The last two functions free the nodes, and all. */
int sh_subset_pick(struct sh_dedup *d, const struct sh_subset *from, uint32_t lo, uint32_t hi,
    bool stay, struct sh_subset *to, struct sh_error *err);
int sh_subset_find_nodes(struct sh_dedup *d, struct sh_subset *c, struct sh_error *err);
void sh_subset_put_nodes(struct sh_dedup *d, struct sh_subset *c);
void sh_subset_put(struct sh_dedup *d, struct sh_subset *c);

/* dedup_join.c: passes each candidate pair to d->take. b NULL: pairs within a. Otherwise pairs have
 * a vertex of each subset; the subsets must share no vertex. Candidates have one fingerprint, or
 * are within k, or have few features (dedup_small.c), or share features (dedup_share.c). A pair may
 * come more than once. */
int sh_dedup_join(
    struct sh_dedup *d, struct sh_subset *a, struct sh_subset *b, struct sh_error *err);
int sh_dedup_gather_small(struct sh_dedup *d, struct sh_error *err);
int sh_dedup_join_small(
    struct sh_dedup *d, const struct sh_subset *a, const struct sh_subset *b, struct sh_error *err);

/* dedup_share.c: the same of pairs that share sampled features. */
int sh_dedup_gather_shared(struct sh_dedup *d, struct sh_error *err);
int sh_dedup_join_shared(
    struct sh_dedup *d, const struct sh_subset *a, const struct sh_subset *b, struct sh_error *err);

/* dedup_verify.c: candidates in order of their vertices, so that features are made once; whether
 * each of n passes, by all workers; looks at all pairs of d->all. */
void sh_dedup_sort(struct sh_dedup *d);
int sh_dedup_verify(
    struct sh_dedup *d, struct sh_candidate *candidate, size_t n, struct sh_error *err);
int sh_dedup_all_pairs(struct sh_dedup *d, struct sh_error *err);

/* dedup_star.c: decides all vertices, and compares only the pairs that decide about stars. */
int sh_dedup_stars(struct sh_dedup *d, struct sh_error *err);

#endif
