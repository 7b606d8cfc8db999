/* The state that the files lib/group/dedup*.c share, in the order of computation. */
#ifndef SH_GROUP_DEDUP_STATE_H
#define SH_GROUP_DEDUP_STATE_H

#include "group/dedup.h"
#include "group/group.h"
#include "group/smalljoin.h"
#include "join/fpsort.h"
#include "join/pairsort.h"
#include "join/share.h"
#include "record/fingerprint.h"

enum {
	SH_DEDUP_BATCH = 1 << 19,       /* most candidates held at once */
	SH_DEDUP_LARGE_BATCH = 1 << 23, /* the same when sh_corpus.reads */
	/* the same for chains, where links make later candidates redundant */
	SH_DEDUP_LINKS = 1 << 14,
};

#define SH_UNDECIDED UINT32_MAX /* not yet known whether the vertex stays */

/* A pair of vertices to be compared. */
struct sh_candidate {
	uint32_t a, b;
	uint32_t item; /* dedup_star.c: index of the item that the result decides */
	uint16_t distance, similarity;
	bool passes; /* reaches the threshold */
};

/* Some of the vertices, to be joined with each other or with another subset. */
struct sh_subset {
	uint32_t *vertex; /* ascending; NULL: 0 .. n-1 */
	uint32_t n;
	/* by node: index of its first vertex; node[n_nodes]: the end; NULL: not computed */
	uint32_t *node;
	uint64_t *fp; /* of each node, packed */
	size_t n_nodes;
};

static inline uint32_t sh_subset_vertex(const struct sh_subset *c, uint32_t i)
{
	return c->vertex ? c->vertex[i] : i;
}

/* The vertices of few features or few tokens, as sets to be joined by their elements. */
struct sh_dedup_small {
	struct sh_small_sets sets;
	uint32_t *vertex; /* by set, ascending */
	size_t cap;
	/* the Jaccard similarity, in millionths, that sets of duplicates reach */
	uint64_t threshold;
};

struct sh_dedup_worker {
	struct sh_dedup *dedup;
	struct sh_verifier *verifier;
	struct sh_document_room room[2];
	uint32_t *first; /* scratch: best document of each feature set of one fingerprint */
	size_t first_cap;
};

/* A row of sh_dedup.partner. */
struct sh_partners {
	uint64_t begin, end;
};

/* Receives a candidate pair of vertices, in one thread at a time. Returning -1 stops the join. */
typedef int sh_dedup_on_pair(
    struct sh_dedup *d, uint32_t a, uint32_t b, unsigned distance, struct sh_error *err);

struct sh_dedup {
	struct sh_dedup_opts opts;
	unsigned words;
	struct sh_dedup_stats stats;
	struct sh_dedup_worker *worker;

	/* by document */
	uint64_t *fp;
	uint64_t *rank;     /* NULL while all ranks are 0 */
	uint64_t *digest;   /* with keys; else NULL */
	uint16_t *features; /* number of features: sh_dedup_features() */
	bool *is_protected; /* NULL while no document is protected */
	size_t n, n_digests, fp_cap, rank_cap, digest_cap, features_cap, protected_cap;
	uint32_t *same;   /* the best document with the same fingerprint and features */
	uint32_t *keeper; /* the document's keeper; until the end of the run its vertex */

	/* by vertex; vertices are numbered by fingerprint, for stars by keys by document */
	struct sh_subset all;
	uint32_t *vertex;   /* its document */
	uint32_t *place;    /* position among all vertices, the best 0 */
	uint32_t *at_place; /* by place: the vertex; chains reuse it as likely.parent */
	/* the vertex itself when it stays; the vertex of which it is a duplicate; or
	 * SH_UNDECIDED */
	uint32_t *vertex_keeper;
	uint32_t n_vertices;

	/* Short documents as sets of their features, and as bags of their tokens. */
	struct sh_dedup_small small, bags;

	/* dedup_share.c: samples of documents; then, by vertex, the better vertices with common
	 * features */
	struct sh_share share;
	struct sh_bag *bag; /* by document: bags exclude candidates; NULL: none is excluded */
	size_t bag_cap;
	struct sh_partners *partners;
	uint32_t *partner;
	size_t n_partners, partner_cap;
	bool *is_member; /* by vertex: it belongs to the subset being joined */

