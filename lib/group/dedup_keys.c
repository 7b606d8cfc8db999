/* Candidates by shared keys, for inputs so large that a join by distance takes too long. */
#include <string.h>

#include "group/dedup_state.h"
#include "io/parallel.h"

/* sh_bucket_join.near of joins that find pairs of vertices. */
enum { NEAR = 32 };

/* With keys, vertices of few features are joined by their features only when there are at most
 * FEW_MAX of them. */
enum { FEW_MAX = 1 << 20 };

int sh_dedup_use_keys(struct sh_dedup *d, unsigned n, struct sh_error *err)
{
	struct sh_bucket_opts opts = { n, d->opts.memory, d->opts.jobs, d->opts.tables };

	d->buckets = sh_buckets_new(&opts, err);
	return d->buckets ? 0 : -1;
}

void sh_dedup_pack_keys(
    const struct sh_dedup *d, const uint64_t *key, const struct sh_key_block *to, size_t i)
{
	sh_buckets_pack(d->buckets, key, to, i);
}

int sh_dedup_add_keys(struct sh_dedup *d, const uint64_t *digest, const struct sh_key_block *key,
    size_t n, struct sh_error *err)
{
	size_t all = d->n_digests + n;

	if (all > d->digest_cap && sh_tables_grow(d->opts.tables, (void **)&d->digest,
				       &d->digest_cap, all, sizeof *d->digest, err) < 0)
		return -1;
	memcpy(d->digest + d->n_digests, digest, n * sizeof *digest);
	d->n_digests = all;
	return sh_buckets_add(d->buckets, key, n, err);
}

int sh_dedup_help(struct sh_dedup *d, struct sh_error *err)
{
	return d->buckets ? sh_buckets_help(d->buckets, err) : 0;
}

bool sh_dedup_joins_small(const struct sh_dedup *d, size_t n)
{
	return !d->buckets || n <= FEW_MAX;
}

/* Returns the number of a vertex in the pairs: the vertex itself, or its place for stars. */
static uint32_t number_of(const struct sh_dedup *d, uint32_t v)
{
	return d->finds_vertices ? v : d->place[v];
}

bool sh_dedup_has_found(const struct sh_dedup *d, uint32_t x, uint32_t y, unsigned distance)
{
	return d->buckets ? sh_buckets_found(d->buckets, number_of(d, x), number_of(d, y))
			  : distance <= d->opts.k;
}

static uint32_t vertex_of(const struct sh_dedup *d, uint32_t number)
{
	return d->finds_vertices ? number : d->at_place[number];
}

/* Sets the numbers of documents for sh_bucket_join. */
struct numbering {
	const struct sh_dedup *dedup;
	const struct sh_subset *subset;
	uint32_t *number; /* by document; SH_BUCKETS_NONE when its vertex is in no subset */
};

static void number_none(void *arg, size_t from, size_t to)
{
	const struct numbering *g = arg;

	memset(g->number + from, 0xff, (to - from) * sizeof *g->number);
}

static void number_some(void *arg, size_t from, size_t to)
{
	const struct numbering *g = arg;
	const struct sh_dedup *d = g->dedup;

	for (size_t i = from; i < to; i++) {
		uint32_t v = sh_subset_vertex(g->subset, (uint32_t)i);

		g->number[d->vertex[v]] = number_of(d, v);
	}
}

static int number_documents(const struct sh_dedup *d, const struct sh_subset *a,
    const struct sh_subset *b, uint32_t *number, struct sh_error *err)
{
	struct numbering g = { d, a, number };
	unsigned jobs = d->opts.jobs;

	if (sh_parallel_each(jobs, d->n, number_none, &g, err) < 0 ||
	    sh_parallel_each(jobs, a->n, number_some, &g, err) < 0)
		return -1;
	g.subset = b;
	return b ? sh_parallel_each(jobs, b->n, number_some, &g, err) : 0;
}

static uint32_t least_number(const struct sh_dedup *d, const struct sh_subset *c)
{
	uint32_t least = SH_BUCKETS_NONE;

	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t x = number_of(d, sh_subset_vertex(c, i));

		least = x < least ? x : least;
	}
	return least;
}

static int pass_pairs(struct sh_dedup *d, const uint64_t *pair, size_t n, struct sh_error *err)
{
	if (!d->finds_vertices && !d->is_protected)
		return sh_dedup_add_pairs(d, pair, n, err);
	for (size_t i = 0; i < n; i++) {
		uint32_t a = vertex_of(d, (uint32_t)pair[i]);
		uint32_t b = vertex_of(d, (uint32_t)(pair[i] >> 32));
		unsigned distance = 0;

		if (d->finds_vertices)
			distance = sh_fp_distance(
			    sh_dedup_fp(d, d->vertex[a]), sh_dedup_fp(d, d->vertex[b]), d->words);
		if (d->on_pair(d, a, b, distance, err) < 0)
			return -1;
	}
	return 0;
}

int sh_dedup_join_keys(
    struct sh_dedup *d, const struct sh_subset *a, const struct sh_subset *b, struct sh_error *err)
{
	struct sh_bucket_join join = { .limit = SIZE_MAX };
	uint32_t *number = sh_tables_get(d->opts.tables, d->n, sizeof *number, err);
	const uint64_t *pair;
	size_t n;
	int got;

	if (!number)
		return -1;
	if (number_documents(d, a, b, number, err) < 0) {
		sh_tables_put(d->opts.tables, number);
		return -1;
	}
	join.number = number;
	join.split = b ? least_number(d, b) : 0;
	if (d->finds_vertices)
		join.near = NEAR;
	else
		join.limit = d->pairs_limit;
	got = sh_buckets_pairs(d->buckets, &join, &pair, &n, err);
	sh_tables_put(d->opts.tables, number);
	if (got == 0)
		d->too_many = true;
	return got > 0 ? pass_pairs(d, pair, n, err) : -1;
}
