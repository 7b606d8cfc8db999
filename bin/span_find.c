/* SPDX-License-Identifier: MIT */
/* Finds the passages that documents share with each other, or with queries: spans, counts, and with
 * --exact what occurred before. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/num.h"
#include "documents.h"
#include "match/measure.h"
#include "passage/count.h"
#include "passage/exact.h"
#include "passage/index.h"
#include "passage/placed.h"
#include "run.h"
#include "span.h"

/* ---- reading ---- */

void span_open(struct cli *c, const struct span_settings *s, char *const *names, size_t n,
    struct sh_tables *tables, struct sh_corpus *corpus)
{
	documents_read(c, &s->docs.docs.form, s->files.n ? &s->docs.of : NULL, &s->docs.token,
	    names, n, tables, corpus);
}

/* Where sh_texts_load() reports bad documents. */
struct loading {
	struct cli *cli;
	const struct sh_corpus *corpus;
};

static int bad_document(void *arg, uint32_t document, struct sh_error *err)
{
	struct loading *l = arg;

	cli_reject(l->cli, sh_corpus_line(l->corpus, document), err);
	return 0;
}

void span_load(struct cli *c, const struct span_settings *s, const struct sh_corpus *corpus,
    const uint64_t *wanted, struct sh_sorter *postings, struct sh_texts *texts)
{
	struct loading loading = { c, corpus };
	bool strict = s->docs.docs.strict;
	struct sh_texts_opts opts = { s->docs.token, s->seed, s->seeds ? NULL : postings, wanted,
		strict && postings ? bad_document : NULL, &loading, c->jobs };
	struct run report = { .cli = c };
	struct sh_error err;

	if (sh_texts_load(texts, corpus, &opts, &err) < 0)
		cli_die(c, &err);
	report.ill_formed = strict || !postings ? 0 : texts->ill_formed;
	run_finish(&report);
}

/* Parses a seed of shseed, except for its document. */
static int parse_seed(
    struct sh_slice line, struct sh_posting *p, struct sh_slice *id, struct sh_error *err)
{
	struct sh_slice field[6];
	uint64_t token, start, end;

	if (sh_dos_check(line, err) < 0)
		return -1;
	if (sh_fields_split(line, field, 6) != 5)
		return sh_error_set(
		    err, SH_ERR_RECORD, "expected a seed: key<TAB>id<TAB>token<TAB>start<TAB>end");
	*id = field[1];
	if (sh_id_check(*id, err) < 0)
		return -1;
	if (field[0].n != 16 || sh_parse_hex_number(field[0], &p->key) < 0)
		return sh_error_set(
		    err, SH_ERR_RECORD, "the key of a seed has 16 lower-case hexadecimal digits");
	if (sh_parse_u64(field[2], &token) < 0 || sh_parse_u64(field[3], &start) < 0 ||
	    sh_parse_u64(field[4], &end) < 0 || token > INT32_MAX)
		return sh_error_set(
		    err, SH_ERR_RECORD, "token, start and end of a seed are numbers");
	p->token = (uint32_t)token;
	return 0;
}

/* Reads the seeds of the documents, as written by shseed, instead of computing them. */
static void read_seeds(struct cli *c, const struct span_settings *s, const struct sh_corpus *corpus,
    const struct sh_texts *t, struct sh_sorter *postings)
{
	struct sh_document_room room = { 0 };
	struct sh_document doc;
	struct sh_lines lines;
	struct sh_slice line, id;
	struct sh_posting p = { .windows = 0 };
	struct sh_error err;

	cli_lines_init(c, &lines);
	while (cli_line(c, &lines, &line)) {
		int bad;

		line = cli_strip(s->docs.docs.form.crlf, line);
		bad = parse_seed(line, &p, &id, &err);
		if (!bad &&
		    (p.document = documents_find(c, corpus, id, &room, &doc)) == SH_CORPUS_NONE)
			bad = sh_error_set(&err, SH_ERR_RECORD,
			    "no document has the id '%.*s' (-d)", sh_shown(id, 80), id.p);
		if (!bad && p.token >= sh_texts_tokens(t, p.document).n)
			bad = sh_error_set(&err, SH_ERR_RECORD,
			    "document '%.*s' has %zu tokens: the seeds are of other documents, or "
			    "of other options",
			    sh_shown(id, 80), id.p, sh_texts_tokens(t, p.document).n);
		if (bad) {
			sh_lines_blame(&lines, &err);
			cli_reject(c, line, &err);
		} else if (sh_postings_add(postings, &p, &err) < 0) {
			cli_die(c, &err);
		}
	}
	sh_lines_free(&lines);
	sh_document_room_free(&room);
}

