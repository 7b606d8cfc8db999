/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "doc.h"
#include "ingest/forms.h"
#include "ingest/header.h"
#include "ingest/warc.h"
#include "record/escape.h"
#include "unicode/utf8.h"

enum {
	CHUNK = 1 << 20,  /* bytes of WARC records in a job */
	SMALL = 16 << 20, /* a larger file or record is no job */
	PACKED = 4 << 20, /* bytes of the largest compressed file that is a job as it stands */
};

/* Stands at the beginning of a job's chunk; then come name, id, and the input. The names end with a
 * NUL. */
struct head {
	bool warc;   /* the input is whole records of WARC */
	bool packed; /* the input is a compressed file */
	size_t name_n, id_n;
	uint64_t offset;   /* of the input in its file */
	uint64_t progress; /* bytes that were read since the job before */
};

/* What a job leaves in job->notes: a kind, the number of bytes, a count, then the bytes. */
enum {
	WARNING = 'w',
	LEFT_FILE = 'f',
	REJECTED = 'r',
	ASSUMED = 'a',
	LEFT_OUT = 'l',
	AS_TEXT = 't',
	ILL = 'i',
	TROUBLE = 'e'
};

struct doc_worker {
	struct doc_run *run;
	struct sh_ingest in;
	struct sh_job *job;
	bool refused; /* a bad record, and there is no --rejects */
};

/* ---- results of a worker --------------------------------------------------------------- */

static int note(
    struct doc_worker *w, char kind, struct sh_slice text, uint64_t count, struct sh_error *err)
{
	struct sh_buf *b = &w->job->notes;
	uint64_t numbers[2] = { text.n, count };
	size_t before = b->n;

	if (sh_buf_add(b, &kind, 1, err) == 0 && sh_buf_add(b, numbers, sizeof numbers, err) == 0 &&
	    sh_buf_add(b, text.p, text.n, err) == 0)
		return 0;
	b->n = before; /* done() takes whole results also of a job that failed */
	return -1;
}

static int on_document(
    void *arg, const struct sh_document *doc, struct sh_slice notes, struct sh_error *err)
{
	struct doc_worker *w = arg;
	char text[DOC_MESSAGE + SH_ID_MAX];
	size_t before;
	int n;

	if (w->job->out.n > SMALL && sh_job_flush(w->job, err) < 0)
		return -1;
	before = w->job->out.n;
	if (doc_add_line(w->run, &w->job->out, doc, err) < 0) {
		w->job->out.n = before; /* done() takes whole lines also of a job that failed */
		return -1;
	}
	w->job->records++;
	if (!w->run->verbose)
		return 0;
	n = snprintf(
	    text, sizeof text, "%.*s: %.*s", (int)doc->id.n, doc->id.p, (int)notes.n, notes.p);
	return note(w, WARNING,
	    sh_slice(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1), 0, err);
}

static int on_bad(void *arg, struct sh_slice record, struct sh_error *err)
{
	struct doc_worker *w = arg;

	if (w->run->cli->rejects_path)
		return note(w, REJECTED, record, 0, err);
	w->refused = true;
	return -1;
}

/* err->file is in the chunk of the job, or constant. */
static int on_trouble(void *arg, struct sh_error *err)
{
	struct sh_error full;

	if (note(arg, TROUBLE, sh_slice((const char *)err, sizeof *err), 0, &full) == 0)
		return 0;
	*err = full;
	return -1;
}

static void on_skipped(void *arg, const char *what, bool file)
{
	struct doc_worker *w = arg;
	struct sh_error ignored;
	char text[DOC_MESSAGE];
	int n = snprintf(text, sizeof text, "%s: left out: %s", w->in.reader->name, what);

	if (file || w->run->verbose)
		note(w, file ? LEFT_FILE : WARNING,
		    sh_slice(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1), 0,
		    &ignored);
}

static int note_tally(struct doc_worker *w, char kind, struct sh_tally *t, struct sh_error *err)
{
	for (uint32_t i = 0; i < t->names.n; i++)
		if (note(w, kind, sh_hmap_key(&t->names, i), t->count[i], err) < 0)
			return -1;
	sh_tally_free(t);
	return sh_tally_init(t, err);
}

