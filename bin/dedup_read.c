/* SPDX-License-Identifier: MIT */
/* The first pass over the documents finds their places, keys and ranks. */
#include "base/num.h"
#include "dedup.h"
#include "record/escape.h"
#include "run.h"

/* ---- the documents of a task ---- */

/* What a worker finds of a document, in job->facts. */
struct found {
	uint64_t place, number;
	uint64_t length; /* bytes of the text, without escapes; only for the rule by length */
	/* indexes of the id in the lists, or SH_RANK_UNLISTED */
	uint32_t ranked, protected;
	struct sh_description about;
};

struct worker {
	const struct dedup_state *state;
	struct sh_describer *describer;
};

static uint32_t listed(const struct dedup_ids *list, struct sh_slice id)
{
	uint32_t i;

	return list->ids.n && sh_hmap_find(&list->ids, id, &i) ? i : SH_RANK_UNLISTED;
}

/* Postings go to job->out: this pass writes no output. */
static int each_document(
    void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	const struct dedup_settings *how = w->state->settings;
	size_t i = (size_t)job->records;
	/* The number counts from the task's first line on. */
	struct found *f,
	    new = { .place = job->from.at + job->offset, .number = job->from.number + job->at };

	if (!how->docs.docs.form.line_ids) {
		new.ranked = listed(&w->state->ranked, doc->id);
		new.protected = listed(&w->state->protected, doc->id);
	}
	if (how->keep.by == SH_RANK_LONGEST)
		new.length = how->docs.token.raw ? doc->text.n : sh_unescaped_length(doc->text);
	/* The pool keeps the facts of a rejected document: overwrite them. */
	job->facts.n = i * sizeof *f;
	if (sh_buf_add(&job->facts, &new, sizeof new, err) < 0)
		return -1;
	f = (struct found *)(void *)job->facts.p + i;
	return sh_engine_describe(
	    w->describer, doc->text, (uint32_t)i, &f->about, &job->out, &job->ill_formed, err);
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;
	int status;

	sh_corpus_lines_read(&w->state->tasks, job);
	status = sh_docs_work(&w->state->settings->docs.docs, each_document, w, job);
	job->from.lines = job->at; /* for the progress */
	return status;
}

/* ---- tasks, in input order ---- */

static void note_met(struct dedup_ids *list, uint32_t i)
{
	if (i != SH_RANK_UNLISTED)
		list->at[i].line = 0;
}

static int collect(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct dedup_state *s = arg;
	const struct sh_rank_rule *rule = &s->settings->keep;
	bool line_ids = s->settings->docs.docs.form.line_ids;
	uint32_t first = (uint32_t)s->corpus.n;
	size_t n = (size_t)job->records;
	struct found *found = (struct found *)(void *)job->facts.p;
	char id[SH_NUM_CHARS];

	sh_corpus_lines_done(&s->tasks, job);
	sh_corpus_passed(&s->corpus, job->from.at);
	if (n == 0)
		return 0;
	if (sh_engine_add(s->engine, n, &found->about, sizeof *found,
		(const struct sh_doc_key *)(const void *)job->out.p,
		job->out.n / sizeof(struct sh_doc_key), err) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct found *f = &found[i];
		uint64_t number = f->number + job->from.number - 1;

		if (sh_corpus_add(&s->corpus, &f->place, line_ids ? &number : NULL, 1, err) < 0)
			return -1;
		if (line_ids) {
			struct sh_slice text = sh_slice(id, sh_print_u64(id, number));

			f->ranked = listed(&s->ranked, text);
			f->protected = listed(&s->protected, text);
		}
		if (rule->by != SH_RANK_FIRST)
			sh_engine_set_rank(s->engine, first + i,
			    sh_rank_by_rule(rule, first + i, f->length, f->ranked));
		if (f->protected != SH_RANK_UNLISTED)
			sh_engine_protect(s->engine, first + i);
		note_met(&s->ranked, f->ranked);
		note_met(&s->protected, f->protected);
	}
	return 0;
}

/* ---- --keep max:FIELD and min:FIELD ---- */

static void set_rank(void *engine, uint32_t document, uint64_t rank)
{
	sh_engine_set_rank(engine, document, rank);
}

/* Ranks the documents by a field, after all were read. Does nothing with other rules. */
static void rank_by_field(struct dedup_state *s)
{
	struct sh_rank_values v = { .tables = &s->tables,
		.rule = s->settings->keep,
		.form = &s->settings->docs.docs.form };
	char text[SH_RANK_TEXT];
	struct sh_error err;

	if (!sh_rank_by_value(&v.rule) || s->corpus.n == 0)
		return;
	if (sh_rank_values_header(&v, sh_header_bare(&s->corpus.header), &err) < 0)
		cli_usage(s->cli, "--keep: %s", err.text);
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (sh_rank_values_add(&v, i, sh_corpus_line(&s->corpus, i), &err) < 0)
			cli_die(s->cli, &err);
	sh_rank_values_finish(&v, set_rank, s->engine);
	if (v.lacking == s->corpus.n) {
		sh_error_set(&err, SH_ERR_RECORD, "--keep: no document has a field '%.*s'",
		    sh_shown(v.rule.field, 80), v.rule.field.p);
		cli_die(s->cli, &err);
	}
	if (sh_rank_values_doubt(&v, text) && !s->settings->quiet)
		cli_warn(s->cli, "%s (--keep)", text);
	sh_rank_values_free(&v);
}

/* ---- the run ---- */

void dedup_read(struct dedup_state *s)
{
	struct cli *c = s->cli;
	struct worker workers[CLI_MAX_JOBS];
	struct run run = { .cli = c, .work = work, .collect = collect, .arg = s };
	struct sh_error err;

	if (sh_corpus_init(&s->corpus, &s->settings->docs.docs.form, &err) < 0)
		cli_die(c, &err);
	s->corpus.tables = &s->tables;
	s->corpus.jobs = c->jobs;
	s->corpus.keeps_open = true;
	s->corpus.trailer = c->trailer_in;
	if ((s->settings->every
		    ? sh_corpus_take(&s->corpus, &s->lines, &err)
		    : sh_corpus_open(&s->corpus, c->operands, c->n_operands, c->tmpdir, &err)) < 0)
		cli_die(c, &err);
	if (s->settings->every)
		s->corpus.file[0].name = "-";
	if (sh_corpus_lines_init(&s->tasks, &s->corpus, 0, 1, &err) < 0)
		cli_die(c, &err);
	s->corpus.reads = sh_corpus_size(&s->corpus) > s->settings->memory;
	for (unsigned i = 0; i < c->jobs; i++) {
		workers[i] = (struct worker){ s, sh_describer_new(s->engine, &err) };
		if (!workers[i].describer)
			cli_die(c, &err);
		run.workers[i] = &workers[i];
	}
	run_tasks(&run, s->tasks.tasks);
	run_finish(&run);
	sh_corpus_lines_free(&s->tasks);
	if (sh_corpus_check(&s->corpus, &err) < 0)
		cli_die(c, &err);
	for (unsigned i = 0; i < c->jobs; i++)
		sh_describer_delete(workers[i].describer);
	rank_by_field(s);
}
