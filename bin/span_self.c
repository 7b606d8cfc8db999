/* Passages that the documents of one set share. */
#include <stdlib.h>

#include "passage/count.h"
#include "span.h"

struct worker {
	const struct span_settings *settings;
	const struct sh_links *links;
	struct sh_matcher *matcher;
	struct sh_counter *counter;
	struct sh_placer *placer, *other;
	struct sh_span *span; /* a copy that may be sorted */
	size_t span_cap;
	struct sh_buf bits;
};

static int put_spans(struct worker *w, uint32_t document, const struct sh_span *spans, size_t n,
    struct sh_buf *out, struct sh_error *err)
{
	struct sh_placed a, b;

	if (sh_placer_document(w->placer, document, &a, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (sh_placer_document(w->other, spans[i].document, &b, err) < 0 ||
		    span_put(out, &a, &b, &spans[i], err) < 0)
			return -1;
	return 0;
}

static int by_document(const void *x, const void *y)
{
	const struct sh_span *a = x, *b = y;

	return a->document < b->document ? -1 : a->document > b->document;
}

/* Whether the pair is covered as -T says, on either side. */
static bool is_covered(
    const struct span_settings *s, const struct sh_coverage *c, size_t tokens1, size_t tokens2)
{
	return c->first * UINT64_C(1000000) >= s->threshold * tokens1 ||
	       c->other * UINT64_C(1000000) >= s->threshold * tokens2;
}

static int put_pairs(struct worker *w, uint32_t document, const struct sh_span *spans, size_t n,
    struct sh_buf *out, struct sh_error *err)
{
	size_t tokens = sh_texts_side(w->links->texts, document).n;
	struct sh_placed a, b;

	if (n > w->span_cap &&
	    sh_grow((void **)&w->span, &w->span_cap, n, sizeof *w->span, err) < 0)
		return -1;
	memcpy(w->span, spans, n * sizeof *spans);
	qsort(w->span, n, sizeof *w->span, by_document);
	if (sh_placer_document(w->placer, document, &a, err) < 0)
		return -1;
	for (size_t i = 0, j; i < n; i = j) {
		uint32_t d = w->span[i].document;
		size_t others = sh_texts_side(w->links->texts, d).n;
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

static void find(struct cli *c, const struct span_settings *s, const struct sh_corpus *corpus,
    const struct sh_links *links)
{
	struct worker workers[CLI_MAX_JOBS] = { 0 };
	void *all[CLI_MAX_JOBS];
	struct sh_error err;

	for (unsigned i = 0; i < c->jobs; i++) {
		struct worker *w = &workers[i];

		*w = (struct worker){ .settings = s, .links = links };
		if (s->mode == SPAN_COUNT)
			w->counter = sh_counter_new(links, s->documents, s->match.least, &err);
		else
			w->matcher = sh_matcher_new(&s->match, &err);
		w->placer =
		    w->counter || w->matcher ? sh_placer_new(corpus, &s->docs.token, &err) : NULL;
		w->other = w->placer ? sh_placer_new(corpus, &s->docs.token, &err) : NULL;
		if (!w->other)
			cli_die(c, &err);
		all[i] = w;
	}
	span_each(c, links->texts, all, s->mode == SPAN_COUNT ? counts_of : spans_of);
	for (unsigned i = 0; i < c->jobs; i++) {
		sh_matcher_delete(workers[i].matcher);
		sh_counter_delete(workers[i].counter);
		sh_placer_delete(workers[i].placer);
		sh_placer_delete(workers[i].other);
		free(workers[i].span);
		sh_buf_free(&workers[i].bits);
	}
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

void span_self(struct cli *c, struct span_settings *s)
{
	static char *const standard[] = { "-" };
	bool named = s->seeds;
	char *const *names = named           ? (char *const *)(void *)s->files.name
			     : c->n_operands ? c->operands
					     : standard;
	size_t n = named ? s->files.n : c->n_operands ? c->n_operands : 1;
	enum sh_unit unit = sh_token_unit(&s->docs.token);
	struct sh_corpus corpus;
	struct sh_texts texts = { 0 };
	struct sh_groups groups = { 0 };
	struct sh_links links = { &texts, &groups, s->mode == SPAN_ALL ? s->bound : 0,
		s->seed.window + sh_seed_longest(&s->seed, unit) - 1,
		sh_seed_longest(&s->seed, unit), s->mode == SPAN_FIRST };
	struct sh_error err;

	span_open(c, s, names, n, &corpus);
	span_load(c, s, &corpus, s->seeds, &texts);
	if (s->seeds)
		span_read_seeds(c, s, &corpus, &texts);
	if (sh_postings_sort(texts.posting, texts.n_postings, c->jobs, &err) < 0 ||
	    sh_groups_make(&groups, texts.posting, texts.n_postings, texts.n, &err) < 0)
		cli_die(c, &err);
	tell_starred(c, s, &groups);
	find(c, s, &corpus, &links);
	sh_groups_free(&groups);
	sh_texts_free(&texts);
	sh_corpus_free(&corpus);
}
