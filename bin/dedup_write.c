/* SPDX-License-Identifier: MIT */
/* Writes the documents that stay, or all documents marked; the report of the dropped ones; and the
 * summary. */
#include <stdlib.h>

#include "base/bisect.h"
#include "base/compare.h"
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
	struct sh_document kept;
	struct sh_record r;

	if (sh_batch_drops(&s->archive, i)) {
		if (sh_batch_record(&s->archive, sh_batch_keeper(&s->archive, i), &r, err) < 0)
			return -1;
		*id = r.id;
		return 0;
	}
	if (sh_corpus_document(&s->corpus, sh_engine_keeper(s->engine, i), room, &kept, err) < 0)
		return -1;
	*id = kept.id;
	return 0;
}

/* ---- lines by several threads ---- */

struct writer;

/* Appends the lines of a document to *to. */
typedef int add_fn(struct writer *w, uint32_t document, struct sh_buf *to, struct sh_error *err);

/* Writes the documents from .. to-1. */
struct writing {
	struct dedup_state *state;
	struct sh_sink *out;
	uint32_t from, to;
	add_fn *add;
};

struct writer {
	struct writing *all;
	struct sh_document_room room[2]; /* for the documents of a pair */
	struct sh_buf line;
	uint32_t alike; /* documents whose id is the keeper's id: see add_keeper() */
};

/* Returns the first document of a task. */
static uint32_t begin_of_task(const struct writing *w, size_t task)
{
	const uint64_t *place = w->state->corpus.at;
	uint64_t begin = place[w->from] + (uint64_t)task * TASK;

	return w->from + (uint32_t)sh_lower_bound(place + w->from, w->to - w->from, begin);
}

static int make_lines(void *writer, struct sh_job *job)
{
	struct writer *w = writer;
	uint32_t i = begin_of_task(w->all, job->task), end = begin_of_task(w->all, job->task + 1);
	int status = 0;

	for (; status == 0 && i < end; i++)
		status = w->all->add(w, i, &job->out, &job->err);
	return status;
}

static int write_lines(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct writing *w = arg;
	struct sh_corpus *corpus = &w->state->corpus;

	sh_corpus_passed(corpus, corpus->at[w->from] + (uint64_t)job->task * TASK);
	return sh_sink_write(w->out, job->out.p, job->out.n, err);
}

/* Writes the lines from w->add() for all documents, in order. Returns the sum of writer.alike. */
static uint32_t write_all(struct writing *w)
{
	struct cli *c = w->state->cli;
	const uint64_t *place = w->state->corpus.at;
	struct writer writer[CLI_MAX_JOBS];
	void *workers[CLI_MAX_JOBS];
	struct sh_pool pool = { make_lines, workers, c->jobs, write_lines, w };
	uint32_t alike = 0;
	struct sh_error err;

	if (w->from == w->to)
		return 0;
	for (unsigned i = 0; i < c->jobs; i++) {
		writer[i] = (struct writer){ .all = w };
		workers[i] = &writer[i];
	}
	if (sh_pool_tasks(&pool, (size_t)((place[w->to - 1] - place[w->from]) / TASK) + 1, &err) <
	    0)
		cli_die(c, &err);
	for (unsigned i = 0; i < c->jobs; i++) {
		alike += writer[i].alike;
		sh_document_room_free(&writer[i].room[0]);
		sh_document_room_free(&writer[i].room[1]);
		sh_buf_free(&writer[i].line);
	}
	return alike;
}

/* ---- documents ---- */

static int add_line(struct sh_buf *to, struct sh_slice line, struct sh_error *err)
{
	return sh_buf_add(to, line.p, line.n, err) < 0 ? -1 : sh_buf_add(to, "\n", 1, err);
}

static int add_staying(struct writer *w, uint32_t i, struct sh_buf *to, struct sh_error *err)
{
	const struct dedup_state *s = w->all->state;

	return dedup_stays(s, i) ? add_line(to, sh_corpus_line(&s->corpus, i), err) : 0;
}

