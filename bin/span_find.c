/* SPDX-License-Identifier: MIT */
/* Finds the passages that documents share with each other, or with queries: spans, counts, and with
 * --exact what occurred before. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/num.h"
#include "documents.h"
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

enum { SHARE_CHARS = 12 };

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
	uint64_t share = whole ? (part * 20000 + whole) / (2 * whole) : 0;

	p += sh_print_u64(p, share / 10000);
	*p++ = '.';
	for (unsigned unit = 1000; unit; unit /= 10)
		*p++ = (char)('0' + share / unit % 10);
	*p++ = behind;
	return p;
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

/* The record of a span, behind the record of the span before it. */
struct record {
	uint32_t from;
	size_t begin, end; /* in the output */
};

struct worker {
	const struct span_settings *settings;
	const struct sh_texts *texts; /* of the documents; with -d of the queries */
	uint32_t first;               /* documents before are not asked for */
	/* One of these is set. */
	const struct sh_groups *groups;
	struct sh_hits_opts hits;
	const struct sh_index *index;
	const uint32_t *marked;
	struct sh_counter counter;
	struct sh_seeder *seeder;
	struct sh_index_room lookup;
	struct sh_matcher *matcher;
	struct sh_placer *placer, *other; /* of this document; of a document that shares passages */
	struct sh_placed placed; /* this document; of -d without tokens until they are needed */
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
	size_t others = sh_texts_tokens(w->texts, spans->document).n, kept = 0;
	uint64_t need = w->index ? UINT64_MAX : sh_coverage_needs(s->threshold, tokens);
	uint64_t need_other = sh_coverage_needs(s->threshold, others), matched = 0;
	struct sh_placed other;
	struct sh_coverage c;
	char *p;

