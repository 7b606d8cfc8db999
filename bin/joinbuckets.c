#include "joinbuckets.h"

#include <stdlib.h>

#include "join/bandfiles.h"
#include "join/bucketlines.h"
#include "join/keyorder.h"
#include "run.h"

/* A chunk that has at least memory / MEMORY_SHARE bytes of one bucket ends within the bucket. */
enum { MEMORY_SHARE = 64 };

struct bucket_run {
	struct cli *cli;
	struct sh_source *source;
	struct sh_bucket_lines lines;
	const struct sh_pool *out;
};

/* Writes the pairs of a job. Flushes the output when a read may wait for a slow writer. */
static int write_job(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct bucket_run *r = arg;
	struct sh_error failure;
	int status = sh_bucket_lines_done(&r->lines, job, err);
	bool waits = r->cli->jobs > 1 || !sh_source_ready(r->source);

	if (r->out->done(r->out->arg, job, &failure) == 0 &&
	    (!waits || sh_sink_flush(&r->cli->out, &failure) == 0))
		return status;
	*err = failure;
	return -1;
}

static void begin(struct bucket_run *r, const struct sh_bucket_calls *calls)
{
	struct sh_error err;

	if (sh_bucket_lines_init(&r->lines, calls, r->cli->jobs, &err) < 0)
		cli_die(r->cli, &err);
	r->lines.rejects = r->cli->rejects_path != NULL;
}

/* most: see sh_bucket_lines_source(). */
static void run_buckets(struct bucket_run *r, size_t most)
{
	struct run run = {
		.cli = r->cli, .work = sh_bucket_lines_work, .collect = write_job, .arg = r
	};

	for (unsigned i = 0; i < r->cli->jobs; i++)
		run.workers[i] = &r->lines.worker[i];
	sh_bucket_lines_source(&r->lines, r->source, most);
	run_pool(&run, r->source);
	run.work = sh_bucket_lines_end;
	run_tasks(&run, 1);
	run_finish(&run);
	sh_bucket_lines_free(&r->lines);
}

/* ---- bands ---- */

struct bands {
	struct cli *cli;
	struct sh_tags *tags;
	struct sh_keyorder order;
	struct sh_stream *reads; /* checks records for the thread that reads; joins none */
};

/* One bucket of bands and its join. */
struct band_bucket {
	struct bands *bands;
	struct sh_stream *stream;
};

/* Fills *err with a message that names both kinds of records, when the first record has one
 * field. */
static void name_both_kinds(uint64_t number, struct sh_slice line, struct sh_error *err)
{
	if (number == 1 && !memchr(line.p, '\t', line.n))
		sh_error_set(err, SH_ERR_RECORD,
		    "1 field, expected key<TAB>fingerprint<TAB>id or fingerprint<TAB>id");
}

static int check_band(const struct bands *b, struct sh_stream *s, struct sh_slice line,
    struct sh_band_record *r, struct sh_error *err)
{
	return sh_record_band(cli_strip(b->cli->crlf, line), r, err) < 0
		   ? -1
		   : sh_stream_check(s, 0, r, err);
}

static int add_band(void *bucket, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct band_bucket *b = bucket;
	struct sh_band_record r;

	if (check_band(b->bands, b->stream, line, &r, err) < 0 ||
	    sh_tags_check(b->bands->tags, r.of.tag, job->from.file, err) < 0) {
		name_both_kinds(sh_job_line(job), line, err);
		return -1;
	}
	return sh_stream_add(b->stream, &r, err);
}

static const char *add_bands(void *bucket, const char *p, const char *end, struct sh_job *job,
    uint64_t *lines, struct sh_error *err)
{
	struct band_bucket *b = bucket;
	size_t n;
	ssize_t took = sh_stream_add_lines(b->stream, sh_slice(p, (size_t)(end - p)), &n, err);

	(void)job;
	*lines = n;
	return took < 0 ? NULL : p + took;
}

static int end_bands(void *bucket, struct sh_error *err)
{
	struct band_bucket *b = bucket;

	return sh_stream_finish(b->stream, err);
}

static bool is_border_of_bands(void *bands, struct sh_slice line, struct sh_slice next)
{
	struct bands *b = bands;
	struct sh_band_record r[2];
	struct sh_error err;

	return check_band(b, b->reads, line, &r[0], &err) == 0 &&
	       check_band(b, b->reads, next, &r[1], &err) == 0 && r[0].of.tag == r[1].of.tag &&
	       !sh_slice_eq(r[0].key, r[1].key);
}

static int order_bands(void *bands, struct sh_slice key, struct sh_error *err)
{
	struct bands *b = bands;

	return sh_keyorder_next(&b->order, key, err) < 0 ? -1 : 0;
}

/* Returns 0 when the line is a band record of any layout; see cli_first(). */
static int band(const struct sh_source *source, struct sh_slice line, struct sh_error *err)
{
	const struct sh_stream_opts opts = { .k = -1 };
	struct sh_stream *s = sh_stream_new(&opts, 1, err);
	struct sh_band_record r;
	int status = s ? sh_record_band(line, &r, err) : -1;

	(void)source;
	if (status == 0)
		status = sh_stream_check(s, 0, &r, err);
	sh_stream_delete(s);
	return status;
}

