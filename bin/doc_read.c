/* SPDX-License-Identifier: MIT */
/* Files to documents: callbacks of lib/ingest, their results in order, jobs for threads. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/compare.h"
#include "base/siphash.h"
#include "doc.h"
#include "ingest/header.h"
#include "ingest/warc.h"
#include "record/escape.h"
#include "record/json.h"
#include "unicode/utf8.h"

enum {
	CHUNK = 1 << 20,   /* bytes of WARC records in a job */
	SMALL = 16 << 20,  /* most bytes of a file or record in a job; more output is flushed */
	PACKED = 4 << 20,  /* bytes of the largest compressed file that is a job as it stands */
	MESSAGE = 1 << 13, /* bytes of a message: an id is at most SH_ID_MAX */
	NAMED = 10,        /* files that are left out and named; all are counted */
	IDS = 4 << 20,     /* different ids that are remembered, at least: 48 MiB of hashes */
};

/* Stands at the beginning of a job's chunk; then come name, id, and the input. The names end with a
 * NUL. */
struct head {
	bool warc;   /* the input is whole records of WARC */
	bool packed; /* the input is a compressed file */
	size_t name_n, id_n;
	uint64_t offset;   /* of the input in its file */
	uint64_t progress; /* bytes, decompressed, that were read since the job before */
};

/* What a worker leaves in job->notes: a kind, the number of bytes, a count, then the bytes. */
enum {
	ID = 'd', /* the count is the hash of a document's id */
	WARNING = 'w',
	LEFT_FILE = 'f',
	REJECTED = 'r',
	ILL = 'i',
	TROUBLE = 'e',
	TALLY = '0' /* or above: of in->tally[kind - TALLY] */
};

/* ---- results in the order of the input ---- */

int doc_trouble(void *arg, struct sh_error *err)
{
	struct doc_run *run = arg;

	if (err->code == SH_ERR_NOMEM)
		cli_die(run->cli, err);
	cli_warn_error(run->cli, err);
	run->failed++;
	run->cli->out.trailer = false; /* the next program sees that input is missing */
	return 0;
}

/* Sorts the hashes, and counts and removes the repeated ones. */
static void sort_ids(struct doc_run *run)
{
	size_t n = 0;

	if (run->n_ids)
		qsort(run->ids, run->n_ids, sizeof *run->ids, sh_compare_u64);
	for (size_t i = 0; i < run->n_ids; i++)
		if (n == 0 || run->ids[i] != run->ids[n - 1])
			run->ids[n++] = run->ids[i];
	run->repeated += run->n_ids - n;
	run->n_ids = n;
}

static void add_id(struct doc_run *run, uint64_t hash)
{
	struct sh_error err;
	size_t at;

	if (!run->all_ids) {
		at = sh_lower_bound(run->ids, run->n_ids, hash);
		run->repeated += at < run->n_ids && run->ids[at] == hash;
		return;
	}
	if (SH_RESERVE(run->ids, run->ids_cap, run->n_ids + 1, &err) < 0)
		cli_die(run->cli, &err);
	run->ids[run->n_ids++] = hash;
	if (run->n_ids == IDS + IDS / 2) {
		sort_ids(run);
		run->all_ids = run->n_ids <= IDS;
	}
}

/* Takes one result from p. Returns the end of the result. */
static const char *put_note(struct doc_run *run, const char *p)
{
	const struct sh_error bad = { .code = SH_ERR_RECORD };
	struct sh_error trouble;
	uint64_t numbers[2];
	struct sh_slice text;
	char kind = *p;

	memcpy(numbers, p + 1, sizeof numbers);
	text = sh_slice(p + 1 + sizeof numbers, (size_t)numbers[0]);
	if (kind == ID) {
		add_id(run, numbers[1]);
	} else if (kind == WARNING) {
		cli_warn(run->cli, "%.*s", (int)text.n, text.p);
	} else if (kind == LEFT_FILE) {
		if (run->verbose || run->named++ < NAMED)
			cli_warn(run->cli, "%.*s", (int)text.n, text.p);
	} else if (kind == REJECTED) {
		cli_reject(run->cli, text, &bad);
	} else if (kind == TROUBLE) {
		memcpy(&trouble, text.p, sizeof trouble);
		doc_trouble(run, &trouble);
	} else if (kind == ILL) {
		run->in.body.ill += numbers[1];
	} else if (sh_tally_add_many(&run->in.tally[kind - TALLY], text, numbers[1], &trouble) <
		   0) {
		cli_die(run->cli, &trouble);
	}
	return text.p + text.n;
}