/* Appends the marked line of a document. The CR of a DOS line end stays at its end. */
static int add_marked(struct writer *w, uint32_t i, struct sh_buf *to, struct sh_error *err)
{
	struct dedup_state *s = w->all->state;
	const struct sh_document_form *form = &s->settings->docs.docs.form;
	struct sh_keeper_mark mark = { 0 };
	char text[SH_SIMILARITY_CHARS];
	struct sh_document doc;
	struct sh_slice whole = sh_corpus_line(&s->corpus, i), line = cli_strip(form->crlf, whole);
	int status;

	if (!dedup_stays(s, i)) {
		struct sh_verdict v = sh_batch_verdict(&s->archive, i);

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
	return add_line(to, sh_buf_slice(&w->line), err);
}

void dedup_write_documents(struct dedup_state *s, struct sh_sink *out, uint32_t from, uint32_t to)
{
	struct writing w = { .state = s,
		.out = out,
		.from = from,
		.to = to,
		.add = s->settings->mark.n ? add_marked : add_staying };

	write_all(&w);
}

struct sh_slice dedup_header(const struct dedup_state *s, size_t i, size_t *before)
{
	struct sh_slice bytes = sh_slice(s->corpus.file[i].p, s->corpus.file[i].n);

	bytes.n = sh_header_front(bytes, s->settings->docs.docs.form.csv, before);
	bytes.n -= bytes.n && bytes.p[bytes.n - 1] == '\n';
	return cli_strip(s->cli->crlf, bytes);
}

void dedup_write_header(struct dedup_state *s, struct sh_sink *out, size_t i)
{
	const struct sh_document_form *form = &s->settings->docs.docs.form;
	struct sh_slice header, mark = s->settings->mark;
	struct sh_buf marked = { 0 };
	size_t before;
	struct sh_error err;

	if (!form->columns || s->corpus.file[i].n == 0)
		return;
	header = dedup_header(s, i, &before);
	if (mark.n) {
		if (sh_keeper_mark_header(form, mark, header, &marked, &err) < 0) {
			err.file = s->corpus.file[i].name;
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

/* Counts documents whose id is the keeper's id: the report cannot distinguish the two. */
static int add_report_line(struct writer *w, uint32_t i, struct sh_buf *to, struct sh_error *err)
{
	struct dedup_state *s = w->all->state;
	char similarity[SH_SIMILARITY_CHARS], count[SH_NUM_CHARS];
	struct sh_verdict v;
	struct sh_document doc;
	struct sh_slice keeper;
	uint32_t n;

	if (dedup_stays(s, i))
		return 0;
	if (sh_corpus_document(&s->corpus, i, &w->room[0], &doc, err) < 0 ||
	    dedup_keeper_id(s, i, &w->room[1], &keeper, err) < 0)
		return -1;
	w->alike += !sh_batch_drops(&s->archive, i) && sh_slice_eq(doc.id, keeper);
	v = sh_batch_verdict(&s->archive, i);
	sh_similarity_print(similarity, v.similarity);
	n = !s->settings->counts ? 0
	    : s->all             ? s->all[sh_batch_keeper(&s->archive, i)]
				 : s->size[sh_engine_keeper(s->engine, i)];
	return sh_fields_add(to,
	    (struct sh_slice[]){ doc.id, keeper, sh_slice(similarity, SH_SIMILARITY_CHARS),
		sh_slice_str(sh_verdict_measure(v.measure)),
		sh_slice(count, sh_print_u64(count, n)) },
	    s->settings->counts ? 5 : 4, err);
}

void dedup_write_report(struct dedup_state *s)
{
	struct writing w = {
		.state = s, .out = s->to, .to = (uint32_t)s->corpus.n, .add = add_report_line
	};
	uint32_t alike = write_all(&w);
	struct sh_error err;

	if (alike)
		cli_warn(s->cli,
		    "%u document%s dropped for a keeper of the same id: the report cannot "
		    "distinguish them",
		    alike, CLI_PLURAL(alike));
	if (sh_sink_flush(s->to, &err) < 0)
		cli_die(s->cli, &err);
}

/* ---- sizes of groups, and the summary ---- */

static int by_archived_keeper(const void *a, const void *b, void *arg)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t p = sh_batch_keeper(arg, x), q = sh_batch_keeper(arg, y);

	return p != q ? sh_compare(p, q) : sh_compare(x, y);
}

/* Counts the groups of archived documents. The documents of this run that are duplicates of one
 * archived document are a group with it: size[] of the first of them is the size of the group. */
static int count_archived(struct dedup_state *s, struct sh_error *err)
{
	uint32_t *order = sh_tables_get(&s->tables, s->corpus.n + 1, sizeof *order, err), n = 0;

	if (!order)
		return -1;
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (sh_batch_drops(&s->archive, i))
			order[n++] = i;
	qsort_r(order, n, sizeof *order, by_archived_keeper, &s->archive);
	for (uint32_t i = 0, first = 0; i < n; i++) {
		if (sh_batch_keeper(&s->archive, order[i]) !=
		    sh_batch_keeper(&s->archive, order[first]))
			first = i;
		s->size[order[i]] = 0;
		s->size[order[first]] = i - first + 2;
	}
	sh_tables_put(&s->tables, order);
	return 0;
}

/* Counts all documents of the archive by keeper, also the documents of this run. */
static int count_all(struct dedup_state *s, struct sh_error *err)
{
	const struct sh_batch *a = &s->archive;
	size_t numbers = s->store.manifest.next_number + (size_t)a->n_added;

	s->all = sh_tables_get_zeroed(&s->tables, numbers + 1, sizeof *s->all, err);
	if (!s->all || sh_store_count(&s->store, s->all, err) < 0)
		return -1;
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (a->document[i].recorded)
			s->all[sh_batch_keeper(&s->archive, i)]++;
	return 0;
}

void dedup_count_groups(struct dedup_state *s)
{
	struct sh_error err;

	s->size = sh_tables_get_zeroed(&s->tables, s->corpus.n + 1, sizeof *s->size, &err);
	if (!s->size)
		cli_die(s->cli, &err);
	for (uint32_t i = 0; i < s->corpus.n; i++) {
		uint32_t keeper = sh_engine_keeper(s->engine, i);

		if (keeper < s->corpus.n)
			s->size[keeper]++;
	}
	if (s->archive.document &&
	    (count_archived(s, &err) < 0 || (s->settings->counts && count_all(s, &err) < 0)))
		cli_die(s->cli, &err);
	/* Of groups of one size, the first one is the largest. */
	s->documents = s->corpus.n;
	s->groups = s->dropped = s->largest = 0;
	for (uint32_t i = 0; i < s->corpus.n; i++) {
		s->dropped += !dedup_stays(s, i);
		s->groups += s->size[i] > 1;
		if (s->size[i] > s->size[s->largest])
			s->largest = i;
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
	    s->groups ? s->size[s->largest] : 0, (unsigned long long)t->without_tokens,
	    progress_seconds(&s->cli->progress));
}