/* ---- records ---- */

enum { SHARE_CHARS = 8 };

static char *put_id(char *p, struct sh_slice s)
{
	memcpy(p, s.p, s.n);
	p[s.n] = '\t';
	return p + s.n + 1;
}

static char *put_number(char *p, uint64_t n)
{
	p += sh_print_u64(p, n);
	*p = '\t';
	return p + 1;
}

/* Prints part / whole with four decimals, rounded, halves up. */
static char *put_share(char *p, uint64_t part, uint64_t whole, char behind)
{
	sh_similarity_print(p, whole ? (unsigned)((part * 20000 + whole) / (2 * whole)) : 0);
	p[6] = behind;
	return p + 7;
}

static char *put_stretch(char *p, const struct sh_placed *placed, uint32_t from, uint32_t to)
{
	uint32_t start, end;

	sh_placed_bytes(placed, from, to, &start, &end);
	return put_number(put_number(put_id(p, placed->id), start), end);
}

static int put_span(struct sh_buf *out, const struct sh_placed *a, const struct sh_placed *b,
    const struct sh_span *span, struct sh_error *err)
{
	uint32_t n = span->to - span->from, m = span->end - span->at;
	char *p;

	if (sh_buf_reserve(out, a->id.n + b->id.n + 5 * SH_NUM_CHARS + SHARE_CHARS + 8, err) < 0)
		return -1;
	p = put_stretch(out->p + out->n, a, span->from, span->to);
	p = put_stretch(p, b, span->at, span->end);
	p = put_share(put_number(p, span->matched), span->matched, n > m ? n : m, '\n');
	out->n = (size_t)(p - out->p);
	return 0;
}

int span_put_place(
    struct sh_buf *out, struct sh_slice id, const uint64_t *numbers, size_t n, struct sh_error *err)
{
	char *p;

	if (sh_buf_reserve(out, id.n + n * (SH_NUM_CHARS + 1) + 1, err) < 0)
		return -1;
	p = put_id(out->p + out->n, id);
	for (size_t i = 0; i < n; i++)
		p = put_number(p, numbers[i]);
	p[-1] = '\n';
	out->n = (size_t)(p - out->p);
	return 0;
}

/* ---- the work on a document ---- */

enum {
	TASK = 1 << 16, /* tokens of the documents of a task, about */
	/* Places of a seed that --first compares beside the first place: the last ones before. The
	 * first 16 and nearest 16 of match/posting.h cover a hundredth more of English text, and
	 * take five times as long on templates. */
	FIRST_NEAREST = 3,
};

/* The record of a span, in worker.room. */
struct record {
	uint32_t from; /* of the span */
	size_t begin, end;
};

struct worker {
	const struct span_settings *settings;
	const struct sh_texts *texts; /* of the documents; with -d of the queries */
	const struct sh_index *index; /* of these texts; NULL with --exact */
	const char *again;            /* --exact: the result of sh_exact_find() */
	uint32_t first;               /* documents before are not asked for */
	struct sh_counter counter;    /* --count */
	struct sh_seeder *seeder;     /* of documents, with -d */
	struct sh_index_room lookup;
	struct sh_matcher *matcher;
	struct sh_placer *placer, *other; /* of this document; of a document that shares passages */
	struct sh_placed placed;          /* this document */
	struct sh_buf room;
	struct record *record;
	size_t record_cap;
};

/* Writes the pair of this document, which has `tokens` tokens, and another document when the
 * coverage of either document reaches -T. With queries the coverage of the query decides. Otherwise
 * writes the spans of the pair. With queries drops spans by chance. */
static int put_pair(struct worker *w, size_t tokens, struct sh_span *spans, size_t n,
    struct sh_buf *out, struct sh_error *err)
{
	const struct span_settings *s = w->settings;
	bool query = s->mode == SPAN_QUERY;
	size_t others = sh_texts_tokens(w->texts, spans->document).n, kept = 0;
	uint64_t need = query ? UINT64_MAX : sh_coverage_needs(s->threshold, tokens);
	uint64_t need_other = sh_coverage_needs(s->threshold, others), matched = 0;
	struct sh_placed other;
	uint32_t first, second;
	char *p;