/* Makes a stream with the layout of the first record. Ignores a bad record: the run reports it. */
static struct sh_stream *new_stream(
    struct bands *b, const struct sh_stream_opts *opts, struct sh_slice first)
{
	struct sh_error err;
	struct sh_stream *s = sh_stream_new(opts, 1, &err);
	struct sh_band_record r;

	if (!s)
		cli_die(b->cli, &err);
	check_band(b, s, first, &r, &err);
	return s;
}

/* Makes the states of the run. Returns them; the caller frees the array. */
static struct band_bucket *new_buckets(
    struct bands *b, struct bucket_run *run, struct sh_stream_opts opts, struct sh_slice first)
{
	unsigned n = sh_bucket_lines_states(b->cli->jobs);
	struct band_bucket *bucket = cli_zeroed(b->cli, n, sizeof *bucket);

	opts.begins = sh_bucket_begins;
	for (unsigned i = 0; i < n; i++) {
		opts.arg = &run->lines.state[i];
		opts.out = &run->lines.state[i].out;
		bucket[i] = (struct band_bucket){ b, new_stream(b, &opts, first) };
		run->lines.state[i].own = &bucket[i];
	}
	return bucket;
}

static uint64_t delete_buckets(struct band_bucket *bucket, unsigned n)
{
	uint64_t repeated = 0;

	for (unsigned i = 0; i < n; i++) {
		repeated += sh_stream_repeated(bucket[i].stream);
		sh_stream_delete(bucket[i].stream);
	}
	free(bucket);
	return repeated;
}

uint64_t join_bands(struct cli *c, struct sh_source *source, const struct sh_stream_opts *opts,
    struct sh_tags *tags, const struct sh_pool *out)
{
	struct bands b = { .cli = c, .tags = tags };
	const struct sh_bucket_calls calls = { add_band, add_bands, end_bands, is_border_of_bands,
		order_bands, &b };
	struct bucket_run run = { .cli = c, .source = source, .out = out };
	struct band_bucket *bucket;
	struct sh_slice first;
	struct sh_error err;
	uint64_t repeated;

	if (!cli_first(c, source, band, &first))
		return 0;
	if (sh_keyorder_init(&b.order, SH_STREAM_KEYS, &err) < 0)
		cli_die(c, &err);
	begin(&run, &calls);
	b.reads = new_stream(&b, opts, first);
	bucket = new_buckets(&b, &run, *opts, first);
	run_buckets(&run, opts->memory / MEMORY_SHARE);
	repeated = delete_buckets(bucket, sh_bucket_lines_states(c->jobs));
	sh_stream_delete(b.reads);
	sh_keyorder_free(&b.order);
	return repeated;
}

/* ---- bands of two files ---- */

struct sides {
	struct cli *cli;
	struct sh_lines *lines; /* of both sides */
	struct sh_tags *tags;
	const struct sh_pool *out;
	struct bands bands; /* for read() */
};

static int read_side(void *sides, struct sh_stream *stream, unsigned side, struct sh_slice line,
    const struct sh_lines *from, struct sh_band_record *r, struct sh_error *err)
{
	const struct sides *s = sides;

	line = cli_strip(s->cli->crlf, line);
	if (sh_record_band(line, r, err) == 0 && sh_stream_check(stream, side, r, err) == 0 &&
	    sh_tags_check(s->tags, r->of.tag, from->from.file, err) == 0)
		return 0;
	name_both_kinds(from->from.line, line, err);
	return -1;
}

static bool look_at_side(void *sides, struct sh_slice line, struct sh_band_record *r)
{
	struct sides *s = sides;
	struct sh_error err;

	return check_band(&s->bands, s->bands.reads, line, r, &err) == 0;
}

static void show_progress(void *sides, uint64_t bytes, uint64_t lines)
{
	const struct sides *s = sides;

	progress_read(&s->cli->progress, bytes, lines);
}

/* Writes the results of a job. Flushes the output when a read may wait for a slow writer. */
static int write_sides(void *sides, struct sh_job *job, struct sh_error *err)
{
	const struct sides *s = sides;
	struct cli *c = s->cli;

	c->n_rejected += job->rejected;
	if (job->aside.n && sh_sink_write(&c->rejects, job->aside.p, job->aside.n, err) < 0)
		return -1;
	if (s->out->done(s->out->arg, job, err) < 0)
		return -1;
	if (c->jobs == 1 && sh_source_ready(&s->lines[0].source) &&
	    sh_source_ready(&s->lines[1].source))
		return 0;
	return sh_sink_flush(&c->out, err);
}

uint64_t join_band_files(struct cli *c, struct sh_lines *lines, const struct sh_stream_opts *opts,
    struct sh_tags *tags, const struct sh_pool *out)
{
	size_t share = opts->memory / MEMORY_SHARE;
	struct sides s = { c, lines, tags, out, { .cli = c } };
	const struct sh_band_files files = { lines, *opts, c->jobs, c->rejects_path != NULL,
		share < SH_DOCUMENT_MAX ? share : SH_DOCUMENT_MAX };
	const struct sh_band_files_calls calls = { read_side, look_at_side, show_progress,
		write_sides, &s };
	struct sh_error err;
	uint64_t repeated = 0;

	s.bands.reads = sh_stream_new(opts, 1, &err);
	if (!s.bands.reads || sh_band_files_join(&files, &calls, &repeated, &err) < 0)
		cli_die(c, &err);
	sh_stream_delete(s.bands.reads);
	return repeated;
}