	/* The coverage is at most the sum. Places of most queries need not be computed. */
	for (size_t i = 0; i < n; i++)
		matched += spans[i].matched;
	if (s->pairs && matched < need && matched < need_other)
		return 0;
	if (sh_placer_document(w->other, spans->document, &other, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (!w->index || sh_span_is_significant(&spans[i], &other))
			spans[kept++] = spans[i];
	if (kept == 0)
		return 0;
	if (!s->pairs) {
		if (!w->placed.tokens.n) {
			struct sh_slice id = w->placed.id;

			if (sh_placer_text(w->placer, w->placed.text, &w->placed, err) < 0)
				return -1;
			w->placed.id = id;
		}
		for (size_t i = 0; i < kept; i++)
			if (put_span(out, &w->placed, &other, &spans[i], err) < 0)
				return -1;
		return 0;
	}
	if (sh_coverage(spans, kept, &w->room, &c, err) < 0)
		return -1;
	if (c.first < need && c.other < need_other)
		return 0;
	if (sh_buf_reserve(
		out, w->placed.id.n + other.id.n + SH_NUM_CHARS + 2 * SHARE_CHARS + 5, err) < 0)
		return -1;
	p = put_id(put_id(out->p + out->n, w->placed.id), other.id);
	p = put_number(p, w->index ? c.other : c.first);
	p = put_share(put_share(p, c.first, tokens, '\t'), c.other, others, '\n');
	out->n = (size_t)(p - out->p);
	return 0;
}

static int by_from(const void *x, const void *y)
{
	const struct record *a = x, *b = y;

	return a->from != b->from ? sh_compare(a->from, b->from) : sh_compare(a->begin, b->begin);
}

/* Puts the records of n spans, which begin at byte `begin` of `out`, into the order of the
 * passages. They were written one pair after the other, so that each document was split into tokens
 * once. */
static int sort_records(struct worker *w, const struct sh_span *spans, size_t n, size_t begin,
    struct sh_buf *out, struct sh_error *err)
{
	if (SH_RESERVE(w->record, w->record_cap, n, err) < 0)
		return -1;
	w->room.n = 0;
	if (sh_buf_add(&w->room, out->p + begin, out->n - begin, err) < 0)
		return -1;
	for (size_t i = 0, at = 0; i < n; i++) {
		const char *p = w->room.p + at;
		size_t end = at + 1 + (size_t)((char *)memchr(p, '\n', w->room.n - at) - p);

		w->record[i] = (struct record){ spans[i].from, at, end };
		at = end;
	}
	qsort(w->record, n, sizeof *w->record, by_from);
	out->n = begin;
	for (size_t i = 0; i < n; i++) {
		const struct record *r = &w->record[i];

		if (sh_buf_add(out, w->room.p + r->begin, r->end - r->begin, err) < 0)
			return -1;
	}
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

static int spans_of(struct worker *w, uint32_t document, struct sh_buf *out, struct sh_error *err)
{
	const struct span_settings *s = w->settings;
	struct sh_token_hashes side = sh_texts_tokens(w->texts, document);
	size_t n, begin = out->n;
	struct sh_span *spans;

	sh_matcher_begin(w->matcher, side);
	if (sh_groups_hits(w->groups, document, &w->hits, w->matcher, err) < 0 ||
	    sh_matcher_spans(w->matcher, &spans, &n, err) < 0)
		return -1;
	if (n == 0)
		return 0;
	if (sh_placer_document(w->placer, document, &w->placed, err) < 0 ||
	    put_spans(w, side.n, spans, n, out, err) < 0)
		return -1;
	return s->pairs || spans[0].document == spans[n - 1].document
		   ? 0
		   : sort_records(w, spans, n, begin, out, err);
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

/* Returns the first mark from `at` on, below `end`, that equals `wanted`; `end` when there is
 * none. */
static uint64_t next_mark(const uint32_t *marked, uint64_t at, uint64_t end, bool wanted)
{
	while (at < end) {
		uint32_t word = marked[at / 32] ^ (wanted ? 0 : UINT32_MAX);

		word >>= at % 32;
		if (word) {
			at += (uint64_t)__builtin_ctz(word);
			return at < end ? at : end;
		}
		at += 32 - at % 32;
	}
	return end;
}

static int marks_of(struct worker *w, uint32_t document, struct sh_buf *out, struct sh_error *err)
{
	uint64_t begin = 2 * w->texts->at[document], end = 2 * w->texts->at[document + 1];
	uint64_t from = next_mark(w->marked, begin, end, true), to;

	for (; from < end; from = next_mark(w->marked, to, end, true)) {
		to = next_mark(w->marked, from, end, false);
		if (put_place(w, document, (uint32_t)((from - begin) / 2),
			(uint32_t)((to - begin + 1) / 2), NULL, out, err) < 0)
			return -1;
	}
	return 0;
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
	if (sh_index_spans(w->index, &seeds, &w->lookup, w->matcher, &spans, &n, err) < 0)
		return -1;
	w->placed = (struct sh_placed){ .id = doc->id, .text = doc->text };
	return put_spans(w, seeds.tokens.n, spans, n, &job->out, err);
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;
	const struct sh_texts *t = w->texts;
	uint64_t begin = (uint64_t)job->task * TASK;
	size_t end;

	if (w->index)
		return sh_docs_work(&w->settings->docs.docs, each_query, w, job);
	end = sh_lower_bound(t->at, t->n, begin + TASK);
	for (size_t i = sh_lower_bound(t->at, t->n, begin); i < end; i++) {
		uint32_t d = (uint32_t)i;

		if (d >= w->first &&
		    (w->marked            ? marks_of(w, d, &job->out, &job->err)
			: w->counter.size ? counts_of(w, d, &job->out, &job->err)
					  : spans_of(w, d, &job->out, &job->err)) < 0)
			return -1;
	}
	return 0;
}

/* Writes the passages of the documents, by copies of the shared worker. corpus: its documents have
 * the tokens of shared->texts. */
static void run_workers(struct cli *c, struct span_settings *s, const struct sh_corpus *corpus,
    const struct worker *shared)
{
	const struct sh_token_opts *token = &s->docs.token;
	struct worker workers[CLI_MAX_JOBS];
	struct run run = { .cli = c, .work = work };
	struct sh_error err;

	for (unsigned i = 0; i < c->jobs; i++) {
		struct worker *w = run.workers[i] = &workers[i];

		*w = *shared;
		w->settings = s;
		if ((w->index && !(w->seeder = sh_seeder_new(token, &s->seed, &err))) ||
		    !(w->matcher = sh_matcher_new(&s->match, w->texts, &err)) ||
		    !(w->placer = sh_placer_new(corpus, token, &err)) ||
		    !(w->other = sh_placer_new(corpus, token, &err)))
			cli_die(c, &err);
	}
	if (shared->index)
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
	struct sh_groups groups;
	bool all = s->mode == SPAN_ALL;
	struct worker shared = { .texts = texts,
		.groups = &groups,
		.first = first,
		.hits = { all ? s->bound : 0, all ? 1 : FIRST_NEAREST, s->seed.window + longest - 1,
		    longest } };
	uint32_t *size = NULL;
	struct sh_error err;
	size_t starred = 0;

	if (sh_groups_make(&groups, texts->tables, postings, false, &err) < 0)
		cli_die(c, &err);
	sh_sorter_free(postings);
	for (size_t i = 0; s->archive && i < groups.n_members; i++) {
		const struct sh_group_member *p = &groups.member[i];

		if (p->token < sh_texts_tokens(texts, p->document).n)
			continue;
		sh_error_set(&err, SH_ERR_RECORD,
		    "'%s': the seeds belong to other documents: restore the archive from a backup",
		    s->archive);
		cli_die(c, &err);
	}
	if (sh_groups_list(&groups, texts->n, &err) < 0)
		cli_die(c, &err);
	for (size_t i = 0; all && i < groups.n; i++)
		starred += sh_group_size(&groups, i) > s->bound;
	if (starred)
		cli_warn(c,
		    "%zu seed%s in more than %zu places: of %s only the first place and the last "
		    "one before are compared (--bound)",
		    starred, CLI_PLURAL(starred), s->bound, starred == 1 ? "it" : "each");
	if (s->mode == SPAN_COUNT && !(size = sh_count_documents(&groups, &err)))
		cli_die(c, &err);
	shared.counter = (struct sh_counter){ texts, &groups, size, s->documents, s->match.least,
		longest, shared.hits.enough };
	run_workers(c, s, corpus, &shared);
	sh_tables_put(texts->tables, size);
	sh_groups_free(&groups);
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
		struct sh_exact_opts how = { s->length, s->every, c->jobs };
		uint32_t *marked = sh_tables_get_zeroed(
		    &tables, SH_EXACT_WORDS((size_t)texts.at[texts.n]), sizeof *marked, &err);

		if (!marked || sh_exact_find(&texts, &postings, &how, marked, &err) < 0)
			cli_die(c, &err);
		sh_sorter_free(&postings);
		run_workers(c, s, &corpus, &(struct worker){ .texts = &texts, .marked = marked });
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
    const struct sh_corpus *queries, const struct sh_index *x)
{
	unsigned shortest = sh_seed_shortest(&s->seed);
	struct sh_document_room room = { 0 };
	struct sh_document first;
	struct sh_error err;
	uint64_t n = 0;

	for (uint32_t d = 0; d < x->texts->n; d++)
		if (sh_texts_tokens(x->texts, d).n < shortest && n++ == 0 &&
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
		    "first %zu are compared (--bound)",
		    (unsigned long long)x->exceeding, CLI_PLURAL(x->exceeding), s->bound, s->bound);
}

void span_query(struct cli *c, struct span_settings *s)
{
	struct sh_index_opts opts = { s->bound,
		sh_seed_longest(&s->seed, sh_token_unit(&s->docs.token)), s->match.least,
		s->pairs ? s->threshold : 0 };
	struct sh_corpus queries;
	struct sh_texts texts = { 0 };
	struct sh_sorter postings;
	struct sh_index index;
	struct sh_error err;

	span_open(c, s, (char *const *)(void *)s->files.name, s->files.n, NULL, &queries);
	sh_postings_init(&postings, SH_POSTING_PLAIN, s->memory, c->jobs, c->tmpdir);
	span_load(c, s, &queries, NULL, &postings, &texts);
	if (sh_index_make(&index, &texts, &postings, &opts, &err) < 0)
		cli_die(c, &err);
	sh_sorter_free(&postings);
	warn_of_queries(c, s, &queries, &index);
	run_workers(c, s, &queries, &(struct worker){ .texts = &texts, .index = &index });
	sh_index_free(&index);
	sh_texts_free(&texts);
	sh_corpus_free(&queries);
}
