#include <stdlib.h>

#include "base/compare.h"
#include "base/hmap.h"
#include "group/dedup_state.h"
#include "io/parallel.h"

enum {
	STRETCH = 256,
	FEW = 4, /* sets of one fingerprint that are compared one by one */
};

/* Compares two documents: negative when x stays, positive when y stays. */
static int better(const struct sh_dedup *d, uint32_t x, uint32_t y)
{
	if (sh_dedup_protects(d, x) != sh_dedup_protects(d, y))
		return sh_dedup_protects(d, x) ? -1 : 1;
	if (d->rank && d->rank[x] != d->rank[y])
		return d->rank[x] < d->rank[y] ? -1 : 1;
	return sh_compare(x, y);
}

/* ---- nodes ---- */

/* Orders documents with the same first word: by the other words, then the best first. */
static int by_fingerprint(const void *arg, uint32_t x, uint32_t y)
{
	const struct sh_dedup *d = arg;
	const uint64_t *p = sh_dedup_fp(d, x), *q = sh_dedup_fp(d, y);

	for (unsigned i = 1; i < d->words; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return better(d, x, y);
}

/* Fills d->order with the documents that have features. */
static int order_documents(struct sh_dedup *d, struct sh_error *err)
{
	struct sh_sorted s;
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->n; i++)
		d->n_order += d->features[i] > 0;
	if (sh_sorted_get(&s, d->opts.tables, d->n_order, err) < 0)
		return -1;
	for (uint32_t i = 0; i < d->n; i++) {
		if (!d->features[i])
			continue;
		s.side.word[n] = *sh_dedup_fp(d, i);
		s.side.id[n++] = i;
	}
	if (sh_side_sort_by(d->opts.jobs, &s.side, &s.room, by_fingerprint, d, err) < 0) {
		sh_sorted_put(&s, d->opts.tables);
		return -1;
	}
	d->order = s.side.id;
	s.side.id = NULL;
	sh_sorted_put(&s, d->opts.tables);
	return 0;
}

static bool begins_node(const struct sh_dedup *d, size_t i)
{
	return i == 0 || memcmp(sh_dedup_fp(d, d->order[i - 1]), sh_dedup_fp(d, d->order[i]),
			     d->words * sizeof *d->fp) != 0;
}

static int find_nodes(struct sh_dedup *d, struct sh_error *err)
{
	struct sh_tables *tables = d->opts.tables;
	size_t n = 0;

	if (order_documents(d, err) < 0)
		return -1;
	for (size_t i = 0; i < d->n_order; i++)
		n += begins_node(d, i);
	d->all.node = sh_tables_get(tables, n + 1, sizeof *d->all.node, err);
	d->all.fp =
	    d->all.node ? sh_tables_get(tables, n * d->words, sizeof *d->all.fp, err) : NULL;
	if (!d->all.fp)
		return -1;
	for (size_t i = 0; i < d->n_order; i++) {
		if (!begins_node(d, i))
			continue;
		memcpy(d->all.fp + d->all.n_nodes * d->words, sh_dedup_fp(d, d->order[i]),
		    d->words * sizeof *d->fp);
		d->all.node[d->all.n_nodes++] = (uint32_t)i;
	}
	d->all.node[d->all.n_nodes] = (uint32_t)d->n_order;
	return 0;
}

/* ---- identical sets ---- */

static int same_set(
    struct sh_dedup_worker *w, uint32_t x, uint32_t y, bool *same, struct sh_error *err)
{
	const struct sh_corpus *corpus = w->dedup->opts.how.corpus;
	struct sh_document a, b;
	struct sh_similarity s;

