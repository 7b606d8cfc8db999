/* SPDX-License-Identifier: MIT */
/* Finds passages that streamed documents share with queries in memory. */
#include <stdlib.h>

#include "passage/index.h"
#include "run.h"
#include "span.h"

struct worker {
	const struct span_settings *settings;
	const struct sh_index *index;
	struct sh_seeder *seeder;
	struct sh_matcher *matcher;
	struct sh_placer *text, *queries;
	struct sh_buf bits;
	struct sh_index_room room;
};

/* Keeps the spans of one query that have enough different tokens. Returns their number, or -1. */
static int64_t keep_spans(struct worker *w, struct sh_span *spans, size_t n,
    const struct sh_placed *query, struct sh_error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		int keep = sh_span_is_significant(&spans[i], query, w->queries, err);

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

/* Writes the spans with one query. */
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

/* Returns whether the pair of these spans can reach -T: its coverage is at most the sum of the
 * matched tokens. */
static bool may_cover(const struct worker *w, const struct sh_span *spans, size_t n)
{
	size_t tokens = sh_index_tokens(w->index, spans->document).n;
	uint64_t matched = 0;

	for (size_t i = 0; i < n; i++)
		matched += spans[i].matched;
	return matched * UINT64_C(1000000) >= wanted(w->settings, tokens) * tokens;
}

/* Drops the spans of pairs that cannot reach -T, so that their positions need not be computed.
 * Returns the number of spans left. */
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

static int put_spans(struct worker *w, const struct sh_document *doc, struct sh_span *spans,
    size_t n, struct sh_buf *out, struct sh_error *err)
{
	struct sh_placed placed;

	if (w->settings->pairs)
		n = drop_hopeless(w, spans, n);
	if (n == 0)
		return 0;
	if (sh_placer_text(w->text, doc->text, &placed, err) < 0)
		return -1;
	placed.id = doc->id;
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && spans[j].document == spans[i].document; j++)
			;
		if (put_query(w, &placed, spans + i, j - i, out, err) < 0)
			return -1;
	}
	return 0;
}

static int each(void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct sh_seeds seeds;
	struct sh_span *spans;
	size_t n;

	if (sh_seeder_run(w->seeder, doc->text, &seeds, err) < 0)
		return -1;
	job->ill_formed += seeds.tokens.bad_utf8;
	if (sh_index_spans(w->index, &seeds, &w->room, w->matcher, &spans, &n, err) < 0)
		return -1;
	return n ? put_spans(w, doc, spans, n, &job->out, err) : 0;
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;

	return sh_docs_work(&w->settings->docs.docs, each, w, job);
}

/* ---- the queries ---- */

/* Warns of queries that are shorter than a seed, and names the first. */
static void tell_short_queries(struct cli *c, const struct span_settings *s,
    const struct sh_corpus *queries, const struct sh_texts *t)
{
	unsigned shortest = sh_seed_shortest(&s->seed);
	struct sh_document_room room = { 0 };
	struct sh_document first;
	struct sh_error err;
	uint64_t n = 0;

	for (uint32_t d = 0; d < t->n; d++)
		if (sh_texts_tokens(t, d).n < shortest && n++ == 0 &&
		    sh_corpus_document(queries, d, &room, &first, &err) < 0)
			cli_die(c, &err);
	if (n)
		cli_warn(c, "%llu quer%s of fewer than %u tokens: ignored (the first is '%.*s')",
		    (unsigned long long)n, n == 1 ? "y" : "ies", shortest, sh_shown(first.id, 80),
		    first.id.p);
	sh_document_room_free(&room);
}

static void tell_queries(struct cli *c, const struct span_settings *s,
    const struct sh_corpus *queries, const struct sh_texts *t, const struct sh_index *x)
{
	tell_short_queries(c, s, queries, t);
	if (x->exceeding)
		cli_warn(c,
		    "%llu sequence%s of tokens in more than %zu places of the queries: only the "
		    "first "
		    "%zu are compared (--bound)",
		    (unsigned long long)x->exceeding, CLI_PLURAL(x->exceeding), x->bound, x->bound);
}

/* Sets the matched tokens below which no record of a query is written. */
static void set_needs(const struct span_settings *s, struct sh_index *x)
{
	for (uint32_t d = 0; d < x->texts->n; d++) {
		size_t n = sh_texts_tokens(x->texts, d).n;
		uint64_t need = s->pairs ? (wanted(s, n) * n + 999999) / 1000000 : 0;

		x->need[d] = (uint32_t)(need < s->match.least ? s->match.least : need);
	}
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
	struct sh_index index;
	struct sh_error err;

	span_open(c, s, (char *const *)(void *)s->files.name, s->files.n, NULL, &queries);
	span_load(c, s, &queries, &(struct span_part){ 0 }, &texts);
	if (sh_index_make(&index, &texts, s->bound, c->jobs, &err) < 0)
		cli_die(c, &err);
	index.enough = SH_CHANCE_VERBATIM;
	index.longest = sh_seed_longest(&s->seed, sh_token_unit(&s->docs.token));
	set_needs(s, &index);
	tell_queries(c, s, &queries, &texts, &index);
	open_workers(c, s, &queries, &index, workers, &run);
	formopts_run(&run, &s->docs.docs.form, NULL);
	s->found = run.wrote;
	for (unsigned i = 0; i < c->jobs; i++) {
		sh_seeder_delete(workers[i].seeder);
		sh_matcher_delete(workers[i].matcher);
		sh_placer_delete(workers[i].text);
		sh_placer_delete(workers[i].queries);
		sh_buf_free(&workers[i].bits);
		sh_index_room_free(&workers[i].room);
	}
	sh_index_free(&index);
	sh_texts_free(&texts);
	sh_corpus_free(&queries);
}
