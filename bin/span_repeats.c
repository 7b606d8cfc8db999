/* SPDX-License-Identifier: MIT */
/* Finds lines or sentences that occur again. */
#include "base/bisect.h"
#include "run.h"
#include "span.h"

enum { TASK = 1 << 18 }; /* bytes of text in a task, about */

struct worker {
	const struct span_settings *settings;
	const struct sh_corpus *corpus;
	struct sh_run_counts *counts; /* one worker at a time changes it */
	/* Two passes, when a passage depends on later documents: the first one counts the runs, and
	 * the second one writes. */
	bool counts_runs, writes;
	struct sh_splitter splitter; /* has all documents of the task */
	struct sh_document_room room;
};

/* Handles the sentences of a document. */
static int each_document(struct worker *w, uint32_t document, struct sh_sentence *x, size_t n,
    struct sh_buf *out, struct sh_error *err)
{
	const struct span_settings *s = w->settings;
	bool counted = s->mode == SPAN_COUNT;
	struct sh_sentence p;
	struct sh_document doc;

	if (w->counts_runs && sh_count_runs(w->counts, x, n, document, err) < 0)
		return -1;
	if (!w->writes)
		return 0;
	if (!w->counts_runs)
		sh_mark_runs(w->counts, x, n, counted ? s->documents : 0, counted ? 0 : 2);
	for (size_t i = 0, first = 1; sh_next_passage(x, n, &i, &p); first = 0)
		if ((first && sh_corpus_document(w->corpus, document, &w->room, &doc, err) < 0) ||
		    span_put_place(out, doc.id,
			(uint64_t[]){ p.from, p.to, p.tokens, p.min, p.max }, counted ? 5 : 2,
			err) < 0)
			return -1;
	return 0;
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;
	const struct sh_corpus *corpus = w->corpus;
	uint64_t begin = (uint64_t)job->task * TASK;
	size_t from = sh_lower_bound(corpus->at, corpus->n, begin);
	size_t to = sh_lower_bound(corpus->at, corpus->n, begin + TASK);

	sh_splitter_clear(&w->splitter);
	for (size_t d = from; d < to; d++) {
		struct sh_document doc;

		if (sh_corpus_document(corpus, (uint32_t)d, &w->room, &doc, &job->err) < 0 ||
		    sh_splitter_add(&w->splitter, doc.text, &job->err) < 0)
			return -1;
	}
	job->ill_formed = w->writes ? w->splitter.ill_formed : 0;
	/* Runs are counted in the order of the documents. */
	if (w->counts_runs && sh_job_turn(job, &job->err) < 0)
		return -1;
	for (size_t d = from; d < to; d++) {
		size_t n;
		struct sh_sentence *x = sh_splitter_text(&w->splitter, d - from, &n);

		if (each_document(w, (uint32_t)d, x, n, &job->out, &job->err) < 0)
			return -1;
	}
	return 0;
}

void span_repeats(struct cli *c, struct span_settings *s)
{
	bool twice = s->every || s->mode == SPAN_COUNT;
	struct worker workers[CLI_MAX_JOBS] = { 0 };
	struct run run = { .cli = c, .work = work };
	struct sh_corpus corpus;
	struct sh_run_counts counts;
	struct sh_error err;

	span_open(c, s, c->operands, c->n_operands, NULL, &corpus);
	if (sh_run_counts_init(&counts, &s->units, &err) < 0)
		cli_die(c, &err);
	for (unsigned i = 0; i < c->jobs; i++) {
		struct worker *w = run.workers[i] = &workers[i];

		w->settings = s;
		w->corpus = &corpus;
		w->counts = &counts;
		if (sh_splitter_init(&w->splitter, &s->units, &err) < 0)
			cli_die(c, &err);
	}
	for (int pass = twice ? 0 : 1; pass < 2; pass++) {
		for (unsigned i = 0; i < c->jobs; i++) {
			workers[i].counts_runs = pass == 0 || !twice;
			workers[i].writes = pass == 1;
		}
		run_tasks(&run, corpus.n ? (size_t)(corpus.at[corpus.n - 1] / TASK) + 1 : 0);
	}
	run_finish(&run);
	for (unsigned i = 0; i < c->jobs; i++) {
		sh_splitter_free(&workers[i].splitter);
		sh_document_room_free(&workers[i].room);
	}
	s->found = run.wrote;
	sh_run_counts_free(&counts);
	sh_corpus_free(&corpus);
}
