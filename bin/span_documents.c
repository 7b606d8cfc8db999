/* SPDX-License-Identifier: MIT */
/* Finds the passages that the documents of one set share: spans, counts, and with --exact what
 * occurred before. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/num.h"
#include "base/numsort.h"
#include "documents.h"
#include "passage/count.h"
#include "passage/exact.h"
#include "passage/links.h"
#include "run.h"
#include "span.h"

/* ---- reading ---- */

void span_open(struct cli *c, const struct span_settings *s, char *const *names, size_t n,
    struct sh_tables *tables, struct sh_corpus *corpus)
{
	/* The files of an option are not operands. */
	documents_read(c, &s->docs.docs.form, s->files.n ? &s->docs.of : NULL, &s->docs.token,
	    names, n, tables, !s->files.n, corpus);
	documents_warn(c, corpus, "ignored");
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
    const uint64_t *wanted, struct sh_sorter *seeds, struct sh_texts *texts)
{
	struct loading loading = { c, corpus };
	struct sh_texts_opts opts = {
		.token = s->docs.token,
		.seed = s->seed,
		.seeds = s->seeds ? NULL : seeds,
		.windows = s->mode == SPAN_EXACT,
		.strict = s->docs.docs.strict,
		.wanted = wanted,
		.jobs = c->jobs,
		.bad = seeds ? bad_document : NULL,
		.arg = &loading,
	};
	struct sh_error err;

	if (sh_texts_load(texts, corpus, &opts, &err) < 0)
		cli_die(c, &err);
	if (texts->ill_formed && !s->docs.docs.strict && seeds)
		cli_warn(c,
		    "%llu ill-formed UTF-8 sequence%s replaced (--strict makes them errors)",
		    (unsigned long long)texts->ill_formed, CLI_PLURAL(texts->ill_formed));
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
    const struct sh_texts *t, struct sh_sorter *seeds)
{
	struct sh_document_room room = { 0 };
	struct sh_document doc;
	struct sh_lines lines;
	struct sh_slice line, id;
	struct sh_posting p;
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
			continue;
		}
		if (sh_seeds_add(seeds, &p, &err) < 0)
			cli_die(c, &err);
	}
	sh_lines_free(&lines);
	sh_document_room_free(&room);
}

/* ---- the work on a document ---- */

enum { TASK = 1 << 16 }; /* tokens of the documents of a task, about */

struct worker {
	const struct span_settings *settings;
	const struct sh_texts *texts;
	uint32_t first;               /* documents before are not asked for */
	const struct sh_links *links; /* these three: unused with --exact */
	struct sh_matcher *matcher;
	struct sh_counter counter;
	const uint32_t *marked; /* for --exact */
	struct sh_placer *placer, *other;
	struct sh_buf room;
	/* The spans of a document, by place, with room for the sort; the ends of their records. */
	uint64_t *order;
	size_t *end;
	size_t order_cap, end_cap;
};

/* Writes the records of one pair after the other, so that each document is split into tokens once.
 * Then appends the records in the order of the passages. */
static int put_spans(struct worker *w, const struct sh_placed *a, const struct sh_span *spans,
    size_t n, struct sh_buf *out, struct sh_error *err)
{
	const uint64_t *order;
	struct sh_placed b;

	if (SH_RESERVE(w->order, w->order_cap, 2 * n, err) < 0 ||
	    SH_RESERVE(w->end, w->end_cap, n + 1, err) < 0)
		return -1;
	w->room.n = w->end[0] = 0;
	for (size_t i = 0; i < n; i++) {
		if (sh_placer_document(w->other, spans[i].document, &b, err) < 0 ||
		    span_put(&w->room, a, &b, &spans[i], err) < 0)
			return -1;
		w->order[i] = (uint64_t)spans[i].from << 32 | i;
		w->end[i + 1] = w->room.n;
	}
	order = sh_numsort(w->order, w->order + n, n);
	for (size_t j = 0; j < n; j++) {
		uint32_t i = (uint32_t)order[j];

		if (sh_buf_add(out, w->room.p + w->end[i], w->end[i + 1] - w->end[i], err) < 0)
			return -1;
	}
	return 0;
}