static int note_counts(struct doc_worker *w, struct sh_error *err)
{
	struct sh_ingest *in = &w->in;
	uint64_t ill = in->body.ill;

	in->body.ill = 0;
	if (ill && note(w, ILL, sh_slice("", 0), ill, err) < 0)
		return -1;
	return note_tally(w, ASSUMED, &in->assumed, err) < 0 ||
		       note_tally(w, LEFT_OUT, &in->left_out, err) < 0
		   ? -1
		   : note_tally(w, AS_TEXT, &in->as_text, err);
}

/* See sh_decompress_read. */
static ssize_t read_slice(void *slice, void *p, size_t n, struct sh_error *err)
{
	struct sh_slice *rest = slice;

	(void)err;
	n = n < rest->n ? n : rest->n;
	if (n)
		memcpy(p, rest->p, n);
	*rest = sh_slice(rest->p + n, rest->n - n);
	return (ssize_t)n;
}

static int work(void *worker, struct sh_job *job)
{
	struct doc_worker *w = worker;
	struct sh_error *err = &job->err;
	const char *name = job->chunk.p + sizeof(struct head), *id;
	struct sh_reader r;
	struct sh_slice in;
	struct head h;
	int status;

	memcpy(&h, job->chunk.p, sizeof h);
	id = name + h.name_n + 1;
	w->job = job;
	in = sh_slice(id + h.id_n + 1, (size_t)(job->chunk.p + job->chunk.n - (id + h.id_n + 1)));
	status = h.packed ? sh_reader_open_stream(&r, read_slice, &in, name, err)
			  : sh_reader_memory(&r, in, err);
	r.name = name;
	r.offset = h.offset;
	if (status == 0)
		status = h.warc
			     ? sh_ingest_read(&w->in, SH_FORMAT_WARC, &r, sh_slice("", 0), err)
			     : sh_ingest_input(&w->in, &r, name, sh_slice(id, h.id_n), false, err);
	if (status < 0 && !w->refused && err->code != SH_ERR_NOMEM) {
		err->file = name;
		status = on_trouble(w, err);
	}
	if (h.packed) {
		h.progress += r.offset;
		memcpy(job->chunk.p, &h, sizeof h);
	}
	sh_reader_close(&r);
	return status < 0 ? -1 : note_counts(w, err);
}

/* ---- writing ----------------------------------------------------------------------------- */

static void put_trouble(struct doc_run *run, struct sh_slice text)
{
	struct sh_error err;

	memcpy(&err, text.p, sizeof err);
	run->in.trouble(run, &err);
}

static void add_count(struct doc_run *run, char kind, struct sh_slice text, uint64_t count)
{
	struct sh_error err;
	struct sh_tally *to = kind == ASSUMED    ? &run->in.assumed
			      : kind == LEFT_OUT ? &run->in.left_out
						 : &run->in.as_text;

	if (sh_tally_add_many(to, text, count, &err) < 0)
		cli_die(run->cli, &err);
}

/* Takes one result from p. Returns the end of the result. */
static const char *one_note(struct doc_run *run, const char *p)
{
	const struct sh_error bad = { .code = SH_ERR_RECORD };
	uint64_t numbers[2];
	struct sh_slice text;
	char kind = *p;

	memcpy(numbers, p + 1, sizeof numbers);
	text = sh_slice(p + 1 + sizeof numbers, (size_t)numbers[0]);
	if (kind == WARNING)
		cli_warn(run->cli, "%.*s", (int)text.n, text.p);
	else if (kind == LEFT_FILE)
		doc_left_out(run, text, true);
	else if (kind == REJECTED)
		cli_reject(run->cli, text, &bad);
	else if (kind == TROUBLE)
		put_trouble(run, text);
	else if (kind == ILL)
		run->in.body.ill += numbers[1];
	else
		add_count(run, kind, text, numbers[1]);
	return text.p + text.n;
}

static int done(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct doc_run *run = arg;
	const char *end = job->out.p + job->out.n, *next;
	struct head h;

	if (!job->part) {
		memcpy(&h, job->chunk.p, sizeof h);
		progress_read(&run->cli->progress, h.progress, job->records);
	}
	for (const char *p = job->out.p; job->out.n && p < end; p = next) {
		next = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
		doc_count_id(run, doc_line_id(run, sh_slice(p, (size_t)(next - p))));
	}
	if (sh_sink_write(&run->cli->out, job->out.p, job->out.n, err) < 0)
		return -1;
	for (const char *p = job->notes.p; job->notes.n && p < job->notes.p + job->notes.n;)
		p = one_note(run, p);
	return 0;
}

