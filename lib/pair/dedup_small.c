#include <stdlib.h>

#include "fp/features.h"
#include "pair/dedup_state.h"
#include "pair/smalljoin.h"

struct small {
	struct sh_dedup *dedup;
	struct sh_features *features; /* a verifier's */
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
	    sh_fp_distance(sh_dedup_fp(d, d->vertex[x]), sh_dedup_fp(d, d->vertex[y]), d->words);

	/* Those within k are found by their fingerprints. */
	return distance > d->opts.k ? sh_candidates_add(d, x, y, distance, err) : 0;
}

static int gather_one(struct small *s, uint32_t v, struct sh_error *err)
{
	struct sh_dedup *d = s->dedup;
	struct sh_document_room *room = &d->worker[0].room[0];
	struct sh_feature_set set;
	struct sh_document doc;

	if (sh_corpus_document(d->opts.how.corpus, d->vertex[v], room, &doc, err) < 0 ||
	    sh_features_of(s->features, doc.text, &set, err) < 0)
		return -1;
	if (s->sets.n == s->cap && sh_tables_grow(d->opts.tables, (void **)&s->vertex, &s->cap,
				       s->sets.n + 1, sizeof *s->vertex, err) < 0)
		return -1;
	s->vertex[s->sets.n] = v;
	d->stats.small += set.n < d->opts.few;
	return sh_small_add(&s->sets, set.hash, set.n, err);
}

/* Those of few features, and those that can reach the threshold with one of them. */
static int gather(struct small *s, struct sh_error *err)
{
	struct sh_dedup *d = s->dedup;
	uint64_t limit = (d->opts.few - 1) * UINT64_C(1000000) / d->opts.threshold;

	for (uint32_t v = 0; v < d->n_vertices; v++)
		if (d->features[d->vertex[v]] <= limit && gather_one(s, v, err) < 0)
			return -1;
	return 0;
}

int sh_dedup_join_small(struct sh_dedup *d, struct sh_error *err)
{
	struct small s = { .dedup = d, .sets = { .tables = d->opts.tables } };
	int status = -1;

	if (!d->opts.verify || !d->opts.few || !d->opts.threshold)
		return 0;
	s.features = sh_verifier_features(d->worker[0].verifier);
	if (gather(&s, err) == 0)
		status =
		    sh_small_join(&s.sets, d->opts.threshold, d->opts.few, add_small_pair, &s, err);
	sh_small_free(&s.sets);
	sh_tables_put(d->opts.tables, s.vertex);
	return status;
}
