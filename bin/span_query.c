/* SPDX-License-Identifier: MIT */
/* Finds passages that streamed documents share with queries in memory. */
#include "passage/index.h"
#include "run.h"
#include "span.h"

struct worker {
	const struct span_settings *settings;
	const struct sh_index *index;
	struct sh_seeder *seeder;
	struct sh_matcher *matcher;
	struct sh_placer *text, *query, *part;
	struct sh_buf bits;
	struct sh_index_room room;
};

static uint64_t wanted(const struct span_settings *s, size_t tokens)
{
	return s->threshold_given ? s->threshold : sh_coverage_wanted(tokens);
}

/* Returns whether the pair of these spans can reach -T: its coverage is at most the sum of the
 * matched tokens. Most pairs cannot, and their positions are not computed. */
static bool may_cover(
    const struct span_settings *s, const struct sh_span *spans, size_t n, size_t tokens)
{
	uint64_t matched = 0;

	for (size_t i = 0; i < n; i++)
		matched += spans[i].matched;
	return matched * UINT64_C(1000000) >= wanted(s, tokens) * tokens;
}

/* Writes the spans with one query, or the pair of them. tokens: of the document. placed: its
 * positions, once they are computed. */
static int put_query(struct worker *w, const struct sh_document *doc, size_t tokens,
    struct sh_placed *placed, struct sh_span *spans, size_t n, struct sh_buf *out,
    struct sh_error *err)
{
	const struct span_settings *s = w->settings;
	size_t of = sh_index_tokens(w->index, spans->document).n, kept = 0;
	struct sh_placed query;
	struct sh_coverage c;

	if (s->pairs && !may_cover(s, spans, n, of))
		return 0;
	if (sh_placer_document(w->query, spans->document, &query, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		int keep = sh_span_is_significant(&spans[i], &query, w->part, err);

		if (keep < 0)
			return -1;
		if (keep)
			spans[kept++] = spans[i];
	}
	if (kept == 0)
		return 0;
	if (s->pairs) {
		if (sh_coverage(spans, kept, &w->bits, &c, err) < 0)
			return -1;
		if (c.other * UINT64_C(1000000) < wanted(s, of) * of)
			return 0;
		return span_put_pair(out, doc->id, query.id, c.other, &c, tokens, of, err);
	}
	if (!placed->text.p) {
		if (sh_placer_text(w->text, doc->text, placed, err) < 0)
			return -1;
		placed->id = doc->id;
	}
	for (size_t i = 0; i < kept; i++)
		if (span_put(out, placed, &query, &spans[i], err) < 0)
			return -1;
	return 0;
}

static int each(void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct sh_placed placed = { .n = 0 };
	struct sh_seeds seeds;
	struct sh_span *spans;
	size_t n;

	if (sh_seeder_run(w->seeder, doc->text, &seeds, err) < 0)
		return -1;
	job->ill_formed += seeds.tokens.bad_utf8;
	if (sh_index_spans(w->index, &seeds, &w->room, w->matcher, &spans, &n, err) < 0)
		return -1;
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && spans[j].document == spans[i].document; j++)
			;
		if (put_query(w, doc, seeds.tokens.n, &placed, spans + i, j - i, &job->out, err) <
		    0)
			return -1;
	}
	return 0;
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;

	return sh_docs_work(&w->settings->docs.docs, each, w, job);
}

/* ---- the queries ---- */

/* Warns of queries that are shorter than a seed, and names the first. Warns of frequent seeds. */
static void warn_of_queries(struct cli *c, const struct span_settings *s,
    const struct sh_corpus *queries, const struct sh_index *x)
{
	unsigned shortest = sh_seed_shortest(&s->seed);
	struct sh_document_room room = { 0 };
	struct sh_document first;
	struct sh_error err;
	uint64_t n = 0;

	for (uint32_t d = 0; d < x->texts->n; d++)
		if (sh_index_tokens(x, d).n < shortest && n++ == 0 &&
		    sh_corpus_document(queries, d, &room, &first, &err) < 0)
			cli_die(c, &err);
	if (n)
		cli_warn(c, "%llu quer%s of fewer than %u tokens: ignored (the first is '%.*s')",
		    (unsigned long long)n, n == 1 ? "y" : "ies", shortest, sh_shown(first.id, 80),
		    first.id.p);
	sh_document_room_free(&room);
	if (x->exceeding)
		cli_warn(c,
		    "%llu sequence%s of tokens in more than %zu places of the queries: only the "
		    "first "
		    "%zu are compared (--bound)",
		    (unsigned long long)x->exceeding, CLI_PLURAL(x->exceeding), x->bound, x->bound);
}

void span_query(struct cli *c, struct span_settings *s)
{
	struct worker workers[CLI_MAX_JOBS] = { 0 };
	struct run run = { .cli = c, .work = work };
	const struct sh_token_opts *token = &s->docs.token;
	struct sh_corpus queries;
	struct sh_texts texts = { 0 };
	struct sh_sorter seeds;
	struct sh_index index;
	struct sh_error err;

	span_open(c, s, (char *const *)(void *)s->files.name, s->files.n, NULL, &queries);
	sh_seeds_init(&seeds, s->memory, c->jobs, c->tmpdir);
	span_load(c, s, &queries, NULL, &seeds, &texts);
	if (sh_index_make(&index, &texts, &seeds, s->bound, &err) < 0)
		cli_die(c, &err);
	sh_sorter_free(&seeds);
	index.enough = SH_CHANCE_VERBATIM;
	index.longest = sh_seed_longest(&s->seed, sh_token_unit(token));
	/* Fewer matched tokens give no record of the query. */
	for (uint32_t d = 0; d < texts.n; d++) {
		size_t n = sh_texts_tokens(&texts, d).n;
		uint64_t need = s->pairs ? (wanted(s, n) * n + 999999) / 1000000 : 0;

		index.need[d] = (uint32_t)(need < s->match.least ? s->match.least : need);
	}
	warn_of_queries(c, s, &queries, &index);
	for (unsigned i = 0; i < c->jobs; i++) {
		struct worker *w = &workers[i];

		w->settings = s;
		w->index = &index;
		if (!(w->seeder = sh_seeder_new(token, &s->seed, &err)) ||
		    !(w->matcher = sh_matcher_new(&s->match, &err)) ||
		    !(w->text = sh_placer_new(&queries, token, &err)) ||
		    !(w->query = sh_placer_new(&queries, token, &err)) ||
		    !(w->part = sh_placer_new(&queries, token, &err)))
			cli_die(c, &err);
		run.workers[i] = w;
	}
	formopts_run(&run, &s->docs.docs.form, NULL);
	s->found = run.wrote;
	for (unsigned i = 0; i < c->jobs; i++) {
		sh_seeder_delete(workers[i].seeder);
		sh_matcher_delete(workers[i].matcher);
		sh_placer_delete(workers[i].text);
		sh_placer_delete(workers[i].query);
		sh_placer_delete(workers[i].part);
		sh_buf_free(&workers[i].bits);
		sh_index_room_free(&workers[i].room);
	}
	sh_index_free(&index);
	sh_texts_free(&texts);
	sh_corpus_free(&queries);
}