/* Writes documents and notes. */
static int put(
    struct doc_run *run, const struct sh_buf *out, const struct sh_buf *notes, struct sh_error *err)
{
	if (sh_sink_write(&run->cli->out, out->p, out->n, err) < 0)
		return -1;
	for (const char *p = notes->p; notes->n && p < notes->p + notes->n;)
		p = put_note(run, p);
	return 0;
}

/* Writes what a callback left, when the worker is the thread that reads files. Dies of errors. */
static void put_own(struct doc_worker *w)
{
	struct sh_job *job = w->job;
	struct sh_error err;

	if (w != &w->run->own)
		return;
	if (put(w->run, &job->out, &job->notes, &err) < 0)
		cli_die(w->run->cli, &err);
	progress_read(&w->run->cli->progress, 0, job->records);
	job->out.n = job->notes.n = job->records = 0;
}

/* ---- callbacks of lib/ingest ---- */

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

__attribute__((format(printf, 4, 5))) static int note_text(
    struct doc_worker *w, char kind, struct sh_error *err, const char *fmt, ...)
{
	char text[MESSAGE];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return note(w, kind, sh_slice(text, n < MESSAGE ? (size_t)n : MESSAGE - 1), 0, err);
}

static int add_line(const struct doc_run *run, struct sh_buf *out, const struct sh_document *doc,
    struct sh_error *err)
{
	if (run->json)
		return sh_buf_add(out, "{\"id\":", 6, err) < 0 ||
			       sh_json_add_string(doc->id, out, err) < 0 ||
			       sh_buf_add(out, ",\"text\":", 8, err) < 0 ||
			       sh_json_add_string(doc->text, out, err) < 0 ||
			       sh_buf_add(out, "}\n", 2, err) < 0
			   ? -1
			   : 0;
	return sh_buf_add(out, doc->id.p, doc->id.n, err) < 0 ||
		       sh_buf_add(out, "\t", 1, err) < 0 || sh_escape(doc->text, out, err) < 0 ||
		       sh_buf_add(out, "\n", 1, err) < 0
		   ? -1
		   : 0;
}

static int on_document(
    void *arg, const struct sh_document *doc, struct sh_slice notes, struct sh_error *err)
{
	struct doc_worker *w = arg;
	size_t before;

	if (w->job->out.n > SMALL && sh_job_flush(w->job, err) < 0)
		return -1;
	before = w->job->out.n;
	if (add_line(w->run, &w->job->out, doc, err) < 0) {
		w->job->out.n = before; /* done() takes whole lines also of a job that failed */
		return -1;
	}
	w->job->records++;
	if (note(w, ID, sh_slice("", 0), sh_siphash(w->run->id_key, doc->id.p, doc->id.n), err) < 0)
		return -1;
	if (w->run->verbose && note_text(w, WARNING, err, "%.*s: %.*s", (int)doc->id.n, doc->id.p,
				   (int)notes.n, notes.p) < 0)
		return -1;
	put_own(w);
	return 0;
}

static int on_bad(void *arg, struct sh_slice record, struct sh_error *err)
{
	struct doc_worker *w = arg;

	if (w == &w->run->own) {
		cli_reject(w->run->cli, record, err);
		return 0;
	}
	if (w->run->cli->rejects_path)
		return note(w, REJECTED, record, 0, err);
	w->refused = true;
	return -1;
}

/* err->file is in the chunk of the job, or constant. */
static int on_trouble(void *arg, struct sh_error *err)
{
	struct sh_error full;

	if (note(arg, TROUBLE, sh_slice((const char *)err, sizeof *err), 0, &full) < 0) {
		*err = full;
		return -1;
	}
	put_own(arg);
	return 0;
}

/* The callback cannot fail: when memory is short, the message is lost. */
static void on_skipped(void *arg, const char *what, bool file)
{
	struct doc_worker *w = arg;
	struct sh_error ignored;

	if (file || w->run->verbose)
		note_text(w, file ? LEFT_FILE : WARNING, &ignored, "%s: left out: %s",
		    w->in->reader->name, what);
	put_own(w);
}

/* ---- jobs ---- */

