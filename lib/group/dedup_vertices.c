#include <stdlib.h>

#include "base/compare.h"
#include "base/hmap.h"
#include "group/dedup_state.h"
#include "io/parallel.h"

enum {
	STRETCH = 256,
	FEW = 4, /* the first FEW feature sets of a fingerprint are compared one by one */
};

/* Orders two documents, the better one first. */
static int better(const struct sh_dedup *d, uint32_t x, uint32_t y)
{
	if (sh_dedup_protects(d, x) != sh_dedup_protects(d, y))
		return sh_dedup_protects(d, x) ? -1 : 1;
	if (d->rank && d->rank[x] != d->rank[y])
		return d->rank[x] < d->rank[y] ? -1 : 1;
	return sh_compare(x, y);
}

/* ---- documents by fingerprint ---- */

/* Orders documents whose fingerprints have the same first word: by the other words, then the best
 * document first. */
static int by_fingerprint(const void *arg, uint32_t x, uint32_t y)
{
	const struct sh_dedup *d = arg;
	const uint64_t *p = sh_dedup_fp(d, x), *q = sh_dedup_fp(d, y);

	for (unsigned i = 1; i < d->words; i++)
		if (p[i] != q[i])
			return p[i] < q[i] ? -1 : 1;
	return better(d, x, y);
}

/* The documents that have features, ordered by fingerprint, then the best first. `sorted` holds the
 * first word of each fingerprint and the document's number. */
struct ordered {
	struct sh_dedup *dedup;
	struct sh_sorted sorted;
};

static size_t select_documents(void *arg, size_t from, size_t to, size_t at)
{
	const struct ordered *o = arg;
	const struct sh_dedup *d = o->dedup;
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		if (!d->features[i])
			continue;
		if (at != SH_COUNT_ONLY) {
			d->same[i] = (uint32_t)i;
			o->sorted.side.word[at + n] = *sh_dedup_fp(d, (uint32_t)i);
			o->sorted.side.id[at + n] = (uint32_t)i;
		}
		n++;
	}
	return n;
}

static int order_documents(struct ordered *o, struct sh_error *err)
{
	struct sh_dedup *d = o->dedup;
	struct sh_selection s = {
		.threads = d->opts.jobs, .n = d->n, .fn = select_documents, .arg = o
	};

	if (sh_selection_count(&s, err) < 0)
		return -1;
	if (sh_sorted_get(&o->sorted, d->opts.tables, s.found, err) < 0) {
		sh_selection_free(&s);
		return -1;
	}
	if (sh_selection_fill(&s, err) < 0 || sh_side_sort_by(d->opts.jobs, &o->sorted.side,
						  &o->sorted.room, by_fingerprint, d, err) < 0)
		return -1;
	sh_sorted_put_room(&o->sorted, d->opts.tables);
	return 0;
}

/* Returns the end of the documents that have the fingerprint of document i of the order. */
static size_t end_of_node(const struct ordered *o, size_t i)
{
	const struct sh_side *s = &o->sorted.side;
	const struct sh_dedup *d = o->dedup;
	const uint64_t *first = sh_dedup_fp(d, s->id[i]);
	size_t end = i + 1;

	while (end < s->n && s->word[end] == s->word[i] &&
	       (d->words == 1 ||
		   memcmp(sh_dedup_fp(d, s->id[end]), first, d->words * sizeof *first) == 0))
		end++;
	return end;
}

/* ---- identical sets ---- */

static int same_set(
    struct sh_dedup_worker *w, uint32_t x, uint32_t y, bool *same, struct sh_error *err)
{
	const struct sh_corpus *corpus = w->dedup->opts.how.corpus;
	struct sh_document a, b;

	*same = true;
	if (!w->dedup->opts.verify ||
	    (w->dedup->digest && w->dedup->digest[x] == w->dedup->digest[y]))
		return 0;
	if (sh_corpus_document(corpus, x, &w->room[0], &a, err) < 0 ||
	    sh_corpus_document(corpus, y, &w->room[1], &b, err) < 0)
		return -1;
	if (sh_slice_eq(a.text, b.text))
		return 0;
	return sh_verify_same(w->verifier, x, y, same, err);
}

/* The different feature sets of one fingerprint so far. worker->first[i] is the best document of
 * set i. */
struct sets {
	size_t n;           /* number of sets */
	struct sh_hmap map; /* the sets from FEW on, by digest; zeroed while n <= FEW */
};

/* Searches the document's set among the first FEW sets: most nodes have no more sets. Sets *at to
 * its index, or to the number of sets searched when *same is false. */
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
	if (SH_RESERVE(w->first, w->first_cap, s->n + 1, err) < 0)
		return -1;
	w->first[s->n++] = doc;
	return 0;
}

/* Searches the document's set among the sets from FEW on, by its digest. Sets *at to s->n when the
 * digest is new. Two different sets have practically never the same digest. */
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

/* Sets d->same of n documents of one fingerprint, which are ordered, the best first. */
static int part_node(
    struct sh_dedup_worker *w, const uint32_t *document, size_t n, struct sh_error *err)
{
	struct sets s = { 0 };
	int status = 0;

	for (size_t i = 0; status == 0 && i < n; i++) {
		bool same;
		size_t at;

		status = find_early(w, &s, document[i], &at, &same, err);
		if (status == 0 && !same && s.n >= FEW)
			status = find_late(w, &s, document[i], &at, &same, err);
		if (status == 0 && !same && at == s.n)
			status = add_set(w, &s, document[i], err);
		if (status == 0)
			w->dedup->same[document[i]] = same ? w->first[at] : document[i];
	}
	sh_hmap_free(&s.map);
	return status;
}

struct parter {
	struct sh_dedup_worker *worker;
	const struct ordered *ordered;
};

