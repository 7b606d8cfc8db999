#include <stdlib.h>

#include "fp/features.h"
#include "group/dedup_state.h"

static int gather_one(
    struct sh_dedup *d, uint32_t v, struct sh_features *features, struct sh_error *err)
{
	struct sh_feature_set set;
	struct sh_document doc;

	if (sh_corpus_document(d->opts.how.corpus, d->vertex[v], &d->worker[0].room[0], &doc, err) <
		0 ||
	    sh_features_of(features, doc.text, &set, err) < 0)
		return -1;
	if (d->small.n == d->small_cap &&
	    sh_tables_grow(d->opts.tables, (void **)&d->small_vertex, &d->small_cap, d->small.n + 1,
		sizeof *d->small_vertex, err) < 0)
		return -1;
	d->small_vertex[d->small.n] = v;
	d->stats.small += set.n < d->opts.few;
	return sh_small_add(&d->small, set.hash, set.n, err);
}

/* Those of few features, and those that can reach the threshold with one of them. */
int sh_dedup_gather_small(struct sh_dedup *d, struct sh_error *err)
{
	struct sh_features *features = sh_verifier_features(d->worker[0].verifier);
	uint64_t limit;

	d->small.tables = d->opts.tables;
	if (!d->opts.verify || !d->opts.few || !d->opts.threshold)
		return 0;
	limit = (d->opts.few - 1) * UINT64_C(1000000) / d->opts.threshold;
	for (uint32_t v = 0; v < d->n_vertices; v++)
		if (d->features[d->vertex[v]] <= limit && gather_one(d, v, features, err) < 0)
			return -1;
	return sh_small_order(&d->small, err);
}

static int take_small(void *arg, uint32_t a, uint32_t b, struct sh_error *err)
{
	struct sh_dedup *d = arg;
	uint32_t x = d->small_vertex[a], y = d->small_vertex[b];
	unsigned distance =
	    sh_fp_distance(sh_dedup_fp(d, d->vertex[x]), sh_dedup_fp(d, d->vertex[y]), d->words);

	/* Those within k are found by their fingerprints. */
	return distance > d->opts.k ? d->take(d, x, y, distance, err) : 0;
}

/* The sets of a cohort's vertices. */
static int find_part(
    struct sh_dedup *d, const struct sh_cohort *c, struct sh_small_part *part, struct sh_error *err)
{
	size_t most = c->n < d->small.n ? c->n : d->small.n;

	*part = (struct sh_small_part){ .set = sh_tables_get(
					    d->opts.tables, most, sizeof *part->set, err) };
	if (!part->set)
		return -1;
	for (uint32_t i = 0, s = 0; i < c->n && s < d->small.n;) {
		uint32_t v = sh_cohort_vertex(c, i), w = d->small_vertex[s];

		if (v == w)
			part->set[part->n++] = s;
		i += v <= w;
		s += w <= v;
	}
	return 0;
}

int sh_dedup_join_small(
    struct sh_dedup *d, const struct sh_cohort *a, const struct sh_cohort *b, struct sh_error *err)
{
	struct sh_small_part x = { 0 }, y = { 0 };
	int status = -1;

	if (d->small.n == 0)
		return 0;
	if (find_part(d, a, &x, err) == 0 && (!b || find_part(d, b, &y, err) == 0))
		status = sh_small_join(&d->small, &x, b ? &y : NULL, d->opts.threshold, d->opts.few,
		    take_small, d, err);
	sh_tables_put(d->opts.tables, x.set);
	sh_tables_put(d->opts.tables, y.set);
	return status;
}