/* Moves the counts of the worker to the notes. */
static int note_counts(struct doc_worker *w, struct sh_error *err)
{
	uint64_t ill = w->in->body.ill;

	w->in->body.ill = 0;
	if (ill && note(w, ILL, sh_slice("", 0), ill, err) < 0)
		return -1;
	for (int k = 0; k < SH_TALLIES; k++) {
		struct sh_tally *t = &w->in->tally[k];

		for (uint32_t i = 0; i < t->names.n; i++)
			if (note(w, (char)(TALLY + k), sh_hmap_key(&t->names, i), t->count[i],
				err) < 0)
				return -1;
		sh_tally_free(t);
		if (sh_tally_init(t, err) < 0)
			return -1;
	}
	return 0;
}

/* See sh_read_fn. */
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
			     ? sh_ingest_read(w->in, SH_FORMAT_WARC, &r, sh_slice("", 0), err)
			     : sh_ingest_input(w->in, &r, name, sh_slice(id, h.id_n), false, err);
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

static int done(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct doc_run *run = arg;
	struct head h;

	if (!job->part) {
		memcpy(&h, job->chunk.p, sizeof h);
		progress_read(&run->cli->progress, h.progress, job->records);
	}
	return put(run, &job->out, &job->notes, err);
}

static void drain(struct doc_run *run)
{
	struct sh_error err;

	if (run->feed && sh_feed_drain(run->feed, &err) < 0)
		cli_die(run->cli, &err);
}

/* Adds n bytes to a job. Dies when memory is short: half a job must not be parsed. */
static void fill(struct doc_run *run, struct sh_job *job, const void *p, size_t n)
{
	struct sh_error err;

	if (sh_buf_add(&job->chunk, p, n, &err) < 0)
		cli_die(run->cli, &err);
}

/* Returns a job that has all but its input. Never returns NULL. Dies of errors, also of the error
 * of an earlier job. */
static struct sh_job *new_job(
    struct doc_run *run, const char *path, struct sh_slice id, const struct head *like)
{
	struct head h = *like;
	struct sh_job *job = sh_feed_job(run->feed);

	if (!job)
		drain(run);
	h.name_n = strlen(path);
	h.id_n = id.n;
	h.progress = run->unread;
	run->unread = 0;
	fill(run, job, &h, sizeof h);
	fill(run, job, path, h.name_n + 1);
	fill(run, job, id.p, id.n);
	fill(run, job, "", 1);
	return job;
}

/* Gives the job, if any, to the threads. */
static void push(struct doc_run *run, struct sh_job **job)
{
	if (*job)
		sh_feed_push(run->feed);
	*job = NULL;
}

/* Makes jobs of the records of a WARC file. Parses large records here, in their order. Returns 0 at
 * the end, or -1. */
static int cut_warc(
    struct doc_run *run, struct sh_reader *r, const char *path, struct sh_error *err)
{
	struct sh_job *job = NULL;
	struct sh_warc w = { 0 };
	uint64_t next = 0; /* where the next record stands when it follows the last one */
	int got;

	do {
		struct sh_error ignored;

		got = sh_warc_next(r, &w, err);
		if (got > 0 && w.length <= SMALL &&
		    sh_reader_need(r, (size_t)w.length, &ignored) == 0 &&
		    sh_reader_ready(r).n >= w.length) {
			const struct head h = { .warc = true, .offset = w.at };

			if (job && (w.at != next || job->chunk.n > CHUNK))
				push(run, &job);
			if (!job)
				job = new_job(run, path, sh_slice("", 0), &h);
			next = w.at + w.head.n + w.length + 4;
			fill(run, job, w.head.p, w.head.n);
			fill(run, job, sh_reader_ready(r).p, (size_t)w.length);
			fill(run, job, "\r\n\r\n", 4);
			continue;
		}
		push(run, &job);
		if (got != 0)
			drain(run);
		if (got > 0)
			got = sh_ingest_warc_record(&run->in, r, &w, err) < 0 ? -1 : 1;
		if (got < 0)
			got = sh_ingest_warc_resume(&run->in, r, &w, err);
	} while (got > 0);
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

	run->packed.n = 0;
	got = sh_reader_packed(r, PACKED, &run->packed, err);
	if (got <= 0)
		return got;
	run->unread -= sh_reader_ready(r).n; /* the job reports them */
	job = new_job(run, path, id, &packed);
	fill(run, job, run->packed.p, run->packed.n);
	sh_feed_push(run->feed);
	return 1;
}

/* Makes jobs of an input, or parses it here. Returns 0 or -1. */
static int cut_input(struct doc_run *run, struct sh_reader *r, const char *path, struct sh_slice id,
    struct sh_error *err)
{
	static const struct head whole = { 0 };
	struct sh_slice all;
	int got;