/* Writes the pairs whose coverage reaches -T on one side. */
static int put_pairs(struct worker *w, const struct sh_placed *a, struct sh_span *spans, size_t n,
    struct sh_buf *out, struct sh_error *err)
{
	uint64_t least = w->settings->threshold;

	for (size_t i = 0, j; i < n; i = j) {
		uint32_t d = spans[i].document;
		size_t others = sh_texts_tokens(w->texts, d).n;
		struct sh_coverage c;
		struct sh_placed b;

		for (j = i + 1; j < n && spans[j].document == d; j++)
			;
		if (sh_coverage(spans + i, j - i, &w->room, &c, err) < 0)
			return -1;
		if (c.first * UINT64_C(1000000) < least * a->n &&
		    c.other * UINT64_C(1000000) < least * others)
			continue;
		if (sh_placer_document(w->other, d, &b, err) < 0 ||
		    span_put_pair(out, a->id, b.id, c.first, &c, a->n, others, err) < 0)
			return -1;
	}
	return 0;
}

static int put_place(struct sh_buf *out, const struct sh_placed *placed, uint32_t from, uint32_t to,
    const struct sh_counted *count, struct sh_error *err)
{
	uint32_t start, end;

	sh_placed_bytes(placed, from, to, &start, &end);
	return count ? span_put_place(out, placed->id,
			   (uint64_t[]){ start, end, to - from, count->min, count->max }, 5, err)
		     : span_put_place(out, placed->id, (uint64_t[]){ start, end }, 2, err);
}

static int spans_of(struct worker *w, uint32_t document, struct sh_buf *out, struct sh_error *err)
{
	struct sh_placed a;
	struct sh_span *spans;
	size_t n;

	if (sh_links_hits(w->links, document, w->matcher, err) < 0 ||
	    sh_matcher_spans(w->matcher, &spans, &n, err) < 0)
		return -1;
	if (n == 0)
		return 0;
	if (sh_placer_document(w->placer, document, &a, err) < 0)
		return -1;
	return w->settings->pairs ? put_pairs(w, &a, spans, n, out, err)
				  : put_spans(w, &a, spans, n, out, err);
}