/* Parts the nodes that begin among the documents from .. to-1 of the order. */
static int part_nodes(void *parter, size_t from, size_t to, struct sh_error *err)
{
	const struct parter *p = parter;
	const struct ordered *o = p->ordered;

	if (from)
		from = end_of_node(o, from - 1);
	for (size_t i = from, end; i < to; i = end) {
		end = end_of_node(o, i);
		if (end > i + 1 && part_node(p->worker, o->sorted.side.id + i, end - i, err) < 0)
			return -1;
	}
	return 0;
}

static int part_documents(const struct ordered *o, struct sh_error *err)
{
	struct sh_dedup *d = o->dedup;
	struct parter *p = calloc(d->opts.jobs, sizeof *p);
	int status;

	if (!p)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < d->opts.jobs; i++)
		p[i] = (struct parter){ &d->worker[i], o };
	status =
	    sh_parallel(p, sizeof *p, d->opts.jobs, o->sorted.side.n, STRETCH, part_nodes, err);
	free(p);
	return status;
}

/* ---- vertices ---- */

static bool is_vertex(const struct sh_dedup *d, uint32_t document)
{
	return d->features[document] && d->same[document] == document;
}

/* The documents in the order in which vertices are numbered. */
struct numbering {
	struct sh_dedup *dedup;
	const uint32_t *order; /* NULL: by document */
};

static size_t select_vertices(void *arg, size_t from, size_t to, size_t at)
{
	const struct numbering *g = arg;
	struct sh_dedup *d = g->dedup;
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		uint32_t document = g->order ? g->order[i] : (uint32_t)i;

		if (!is_vertex(d, document))
			continue;
		if (at != SH_COUNT_ONLY) {
			d->vertex[at + n] = document;
			d->keeper[document] = (uint32_t)(at + n);
		}
		n++;
	}
	return n;
}

/* Numbers the vertices. A join by distance needs the order of fingerprints. In a join by keys the
 * numbers decide which documents of a large bucket meet, unless it is a join for stars. That join
 * uses the order of documents, so that all loops over vertices read memory in sequence. */
static int number_vertices(const struct ordered *o, struct sh_error *err)
{
	struct sh_dedup *d = o->dedup;
	struct numbering g = { d, d->buckets && !d->finds_vertices ? NULL : o->sorted.side.id };
	struct sh_selection s = { .threads = d->opts.jobs,
		.n = g.order ? o->sorted.side.n : d->n,
		.fn = select_vertices,
		.arg = &g };

	if (sh_selection_count(&s, err) < 0)
		return -1;
	d->vertex = sh_tables_get(d->opts.tables, s.found, sizeof *d->vertex, err);
	if (!d->vertex) {
		sh_selection_free(&s);
		return -1;
	}
	d->all.n = d->n_vertices = (uint32_t)s.found;
	d->stats.identical = o->sorted.side.n - s.found;
	return sh_selection_fill(&s, err);
}

int sh_dedup_find_vertices(struct sh_dedup *d, struct sh_error *err)
{
	struct ordered o = { .dedup = d };
	int status = order_documents(&o, err);

	if (status == 0)
		status = part_documents(&o, err);
	if (status == 0)
		status = number_vertices(&o, err);
	sh_sorted_put(&o.sorted, d->opts.tables);
	sh_tables_put(d->opts.tables, d->digest);
	d->digest = NULL;
	return status;
}

/* ---- places ---- */

/* The vertices that are protected, or the vertices that are not. Their places begin at `from`. */
struct placing {
	struct sh_dedup *dedup;
	bool protected;
	size_t from;
};

static size_t select_places(void *arg, size_t from, size_t to, size_t at)
{
	const struct placing *p = arg;
	struct sh_dedup *d = p->dedup;
	size_t n = 0;

	for (uint32_t i = (uint32_t)from; i < to; i++) {
		if (!is_vertex(d, i) || sh_dedup_protects(d, i) != p->protected)
			continue;
		if (at != SH_COUNT_ONLY)
			d->at_place[p->from + at + n] = d->keeper[i];
		n++;
	}
	return n;
}

/* Places the vertices in the order of their documents, the protected vertices first. Without ranks
 * the document of the lower number is better. */
static int place_by_number(struct sh_dedup *d, struct sh_error *err)
{
	struct placing p = { d, d->is_protected, 0 };
	struct sh_selection s = {
		.threads = d->opts.jobs, .n = d->n, .fn = select_places, .arg = &p
	};

	if (p.protected) {
		if (sh_selection_count(&s, err) < 0 || sh_selection_fill(&s, err) < 0)
			return -1;
		p.from = s.found;
		p.protected = false;
	}
	return sh_selection_count(&s, err) < 0 ? -1 : sh_selection_fill(&s, err);
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
	int status;

	if (sh_sorted_get(&s, d->opts.tables, n, err) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		s.side.word[i] = sh_dedup_protects(d, d->vertex[i]) ? 0 : d->rank[d->vertex[i]];
		s.side.id[i] = i;
	}
	status = sh_side_sort_by(d->opts.jobs, &s.side, &s.room, by_documents, d, err);
	memcpy(d->at_place, s.side.id, n * sizeof *d->at_place);
	sh_sorted_put(&s, d->opts.tables);
	return status;
}

static void invert_places(void *arg, size_t from, size_t to)
{
	const struct sh_dedup *d = arg;

	for (size_t i = from; i < to; i++)
		d->place[d->at_place[i]] = (uint32_t)i;
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
	if ((d->rank ? place_by_ranks(d, err) : place_by_number(d, err)) < 0)
		return -1;
	return sh_parallel_each(d->opts.jobs, d->n_vertices, invert_places, d, err);
}