	/* The coverage is at most the sum. Places of most queries need not be computed. */
	for (size_t i = 0; i < n; i++)
		matched += spans[i].matched;
	if (s->pairs && matched < need && matched < need_other)
		return 0;
	if (sh_placer_document(w->other, spans->document, &other, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (query && !sh_span_is_significant(&spans[i], &other))
			continue;
		spans[kept++] = spans[i];
		if (!s->pairs && put_span(out, &w->placed, &other, &spans[i], err) < 0)
			return -1;
	}
	if (kept == 0 || !s->pairs)
		return 0;
	if (sh_coverage(spans, kept, &w->room, &first, &second, err) < 0)
		return -1;
	if (first < need && second < need_other)
		return 0;
	if (sh_buf_reserve(
		out, w->placed.id.n + other.id.n + SH_NUM_CHARS + 2 * SHARE_CHARS + 5, err) < 0)
		return -1;
	p = put_id(put_id(out->p + out->n, w->placed.id), other.id);
	p = put_number(p, query ? second : first);
	p = put_share(put_share(p, first, tokens, '\t'), second, others, '\n');
	out->n = (size_t)(p - out->p);
	return 0;
}

/* Writes the spans of a document, pair by pair. */
static int put_spans(struct worker *w, size_t tokens, struct sh_span *spans, size_t n,
    struct sh_buf *out, struct sh_error *err)
{
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && spans[j].document == spans[i].document; j++)
			;
		if (put_pair(w, tokens, spans + i, j - i, out, err) < 0)
			return -1;
	}
	return 0;
}

static int by_from(const void *x, const void *y)
{
	const struct record *a = x, *b = y;

	return a->from != b->from ? sh_compare(a->from, b->from) : sh_compare(a->begin, b->begin);
}

static int spans_of(struct worker *w, uint32_t document, struct sh_buf *out, struct sh_error *err)
{
	size_t tokens = sh_texts_tokens(w->texts, document).n, n;
	struct sh_buf *room = &w->room;
	struct sh_span *spans;

	if (sh_index_earlier(w->index, document, w->matcher, &spans, &n, err) < 0)
		return -1;
	if (n == 0)
		return 0;
	if (sh_placer_document(w->placer, document, &w->placed, err) < 0)
		return -1;
	if (w->settings->pairs)
		return put_spans(w, tokens, spans, n, out, err);
	/* Writes the records pair by pair, so that each document is split into tokens once. Then
	 * puts them into the order of the passages. */
	room->n = 0;
	if (put_spans(w, tokens, spans, n, room, err) < 0 ||
	    SH_RESERVE(w->record, w->record_cap, n, err) < 0)
		return -1;
	for (size_t i = 0, at = 0; i < n; i++) {
		const char *end = memchr(room->p + at, '\n', room->n - at);

		w->record[i] = (struct record){ spans[i].from, at, (size_t)(end + 1 - room->p) };
		at = w->record[i].end;
	}
	qsort(w->record, n, sizeof *w->record, by_from);
	for (size_t i = 0; i < n; i++) {
		const struct record *r = &w->record[i];

		if (sh_buf_add(out, room->p + r->begin, r->end - r->begin, err) < 0)
			return -1;
	}
	return 0;
}

static int put_place(struct worker *w, uint32_t document, uint32_t from, uint32_t to,
    const struct sh_counted *count, struct sh_buf *out, struct sh_error *err)
{
	uint64_t numbers[5] = { 0, 0, to - from };
	uint32_t start, end;

	if (sh_placer_document(w->placer, document, &w->placed, err) < 0)
		return -1;
	sh_placed_bytes(&w->placed, from, to, &start, &end);
	numbers[0] = start;
	numbers[1] = end;
	if (count) {
		numbers[3] = count->min;
		numbers[4] = count->max;
	}
	return span_put_place(out, w->placed.id, numbers, count ? 5 : 2, err);
}

