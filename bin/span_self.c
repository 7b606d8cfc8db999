/* SPDX-License-Identifier: MIT */
/* Finds passages that the documents of one set share. */
#include <stdlib.h>

#include "base/numsort.h"
#include "passage/count.h"
#include "span.h"

/* A record in a buffer. */
struct piece {
	size_t at, n;
};

struct worker {
	const struct span_settings *settings;
	const struct sh_links *links;
	uint32_t first; /* documents before are not asked for */
	struct sh_matcher *matcher;
	struct sh_counter *counter;
	struct sh_placer *placer, *other;
	struct sh_span *span; /* a copy that may be sorted */
	size_t span_cap;
	struct sh_buf bits;
	/* The spans of a document, by the other document; their records. */
	uint64_t *order; /* with room for the sort */
	struct piece *piece;
	size_t order_cap, piece_cap;
	struct sh_buf records;
};

static int reserve_order(struct worker *w, size_t n, struct sh_error *err)
{
	if (n <= w->order_cap)
		return 0;
	return sh_grow((void **)&w->order, &w->order_cap, n, 2 * sizeof *w->order, err) < 0 ||
		       sh_grow((void **)&w->piece, &w->piece_cap, w->order_cap, sizeof *w->piece,
			   err) < 0
		   ? -1
		   : 0;
}

/* Writes the records of one document after the other into w->records, so that each document is cut
 * once. Then appends the records in the order of the spans. */
static int put_spans(struct worker *w, uint32_t document, const struct sh_span *spans, size_t n,
    struct sh_buf *out, struct sh_error *err)
{
	struct sh_placed a, b;
	const uint64_t *order;