/* ---- cutting ----------------------------------------------------------------------------- */

static void drain(struct doc_run *run)
{
	struct sh_error err;

	if (sh_feed_drain(run->feed, &err) < 0)
		cli_die(run->cli, &err);
}

/* Begins a job with all but its input. NULL: the run has failed. Dies of errors. */
static struct sh_job *new_job(struct doc_run *run, const char *path, struct sh_slice id,
    const struct head *like, struct sh_error *err)
{
	struct head h = *like;
	struct sh_job *job = sh_feed_job(run->feed);

	if (!job)
		drain(run);
	h.name_n = strlen(path);
	h.id_n = id.n;
	h.progress = run->unread;
	run->unread = 0;
	if (sh_buf_add(&job->chunk, &h, sizeof h, err) < 0 ||
	    sh_buf_add(&job->chunk, path, h.name_n + 1, err) < 0 ||
	    sh_buf_add(&job->chunk, id.p, id.n, err) < 0 || sh_buf_add(&job->chunk, "", 1, err) < 0)
		cli_die(run->cli, err);
	return job;
}

/* A job of WARC records that is not pushed yet. */
struct cut {
	struct doc_run *run;
	const char *path;
	struct sh_job *job; /* NULL: none */
	uint64_t next;      /* where the next record stands when it follows the last one */
};

static void push_records(struct cut *c)
{
	if (c->job)
		sh_feed_push(c->run->feed, c->job);
	c->job = NULL;
}

/* Adds a record whose block is ready to the job. */
static int add_record(
    struct cut *c, struct sh_reader *r, const struct sh_warc *w, struct sh_error *err)
{
	const struct head h = { .warc = true, .offset = w->at };
	struct sh_buf *b;

	if (c->job && (w->at != c->next || c->job->chunk.n > CHUNK))
		push_records(c);
	if (!c->job)
		c->job = new_job(c->run, c->path, sh_slice("", 0), &h, err);
	b = &c->job->chunk;
	c->next = w->at + w->head.n + w->length + 4;
	if (sh_buf_add(b, w->head.p, w->head.n, err) < 0 ||
	    sh_buf_add(b, sh_reader_ready(r).p, (size_t)w->length, err) < 0)
		return -1;
	return sh_buf_add(b, "\r\n\r\n", 4, err);
}

static int cut_warc(
    struct doc_run *run, struct sh_reader *r, const char *path, struct sh_error *err)
{
	struct cut c = { .run = run, .path = path };
	struct sh_warc w = { 0 };
	int got;

	do {
		struct sh_error ignored;

		got = sh_warc_next(r, &w, err);
		if (got > 0 && w.length <= SMALL &&
		    sh_reader_need(r, (size_t)w.length, &ignored) == 0 &&
		    sh_reader_ready(r).n >= w.length) {
			got = add_record(&c, r, &w, err) < 0 ? -1 : 1;
		} else if (got > 0) {
			push_records(&c);
			drain(run);
			got = sh_ingest_warc_record(&run->in, r, &w, err) < 0 ? -1 : 1;
		}
		if (got < 0) {
			push_records(&c);
			drain(run);
			got = sh_ingest_resume(&run->in, r, &w, err);
		}
	} while (got > 0);
	push_records(&c);
	sh_warc_free(&w);
	return got;
}

static bool is_warc(const struct doc_run *run, struct sh_slice head)
{
	head = sh_past_blank_lines(sh_utf8_skip_bom(head));
	return run->in.format == SH_FORMAT_WARC ||
	       (run->in.format == SH_FORMAT_AUTO && head.n > 5 && memcmp(head.p, "WARC/", 5) == 0);
}

/* Makes a job of a compressed file. Returns 1; 0 when the file is no job; or -1. */
static int push_packed(struct doc_run *run, const struct sh_reader *r, const char *path,
    struct sh_slice id, struct sh_error *err)
{
	static const struct head packed = { .packed = true };
	struct sh_job *job;
	int got;

