#include <stdlib.h>

#include "pair/dedup_state.h"

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
	d->features[d->n] =
	    features < SH_DEDUP_FEATURES_MAX ? (uint16_t)features : SH_DEDUP_FEATURES_MAX;
	d->is_protected[d->n] = is_protected;
	d->stats.documents++;
	d->stats.featureless += features == 0;
	d->n = n;
	return 0;
}

void sh_dedup_leave_out(struct sh_dedup *d, uint32_t document)
{
	d->features[document] = 0;
}

const uint64_t *sh_dedup_fingerprint(const struct sh_dedup *d, uint32_t document)
{
	return sh_dedup_fp(d, document);
}

bool sh_dedup_is_protected(const struct sh_dedup *d, uint32_t document)
{
	return d->is_protected[document];
}

static int allocate(struct sh_dedup *d, struct sh_error *err)
{
	size_t n = d->n + 1;

	d->same = malloc(n * sizeof *d->same);
	d->keeper = malloc(n * sizeof *d->keeper);
	d->order = malloc(n * sizeof *d->order);
	d->node = malloc(n * sizeof *d->node);
	d->node_fp = malloc(n * d->words * sizeof *d->node_fp);
	d->candidate = malloc(SH_DEDUP_BATCH * sizeof *d->candidate);
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

/* ---- groups ---- */

static int best_first(const void *a, const void *b, void *arg)
{
	const struct sh_dedup *d = arg;

	return sh_dedup_better(d, d->vertex[*(const uint32_t *)a], d->vertex[*(const uint32_t *)b]);
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
	if (sh_dedup_find_vertices(d, err) < 0 || sh_dedup_join_equal(d, err) < 0 ||
	    sh_dedup_join_near(d, err) < 0 || sh_dedup_join_small(d, err) < 0 ||
	    sh_candidates_flush(d, err) < 0)
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
	*distance = sh_fp_distance(sh_dedup_fp(d, a), sh_dedup_fp(d, b), d->words);
	return d->opts.verify ? sh_verify(d->worker[0].verifier, a, b, s, err) : 0;
}