	run->in.reader = r;
	if (sh_reader_look(r, SH_FORMAT_HEAD, err) < 0)
		return -1;
	if (!sh_container_of(sh_reader_ready(r))) {
		got = push_packed(run, r, path, id, err);
		if (got != 0)
			return got < 0 ? -1 : 0;
		if (is_warc(run, sh_reader_ready(r)))
			return cut_warc(run, r, path, err) < 0 ? -1 : sh_reader_check(r, err);
		if (sh_reader_look(r, SMALL, err) < 0)
			return -1;
		all = sh_reader_ready(r);
		if (r->eof && r->failed.code == SH_OK && all.n < SMALL &&
		    all.n < run->in.max_size) {
			struct sh_job *job = new_job(run, path, id, &whole);

			fill(run, job, all.p, all.n);
			sh_feed_push(run->feed);
			return 0;
		}
	}
	drain(run);
	return sh_ingest_input(&run->in, r, path, id, false, err);
}

/* n bytes of a file were read. */
static void on_progress(void *arg, uint64_t n)
{
	struct doc_run *run = arg;

	if (run->feed)
		run->unread += n; /* jobs report it when their documents are written */
	else
		progress_read(&run->cli->progress, n, 0);
}

/* n bytes of a member were decompressed, in the thread that reads files. */
static void on_member_progress(void *worker, uint64_t n)
{
	struct doc_worker *w = worker;

	progress_read(&w->run->cli->progress, n, 0);
}

int doc_file(
    struct doc_run *run, const char *path, int fd, struct sh_slice id, struct sh_error *err)
{
	struct sh_reader r;
	int bad;

	if ((fd < 0 ? sh_reader_open(&r, path, err) : sh_reader_open_fd(&r, fd, -1, path, err)) <
	    0) {
		drain(run);
		return -1;
	}
	r.progress = on_progress;
	r.progress_arg = run;
	on_progress(run, sh_reader_ready(&r).n);
	bad = run->feed ? cut_input(run, &r, path, id, err)
			: sh_ingest_input(&run->in, &r, path, id, false, err);
	sh_reader_close(&r);
	if (bad < 0) {
		drain(run);
		if (err->code != SH_ERR_NOMEM)
			err->file = path;
	}
	return bad;
}

/* ---- begin and end ---- */

static void begin_worker(
    struct doc_run *run, struct doc_worker *w, struct sh_ingest *in, struct sh_job *job)
{
	struct sh_error err;

	*w = (struct doc_worker){ run, in, job, false };
	in->document = on_document;
	in->bad = on_bad;
	in->skipped = on_skipped;
	in->trouble = on_trouble;
	in->arg = w;
	if (sh_ingest_init(in, &err) < 0)
		cli_die(run->cli, &err);
}

void doc_begin(struct doc_run *run)
{
	unsigned n = run->cli->jobs;
	struct sh_error err;

	run->all_ids = true;
	if (sh_random_key(run->id_key, &err) < 0)
		cli_die(run->cli, &err);
	if (n > 1) {
		run->worker = cli_zeroed(run->cli, n, sizeof *run->worker);
		run->ingests = cli_zeroed(run->cli, n, sizeof *run->ingests);
	}
	for (unsigned i = 0; n > 1 && i < n; i++) {
		run->ingests[i].format = run->in.format;
		run->ingests[i].json = run->in.json;
		run->ingests[i].utf8_ids = run->in.utf8_ids;
		run->ingests[i].max_size = run->in.max_size;
		run->ingests[i].body.charset.forced = run->in.body.charset.forced;
		begin_worker(run, &run->worker[i], &run->ingests[i], NULL);
		run->workers[i] = &run->worker[i];
	}
	begin_worker(run, &run->own, &run->in, &run->own_job);
	run->in.progress = on_member_progress;
	if (n == 1)
		return;
	run->pool = (struct sh_pool){ work, run->workers, n, done, run };
	run->feed = sh_feed_new(&run->pool, &err);
	if (!run->feed)
		cli_die(run->cli, &err);
}

void doc_end(struct doc_run *run)
{
	drain(run);
	sort_ids(run);
	free(run->ids);
	sh_buf_free(&run->own_job.out);
	sh_buf_free(&run->own_job.notes);
	sh_buf_free(&run->packed);
	if (!run->feed)
		return;
	progress_read(&run->cli->progress, run->unread, 0);
	sh_feed_delete(run->feed);
	for (unsigned i = 0; i < run->cli->jobs; i++)
		sh_ingest_free(&run->ingests[i]);
	free(run->ingests);
	free(run->worker);
}
