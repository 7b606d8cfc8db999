#include <stdlib.h>

#include "io/parallel.h"
#include "pair/dedup_state.h"

enum { STRETCH = 256 };

/* ---- nodes ---- */

/* Of documents with the same first word: by the others, then the best first. */
static int by_fingerprint(const void *arg, uint32_t x, uint32_t y)
{
	const struct sh_dedup *d = arg;
	const uint64_t *p = sh_dedup_fp(d, x), *q = sh_dedup_fp(d, y);

	for (unsigned i = 1; i < d->words; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return sh_dedup_better(d, x, y);
}

/* d->order, from documents that have features. */
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
	sh_side_sort(&s.side, &s.room, by_fingerprint, d);
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
	d->node = sh_tables_get(tables, n + 1, sizeof *d->node, err);
	d->node_fp = d->node ? sh_tables_get(tables, n * d->words, sizeof *d->node_fp, err) : NULL;
	if (!d->node_fp)
		return -1;
	for (size_t i = 0; i < d->n_order; i++) {
		if (!begins_node(d, i))
			continue;
		memcpy(d->node_fp + d->n_nodes * d->words, sh_dedup_fp(d, d->order[i]),
		    d->words * sizeof *d->fp);
		d->node[d->n_nodes++] = (uint32_t)i;
	}
	d->node[d->n_nodes] = (uint32_t)d->n_order;
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

static int part_node(struct sh_dedup_worker *w, size_t node, struct sh_error *err)
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
	d->vertex = sh_tables_get(d->opts.tables, n, sizeof *d->vertex, err);
	if (!d->vertex)
		return -1;
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
	sh_tables_put(d->opts.tables, d->order);
	d->order = NULL;
	return 0;
}

int sh_dedup_find_vertices(struct sh_dedup *d, struct sh_error *err)
{
	if (find_nodes(d, err) < 0 ||
	    sh_parallel(d->workers, d->opts.jobs, d->n_nodes, STRETCH, part_nodes, err) < 0)
		return -1;
	return number_vertices(d, err);
}
