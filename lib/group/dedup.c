#include <stdlib.h>

#include "group/dedup_state.h"
#include "io/parallel.h"

enum { PAIRS = 1 << 16 }; /* about the number that a few hundred documents can have */

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
	d->opts.how.threshold = opts->threshold;
	d->opts.how.edit_threshold = opts->edit_threshold;
	d->opts.how.exact = opts->seen != NULL;
	if (!d->opts.memory)
		d->opts.memory = SIZE_MAX;
	if (!d->opts.pairs)
		d->opts.pairs = PAIRS;
	d->words = SH_FP_WORDS(opts->bits);
	return d;
}

static void delete_worker(struct sh_dedup_worker *w)
{
	sh_verifier_delete(w->verifier);
	sh_document_room_free(&w->room[0]);
	sh_document_room_free(&w->room[1]);
	free(w->first);
}

void sh_dedup_delete(struct sh_dedup *d)
{
	struct sh_tables *tables;

	if (!d)
		return;
	tables = d->opts.tables;
	for (unsigned i = 0; d->worker && i < d->opts.jobs; i++)
		delete_worker(&d->worker[i]);
	free(d->worker);
	free(d->candidate);
	sh_tables_put(tables, d->fp);
	sh_tables_put(tables, d->rank);
	sh_tables_put(tables, d->features);
	sh_tables_put(tables, d->digest);
	sh_tables_put(tables, d->is_protected);
	sh_tables_put(tables, d->same);
	sh_tables_put(tables, d->keeper);
	sh_subset_put(d, &d->all);
	sh_tables_put(tables, d->vertex);
	sh_tables_put(tables, d->place);
	sh_tables_put(tables, d->at_place);
	sh_tables_put(tables, d->vertex_keeper);
	sh_small_free(&d->small.sets);
	sh_tables_put(tables, d->small.vertex);
	sh_small_free(&d->bags.sets);
	sh_tables_put(tables, d->bags.vertex);
	sh_share_free(&d->share);
	sh_tables_put(tables, d->bag);
	sh_buckets_delete(d->buckets);
	sh_tables_put(tables, d->partners);
	sh_tables_put(tables, d->partner);
	sh_tables_put(tables, d->is_member);
	sh_tables_put(tables, d->edge);
	sh_tables_put(tables, d->pairs.pair);
	free(d);
}

/* Reserves n elements of a column of documents. A column that begins late is 0 for all earlier
 * documents: most runs need no ranks and no protected documents. */
static int reserve(
    struct sh_dedup *d, void **column, size_t *cap, size_t n, size_t size, struct sh_error *err)
{
	bool begins = !*column;

	if (n > *cap && sh_tables_grow(d->opts.tables, column, cap, n, size, err) < 0)
		return -1;
	if (begins)
		memset(*column, 0, n * size);
	return 0;
}

/* Appends n documents to a column. from NULL: they are 0. */
static int append(struct sh_dedup *d, void **column, size_t *cap, const void *from, size_t n,
    size_t size, struct sh_error *err)
{
	char *to;

	if (reserve(d, column, cap, d->n + n, size, err) < 0)
		return -1;
	to = (char *)*column + d->n * size;
	if (from)
		memcpy(to, from, n * size);
	else
		memset(to, 0, n * size);
	return 0;
}

int sh_dedup_add(struct sh_dedup *d, const struct sh_dedup_block *b, struct sh_error *err)
{
	if (append(d, (void **)&d->fp, &d->fp_cap, b->fp, b->n, d->words * sizeof *d->fp, err) <
		0 ||
	    append(d, (void **)&d->features, &d->features_cap, b->features, b->n,
		sizeof *d->features, err) < 0)
		return -1;
	if ((b->rank || d->rank) &&
	    append(d, (void **)&d->rank, &d->rank_cap, b->rank, b->n, sizeof *d->rank, err) < 0)
		return -1;
	if ((b->is_protected || d->is_protected) &&
	    append(d, (void **)&d->is_protected, &d->protected_cap, b->is_protected, b->n,
		sizeof *d->is_protected, err) < 0)
		return -1;
	for (size_t i = 0; b->fp && i < b->n; i++)
		d->stats.featureless += b->features[i] == 0;
	d->stats.documents += b->n;
	d->n += b->n;
	return 0;
}

void sh_dedup_describe(struct sh_dedup *d, uint32_t document, const uint64_t *fp, size_t features)
{
	memcpy(d->fp + document * d->words, fp, d->words * sizeof *fp);
	d->features[document] = sh_dedup_features(features);
	d->stats.featureless += features == 0;
}

void sh_dedup_set_rank(struct sh_dedup *d, uint32_t document, uint64_t rank)
{
	d->rank[document] = rank;
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
	return sh_dedup_protects(d, document);
}

