/* SPDX-License-Identifier: MIT */
/* Writes the documents that stay, or all documents marked; the report of the dropped ones; and the
 * summary. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/num.h"
#include "dedup.h"
#include "io/header.h"
#include "io/pool.h"
#include "record/fields.h"
#include "record/keeper_mark.h"

/* A task of a thread has the documents that begin in this number of input bytes. */
enum { TASK = 3 << 16 };

int dedup_keeper_id(struct dedup_state *s, uint32_t i, struct sh_document_room *room,
    struct sh_slice *id, struct sh_error *err)
{
	uint32_t keeper = sh_engine_keeper(s->engine, i);
	struct sh_document kept;
	struct sh_record r;

	if (dedup_is_archived(s, keeper)) {
		if (sh_batch_record(&s->archive, sh_batch_keeper(&s->archive, i), &r, err) < 0)
			return -1;
		*id = r.id;
		return 0;
	}
	if (sh_corpus_document(&s->corpus, keeper, room, &kept, err) < 0)
		return -1;
	*id = kept.id;
	return 0;
}

/* ---- lines by several threads ---- */

struct writer;

/* Writes lines of the documents from .. to-1. */
struct pass {
	struct dedup_state *state;
	struct sh_sink *out;
	uint32_t from, to;
	/* Appends the lines of a document to job->out. */
	int (*add)(struct writer *w, uint32_t document, struct sh_job *job, struct sh_error *err);
};

struct writer {
	struct dedup_state *state;
	const struct pass *pass;
	struct sh_document_room room[2]; /* for the documents of a pair */
	struct sh_buf line;
};

/* Returns the first document of a task. */
static uint32_t begin_of_task(const struct pass *p, size_t task)
{
	const uint64_t *place = p->state->corpus.at;
	uint64_t begin = place[p->from] + (uint64_t)task * TASK;

	return p->from + (uint32_t)sh_lower_bound(place + p->from, p->to - p->from, begin);
}

static int add_some(void *writer, struct sh_job *job)
{
	struct writer *w = writer;
	uint32_t i = begin_of_task(w->pass, job->task), end = begin_of_task(w->pass, job->task + 1);
	int status = 0;

	for (; status == 0 && i < end; i++)
		status = w->pass->add(w, i, job, &job->err);
	return status;
}

static int take_job(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct pass *p = arg;
	struct sh_corpus *corpus = &p->state->corpus;

	sh_corpus_passed(corpus, corpus->at[p->from] + (uint64_t)job->task * TASK);
	return sh_sink_write(p->out, job->out.p, job->out.n, err);
}

static void run_pass(struct pass *p)
{
	struct cli *c = p->state->cli;
	const uint64_t *place = p->state->corpus.at;
	struct writer writer[CLI_MAX_JOBS];
	void *workers[CLI_MAX_JOBS];
	struct sh_pool pool = { add_some, workers, c->jobs, take_job, p };
	struct sh_error err;

	if (p->from == p->to)
		return;
	for (unsigned i = 0; i < c->jobs; i++) {
		writer[i] = (struct writer){ .state = p->state, .pass = p };
		workers[i] = &writer[i];
	}
	if (sh_pool_tasks(&pool, (size_t)((place[p->to - 1] - place[p->from]) / TASK) + 1, &err) <
	    0)
		cli_die(c, &err);
	for (unsigned i = 0; i < c->jobs; i++) {
		sh_document_room_free(&writer[i].room[0]);
		sh_document_room_free(&writer[i].room[1]);
		sh_buf_free(&writer[i].line);
	}
}

/* ---- documents ---- */

static int add_line(struct sh_buf *to, struct sh_slice line, struct sh_error *err)
{
	return sh_buf_add(to, line.p, line.n, err) < 0 ? -1 : sh_buf_add(to, "\n", 1, err);
}

static int add_staying(struct writer *w, uint32_t i, struct sh_job *job, struct sh_error *err)
{
	const struct dedup_state *s = w->state;

	return dedup_stays(s, i) ? add_line(&job->out, sh_corpus_line(&s->corpus, i), err) : 0;
}