	run->record.n = 0;
	got = sh_reader_packed(r, PACKED, &run->record, err);
	if (got <= 0)
		return got;
	run->unread -= sh_reader_ready(r).n; /* the job reports them */
	job = new_job(run, path, id, &packed, err);
	if (sh_buf_add(&job->chunk, run->record.p, run->record.n, err) < 0)
		return -1;
	sh_feed_push(run->feed, job);
	return 1;
}

/* Makes jobs of an input, or parses it here. */
static int cut_input(struct doc_run *run, struct sh_reader *r, const char *path, struct sh_slice id,
    struct sh_error *err)
{
	static const struct head whole = { 0 };
	struct sh_slice all;
	int got = 0;

	run->in.reader = r;
	if (sh_reader_look(r, SH_FORMAT_HEAD, err) < 0)
		return -1;
	if (!sh_container_of(sh_reader_ready(r)))
		got = push_packed(run, r, path, id, err);
	if (got != 0)
		return got < 0 ? -1 : 0;
	if (is_warc(run, sh_reader_ready(r)) && !sh_container_of(sh_reader_ready(r))) {
		if (cut_warc(run, r, path, err) < 0)
			return -1;
		return sh_reader_check(r, err);
	}
	if (!sh_container_of(sh_reader_ready(r))) {
		if (sh_reader_look(r, SMALL, err) < 0)
			return -1;
		all = sh_reader_ready(r);
		if (r->eof && r->failed.code == SH_OK && all.n < SMALL &&
		    all.n < run->in.max_size) {
			struct sh_job *job = new_job(run, path, id, &whole, err);

			if (sh_buf_add(&job->chunk, all.p, all.n, err) < 0)
				return -1;
			sh_feed_push(run->feed, job);
			return 0;
		}
	}
	drain(run);
	return sh_ingest_input(&run->in, r, path, id, false, err);
}

static void on_progress(void *arg, uint64_t n)
{
	struct doc_run *run = arg;

	run->unread += n;
}

int doc_jobs_file(
    struct doc_run *run, const char *path, int fd, struct sh_slice id, struct sh_error *err)
{
	struct sh_reader r;
	int bad;

	if ((fd < 0 ? sh_reader_open(&r, path, err) : sh_reader_open_fd(&r, fd, path, err)) < 0) {
		drain(run);
		return -1;
	}
	r.progress = on_progress;
	r.progress_arg = run;
	run->unread += sh_reader_ready(&r).n;
	bad = cut_input(run, &r, path, id, err);
	sh_reader_close(&r);
	if (bad < 0) {
		drain(run);
		if (err->code != SH_ERR_NOMEM)
			err->file = path;
	}
	return bad;
}

/* ---- begin and end ------------------------------------------------------------------------ */

void doc_jobs_begin(struct doc_run *run)
{
	unsigned n = run->cli->jobs;
	struct sh_error err;

	if (n == 1)
		return;
	run->worker = cli_zeroed(run->cli, n, sizeof *run->worker);
	for (unsigned i = 0; i < n; i++) {
		struct doc_worker *w = &run->worker[i];

		*w = (struct doc_worker){ .run = run };
		w->in.format = run->in.format;
		w->in.json = run->in.json;
		w->in.max_size = run->in.max_size;
		w->in.utf8_ids = run->in.utf8_ids;
		w->in.body.charset.forced = run->in.body.charset.forced;
		w->in.document = on_document;
		w->in.bad = on_bad;
		w->in.skipped = on_skipped;
		w->in.trouble = on_trouble;
		w->in.arg = w;
		if (sh_ingest_init(&w->in, &err) < 0)
			cli_die(run->cli, &err);
		run->workers[i] = w;
	}
	run->pool = (struct sh_pool){ work, run->workers, n, done, run };
	run->feed = sh_feed_new(&run->pool, &err);
	if (!run->feed)
		cli_die(run->cli, &err);
}

void doc_jobs_end(struct doc_run *run)
{
	if (!run->feed)
		return;
	drain(run);
	progress_read(&run->cli->progress, run->unread, 0);
	sh_feed_delete(run->feed);
	for (unsigned i = 0; i < run->cli->jobs; i++)
		sh_ingest_free(&run->worker[i].in);
	free(run->worker);
}