	if (reserve_order(w, n, err) < 0 || sh_placer_document(w->placer, document, &a, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		w->order[i] = (uint64_t)spans[i].document << 32 | i;
	order = sh_numsort(w->order, w->order + n, n);
	w->records.n = 0;
	for (size_t j = 0; j < n; j++) {
		const struct sh_span *span = &spans[(uint32_t)order[j]];
		struct piece *piece = &w->piece[(uint32_t)order[j]];

		piece->at = w->records.n;
		if (sh_placer_document(w->other, span->document, &b, err) < 0 ||
		    span_put(&w->records, &a, &b, span, err) < 0)
			return -1;
		piece->n = w->records.n - piece->at;
	}
	for (size_t i = 0; i < n; i++)
		if (sh_buf_add(out, w->records.p + w->piece[i].at, w->piece[i].n, err) < 0)
			return -1;
	return 0;
}

static int by_document(const void *x, const void *y)
{
	const struct sh_span *a = x, *b = y;

	return a->document < b->document ? -1 : a->document > b->document;
}

/* Returns whether the coverage of the pair reaches -T, on either side. */
static bool is_covered(
    const struct span_settings *s, const struct sh_coverage *c, size_t tokens1, size_t tokens2)
{
	return c->first * UINT64_C(1000000) >= s->threshold * tokens1 ||
	       c->other * UINT64_C(1000000) >= s->threshold * tokens2;
}

static int put_pairs(struct worker *w, uint32_t document, const struct sh_span *spans, size_t n,
    struct sh_buf *out, struct sh_error *err)
{
	size_t tokens = sh_texts_tokens(w->links->texts, document).n;
	struct sh_placed a, b;

	if (SH_RESERVE(w->span, w->span_cap, n, err) < 0)
		return -1;
	memcpy(w->span, spans, n * sizeof *spans);
	qsort(w->span, n, sizeof *w->span, by_document);
	if (sh_placer_document(w->placer, document, &a, err) < 0)
		return -1;
	for (size_t i = 0, j; i < n; i = j) {
		uint32_t d = w->span[i].document;
		size_t others = sh_texts_tokens(w->links->texts, d).n;
		struct sh_coverage c;

		for (j = i + 1; j < n && w->span[j].document == d; j++)
			;
		if (sh_coverage(w->span + i, j - i, &w->bits, &c, err) < 0)
			return -1;
		if (!is_covered(w->settings, &c, tokens, others))
			continue;
		if (sh_placer_document(w->other, d, &b, err) < 0 ||
		    span_put_pair(out, a.id, b.id, c.first, &c, tokens, others, err) < 0)
			return -1;
	}
	return 0;
}

static int spans_of(void *worker, uint32_t document, struct sh_buf *out, struct sh_error *err)
{
	struct worker *w = worker;
	const struct sh_span *spans;
	size_t n;

	if (document < w->first)
		return 0;
	if (sh_links_hits(w->links, document, w->matcher, err) < 0 ||
	    sh_matcher_spans(w->matcher, &spans, &n, err) < 0)
		return -1;
	if (n == 0)
		return 0;
	return w->settings->pairs ? put_pairs(w, document, spans, n, out, err)
				  : put_spans(w, document, spans, n, out, err);
}

static int counts_of(void *worker, uint32_t document, struct sh_buf *out, struct sh_error *err)
{
	struct worker *w = worker;
	const struct sh_counted *passage;
	struct sh_placed a;
	size_t n;

	if (document < w->first)
		return 0;
	if (sh_counter_run(w->counter, document, &passage, &n, err) < 0)
		return -1;
	if (n && sh_placer_document(w->placer, document, &a, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct sh_counted *p = &passage[i];

		if (span_put_place(out, &a, p->from, p->to,
			(uint64_t[]){ p->to - p->from, p->min, p->max }, 3, err) < 0)
			return -1;
	}
	return 0;
}

struct sh_links span_links(
    const struct span_settings *s, const struct sh_texts *texts, const struct sh_groups *groups)
{
	unsigned longest = sh_seed_longest(&s->seed, sh_token_unit(&s->docs.token));

	return (struct sh_links){ texts, groups, s->mode == SPAN_ALL ? s->bound : 0,
		s->seed.window + longest - 1, longest, s->mode == SPAN_FIRST };
}

static void tell_starred(struct cli *c, const struct span_settings *s, const struct sh_groups *g)
{
	uint64_t n = s->mode == SPAN_ALL ? sh_groups_exceeding(g, s->bound) : 0;

	if (n)
		cli_warn(c,
		    "%llu seed%s in more than %zu places: of %s only the first place and the last "
		    "one "
		    "before are compared (--bound)",
		    (unsigned long long)n, CLI_PLURAL(n), s->bound, n == 1 ? "it" : "each");
}

bool span_find(struct cli *c, const struct span_settings *s, const struct sh_corpus *corpus,
    const struct sh_links *links, uint32_t first)
{
	struct worker workers[CLI_MAX_JOBS] = { 0 };
	void *all[CLI_MAX_JOBS];
	uint32_t *size = NULL;
	struct sh_error err;
	bool found;

	tell_starred(c, s, links->groups);
	if (s->mode == SPAN_COUNT && !(size = sh_count_documents(links->groups, &err)))
		cli_die(c, &err);
	for (unsigned i = 0; i < c->jobs; i++) {
		struct worker *w = &workers[i];

		*w = (struct worker){ .settings = s, .links = links, .first = first };
		if (s->mode == SPAN_COUNT)
			w->counter =
			    sh_counter_new(links, size, s->documents, s->match.least, &err);
		else
			w->matcher = sh_matcher_new(&s->match, &err);
		w->placer =
		    w->counter || w->matcher ? sh_placer_new(corpus, &s->docs.token, &err) : NULL;
		w->other = w->placer ? sh_placer_new(corpus, &s->docs.token, &err) : NULL;
		if (!w->other)
			cli_die(c, &err);
		all[i] = w;
	}
	found = span_each(c, links->texts, all, s->mode == SPAN_COUNT ? counts_of : spans_of);
	for (unsigned i = 0; i < c->jobs; i++) {
		sh_matcher_delete(workers[i].matcher);
		sh_counter_delete(workers[i].counter);
		sh_placer_delete(workers[i].placer);
		sh_placer_delete(workers[i].other);
		free(workers[i].span);
		sh_buf_free(&workers[i].bits);
		free(workers[i].order);
		free(workers[i].piece);
		sh_buf_free(&workers[i].records);
	}
	sh_tables_put(links->groups->tables, size);
	return found;
}

void span_self(struct cli *c, struct span_settings *s)
{
	size_t n = s->files.n;
	char *const *names = s->seeds ? (char *const *)(void *)s->files.name : cli_inputs(c, &n);
	struct sh_tables tables;
	struct sh_grouping how = { &tables, c->jobs };
	struct sh_corpus corpus;
	struct sh_texts texts = { .tables = &tables };
	struct sh_groups groups = { 0 };
	struct sh_links links = span_links(s, &texts, &groups);
	struct sh_error err;

	sh_tables_init(&tables, s->memory, c->tmpdir);
	span_open(c, s, names, n, &tables, &corpus);
	span_load(c, s, &corpus, &(struct span_part){ .no_seeds = s->seeds }, &texts);
	if (s->seeds)
		span_read_seeds(c, s, &corpus, &texts);
	if (sh_postings_sort(&how, texts.posting, texts.n_postings, &err) < 0 ||
	    sh_groups_make(&groups, &tables, texts.posting, texts.n_postings, texts.n, &err) < 0)
		cli_die(c, &err);
	s->found = span_find(c, s, &corpus, &links, 0);
	sh_groups_free(&groups);
	sh_texts_free(&texts);
	sh_corpus_free(&corpus);
	sh_tables_free(&tables);
}
