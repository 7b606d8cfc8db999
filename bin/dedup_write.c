/* SPDX-License-Identifier: MIT */
/* Writes the documents that stay, or all documents marked, and the report of the dropped ones. */
#include <string.h>

#include "base/bisect.h"
#include "base/num.h"
#include "dedup.h"
#include "io/header.h"
#include "io/pool.h"
#include "record/keeper_mark.h"

/* A task of a thread has the documents that begin in this number of input bytes. */
enum { TASK = 3 << 16 };

/* Scratch memory for the documents of a pair. */
struct rooms {
	struct sh_document_room room[2];
	struct sh_buf line;
};

static void free_rooms(struct rooms *r)
{
	sh_document_room_free(&r->room[0]);
	sh_document_room_free(&r->room[1]);
	sh_buf_free(&r->line);
}

int dedup_keeper_id(struct dedup_state *s, uint32_t i, struct sh_document_room *room,
    struct sh_slice *id, struct sh_error *err)
{
	struct sh_document kept;

	if (dedup_archive_drops(s, i))
		return dedup_archive_keeper_id(s, i, id, err);
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
	const struct dedup_groups *groups;
	uint32_t from, to;
	add_fn *add;
};

struct writer {
	struct writing *all;
	unsigned thread;
	struct rooms rooms;
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
		writer[i] = (struct writer){ .all = w, .thread = i };
		workers[i] = &writer[i];
	}
	if (sh_pool_tasks(&pool, (size_t)((place[w->to - 1] - place[w->from]) / TASK) + 1, &err) <
	    0)
		cli_die(c, &err);
	for (unsigned i = 0; i < c->jobs; i++) {
		alike += writer[i].alike;
		free_rooms(&writer[i].rooms);
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

/* Sets *similarity, in ten thousandths, and *measure of a document that does not stay and its
 * keeper. */
static void find_numbers(
    const struct dedup_state *s, uint32_t i, unsigned *similarity, const char **measure)
{
	struct sh_verdict v = dedup_archive_drops(s, i) ? dedup_archive_verdict(s, i)
							: sh_engine_verdict(s->engine, i);

	*similarity = v.similarity;
	*measure = sh_verdict_measure(v.measure);
}

/* Sets *mark for a document that does not stay. text: memory for mark->similarity. */
static int find_mark(struct writer *w, uint32_t i, struct sh_keeper_mark *mark,
    char text[SH_SIMILARITY_CHARS], struct sh_error *err)
{
	struct dedup_state *s = w->all->state;
	const char *measure;
	unsigned similarity;

	if (dedup_keeper_id(s, i, &w->rooms.room[1], &mark->keeper, err) < 0)
		return -1;
	find_numbers(s, i, &similarity, &measure);
	sh_similarity_print(text, similarity);
	mark->similarity = sh_slice(text, SH_SIMILARITY_CHARS);
	mark->measure = sh_slice_str(measure);
	return 0;
}

/* Sets w->rooms.line to the marked line of a document. The CR of a DOS line end stays at its
 * end. */
static int mark_line(struct writer *w, uint32_t i, struct sh_error *err)
{
	struct dedup_state *s = w->all->state;
	struct rooms *r = &w->rooms;
	const struct sh_document_form *form = &s->settings->docs.docs.form;
	struct sh_keeper_mark mark = { 0 };
	char text[SH_SIMILARITY_CHARS];
	struct sh_document doc;
	struct sh_slice whole = sh_corpus_line(&s->corpus, i), line = cli_strip(form->crlf, whole);

	r->line.n = 0;
	/* doc.id must point into the line, so the line is parsed here. */
	if (sh_document_parse(form, whole, s->corpus.number ? s->corpus.number[i] : 0, &r->room[0],
		&doc, err) < 0 ||
	    (!dedup_stays(s, i) && find_mark(w, i, &mark, text, err) < 0) ||
	    sh_keeper_mark_add(form, s->settings->mark, line, &doc, &mark, &r->line, err) < 0)
		return -1;
	return whole.n > line.n ? sh_buf_add(&r->line, "\r", 1, err) : 0;
}

static int add_marked(struct writer *w, uint32_t i, struct sh_buf *to, struct sh_error *err)
{
	if (mark_line(w, i, err) < 0)
		return err->code == SH_ERR_RECORD ? sh_corpus_blame(&w->all->state->corpus, i, err)
						  : -1;
	return add_line(to, sh_buf_slice(&w->rooms.line), err);
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

void dedup_write_all(struct dedup_state *s)
{
	size_t i = 0;

	while (i + 1 < s->corpus.n_files && s->corpus.file[i].n == 0)
		i++;
	dedup_write_header(s, &s->cli->out, i);
	dedup_write_documents(s, &s->cli->out, 0, (uint32_t)s->corpus.n);
}

/* ---- the report ---- */

/* Appends the similarity, the measure and the group size (0: none). */
static int add_numbers(const struct dedup_state *s, uint32_t i, uint32_t group, struct sh_buf *to,
    struct sh_error *err)
{
	char text[SH_NUM_CHARS + SH_SIMILARITY_CHARS + 32];
	const char *measure;
	unsigned similarity;
	size_t n = 0;

	find_numbers(s, i, &similarity, &measure);
	text[n++] = '\t';
	sh_similarity_print(text + n, similarity);
	n += SH_SIMILARITY_CHARS;
	text[n++] = '\t';
	memcpy(text + n, measure, strlen(measure));
	n += strlen(measure);
	if (group) {
		text[n++] = '\t';
		n += sh_print_u64(text + n, group);
	}
	text[n++] = '\n';
	return sh_buf_add(to, text, n, err);
}

/* Counts documents whose id is the keeper's id: the report cannot distinguish the two. */
static int add_report_line(struct writer *w, uint32_t i, struct sh_buf *to, struct sh_error *err)
{
	struct dedup_state *s = w->all->state;
	struct sh_document doc;
	struct sh_slice keeper;

	if (dedup_stays(s, i))
		return 0;
	if (sh_corpus_document(&s->corpus, i, &w->rooms.room[0], &doc, err) < 0 ||
	    dedup_keeper_id(s, i, &w->rooms.room[1], &keeper, err) < 0 ||
	    sh_buf_add(to, doc.id.p, doc.id.n, err) < 0 || sh_buf_add(to, "\t", 1, err) < 0 ||
	    sh_buf_add(to, keeper.p, keeper.n, err) < 0)
		return -1;
	w->alike += !dedup_archive_drops(s, i) && sh_slice_eq(doc.id, keeper);
	return add_numbers(s, i,
	    s->settings->counts ? w->all->groups->size[sh_engine_keeper(s->engine, i)] : 0, to,
	    err);
}

void dedup_write_report(struct dedup_state *s, const struct dedup_groups *groups)
{
	struct writing w = { .state = s,
		.out = s->to,
		.groups = groups,
		.to = (uint32_t)s->corpus.n,
		.add = add_report_line };
	uint32_t alike = write_all(&w);
	struct sh_error err;

	if (alike)
		cli_warn(s->cli,
		    "%u document%s dropped for a keeper of the same id: the report cannot "
		    "distinguish them",
		    alike, CLI_PLURAL(alike));
	if (!s->settings->feed.seconds)
		dedup_close_report(s);
	else if (sh_sink_flush(s->to, &err) < 0)
		cli_die(s->cli, &err);
}

void dedup_close_report(struct dedup_state *s)
{
	if (s->to == &s->report)
		cli_close_further(s->cli, &s->report);
	s->to = NULL;
}

void dedup_open_report(struct dedup_state *s)
{
	const char *path = s->settings->report_path;

	s->to = &s->cli->out;
	if (!path || s->settings->report_is_output)
		return;
	cli_open_further(s->cli, &s->report, path);
	s->to = &s->report;
}
