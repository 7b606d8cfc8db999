/* Passages that streamed documents share with queries, which are held in memory. */
#include <stdlib.h>

#include "passage/index.h"
#include "run.h"
#include "span.h"

enum {
	/* Different tokens that a span needs: half of its matched tokens, and half of so many at most. Without
	 * them tables of digits match each other. */
	DISTINCT_OF = 20,
	/* Matched tokens from which on a verbatim span needs none. */
	VERBATIM = 15,
};

struct worker {
	const struct span_settings *settings;
	const struct sh_index *index;
	struct sh_seeder *seeder;
	struct sh_matcher *matcher;
	struct sh_placer *text, *queries;
	uint32_t *room, *token;
	size_t room_cap, token_cap;
	struct sh_span *span;
	size_t span_cap;
	struct sh_buf bits;
};

static int by_document(const void *x, const void *y)
{
	const struct sh_span *a = x, *b = y;

	if (a->document != b->document)
		return a->document < b->document ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* 1 when the span has enough different tokens to be no chance, 0 when not, -1 with *err. */
static int is_no_chance(struct worker *w, const struct sh_span *span, const struct sh_placed *query,
    struct sh_error *err)
{
	size_t wanted = span->matched < DISTINCT_OF ? span->matched : DISTINCT_OF, found;
	uint32_t start, end;

	if (span->matched == span->to - span->from && span->matched == span->end - span->at &&
	    (span->matched >= VERBATIM || span->matched == query->n))
		return 1;
	wanted = (wanted + 1) / 2;
	sh_placed_bytes(query, span->at, span->end, &start, &end);
	if (sh_placer_distinct(
		w->queries, sh_slice(query->text.p + start, end - start), wanted, &found, err) < 0)
		return -1;
	return found >= wanted;
}

/* Keep spans of one query that are no chance: their number, or -1. */
static int64_t keep_spans(struct worker *w, struct sh_span *spans, size_t n,
    const struct sh_placed *query, struct sh_error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		int keep = is_no_chance(w, &spans[i], query, err);

		if (keep < 0)
			return -1;
		if (keep)
			spans[kept++] = spans[i];
	}
	return (int64_t)kept;
}

static uint64_t wanted(const struct span_settings *s, size_t tokens)
{
	return s->threshold_given ? s->threshold : sh_coverage_wanted(tokens);
}

/* The spans with one query. */
static int put_query(struct worker *w, const struct sh_placed *doc, struct sh_span *spans, size_t n,
    struct sh_buf *out, struct sh_error *err)
{
	const struct span_settings *s = w->settings;
	struct sh_placed query;
	struct sh_coverage c;
	int64_t kept;

	if (sh_placer_document(w->queries, spans->document, &query, err) < 0)
		return -1;
	kept = keep_spans(w, spans, n, &query, err);
	if (kept <= 0)
		return (int)kept;
	if (!s->pairs) {
		for (int64_t i = 0; i < kept; i++)
			if (span_put(out, doc, &query, &spans[i], err) < 0)
				return -1;
		return 0;
	}
	if (sh_coverage(spans, (size_t)kept, &w->bits, &c, err) < 0)
		return -1;
	if (c.other * UINT64_C(1000000) < wanted(s, query.n) * query.n)
		return 0;
	return span_put_pair(out, doc->id, query.id, c.other, &c, doc->n, query.n, err);
}

/* Whether the pair of these spans can be covered as it has to be: by no more than they match together. */
static bool may_cover(const struct worker *w, const struct sh_span *spans, size_t n)
{
	size_t tokens = sh_index_side(w->index, spans->document).n;
	uint64_t matched = 0;

	for (size_t i = 0; i < n; i++)
		matched += spans[i].matched;
	return matched * UINT64_C(1000000) >= wanted(w->settings, tokens) * tokens;
}

/* Drop the spans of pairs whose coverage is below -T in any case: how many are left. Their places need not be
 * found then. */
static size_t drop_hopeless(const struct worker *w, struct sh_span *spans, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && spans[j].document == spans[i].document; j++)
			;
		if (may_cover(w, spans + i, j - i)) {
			memmove(spans + kept, spans + i, (j - i) * sizeof *spans);
			kept += j - i;
		}
	}
	return kept;
}

static int put_spans(struct worker *w, const struct sh_document *doc, const struct sh_span *spans,
    size_t n, struct sh_buf *out, struct sh_error *err)
{
	struct sh_placed placed;

	if (n > w->span_cap &&
	    sh_grow((void **)&w->span, &w->span_cap, n, sizeof *w->span, err) < 0)
		return -1;
	memcpy(w->span, spans, n * sizeof *spans);
	qsort(w->span, n, sizeof *w->span, by_document);
	if (w->settings->pairs)
		n = drop_hopeless(w, w->span, n);
	if (n == 0)
		return 0;
	if (sh_placer_text(w->text, doc->text, &placed, err) < 0)
		return -1;
	placed.id = doc->id;
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && w->span[j].document == w->span[i].document; j++)
			;
		if (put_query(w, &placed, w->span + i, j - i, out, err) < 0)
			return -1;
	}
	return 0;
}