/* Appends the marked line of a document. The CR of a DOS line end stays at its end. */
static int add_marked(struct writer *w, uint32_t i, struct sh_job *job, struct sh_error *err)
{
	struct dedup_state *s = w->state;
	const struct sh_document_form *form = &s->settings->docs.docs.form;
	struct sh_keeper_mark mark = { 0 };
	char text[SH_SIMILARITY_CHARS];
	struct sh_document doc;
	struct sh_slice whole = sh_corpus_line(&s->corpus, i), line = cli_strip(form->crlf, whole);
	int status;

	if (!dedup_stays(s, i)) {
		struct sh_verdict v = sh_engine_verdict(s->engine, i);

		if (dedup_keeper_id(s, i, &w->room[1], &mark.keeper, err) < 0)
			return -1;
		sh_similarity_print(text, v.similarity);
		mark.similarity = sh_slice(text, SH_SIMILARITY_CHARS);
		mark.measure = sh_slice_str(sh_verdict_measure(v.measure));
	}
	/* doc.id must point into the line, so the line is parsed here. */
	w->line.n = 0;
	status = sh_document_parse(
	    form, whole, s->corpus.number ? s->corpus.number[i] : 0, &w->room[0], &doc, err);
	if (status == 0)
		status =
		    sh_keeper_mark_add(form, s->settings->mark, line, &doc, &mark, &w->line, err);
	if (status < 0)
		return err->code == SH_ERR_RECORD ? sh_corpus_blame(&s->corpus, i, err) : -1;
	if (whole.n > line.n && sh_buf_add(&w->line, "\r", 1, err) < 0)
		return -1;
	return add_line(&job->out, sh_buf_slice(&w->line), err);
}

void dedup_write_documents(struct dedup_state *s, struct sh_sink *out, uint32_t from, uint32_t to)
{
	struct pass p = { .state = s,
		.out = out,
		.from = from,
		.to = to,
		.add = s->settings->mark.n ? add_marked : add_staying };

	run_pass(&p);
}

void dedup_write_header(struct dedup_state *s, struct sh_sink *out, size_t i)
{
	const struct sh_document_form *form = &s->settings->docs.docs.form;
	const struct sh_corpus_file *file = &s->corpus.file[i];
	struct sh_slice header = sh_slice(file->p, file->n), mark = s->settings->mark;
	struct sh_buf marked = { 0 };
	size_t before;
	char delimiter;
	struct sh_error err;

	if (!form->columns || file->n == 0)
		return;
	header.n = sh_header_front(header, form->csv, &before, &delimiter);
	header.n -= header.n && header.p[header.n - 1] == '\n';
	header = cli_strip(s->cli->crlf, header);
	if (mark.n) {
		if (sh_keeper_mark_header(form, mark, header, &marked, &err) < 0) {
			err.file = file->name;
			cli_die(s->cli, &err);
		}
		header = sh_buf_slice(&marked);
	}
	if (sh_sink_write(out, header.p, header.n, &err) < 0 ||
	    sh_sink_write(out, "\n", 1, &err) < 0)
		cli_die(s->cli, &err);
	sh_buf_free(&marked);
}

/* ---- the report ---- */