	struct sh_buckets *buckets; /* dedup_keys.c; NULL: fingerprints make the candidates */
	bool finds_vertices; /* sh_dedup_join_keys() finds vertices; false: places, for stars */

	sh_dedup_on_pair *on_pair;

	/* candidates; verified: the first one that the workers verify now */
	struct sh_candidate *candidate, *verified;
	size_t n_candidates, batch;
	struct sh_edge *edge;
	size_t n_edges, edge_cap;
	struct sh_union chains, likely; /* linked by verified pairs; by pairs under verification */

	/* dedup_star.c: pairs of a join, as places: worse << 32 | better */
	struct sh_pairs pairs;
	size_t pairs_limit;
	bool too_many; /* the join found more pairs than fit */
};

/* Returns the fingerprint of a document. */
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

/* dedup_vertices.c: documents to vertices, vertices to places. */
int sh_dedup_find_vertices(struct sh_dedup *d, struct sh_error *err);
int sh_dedup_find_places(struct sh_dedup *d, struct sh_error *err);

/* dedup_subset.c: sh_subset_pick() picks the vertices of `from` whose places are lo .. hi-1: with
 * `stay` the vertices that stay, otherwise the undecided vertices. sh_subset_find_nodes() computes
 * the nodes unless they are known. The last two functions free the nodes, and the whole subset. */
int sh_subset_pick(struct sh_dedup *d, const struct sh_subset *from, uint32_t lo, uint32_t hi,
    bool stay, struct sh_subset *to, struct sh_error *err);
int sh_subset_find_nodes(struct sh_dedup *d, struct sh_subset *c, struct sh_error *err);
void sh_subset_put_nodes(struct sh_dedup *d, struct sh_subset *c);
void sh_subset_put(struct sh_dedup *d, struct sh_subset *c);

/* dedup_join.c: passes each candidate pair to d->on_pair. b NULL: pairs within a. Otherwise pairs
 * have a vertex of each subset; the subsets must share no vertex. Candidates have one fingerprint,
 * or are within k, or share a key (dedup_keys.c), or have few features (dedup_small.c), or share
 * features (dedup_share.c). A pair may come more than once. */
int sh_dedup_join(
    struct sh_dedup *d, struct sh_subset *a, struct sh_subset *b, struct sh_error *err);

/* dedup_small.c: makes d->small and d->bags, once; passes their pairs that the join by keys or
 * distance does not find. */
int sh_dedup_gather_small(struct sh_dedup *d, struct sh_error *err);
int sh_dedup_join_small(
    struct sh_dedup *d, const struct sh_subset *a, const struct sh_subset *b, struct sh_error *err);

/* dedup_keys.c: returns whether n vertices of few features are joined by their features. */
bool sh_dedup_joins_small(const struct sh_dedup *d, size_t n);
/* Returns whether the join by keys or distance that precedes the join of feature sets finds the
 * pair of vertices. */
bool sh_dedup_has_found(const struct sh_dedup *d, uint32_t x, uint32_t y, unsigned distance);
/* Passes the pairs that share a key to d->on_pair. */
int sh_dedup_join_keys(
    struct sh_dedup *d, const struct sh_subset *a, const struct sh_subset *b, struct sh_error *err);

/* dedup_share.c: lists the vertices that share sampled features, once; passes their pairs to
 * d->on_pair. */
int sh_dedup_gather_shared(struct sh_dedup *d, struct sh_error *err);
int sh_dedup_join_shared(
    struct sh_dedup *d, const struct sh_subset *a, const struct sh_subset *b, struct sh_error *err);

/* dedup_verify.c: sorts the candidates by vertex, so that features are computed once; sets `passes`
 * of n candidates, with all workers; decides all vertices of d->all. */
int sh_dedup_sort(struct sh_dedup *d, struct sh_error *err);
int sh_dedup_verify(
    struct sh_dedup *d, struct sh_candidate *candidate, size_t n, struct sh_error *err);
int sh_dedup_all_pairs(struct sh_dedup *d, struct sh_error *err);

/* dedup_star.c: decides all vertices, and compares only the pairs that decide about stars;
 * sh_dedup_add_pairs() adds pairs to d->pairs, in their form. */
int sh_dedup_stars(struct sh_dedup *d, struct sh_error *err);
int sh_dedup_add_pairs(struct sh_dedup *d, const uint64_t *pair, size_t n, struct sh_error *err);

#endif