static int allocate(struct sh_dedup *d, struct sh_error *err)
{
	struct sh_tables *tables = d->opts.tables;
	size_t most = d->opts.single && !d->opts.seen ? SH_DEDUP_LINKS : SH_DEDUP_BATCH;

	/* Each batch may read all files. */
	if (most == SH_DEDUP_BATCH && d->opts.how.corpus->reads)
		most = SH_DEDUP_LARGE_BATCH;

	d->batch = d->opts.memory / 8 / sizeof *d->candidate;
	d->batch = d->batch < most ? d->batch + 1 : most;
	d->same = sh_tables_get(tables, d->n, sizeof *d->same, err);
	d->keeper = sh_tables_get(tables, d->n, sizeof *d->keeper, err);
	if (!d->same || !d->keeper)
		return -1;
	d->candidate = malloc(d->batch * sizeof *d->candidate);
	d->worker = calloc(d->opts.jobs, sizeof *d->worker);
	if (!d->candidate || !d->worker)
		return sh_error_nomem(err);
	d->opts.how.decide = !d->opts.seen;
	for (unsigned i = 0; i < d->opts.jobs; i++) {
		d->worker[i].dedup = d;
		d->worker[i].verifier = sh_verifier_new(&d->opts.how, err);
		if (!d->worker[i].verifier)
			return -1;
	}
	return 0;
}

/* ---- keepers of documents ---- */

static uint32_t document_keeper(const struct sh_dedup *d, uint32_t document, uint32_t vertex)
{
	return sh_dedup_protects(d, document) ? document : d->vertex[d->vertex_keeper[vertex]];
}

/* Documents that another one represents: keeper[] holds the vertices of these. */
static void keep_represented(void *arg, size_t from, size_t to)
{
	struct sh_dedup *d = arg;

	for (uint32_t i = (uint32_t)from; i < to; i++)
		if (d->features[i] && d->same[i] != i)
			d->keeper[i] = document_keeper(d, i, d->keeper[d->same[i]]);
}

static void keep_others(void *arg, size_t from, size_t to)
{
	struct sh_dedup *d = arg;

	for (uint32_t i = (uint32_t)from; i < to; i++)
		if (!d->features[i] || d->same[i] == i)
			d->keeper[i] = i;
}

static void drop_vertices(void *arg, size_t from, size_t to)
{
	struct sh_dedup *d = arg;

	for (uint32_t v = (uint32_t)from; v < to; v++)
		if (d->vertex_keeper[v] != v)
			d->keeper[d->vertex[v]] = document_keeper(d, d->vertex[v], v);
}

/* Computes the keepers of documents from the keepers of vertices. keeper[] first holds the vertex
 * of each document that represents one. Most documents are their own keepers, and few are visited
 * at random. */
static int keep(struct sh_dedup *d, struct sh_error *err)
{
	unsigned jobs = d->opts.jobs;

	if (sh_parallel_each(jobs, d->n, keep_represented, d, err) < 0 ||
	    sh_parallel_each(jobs, d->n, keep_others, d, err) < 0)
		return -1;
	return sh_parallel_each(jobs, d->n_vertices, drop_vertices, d, err);
}

int sh_dedup_run(struct sh_dedup *d, struct sh_error *err)
{
	bool all_pairs = d->opts.single || d->opts.seen;

	d->finds_vertices = all_pairs;
	if (allocate(d, err) < 0)
		return -1;
	if (sh_dedup_find_vertices(d, err) < 0 || sh_dedup_find_places(d, err) < 0 ||
	    sh_dedup_gather_small(d, err) < 0 || sh_dedup_gather_shared(d, err) < 0)
		return -1;
	if (all_pairs ? sh_dedup_all_pairs(d, err) < 0 : sh_dedup_stars(d, err) < 0)
		return -1;
	return keep(d, err);
}

const uint32_t *sh_dedup_keepers(const struct sh_dedup *d)
{
	return d->keeper;
}

const struct sh_dedup_stats *sh_dedup_stats(const struct sh_dedup *d)
{
	return &d->stats;
}

int sh_dedup_compare(struct sh_dedup *d, unsigned thread, uint32_t a, uint32_t b,
    unsigned *distance, struct sh_similarity *s, struct sh_error *err)
{
	*distance = sh_fp_distance(sh_dedup_fp(d, a), sh_dedup_fp(d, b), d->words);
	/* The ends of a chain may have a similarity below the threshold. */
	sh_verifier_be_exact(d->worker[thread].verifier);
	return d->opts.verify ? sh_verify(d->worker[thread].verifier, a, b, s, err) : 0;
}
