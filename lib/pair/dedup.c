#include "pair/dedup.h"

#include <stdlib.h>

#include "base/siphash.h"
#include "fp/features.h"
#include "io/parallel.h"
#include "pair/group.h"
#include "pair/join.h"
#include "pair/smalljoin.h"

enum { BATCH = 1 << 19, STRETCH = 256, FEATURES_MAX = UINT16_MAX };

/* A pair of vertices to be looked at. */
struct candidate {
	uint32_t a, b;
	uint16_t distance, similarity;
	bool passes;
};

struct worker {
	struct sh_dedup *dedup;
	struct sh_verifier *verifier;
	struct sh_document_room room[2];
	uint32_t *first; /* of the sets of one fingerprint, the best document of each */
	size_t first_cap;
};

struct sh_dedup {
	struct sh_dedup_opts opts;
	unsigned words;
	struct sh_dedup_stats stats;
	struct worker *worker;
	void **workers;

	/* by document */
	uint64_t *fp, *rank;
	uint16_t *features; /* at most FEATURES_MAX are counted */
	bool *is_protected;
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

	struct candidate *candidate;
	size_t n_candidates;
	struct sh_edge *edge;
	size_t n_edges, edge_cap;
};

/* ---- documents ---- */

struct sh_dedup *sh_dedup_new(const struct sh_dedup_opts *opts, struct sh_error *err)
{
	struct sh_dedup *d = calloc(1, sizeof *d);

	if (!d) {
		sh_error_nomem(err);
		return NULL;
	}
	d->opts = *opts;
	d->opts.how.memory /= opts->jobs;
	d->words = SH_FP_WORDS(opts->bits);
	return d;
}

void sh_dedup_delete(struct sh_dedup *d)
{
	if (!d)
		return;
	for (unsigned i = 0; d->worker && i < d->opts.jobs; i++) {
		sh_verifier_delete(d->worker[i].verifier);
		sh_document_room_free(&d->worker[i].room[0]);
		sh_document_room_free(&d->worker[i].room[1]);
		free(d->worker[i].first);
	}
	free(d->worker);
	free(d->workers);
	free(d->fp);
	free(d->rank);
	free(d->features);
	free(d->is_protected);
	free(d->same);
	free(d->keeper);
	free(d->order);
	free(d->node);
	free(d->node_fp);
	free(d->vertex);
	free(d->candidate);
	free(d->edge);
	free(d);
}

int sh_dedup_add(struct sh_dedup *d, const uint64_t *fp, size_t features, uint64_t rank,
    bool is_protected, struct sh_error *err)
{
	size_t n = d->n + 1;

	if (n * d->words > d->fp_cap &&
	    sh_grow((void **)&d->fp, &d->fp_cap, n * d->words, sizeof *d->fp, err) < 0)
		return -1;
	if (n > d->rank_cap &&
	    sh_grow((void **)&d->rank, &d->rank_cap, n, sizeof *d->rank, err) < 0)
		return -1;
	if (n > d->features_cap &&
	    sh_grow((void **)&d->features, &d->features_cap, n, sizeof *d->features, err) < 0)
		return -1;
	if (n > d->protected_cap && sh_grow((void **)&d->is_protected, &d->protected_cap, n,
					sizeof *d->is_protected, err) < 0)
		return -1;
	memcpy(d->fp + d->n * d->words, fp, d->words * sizeof *fp);
	d->rank[d->n] = rank;
	d->features[d->n] = features < FEATURES_MAX ? (uint16_t)features : FEATURES_MAX;
	d->is_protected[d->n] = is_protected;
	d->stats.documents++;
	d->stats.featureless += features == 0;
	d->n = n;
	return 0;
}

static const uint64_t *fp_of(const struct sh_dedup *d, uint32_t document)
{
	return d->fp + (size_t)document * d->words;
}

static int better(const struct sh_dedup *d, uint32_t x, uint32_t y)
{
	if (d->is_protected[x] != d->is_protected[y])
		return d->is_protected[x] ? -1 : 1;
	if (d->rank[x] != d->rank[y])
		return d->rank[x] < d->rank[y] ? -1 : 1;
	return (x > y) - (x < y);
}