static int add_report_line(struct writer *w, uint32_t i, struct sh_job *job, struct sh_error *err)
{
	struct dedup_state *s = w->state;
	uint32_t keeper = sh_engine_keeper(s->engine, i);
	char similarity[SH_SIMILARITY_CHARS], count[SH_NUM_CHARS];
	struct sh_verdict v;
	struct sh_document doc;
	struct sh_slice id;
	uint32_t n;

	if (keeper == i)
		return 0;
	if (sh_corpus_document(&s->corpus, i, &w->room[0], &doc, err) < 0 ||
	    dedup_keeper_id(s, i, &w->room[1], &id, err) < 0)
		return -1;
	if (!dedup_is_archived(s, keeper) && sh_slice_eq(doc.id, id))
		__atomic_fetch_add(&s->alike, 1, __ATOMIC_RELAXED);
	v = sh_engine_verdict(s->engine, i);
	sh_similarity_print(similarity, v.similarity);
	n = s->all ? s->all[sh_batch_keeper(&s->archive, i)] : s->size[keeper];
	return sh_fields_add(&job->out,
	    (struct sh_slice[]){ doc.id, id, sh_slice(similarity, SH_SIMILARITY_CHARS),
		sh_slice_str(sh_verdict_measure(v.measure)),
		sh_slice(count, sh_print_u64(count, n)) },
	    s->settings->counts ? 5 : 4, err);
}

void dedup_write_report(struct dedup_state *s)
{
	struct pass p = {
		.state = s, .out = s->to, .to = (uint32_t)s->corpus.n, .add = add_report_line
	};
	struct sh_error err;

	s->alike = 0;
	run_pass(&p);
	if (s->alike)
		cli_warn(s->cli,
		    "%u document%s dropped for a keeper of the same id: the report cannot "
		    "distinguish them",
		    s->alike, CLI_PLURAL(s->alike));
	if (sh_sink_flush(s->to, &err) < 0)
		cli_die(s->cli, &err);
}

/* ---- sizes of groups, and the summary ---- */

/* Counts all documents of the archive by keeper, also the documents of this run. */
static int count_all(struct dedup_state *s, struct sh_error *err)
{
	const struct sh_batch *a = &s->archive;
	size_t numbers = s->store.manifest.next_number + (size_t)a->n_added;

	s->all = sh_tables_get(&s->tables, numbers + 1, sizeof *s->all, err);
	if (!s->all || sh_store_count(&s->store, s->all, err) < 0)
		return -1;
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (a->document[i].recorded)
			s->all[sh_batch_keeper(&s->archive, i)]++;
	return 0;
}

void dedup_count_groups(struct dedup_state *s)
{
	size_t n = s->corpus.n, all = n + s->archive.n_stored;
	struct sh_error err;

	s->size = sh_tables_get(&s->tables, all + 1, sizeof *s->size, &err);
	if (!s->size || (s->archive.document && s->settings->counts && count_all(s, &err) < 0))
		cli_die(s->cli, &err);
	s->documents = n;
	s->groups = s->dropped = s->largest = 0;
	for (uint32_t i = 0; i < n; i++) {
		s->size[sh_engine_keeper(s->engine, i)]++;
		s->dropped += !dedup_stays(s, i);
	}
	for (size_t i = 0; i < all; i++) {
		/* An archived document and its duplicates of this run are a group. */
		uint32_t size = s->size[i] + (i >= n && s->size[i]);

		s->groups += size > 1;
		s->largest = size > s->largest ? size : s->largest;
	}
}

void dedup_summarise(const struct dedup_state *s)
{
	const struct sh_engine_stats *t = sh_engine_stats(s->engine);

	if (s->settings->quiet)
		return;
	cli_warn(s->cli,
	    "%llu document%s, %llu stay, %llu dropped%s; %llu with the tokens of another, "
	    "%llu pair%s compared, %llu similar; %llu group%s, largest %u; %llu without tokens; "
	    "%.1f s",
	    (unsigned long long)t->documents, CLI_PLURAL(t->documents),
	    (unsigned long long)(t->documents - s->dropped), (unsigned long long)s->dropped,
	    s->settings->dry_run  ? " (dry run)"
	    : s->settings->mark.n ? " (marked)"
				  : "",
	    (unsigned long long)t->copies, (unsigned long long)t->compared, CLI_PLURAL(t->compared),
	    (unsigned long long)t->similar, (unsigned long long)s->groups, CLI_PLURAL(s->groups),
	    s->groups ? s->largest : 0, (unsigned long long)t->without_tokens,
	    progress_seconds(&s->cli->progress));
}