/* The document's tokens, as those of the queries are held. */
static int hold_tokens(struct worker *w, const struct sh_seeds *seeds, struct sh_error *err)
{
	size_t n = seeds->tokens.n;

	if (n > w->token_cap &&
	    sh_grow((void **)&w->token, &w->token_cap, n, sizeof *w->token, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		w->token[i] = (uint32_t)seeds->token[i];
	return 0;
}

static int each(void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct sh_seeds seeds;
	const struct sh_span *spans;
	size_t n, found;

	if (sh_seeder_run(w->seeder, doc->text, &seeds, err) < 0)
		return -1;
	job->ill_formed += seeds.tokens.bad_utf8;
	if (seeds.tokens.n + 1 > w->room_cap &&
	    sh_grow((void **)&w->room, &w->room_cap, seeds.tokens.n + 1, sizeof *w->room, err) < 0)
		return -1;
	found = sh_index_filter(w->index, &seeds, w->room);
	if (found == 0)
		return 0;
	if (hold_tokens(w, &seeds, err) < 0)
		return -1;
	sh_matcher_begin(
	    w->matcher, (struct sh_side){ w->token, seeds.tokens.n }, sh_index_side, w->index);
	if (sh_index_hits(w->index, &seeds, w->room, found, w->matcher, err) < 0 ||
	    sh_matcher_spans(w->matcher, &spans, &n, err) < 0)
		return -1;
	return n ? put_spans(w, doc, spans, n, &job->out, err) : 0;
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;

	return sh_docs_work(&w->settings->docs.docs, each, w, job);
}

/* ---- the queries ---- */

static void tell_queries(struct cli *c, const struct span_settings *s, const struct sh_texts *t,
    const struct sh_index *x)
{
	unsigned shortest = sh_seed_shortest(&s->seed);
	uint64_t n = 0;

	for (uint32_t d = 0; d < t->n; d++)
		n += sh_texts_side(t, d).n < shortest;
	if (n)
		cli_warn(c, "%llu quer%s of fewer than %u tokens: not looked for",
		    (unsigned long long)n, n == 1 ? "y" : "ies", shortest);
	if (x->exceeding)
		cli_warn(c,
		    "%llu sequence%s of tokens in more than %zu places of the queries: only the "
		    "first "
		    "%zu are compared (--bound)",
		    (unsigned long long)x->exceeding, CLI_PLURAL(x->exceeding), x->bound, x->bound);
}

static void open_workers(struct cli *c, const struct span_settings *s,
    const struct sh_corpus *queries, const struct sh_index *x, struct worker *workers,
    struct run *run)
{
	struct sh_error err;

	for (unsigned i = 0; i < c->jobs; i++) {
		struct worker *w = &workers[i];

		*w = (struct worker){ .settings = s, .index = x };
		w->seeder = sh_seeder_new(&s->docs.token, &s->seed, &err);
		w->matcher = w->seeder ? sh_matcher_new(&s->match, &err) : NULL;
		w->text = w->matcher ? sh_placer_new(queries, &s->docs.token, &err) : NULL;
		w->queries = w->text ? sh_placer_new(queries, &s->docs.token, &err) : NULL;
		if (!w->queries)
			cli_die(c, &err);
		run->workers[i] = w;
	}
}

void span_query(struct cli *c, struct span_settings *s)
{
	struct worker workers[CLI_MAX_JOBS];
	struct run run = { .cli = c, .work = work };
	struct sh_corpus queries;
	struct sh_texts texts = { 0 };
	struct sh_source source;
	struct sh_index index;
	struct sh_error err;

	span_open(c, s, (char *const *)(void *)s->files.name, s->files.n, &queries);
	span_load(c, s, &queries, false, &texts);
	if (sh_index_make(&index, &texts, s->bound, c->jobs, &err) < 0)
		cli_die(c, &err);
	index.enough = VERBATIM;
	index.longest = sh_seed_longest(&s->seed, sh_token_unit(&s->docs.token));
	tell_queries(c, s, &texts, &index);
	open_workers(c, s, &queries, &index, workers, &run);
	cli_source_init(c, &source);
	run_pool(&run, &source);
	run_finish(&run, NULL);
	sh_source_free(&source);
	for (unsigned i = 0; i < c->jobs; i++) {
		sh_seeder_delete(workers[i].seeder);
		sh_matcher_delete(workers[i].matcher);
		sh_placer_delete(workers[i].text);
		sh_placer_delete(workers[i].queries);
		free(workers[i].room);
		free(workers[i].token);
		free(workers[i].span);
		sh_buf_free(&workers[i].bits);
	}
	sh_index_free(&index);
	sh_texts_free(&texts);
	sh_corpus_free(&queries);
}