static int counts_of(struct worker *w, uint32_t document, struct sh_buf *out, struct sh_error *err)
{
	const struct sh_counted *x;
	size_t n;

	if (sh_counter_run(&w->counter, document, &x, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (put_place(w, document, x[i].from, x[i].to, &x[i], out, err) < 0)
			return -1;
	return 0;
}

/* Windows that overlap are one passage; windows that only touch are not. */
static int repeats_of(struct worker *w, uint32_t document, struct sh_buf *out, struct sh_error *err)
{
	const char *again = w->again + w->texts->at[document];
	uint32_t n = (uint32_t)sh_texts_tokens(w->texts, document).n, from = 0, to = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (!again[i])
			continue;
		if (i >= to) {
			if (to && put_place(w, document, from, to, NULL, out, err) < 0)
				return -1;
			from = i;
		}
		to = i + w->settings->length;
	}
	return to ? put_place(w, document, from, to, NULL, out, err) : 0;
}

static int each_query(
    void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct sh_seeds seeds;
	struct sh_span *spans;
	size_t n;

	if (sh_seeder_run(w->seeder, doc->text, &seeds, err) < 0)
		return -1;
	job->ill_formed += seeds.tokens.bad_utf8;
	if (sh_index_queries(w->index, &seeds, &w->lookup, w->matcher, &spans, &n, err) < 0)
		return -1;
	if (n && !w->settings->pairs && sh_placer_text(w->placer, doc->text, &w->placed, err) < 0)
		return -1;
	w->placed.id = doc->id;
	return put_spans(w, seeds.tokens.n, spans, n, &job->out, err);
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;
	enum span_mode mode = w->settings->mode;
	int (*each)(struct worker *, uint32_t, struct sh_buf *, struct sh_error *) =
	    mode == SPAN_EXACT   ? repeats_of
	    : mode == SPAN_COUNT ? counts_of
				 : spans_of;
	const struct sh_texts *t = w->texts;
	uint64_t begin = (uint64_t)job->task * TASK;
	size_t d, end;

	if (mode == SPAN_QUERY)
		return sh_docs_work(&w->settings->docs.docs, each_query, w, job);
	d = sh_lower_bound(t->at, t->n, begin);
	end = sh_lower_bound(t->at, t->n, begin + TASK);
	for (d = d > w->first ? d : w->first; d < end; d++)
		if (each(w, (uint32_t)d, &job->out, &job->err) < 0)
			return -1;
	return 0;
}

/* Writes the passages of the documents, by copies of the shared worker. corpus: its documents have
 * the tokens of shared->texts. */
static void run_workers(struct cli *c, struct span_settings *s, const struct sh_corpus *corpus,
    const struct worker *shared)
{
	const struct sh_token_opts *token = &s->docs.token;
	bool query = s->mode == SPAN_QUERY;
	struct worker workers[CLI_MAX_JOBS];
	struct run run = { .cli = c, .work = work };
	struct sh_error err;

	for (unsigned i = 0; i < c->jobs; i++) {
		struct worker *w = run.workers[i] = &workers[i];

		*w = *shared;
		w->settings = s;
		if ((query && !(w->seeder = sh_seeder_new(token, &s->seed, &err))) ||
		    !(w->matcher = sh_matcher_new(&s->match, w->texts, &err)) ||
		    !(w->placer = sh_placer_new(corpus, token, &err)) ||
		    !(w->other = sh_placer_new(corpus, token, &err)))
			cli_die(c, &err);
	}
	if (query)
		formopts_run(&run, &s->docs.docs.form, NULL);
	else
		run_tasks(&run, (size_t)(shared->texts->at[shared->texts->n] / TASK) + 1);
	s->found = run.wrote;
	for (unsigned i = 0; i < c->jobs; i++) {
		sh_seeder_delete(workers[i].seeder);
		sh_index_room_free(&workers[i].lookup);
		sh_matcher_delete(workers[i].matcher);
		sh_counter_free(&workers[i].counter);
		sh_placer_delete(workers[i].placer);
		sh_placer_delete(workers[i].other);
		sh_buf_free(&workers[i].room);
		free(workers[i].record);
	}
}

/* ---- documents of one set ---- */

void span_find(struct cli *c, struct span_settings *s, const struct sh_corpus *corpus,
    const struct sh_texts *texts, struct sh_sorter *postings, uint32_t first)
{
	unsigned longest = sh_seed_longest(&s->seed, sh_token_unit(&s->docs.token));
	bool all = s->mode == SPAN_ALL;
	struct sh_index x = { .bound = all ? s->bound : 0,
		.nearest = all ? 1 : FIRST_NEAREST,
		.enough = s->seed.window + longest - 1,
		.longest = longest };
	struct sh_error err;
	size_t frequent;

	if (sh_index_make(&x, texts, postings, SH_INDEX_EARLIER, &err) < 0)
		cli_die(c, &err);
	sh_sorter_free(postings);
	for (size_t i = 0; s->archive && i < x.start[x.n]; i++)
		if (x.place[i].token >= sh_texts_tokens(texts, x.place[i].document).n) {
			sh_error_set(&err, SH_ERR_RECORD,
			    "'%s': the seeds belong to other documents: restore the archive from a "
			    "backup",
			    s->archive);
			cli_die(c, &err);
		}
	frequent = all ? sh_index_frequent(&x) : 0;
	if (frequent)
		cli_warn(c,
		    "%zu seed%s in more than %zu places: of %s only the first place and the last "
		    "one before are compared (--bound)",
		    frequent, CLI_PLURAL(frequent), s->bound, frequent == 1 ? "it" : "each");
	run_workers(c, s, corpus,
	    &(struct worker){ .texts = texts,
		.index = &x,
		.first = first,
		.counter = { &x, s->documents, s->match.least } });
	sh_index_free(&x);
}

void span_documents(struct cli *c, struct span_settings *s)
{
	bool exact = s->mode == SPAN_EXACT;
	size_t n = s->seeds ? s->files.n : c->n_operands;
	char *const *names = s->seeds ? (char *const *)(void *)s->files.name : c->operands;
	struct sh_tables tables;
	struct sh_sorter postings;
	struct sh_corpus corpus;
	struct sh_texts texts = { .tables = &tables };
	struct sh_error err;

	sh_tables_init(&tables, s->memory / 2, c->tmpdir);
	sh_postings_init(&postings, exact ? SH_POSTING_WINDOWS : SH_POSTING_PLAIN, s->memory / 2,
	    c->jobs, c->tmpdir);
	if (exact)
		s->seed = sh_exact_seeds(s->length, s->seed.k);
	span_open(c, s, names, n, &tables, &corpus);
	span_load(c, s, &corpus, NULL, &postings, &texts);
	if (s->seeds)
		read_seeds(c, s, &corpus, &texts, &postings);
	if (exact) {
		char *again = sh_tables_get(&tables, (size_t)texts.at[texts.n] + 1, 1, &err);

		if (!again ||
		    sh_exact_find(&texts, &postings, s->length, s->every, c->jobs, again, &err) < 0)
			cli_die(c, &err);
		sh_sorter_free(&postings);
		run_workers(c, s, &corpus, &(struct worker){ .texts = &texts, .again = again });
	} else {
		span_find(c, s, &corpus, &texts, &postings, 0);
	}
	sh_texts_free(&texts);
	sh_corpus_free(&corpus);
	sh_tables_free(&tables);
}

/* ---- queries ---- */

/* Warns of queries that are shorter than a seed, and names the first. Warns of frequent seeds. */
static void warn_of_queries(struct cli *c, const struct span_settings *s,
    const struct sh_corpus *queries, const struct sh_texts *texts, size_t frequent)
{
	unsigned shortest = sh_seed_shortest(&s->seed);
	struct sh_document_room room = { 0 };
	struct sh_document first;
	struct sh_error err;
	uint64_t n = 0;

	for (uint32_t d = 0; d < texts->n; d++)
		if (sh_texts_tokens(texts, d).n < shortest && n++ == 0 &&
		    sh_corpus_document(queries, d, &room, &first, &err) < 0)
			cli_die(c, &err);
	if (n)
		cli_warn(c, "%llu quer%s of fewer than %u tokens: ignored (the first is '%.*s')",
		    (unsigned long long)n, n == 1 ? "y" : "ies", shortest, sh_shown(first.id, 80),
		    first.id.p);
	sh_document_room_free(&room);
	if (frequent)
		cli_warn(c,
		    "%zu sequence%s of tokens in more than %zu places of the queries: only the "
		    "first %zu are compared (--bound)",
		    frequent, CLI_PLURAL(frequent), s->bound, s->bound);
}

void span_query(struct cli *c, struct span_settings *s)
{
	struct sh_index x = { .bound = s->bound,
		.enough = SH_CHANCE_VERBATIM,
		.longest = sh_seed_longest(&s->seed, sh_token_unit(&s->docs.token)),
		.least = s->match.least,
		.coverage = s->pairs ? s->threshold : 0 };
	struct sh_corpus queries;
	struct sh_texts texts = { 0 };
	struct sh_sorter postings;
	struct sh_error err;

	span_open(c, s, (char *const *)(void *)s->files.name, s->files.n, NULL, &queries);
	sh_postings_init(&postings, SH_POSTING_PLAIN, s->memory, c->jobs, c->tmpdir);
	span_load(c, s, &queries, NULL, &postings, &texts);
	if (sh_index_make(&x, &texts, &postings, SH_INDEX_QUERIES, &err) < 0)
		cli_die(c, &err);
	sh_sorter_free(&postings);
	warn_of_queries(c, s, &queries, &texts, sh_index_frequent(&x));
	run_workers(c, s, &queries, &(struct worker){ .texts = &texts, .index = &x });
	sh_index_free(&x);
	sh_texts_free(&texts);
	sh_corpus_free(&queries);
}