static int counts_of(struct worker *w, uint32_t document, struct sh_buf *out, struct sh_error *err)
{
	const struct sh_counted *passage;
	struct sh_placed a;
	size_t n;

	if (sh_counter_run(&w->counter, document, &passage, &n, err) < 0)
		return -1;
	if (n && sh_placer_document(w->placer, document, &a, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (put_place(out, &a, passage[i].from, passage[i].to, &passage[i], err) < 0)
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
	struct sh_placed a;

	if (from < end && sh_placer_document(w->placer, document, &a, err) < 0)
		return -1;
	for (; from < end; from = next_mark(w->marked, to, end, true)) {
		to = next_mark(w->marked, from, end, false);
		if (put_place(out, &a, (uint32_t)((from - begin) / 2),
			(uint32_t)((to - begin + 1) / 2), NULL, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- all documents ---- */

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;
	const struct sh_texts *t = w->texts;
	uint64_t begin = (uint64_t)job->task * TASK;
	size_t end = sh_lower_bound(t->at, t->n, begin + TASK);

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

/* Writes the passages of the documents from `first` on, by copies of the shared worker. */
static void run_workers(struct cli *c, struct span_settings *s, const struct sh_corpus *corpus,
    const struct worker *shared)
{
	struct worker workers[CLI_MAX_JOBS];
	struct run run = { .cli = c, .work = work };
	struct sh_error err;

	for (unsigned i = 0; i < c->jobs; i++) {
		struct worker *w = &workers[i];

		*w = *shared;
		if ((!w->counter.size && !w->marked &&
			!(w->matcher = sh_matcher_new(&s->match, &err))) ||
		    !(w->placer = sh_placer_new(corpus, &s->docs.token, &err)) ||
		    !(w->other = sh_placer_new(corpus, &s->docs.token, &err)))
			cli_die(c, &err);
		run.workers[i] = w;
	}
	run_tasks(&run, (size_t)(shared->texts->at[shared->texts->n] / TASK) + 1);
	s->found = run.wrote;
	for (unsigned i = 0; i < c->jobs; i++) {
		sh_matcher_delete(workers[i].matcher);
		sh_counter_free(&workers[i].counter);
		sh_placer_delete(workers[i].placer);
		sh_placer_delete(workers[i].other);
		sh_buf_free(&workers[i].room);
		free(workers[i].order);
		free(workers[i].end);
	}
}

void span_find(struct cli *c, struct span_settings *s, const struct sh_corpus *corpus,
    const struct sh_texts *texts, const struct sh_groups *groups, uint32_t first)
{
	unsigned longest = sh_seed_longest(&s->seed, sh_token_unit(&s->docs.token));
	struct sh_links links = { texts, groups, s->mode == SPAN_ALL ? s->bound : 0,
		s->seed.window + longest - 1, longest, s->mode == SPAN_FIRST };
	struct worker shared = { .settings = s, .texts = texts, .first = first, .links = &links };
	uint64_t starred = s->mode == SPAN_ALL ? sh_groups_exceeding(groups, s->bound) : 0;
	uint32_t *size = NULL;
	struct sh_error err;

	if (s->mode == SPAN_COUNT && !(size = sh_count_documents(groups, &err)))
		cli_die(c, &err);
	if (starred)
		cli_warn(c,
		    "%llu seed%s in more than %zu places: of %s only the first place and the last "
		    "one "
		    "before are compared (--bound)",
		    (unsigned long long)starred, CLI_PLURAL(starred), s->bound,
		    starred == 1 ? "it" : "each");
	shared.counter = (struct sh_counter){ &links, size, s->documents, s->match.least };
	run_workers(c, s, corpus, &shared);
	sh_tables_put(texts->tables, size);
}

void span_documents(struct cli *c, struct span_settings *s)
{
	size_t n = s->files.n;
	char *const *names = s->seeds ? (char *const *)(void *)s->files.name : cli_inputs(c, &n);
	struct sh_tables tables;
	struct sh_sorter seeds;
	struct sh_corpus corpus;
	struct sh_texts texts = { .tables = &tables };
	struct sh_groups groups;
	struct sh_error err;

	sh_tables_init(&tables, s->memory / 2, c->tmpdir);
	sh_seeds_init(&seeds, s->memory / 2, c->jobs, c->tmpdir);
	if (s->mode == SPAN_EXACT)
		s->seed = sh_exact_seeds(s->length, s->seed.k);
	span_open(c, s, names, n, &tables, &corpus);
	span_load(c, s, &corpus, NULL, &seeds, &texts);
	if (s->seeds)
		read_seeds(c, s, &corpus, &texts, &seeds);
	if (s->mode == SPAN_EXACT) {
		struct sh_exact_opts how = { s->length, s->seed.window, s->every, c->jobs };
		uint32_t *marked = sh_tables_get_zeroed(
		    &tables, SH_EXACT_WORDS((size_t)texts.at[texts.n]), sizeof *marked, &err);

		if (!marked || sh_exact_find(&texts, &seeds, &how, marked, &err) < 0)
			cli_die(c, &err);
		sh_sorter_free(&seeds);
		run_workers(c, s, &corpus, &(struct worker){ .texts = &texts, .marked = marked });
		sh_tables_put(&tables, marked);
	} else {
		if (sh_groups_make(&groups, &tables, &seeds, texts.n, false, &err) < 0)
			cli_die(c, &err);
		sh_sorter_free(&seeds);
		span_find(c, s, &corpus, &texts, &groups, 0);
		sh_groups_free(&groups);
	}
	sh_texts_free(&texts);
	sh_corpus_free(&corpus);
	sh_tables_free(&tables);
}