static int by_fingerprint(const void *a, const void *b, void *arg)
{
	const struct sh_dedup *d = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const uint64_t *p = fp_of(d, x), *q = fp_of(d, y);

	for (unsigned i = 0; i < d->words; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return better(d, x, y);
}

static int allocate(struct sh_dedup *d, struct sh_error *err)
{
	size_t n = d->n + 1;

	d->same = malloc(n * sizeof *d->same);
	d->keeper = malloc(n * sizeof *d->keeper);
	d->order = malloc(n * sizeof *d->order);
	d->node = malloc(n * sizeof *d->node);
	d->node_fp = malloc(n * d->words * sizeof *d->node_fp);
	d->candidate = malloc(BATCH * sizeof *d->candidate);
	d->worker = calloc(d->opts.jobs, sizeof *d->worker);
	d->workers = calloc(d->opts.jobs, sizeof *d->workers);
	if (!d->same || !d->keeper || !d->order || !d->node || !d->node_fp || !d->candidate ||
	    !d->worker || !d->workers)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < d->opts.jobs; i++) {
		d->worker[i].dedup = d;
		d->worker[i].verifier = sh_verifier_new(&d->opts.how, err);
		if (!d->worker[i].verifier)
			return -1;
		d->workers[i] = &d->worker[i];
	}
	return 0;
}

static void find_nodes(struct sh_dedup *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		if (d->features[i])
			d->order[d->n_order++] = i;
	qsort_r(d->order, d->n_order, sizeof *d->order, by_fingerprint, d);
	for (size_t i = 0; i < d->n_order; i++) {
		const uint64_t *fp = fp_of(d, d->order[i]);
		uint64_t *last = d->node_fp + d->n_nodes * d->words;

		if (i && memcmp(last - d->words, fp, d->words * sizeof *fp) == 0)
			continue;
		memcpy(last, fp, d->words * sizeof *fp);
		d->node[d->n_nodes++] = (uint32_t)i;
	}
	d->node[d->n_nodes] = (uint32_t)d->n_order;
}

/* ---- identical sets ---- */

static int same_set(struct worker *w, uint32_t x, uint32_t y, bool *same, struct sh_error *err)
{
	const struct sh_corpus *corpus = w->dedup->opts.how.corpus;
	struct sh_document a, b;
	struct sh_similarity s;

	*same = true;
	if (!w->dedup->opts.verify)
		return 0;
	if (sh_corpus_document(corpus, x, &w->room[0], &a, err) < 0 ||
	    sh_corpus_document(corpus, y, &w->room[1], &b, err) < 0)
		return -1;
	if (sh_slice_eq(a.text, b.text))
		return 0;
	if (sh_verify(w->verifier, x, y, &s, err) < 0)
		return -1;
	*same = sh_similarity_reaches(&s, 1, 1);
	return 0;
}

static int part_node(struct worker *w, size_t node, struct sh_error *err)
{
	struct sh_dedup *d = w->dedup;
	size_t n = 0;

	for (uint32_t i = d->node[node]; i < d->node[node + 1]; i++) {
		uint32_t doc = d->order[i];
		bool same = false;
		size_t f = 0;

		for (; f < n && !same; f += !same)
			if (same_set(w, w->first[f], doc, &same, err) < 0)
				return -1;
		if (!same) {
			if (n == w->first_cap && sh_grow((void **)&w->first, &w->first_cap, n + 1,
						     sizeof *w->first, err) < 0)
				return -1;
			w->first[n++] = doc;
		}
		d->same[doc] = w->first[f];
	}
	return 0;
}

static int part_nodes(void *worker, size_t from, size_t to, struct sh_error *err)
{
	for (size_t i = from; i < to; i++)
		if (part_node(worker, i, err) < 0)
			return -1;
	return 0;
}

/* From here on node[] counts vertices. */
static int number_vertices(struct sh_dedup *d, struct sh_error *err)
{
	size_t i = 0, n = 0;

	for (size_t k = 0; k < d->n_order; k++)
		n += d->same[d->order[k]] == d->order[k];
	d->vertex = malloc(n * sizeof *d->vertex + 1);
	if (!d->vertex)
		return sh_error_nomem(err);
	for (size_t node = 0; node < d->n_nodes; node++) {
		size_t end = d->node[node + 1];

		d->node[node] = d->n_vertices;
		for (; i < end; i++) {
			if (d->same[d->order[i]] != d->order[i])
				continue;
			d->keeper[d->order[i]] = d->n_vertices;
			d->vertex[d->n_vertices++] = d->order[i];
		}
	}
	d->node[d->n_nodes] = d->n_vertices;
	d->stats.identical = d->n_order - n;
	return 0;
}

/* ---- candidates ---- */

static int by_ends(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	return (x->b > y->b) - (x->b < y->b);
}

static int verify_some(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct worker *w = worker;
	struct sh_dedup *d = w->dedup;
	struct sh_similarity s;

	for (size_t i = from; i < to; i++) {
		struct candidate *c = &d->candidate[i];

		if (sh_verify(w->verifier, d->vertex[c->a], d->vertex[c->b], &s, err) < 0)
			return -1;
		c->similarity = (uint16_t)sh_similarity_round(&s);
		c->passes = sh_similarity_reaches(&s, d->opts.threshold, 1000000);
	}
	return 0;
}

