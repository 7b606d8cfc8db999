/* SPDX-License-Identifier: MIT */
/* Finds lines or sentences that occur again. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/num.h"
#include "run.h"
#include "span.h"

enum { TASK = 1 << 18 }; /* bytes of text in a task, about */

/* Shared by all workers. */
struct repeats {
	const struct span_settings *settings;
	const struct sh_corpus *corpus;
	struct sh_run_counts counts; /* one worker at a time changes it */
	bool counts_first;           /* all documents are counted before passages are written */
	bool counting;               /* this is the first of two passes */
};

struct worker {
	struct repeats *r;
	struct sh_splitter *splitter;
	struct sh_document_room room;
	struct sh_sentences sentences; /* of all documents of the task */
	struct sh_buf ends;            /* size_t: by document, the end of its sentences */
	/* Of one document, by sentence: whether it is in a passage; the least and the greatest
	 * number of documents with a run of it. */
	struct sh_buf marks;
	uint32_t *min, *max;
	size_t min_cap, max_cap;
};

static void mark_run(void *worker, size_t first, size_t last, const struct sh_run_count *count)
{
	struct worker *w = worker;
	const struct span_settings *s = w->r->settings;

	if (s->mode == SPAN_COUNT ? count->documents < s->documents
				  : w->r->counts_first && count->places < 2)
		return;
	for (size_t i = first; i <= last; i++) {
		if (!w->marks.p[i] || count->documents < w->min[i])
			w->min[i] = count->documents;
		if (!w->marks.p[i] || count->documents > w->max[i])
			w->max[i] = count->documents;
		w->marks.p[i] = 1;
	}
}

/* Appends the record of a passage. */
static int put_passage(const struct worker *w, struct sh_slice id, const struct sh_sentence *x,
    const struct sh_sentence_passage *p, struct sh_buf *out, struct sh_error *err)
{
	uint64_t field[5] = { p->from, p->to, 0, UINT64_MAX, 0 };
	size_t n = w->r->settings->mode == SPAN_COUNT ? 5 : 2;

	for (size_t i = p->first; i <= p->last; i++) {
		field[2] += x[i].tokens;
		field[3] = w->min[i] < field[3] ? w->min[i] : field[3];
		field[4] = w->max[i] > field[4] ? w->max[i] : field[4];
	}
	if (sh_buf_reserve(out, id.n + n * (SH_NUM_CHARS + 1) + 1, err) < 0)
		return -1;
	memcpy(out->p + out->n, id.p, id.n);
	out->n += id.n;
	for (size_t i = 0; i < n; i++) {
		out->p[out->n++] = '\t';
		out->n += sh_print_u64(out->p + out->n, field[i]);
	}
	out->p[out->n++] = '\n';
	return 0;
}

/* Handles the n sentences of a document, in the order of the documents while runs are counted. */
static int each_document(struct worker *w, uint32_t document, const struct sh_sentence *x, size_t n,
    struct sh_buf *out, struct sh_error *err)
{
	struct repeats *r = w->r;
	struct sh_sentence_passage p;
	struct sh_document doc;
	bool first = true;
	size_t i = 0;

	w->marks.n = 0;
	if (sh_buf_reserve(&w->marks, n + 1, err) < 0 ||
	    SH_RESERVE(w->min, w->min_cap, n, err) < 0 ||
	    SH_RESERVE(w->max, w->max_cap, n, err) < 0)
		return -1;
	memset(w->marks.p, 0, n + 1);
	if (sh_count_runs(&r->counts, &r->settings->units, x, n, document,
		r->counting || !r->counts_first, r->counting ? NULL : mark_run, w, err) < 0)
		return -1;
	for (; sh_next_passage(x, n, (const uint8_t *)w->marks.p, &i, &p); first = false)
		if ((first && sh_corpus_document(r->corpus, document, &w->room, &doc, err) < 0) ||
		    put_passage(w, doc.id, x, &p, out, err) < 0)
			return -1;
	return 0;
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;
	struct repeats *r = w->r;
	const struct sh_corpus *corpus = r->corpus;
	uint64_t begin = (uint64_t)job->task * TASK;
	size_t from = sh_lower_bound(corpus->at, corpus->n, begin), at = 0;
	size_t to = sh_lower_bound(corpus->at, corpus->n, begin + TASK);

	w->sentences.n = w->ends.n = 0;
	w->sentences.ill_formed = 0;
	for (size_t d = from; d < to; d++) {
		struct sh_document doc;

		if (sh_corpus_document(corpus, (uint32_t)d, &w->room, &doc, &job->err) < 0 ||
		    sh_split_sentences(w->splitter, doc.text, &w->sentences, &job->err) < 0 ||
		    sh_buf_add(&w->ends, &w->sentences.n, sizeof w->sentences.n, &job->err) < 0)
			return -1;
	}
	job->ill_formed = r->counting ? 0 : w->sentences.ill_formed;
	if ((r->counting || !r->counts_first) && sh_job_turn(job, &job->err) < 0)
		return -1;
	for (size_t d = from; d < to; d++) {
		size_t end;

		memcpy(&end, w->ends.p + (d - from) * sizeof end, sizeof end);
		if (each_document(
			w, (uint32_t)d, w->sentences.at + at, end - at, &job->out, &job->err) < 0)
			return -1;
		at = end;
	}
	return 0;
}

void span_repeats(struct cli *c, struct span_settings *s)
{
	struct worker workers[CLI_MAX_JOBS] = { 0 };
	struct run run = { .cli = c, .work = work };
	struct sh_corpus corpus;
	struct repeats r = {
		.settings = s, .corpus = &corpus, .counts_first = s->every || s->mode == SPAN_COUNT
	};
	struct sh_error err;
	char *const *names;
	size_t n, tasks;

	names = cli_inputs(c, &n);
	span_open(c, s, names, n, NULL, &corpus);
	if (sh_run_counts_init(&r.counts, &err) < 0)
		cli_die(c, &err);
	for (unsigned i = 0; i < c->jobs; i++) {
		workers[i].r = &r;
		workers[i].splitter = sh_splitter_new(&s->units, &err);
		if (!workers[i].splitter)
			cli_die(c, &err);
		run.workers[i] = &workers[i];
	}
	tasks = corpus.n ? (size_t)(corpus.at[corpus.n - 1] / TASK) + 1 : 0;
	r.counting = r.counts_first;
	if (r.counting)
		run_tasks(&run, tasks);
	r.counting = false;
	run_tasks(&run, tasks);
	run_finish(&run);
	for (unsigned i = 0; i < c->jobs; i++) {
		sh_splitter_delete(workers[i].splitter);
		sh_document_room_free(&workers[i].room);
		free(workers[i].sentences.at);
		sh_buf_free(&workers[i].ends);
		sh_buf_free(&workers[i].marks);
		free(workers[i].min);
		free(workers[i].max);
	}
	s->found = run.wrote;
	sh_run_counts_free(&r.counts);
	sh_corpus_free(&corpus);
}