	*same = true;
	if (!w->dedup->opts.verify ||
	    (w->dedup->digest && w->dedup->digest[x] == w->dedup->digest[y]))
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

/* The sets of one fingerprint found so far, each with its best document. */
struct sets {
	size_t n;           /* number of elements of worker->first */
	struct sh_hmap map; /* later sets by digest, n - FEW of them; made when there is one */
};

/* Searches the first sets by comparing with each: most nodes have no more sets. */
static int find_early(struct sh_dedup_worker *w, const struct sets *s, uint32_t doc, size_t *at,
    bool *same, struct sh_error *err)
{
	size_t n = s->n < FEW ? s->n : FEW;

	*same = false;
	for (*at = 0; *at < n; ++*at) {
		if (same_set(w, w->first[*at], doc, same, err) < 0)
			return -1;
		if (*same)
			break;
	}
	return 0;
}

static int add_set(struct sh_dedup_worker *w, struct sets *s, uint32_t doc, struct sh_error *err)
{
	if (s->n == w->first_cap &&
	    sh_grow((void **)&w->first, &w->first_cap, s->n + 1, sizeof *w->first, err) < 0)
		return -1;
	w->first[s->n++] = doc;
	return 0;
}

/* Searches the later sets by digest. Two sets have practically never the same digest. */
static int find_late(struct sh_dedup_worker *w, struct sets *s, uint32_t doc, size_t *at,
    bool *same, struct sh_error *err)
{
	uint64_t digest;
	uint32_t i;
	bool fresh;

	if (sh_verifier_digest(w->verifier, doc, &digest, err) < 0 ||
	    (s->n == FEW && !s->map.keys && sh_hmap_init(&s->map, err) < 0) ||
	    sh_hmap_put(&s->map, sh_slice((const char *)&digest, sizeof digest), &i, &fresh, err) <
		0)
		return -1;
	*at = FEW + i;
	return fresh ? 0 : same_set(w, w->first[*at], doc, same, err);
}
static int part_node(struct sh_dedup_worker *w, size_t node, struct sh_error *err)
{
	struct sh_dedup *d = w->dedup;
	struct sets s = { 0 };
	int status = 0;

	for (uint32_t i = d->all.node[node]; status == 0 && i < d->all.node[node + 1]; i++) {
		uint32_t doc = d->order[i];
		bool same;
		size_t at;

		status = find_early(w, &s, doc, &at, &same, err);
		if (status == 0 && !same && s.n >= FEW)
			status = find_late(w, &s, doc, &at, &same, err);
		if (status == 0 && !same && at == s.n)
			status = add_set(w, &s, doc, err);
		if (status == 0)
			d->same[doc] = same ? w->first[at] : doc;
	}
	sh_hmap_free(&s.map);
	return status;
}

static int part_nodes(void *worker, size_t from, size_t to, struct sh_error *err)
{
	for (size_t i = from; i < to; i++)
		if (part_node(worker, i, err) < 0)
			return -1;
	return 0;
}

/* Numbers the vertices. From here on node[] counts vertices. */
static int number_vertices(struct sh_dedup *d, struct sh_error *err)
{
	size_t i = 0, n = 0;

	for (size_t k = 0; k < d->n_order; k++)
		n += d->same[d->order[k]] == d->order[k];
	d->vertex = sh_tables_get(d->opts.tables, n, sizeof *d->vertex, err);
	if (!d->vertex)
		return -1;
	for (size_t node = 0; node < d->all.n_nodes; node++) {
		size_t end = d->all.node[node + 1];

		d->all.node[node] = d->n_vertices;
		for (; i < end; i++) {
			if (d->same[d->order[i]] != d->order[i])
				continue;
			d->keeper[d->order[i]] = d->n_vertices;
			d->vertex[d->n_vertices++] = d->order[i];
		}
	}
	d->all.node[d->all.n_nodes] = d->all.n = d->n_vertices;
	d->stats.identical = d->n_order - n;
	if (d->buckets)
		sh_subset_put_nodes(d, &d->all);
	sh_tables_put(d->opts.tables, d->digest);
	d->digest = NULL;
	sh_tables_put(d->opts.tables, d->order);
	d->order = NULL;
	return 0;
}

int sh_dedup_find_vertices(struct sh_dedup *d, struct sh_error *err)
{
	if (find_nodes(d, err) < 0 || sh_parallel(d->worker, sizeof *d->worker, d->opts.jobs,
					  d->all.n_nodes, STRETCH, part_nodes, err) < 0)
		return -1;
	return number_vertices(d, err);
}

/* ---- places ---- */

/* Without ranks, the lower number is better. Places vertices in the order of their documents, the protected
 * ones first. */
static void place_by_number(struct sh_dedup *d)
{
	uint32_t at = 0;

	for (int protected = 1; protected >= 0; protected --)
		for (uint32_t i = 0; i < d->n; i++)
			if (d->features[i] && d->same[i] == i &&
			    sh_dedup_protects(d, i) == protected)
				d->at_place[at++] = d->keeper[i];
}

static int by_documents(const void *arg, uint32_t x, uint32_t y)
{
	const struct sh_dedup *d = arg;

	return better(d, d->vertex[x], d->vertex[y]);
}

static int place_by_ranks(struct sh_dedup *d, struct sh_error *err)
{
	struct sh_sorted s;
	uint32_t n = d->n_vertices;

	if (sh_sorted_get(&s, d->opts.tables, n, err) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		s.side.word[i] = sh_dedup_protects(d, d->vertex[i]) ? 0 : d->rank[d->vertex[i]];
		s.side.id[i] = i;
	}
	sh_side_sort(&s.side, &s.room, by_documents, d);
	memcpy(d->at_place, s.side.id, n * sizeof *d->at_place);
	sh_sorted_put(&s, d->opts.tables);
	return 0;
}

int sh_dedup_find_places(struct sh_dedup *d, struct sh_error *err)
{
	struct sh_tables *tables = d->opts.tables;

	d->place = sh_tables_get(tables, d->n_vertices, sizeof *d->place, err);
	d->at_place =
	    d->place ? sh_tables_get(tables, d->n_vertices, sizeof *d->at_place, err) : NULL;
	d->vertex_keeper = d->at_place
			       ? sh_tables_get(tables, d->n_vertices, sizeof *d->vertex_keeper, err)
			       : NULL;
	if (!d->vertex_keeper)
		return -1;
	if (!d->rank)
		place_by_number(d);
	else if (place_by_ranks(d, err) < 0)
		return -1;
	for (uint32_t i = 0; i < d->n_vertices; i++)
		d->place[d->at_place[i]] = i;
	return 0;
}