static int add_edge(struct sh_dedup *d, const struct candidate *c, struct sh_error *err)
{
	d->stats.similar++;
	/* Neither may go, so neither is the other's. */
	if (d->is_protected[d->vertex[c->a]] && d->is_protected[d->vertex[c->b]])
		return 0;
	if (d->n_edges == d->edge_cap &&
	    sh_grow((void **)&d->edge, &d->edge_cap, d->n_edges + 1, sizeof *d->edge, err) < 0)
		return -1;
	d->edge[d->n_edges++] = (struct sh_edge){ c->a, c->b, c->distance, c->similarity };
	return 0;
}

static void tell(const struct sh_dedup *d, const struct candidate *c)
{
	uint32_t x = d->vertex[c->a], y = d->vertex[c->b];
	struct sh_seen_pair pair = { x < y ? x : y, x < y ? y : x, c->distance, c->similarity };

	d->opts.seen(d->opts.arg, &pair);
}

/* Verify the batch. In order of documents, so that their features are made once. */
static int flush(struct sh_dedup *d, struct sh_error *err)
{
	size_t n = d->n_candidates;

	d->n_candidates = 0;
	if (d->opts.verify) {
		qsort(d->candidate, n, sizeof *d->candidate, by_ends);
		if (sh_parallel(d->workers, d->opts.jobs, n, STRETCH, verify_some, err) < 0)
			return -1;
	}
	d->stats.compared += n;
	for (size_t i = 0; i < n; i++) {
		const struct candidate *c = &d->candidate[i];

		if (d->opts.seen)
			tell(d, c);
		if (c->passes && add_edge(d, c, err) < 0)
			return -1;
	}
	if (d->opts.progress)
		d->opts.progress(d->opts.arg, &d->stats);
	return 0;
}

static int add_candidate(
    struct sh_dedup *d, uint32_t a, uint32_t b, unsigned distance, struct sh_error *err)
{
	d->candidate[d->n_candidates++] = (struct candidate){ a < b ? a : b, a < b ? b : a,
		(uint16_t)distance, SH_EDGE_NONE, true };
	return d->n_candidates == BATCH ? flush(d, err) : 0;
}

/* ---- where candidates come from ---- */

static int add_hits(void *arg, const struct sh_hit *hit, size_t n, struct sh_error *err)
{
	struct sh_dedup *d = arg;

	for (; n; n--, hit++)
		for (uint32_t a = d->node[hit->a]; a < d->node[hit->a + 1]; a++)
			for (uint32_t b = d->node[hit->b]; b < d->node[hit->b + 1]; b++)
				if (add_candidate(d, a, b, hit->distance, err) < 0)
					return -1;
	return 0;
}

/* Different sets that have one fingerprint. */
static int add_within_nodes(struct sh_dedup *d, struct sh_error *err)
{
	for (size_t node = 0; node < d->n_nodes; node++)
		for (uint32_t a = d->node[node]; a < d->node[node + 1]; a++)
			for (uint32_t b = a + 1; b < d->node[node + 1]; b++)
				if (add_candidate(d, a, b, 0, err) < 0)
					return -1;
	return 0;
}

static int add_within_k(struct sh_dedup *d, struct sh_error *err)
{
	struct sh_join *join = sh_join_new(d->opts.bits, d->opts.k, NULL, err);
	int status = join ? sh_join_self(join, d->node_fp, d->n_nodes, add_hits, d, err) : -1;

	sh_join_delete(join);
	return status;
}

struct small {
	struct sh_dedup *dedup;
	struct sh_small_sets sets;
	uint32_t *vertex; /* of each set */
	size_t cap;
};

static int add_small_pair(void *arg, uint32_t a, uint32_t b, struct sh_error *err)
{
	struct small *s = arg;
	struct sh_dedup *d = s->dedup;
	uint32_t x = s->vertex[a], y = s->vertex[b];
	unsigned distance =
	    sh_fp_distance(fp_of(d, d->vertex[x]), fp_of(d, d->vertex[y]), d->words);

	/* Those within k are found by their fingerprints. */
	return distance > d->opts.k ? add_candidate(d, x, y, distance, err) : 0;
}

/* Those of few features, and those that can reach the threshold with one of them. */
static int gather_small(struct small *s, struct sh_features *features, struct sh_error *err)
{
	struct sh_dedup *d = s->dedup;
	uint64_t limit = (d->opts.few - 1) * UINT64_C(1000000) / d->opts.threshold;
	struct sh_document_room *room = &d->worker[0].room[0];
	struct sh_feature_set set;
	struct sh_document doc;

	for (uint32_t v = 0; v < d->n_vertices; v++) {
		if (d->features[d->vertex[v]] > limit)
			continue;
		if (sh_corpus_document(d->opts.how.corpus, d->vertex[v], room, &doc, err) < 0 ||
		    sh_features_of(features, doc.text, &set, err) < 0)
			return -1;
		if (s->sets.n == s->cap && sh_grow((void **)&s->vertex, &s->cap, s->sets.n + 1,
					       sizeof *s->vertex, err) < 0)
			return -1;
		s->vertex[s->sets.n] = v;
		if (sh_small_add(&s->sets, set.hash, set.n, err) < 0)
			return -1;
		d->stats.small += set.n < d->opts.few;
	}
	return 0;
}

static int add_small(struct sh_dedup *d, struct sh_error *err)
{
	struct small s = { .dedup = d };
	struct sh_features *features;
	uint64_t key[2];
	int status = -1;

	if (!d->opts.verify || !d->opts.few || !d->opts.threshold)
		return 0;
	if (sh_random_key(key, err) < 0)
		return -1;
	features = sh_features_new(&d->opts.how.token, d->opts.how.ngrams, key, err);
	if (features && gather_small(&s, features, err) == 0)
		status =
		    sh_small_join(&s.sets, d->opts.threshold, d->opts.few, add_small_pair, &s, err);
	sh_features_delete(features);
	sh_small_free(&s.sets);
	free(s.vertex);
	return status;
}

/* ---- groups ---- */

static int best_first(const void *a, const void *b, void *arg)
{
	const struct sh_dedup *d = arg;

	return better(d, d->vertex[*(const uint32_t *)a], d->vertex[*(const uint32_t *)b]);
}

/* From keepers of vertices to those of documents; keeper[] holds the vertex of those that
 * have one. In two passes, for a document's vertex is looked up through another's entry. */
static void keep(struct sh_dedup *d, const uint32_t *keeper_vertex)
{
	for (uint32_t i = 0; i < d->n; i++)
		if (d->features[i] && d->same[i] != i)
			d->keeper[i] = d->keeper[d->same[i]];
	for (uint32_t i = 0; i < d->n; i++)
		d->keeper[i] = d->features[i] && !d->is_protected[i]
				   ? d->vertex[keeper_vertex[d->keeper[i]]]
				   : i;
}

static int group(struct sh_dedup *d, struct sh_error *err)
{
	uint32_t n = d->n_vertices;
	uint32_t *order = malloc(n * sizeof *order + 1), *rank = malloc(n * sizeof *rank + 1),
		 *keeper = malloc(n * sizeof *keeper + 1);
	int status = order && rank && keeper ? 0 : sh_error_nomem(err);

	for (uint32_t i = 0; status == 0 && i < n; i++)
		order[i] = i;
	if (status == 0)
		qsort_r(order, n, sizeof *order, best_first, d);
	for (uint32_t i = 0; status == 0 && i < n; i++)
		rank[order[i]] = i;
	if (status == 0)
		status = (d->opts.single ? sh_group_single : sh_group_star)(
		    keeper, n, d->edge, d->n_edges, rank, err);
	if (status == 0)
		keep(d, keeper);
	free(order);
	free(rank);
	free(keeper);
	return status;
}

int sh_dedup_run(struct sh_dedup *d, struct sh_error *err)
{
	if (allocate(d, err) < 0)
		return -1;
	find_nodes(d);
	if (sh_parallel(d->workers, d->opts.jobs, d->n_nodes, STRETCH, part_nodes, err) < 0 ||
	    number_vertices(d, err) < 0 || add_within_nodes(d, err) < 0 ||
	    add_within_k(d, err) < 0 || add_small(d, err) < 0 || flush(d, err) < 0)
		return -1;
	return group(d, err);
}

const uint32_t *sh_dedup_keepers(const struct sh_dedup *d)
{
	return d->keeper;
}

const struct sh_dedup_stats *sh_dedup_stats(const struct sh_dedup *d)
{
	return &d->stats;
}

int sh_dedup_compare(struct sh_dedup *d, uint32_t a, uint32_t b, unsigned *distance,
    struct sh_similarity *s, struct sh_error *err)
{
	*distance = sh_fp_distance(fp_of(d, a), fp_of(d, b), d->words);
	return d->opts.verify ? sh_verify(d->worker[0].verifier, a, b, s, err) : 0;
}
