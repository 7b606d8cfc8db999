#include "join/bandfiles.h"

#include <stdlib.h>

#include "io/newlines.h"

enum { NO_CUT = -1 };

/* Lines of both sides, for one worker. */
struct piece {
	struct sh_lines side[2]; /* their sources are unused */
	struct sh_buf limit;     /* the keys of the piece are less, when they are in order */
	bool left; /* some keys are not less: the lines from there on are not joined */
};

struct run;

/* What one thread joins with. */
struct joiner {
	struct run *run;
	struct sh_stream *stream;
	struct sh_job *job;
	struct sh_lines *lines;     /* of both sides */
	const struct sh_buf *limit; /* stops before this key; NULL: reads on from the sources */
};

struct run {
	const struct sh_band_files *files;
	const struct sh_band_files_calls *calls;
	struct joiner alone; /* of the calling thread */
	struct sh_job job;   /* of the calling thread */
	struct sh_pool alone_pool, pool;
	bool pause;           /* the calling thread has read a chunk or the end of a side */
	bool ended[2];        /* the side has no more lines */
	size_t border[2];     /* offset in the rest of the lines of a side; 0: not known */
	struct sh_feed *feed; /* NULL: no piece was cut yet */
	struct joiner *worker;
	void **workers;
	struct piece *piece; /* a ring */
	size_t pieces, pushed;
	struct piece *failed; /* the last piece that was written, when its job has failed */
};

/* ---- lines ---- */

static bool is_alone(const struct joiner *j)
{
	return j == &j->run->alone;
}

/* Writes the results of the calling thread. */
static int write_alone(struct run *r, struct sh_error *err)
{
	struct sh_job *job = &r->job;
	int status = r->calls->done(r->calls->arg, job, err);

	job->out.n = job->aside.n = 0;
	job->rejected = 0;
	return status;
}

/* Reads a line by the calling thread. Results are written before it may wait for input. */
static int line_alone(struct run *r, unsigned side, struct sh_slice *line, struct sh_error *err)
{
	struct sh_lines *l = &r->files->lines[side];
	bool reads = sh_lines_at_end(l);
	int got;

	if (r->ended[side])
		return 0;
	if (reads && write_alone(r, err) < 0)
		return -1;
	got = sh_lines_next(l, line, err);
	r->ended[side] = got == 0;
	r->pause = r->pause || (reads && r->files->threads > 1 && !r->failed);
	if (got > 0 && reads && r->calls->seen)
		r->calls->seen(r->calls->arg, l->chunk.n, l->from.lines);
	return got;
}

static int next_line(struct joiner *j, unsigned side, struct sh_slice *line, struct sh_error *err)
{
	if (is_alone(j))
		return line_alone(j->run, side, line, err);
	return sh_lines_at_end(&j->lines[side]) ? 0 : sh_lines_next(&j->lines[side], line, err);
}

static int reject(struct joiner *j, const struct sh_lines *l, struct sh_slice line)
{
	j->job->from = l->from;
	j->job->at = 0;
	return sh_job_reject(j->job, line, j->run->files->rejects);
}

/* See sh_stream_next. */
static int next_record(void *joiner, unsigned side, struct sh_band_record *r, struct sh_error *err)
{
	struct joiner *j = joiner;
	const struct sh_band_files_calls *calls = j->run->calls;
	struct sh_lines *l = &j->lines[side];
	struct sh_slice line;
	int got;

	while ((got = next_line(j, side, &line, err)) > 0) {
		if (calls->read(calls->arg, j->stream, side, line, l, r, &j->job->err) == 0) {
			if (!j->limit || sh_slice_cmp(r->key, sh_buf_slice(j->limit)) < 0)
				return 1;
			sh_lines_back(l);
			return 0;
		}
		if (reject(j, l, line) < 0) {
			*err = j->job->err;
			return -1;
		}
	}
	return got;
}

/* ---- the calling thread joins ---- */

/* Joins until a chunk or the end of a side was read, at least. */
static int join_alone(struct run *r, struct sh_error *err)
{
	struct sh_error ignored;

	r->pause = false;
	if (sh_stream_cross(r->alone.stream, next_record, &r->alone, &r->pause, err) < 0) {
		(void)write_alone(r, &ignored);
		return -1;
	}
	for (unsigned side = 0; side < 2; side++)
		if (!r->ended[side])
			sh_lines_back(&r->files->lines[side]);
	return write_alone(r, err);
}

/* ---- cuts ---- */

/* Returns the line that begins at p[at]. */
static struct sh_slice line_at(struct sh_slice rest, size_t at)
{
	return sh_record_front(sh_slice(rest.p + at, rest.n - at), false);
}

static bool look(const struct run *r, struct sh_slice line, struct sh_band_record *record)
{
	return r->calls->look(r->calls->arg, line, record);
}

/* Returns the offset of the last line whose key differs from that of the line before; 0 when there
 * is none. Both lines are good records. */
static size_t last_border(const struct run *r, struct sh_slice rest)
{
	struct sh_band_record first, a, b;
	struct sh_slice line, next;
	bool good;

	if (rest.n == 0 || !look(r, line_at(rest, 0), &first))
		return 0;
	next = sh_line_before(rest.p, rest.n);
	good = look(r, next, &b);
	if (good && sh_slice_eq(first.key, b.key))
		return 0; /* a large bucket would be searched for each chunk */
	for (size_t at; (at = (size_t)(next.p - rest.p)) > 0; next = line, b = a) {
		bool next_good = good;

		line = sh_line_before(rest.p, at);
		good = look(r, line, &a);
		if (good && next_good && a.of.tag == b.of.tag && !sh_slice_eq(a.key, b.key))
			return at;
	}
	return 0;
}

/* Returns the offset of the first line with a key of at least `key`, or NO_CUT when a line on the
 * way to it is bad. The line at `border` has such a key. */
static ssize_t cut_before(
    const struct run *r, struct sh_slice rest, size_t border, struct sh_slice key)
{
	struct sh_band_record record;
	size_t less = 0; /* the line there has a lesser key */

	if (!look(r, line_at(rest, 0), &record))
		return NO_CUT;
	if (sh_slice_cmp(record.key, key) >= 0)
		return 0;
	for (;;) {
		size_t middle = less + (border - less) / 2;
		size_t at = (size_t)(sh_line_before(rest.p, middle + 1).p - rest.p);

		if (at == less)
			at += line_at(rest, less).n + 1;
		if (at == border)
			return (ssize_t)border;
		if (!look(r, line_at(rest, at), &record))
			return NO_CUT;
		if (sh_slice_cmp(record.key, key) < 0)
			less = at;
		else
			border = at;
	}
}

static struct sh_slice rest_of(const struct run *r, unsigned side)
{
	return sh_lines_rest(&r->files->lines[side]);
}

/* Reads lines of the side until it has a border. Returns 1; or 0 when the calling thread must join
 * the next lines; or -1. */
static int find_border(struct run *r, unsigned side, struct sh_error *err)
{
	struct sh_lines *l = &r->files->lines[side];

	while ((r->border[side] = last_border(r, rest_of(r, side))) == 0) {
		size_t before = l->chunk.n - l->at;
		uint64_t line = l->end;
		int got = before > r->files->most ? 0 : sh_lines_more(l, err);

		if (got <= 0)
			return got;
		if (r->calls->seen)
			r->calls->seen(r->calls->arg, l->chunk.n - before, l->end - line);
	}
	return 1;
}

/* Reads lines until both sides can be cut before a key. Sets cut[] to the bytes of the next piece,
 * and *key. Returns 1, 0 when the calling thread must join the next lines, or -1. */
static int find_cut(struct run *r, size_t cut[2], struct sh_slice *key, struct sh_error *err)
{
	struct sh_band_record record[2];
	unsigned least;
	ssize_t other;

	for (unsigned side = 0; side < 2; side++) {
		int got = r->ended[side] || r->border[side] ? 1 : find_border(r, side, err);

		if (got <= 0)
			return got;
		cut[side] = r->border[side];
		if (!r->ended[side] &&
		    !look(r, line_at(rest_of(r, side), cut[side]), &record[side]))
			return 0;
	}
	least = r->ended[0] || (!r->ended[1] && sh_slice_cmp(record[0].key, record[1].key) > 0);
	*key = record[least].key;
	if (r->ended[1 - least])
		return !r->ended[least];
	other = cut_before(r, rest_of(r, 1 - least), cut[1 - least], *key);
	cut[1 - least] = other < 0 ? 0 : (size_t)other;
	return other >= 0;
}

/* ---- pieces ---- */

/* Moves the first n bytes of the rest of *from to the empty *to. */
static int move_lines(struct sh_lines *to, struct sh_lines *from, size_t n, struct sh_error *err)
{
	struct sh_slice rest = sh_lines_rest(from);

	to->from = from->from;
	to->at = to->ends = to->chunk.n = 0;
	if (sh_buf_reserve(&to->chunk, n + SH_PAD, err) < 0)
		return -1;
	if (n)
		memcpy(to->chunk.p, rest.p, n);
	memset(to->chunk.p + n, 0, SH_PAD);
	to->chunk.n = n;
	sh_lines_skip(from, n, sh_count_newlines(to->chunk.p, n));
	return 0;
}

static int fill_piece(
    struct run *r, struct piece *p, const size_t cut[2], struct sh_slice key, struct sh_error *err)
{
	p->left = false;
	p->limit.n = 0;
	if (sh_buf_add(&p->limit, key.p, key.n, err) < 0)
		return -1;
	for (unsigned side = 0; side < 2; side++) {
		if (move_lines(&p->side[side], &r->files->lines[side], cut[side], err) < 0)
			return -1;
		r->border[side] -= cut[side];
	}
	return 0;
}

/* The facts of a job are the address of its piece. The join uses job->task. */
static struct piece *piece_of(const struct sh_job *job)
{
	struct piece *p;

	memcpy(&p, job->facts.p, sizeof p);
	return p;
}

/* See struct sh_pool. */
static int join_piece(void *worker, struct sh_job *job)
{
	struct joiner *j = worker;
	struct piece *p = piece_of(job);

	j->job = job;
	j->lines = p->side;
	j->limit = &p->limit;
	sh_stream_set_out(j->stream, job);
	if (sh_stream_cross(j->stream, next_record, j, NULL, &job->err) < 0)
		return -1;
	p->left = !sh_lines_at_end(&p->side[0]) || !sh_lines_at_end(&p->side[1]);
	return p->left ? sh_error_set(&job->err, SH_ERR_PARAM, "keys are not in order") : 0;
}

static int piece_done(void *run, struct sh_job *job, struct sh_error *err)
{
	struct run *r = run;
	int status = r->calls->done(r->calls->arg, job, err);

	if (status == 0 && job->failed && piece_of(job)->left)
		r->failed = piece_of(job);
	return status;
}

static struct sh_stream *new_stream(struct run *r, struct sh_job *out, struct sh_error *err)
{
	struct sh_stream_opts opts = r->files->opts;

	opts.out = out;
	opts.begins = NULL;
	return sh_stream_new(&opts, 2, err);
}

/* Makes the worker's stream, with the layout of the first records. */
static int make_worker(struct run *r, struct joiner *j, struct sh_error *err)
{
	const struct sh_band_files_calls *calls = r->calls;
	struct sh_band_record record;

	j->run = r;
	j->stream = new_stream(r, NULL, err);
	if (!j->stream)
		return -1;
	for (unsigned side = 0; side < 2; side++)
		if (!r->ended[side] &&
		    calls->read(calls->arg, j->stream, side, line_at(rest_of(r, side), 0),
			&r->files->lines[side], &record, err) < 0)
			return -1;
	return 0;
}

static int start_workers(struct run *r, struct sh_error *err)
{
	unsigned n = r->files->threads;

	r->pieces = sh_pool_jobs(n);
	r->worker = calloc(n, sizeof *r->worker);
	r->workers = calloc(n, sizeof *r->workers);
	r->piece = calloc(r->pieces, sizeof *r->piece);
	if (!r->worker || !r->workers || !r->piece)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < n; i++) {
		r->workers[i] = &r->worker[i];
		if (make_worker(r, &r->worker[i], err) < 0)
			return -1;
	}
	r->pool = (struct sh_pool){ join_piece, r->workers, n, piece_done, r };
	r->feed = sh_feed_new(&r->pool, err);
	return r->feed ? 0 : -1;
}

/* Cuts pieces while it can. Sets *n to their number. Returns 0, or -1 with an error of the calling
 * thread. */
static int push_pieces(struct run *r, size_t *n, struct sh_error *err)
{
	size_t cut[2];
	struct sh_slice key;
	struct piece *piece;
	struct sh_job *job;
	int got;

	for (*n = 0; (got = find_cut(r, cut, &key, err)) > 0; (*n)++) {
		if (!r->feed && start_workers(r, err) < 0)
			return -1;
		job = sh_feed_job(r->feed);
		if (!job)
			return 0;
		piece = &r->piece[r->pushed++ % r->pieces];
		if (sh_buf_add(&job->facts, &piece, sizeof piece, err) < 0 ||
		    fill_piece(r, piece, cut, key, err) < 0)
			return -1;
		sh_feed_push(r->feed, job);
	}
	return got;
}

/* Puts the lines that are left of the failed piece, and the lines of all later pieces, before the
 * rest of the lines of a side. */
static int put_back(struct run *r, unsigned side, struct sh_error *err)
{
	struct sh_lines *l = &r->files->lines[side];
	struct sh_slice rest = sh_lines_rest(l);
	struct piece *p = r->failed;
	struct sh_lines all = { .from = p->side[side].from };
	struct sh_slice left = sh_lines_rest(&p->side[side]);
	int status = sh_buf_add(&all.chunk, left.p, left.n, err);

	all.from.line += p->side[side].ends;
	for (size_t i = (size_t)(p - r->piece);
	     (i = (i + 1) % r->pieces) != r->pushed % r->pieces;) {
		const struct sh_buf *later = &r->piece[i].side[side].chunk;

		status = status < 0 ? -1 : sh_buf_add(&all.chunk, later->p, later->n, err);
	}
	status = status < 0 ? -1 : sh_buf_add(&all.chunk, rest.p, rest.n, err);
	if (status == 0)
		status = sh_buf_reserve(&all.chunk, SH_PAD, err);
	if (status < 0) {
		sh_buf_free(&all.chunk);
		return -1;
	}
	memset(all.chunk.p + all.chunk.n, 0, SH_PAD);
	sh_buf_free(&l->chunk);
	l->chunk = all.chunk;
	l->from = all.from;
	l->at = l->ends = 0;
	return 0;
}

/* Ends the workers after a failed piece, whose keys are not in order. The calling thread then joins
 * all other lines, and finds the error. */
static int stop_workers(struct run *r, struct sh_error *err)
{
	sh_feed_delete(r->feed);
	r->feed = NULL;
	for (unsigned side = 0; side < 2; side++)
		if (put_back(r, side, err) < 0)
			return -1;
	return 0;
}

/* Lets the workers join, until the calling thread must join the next lines. */
static int join_pieces(struct run *r, struct sh_error *err)
{
	size_t n = 1;

	r->border[0] = r->border[1] = 0;
	while (n) {
		struct sh_error later;
		int status = push_pieces(r, &n, &later);

		if (r->feed && sh_feed_drain(r->feed, err) < 0)
			return r->failed ? stop_workers(r, err) : -1;
		if (status < 0) {
			*err = later;
			return -1;
		}
	}
	return 0;
}

/* ---- the run ---- */

static int join_all(struct run *r, struct sh_error *err)
{
	r->alone =
	    (struct joiner){ r, new_stream(r, &r->job, err), &r->job, r->files->lines, NULL };
	r->alone_pool = (struct sh_pool){ .done = r->calls->done, .arg = r->calls->arg };
	r->job.pool = &r->alone_pool;
	if (!r->alone.stream)
		return -1;
	while (!r->ended[0] || !r->ended[1]) {
		if (join_alone(r, err) < 0)
			return -1;
		if (r->pause && join_pieces(r, err) < 0)
			return -1;
	}
	return 0;
}

static uint64_t free_joiner(struct joiner *j)
{
	uint64_t repeated = j->stream ? sh_stream_repeated(j->stream) : 0;

	sh_stream_delete(j->stream);
	return repeated;
}

static void free_piece(struct piece *p)
{
	sh_lines_free(&p->side[0]);
	sh_lines_free(&p->side[1]);
	sh_buf_free(&p->limit);
}

int sh_band_files_join(const struct sh_band_files *files, const struct sh_band_files_calls *calls,
    uint64_t *repeated, struct sh_error *err)
{
	struct run r = { .files = files, .calls = calls };
	int status = join_all(&r, err);

	sh_feed_delete(r.feed);
	*repeated = free_joiner(&r.alone);
	for (unsigned i = 0; r.worker && i < files->threads; i++)
		*repeated += free_joiner(&r.worker[i]);
	for (size_t i = 0; r.piece && i < r.pieces; i++)
		free_piece(&r.piece[i]);
	free(r.worker);
	free(r.workers);
	free(r.piece);
	sh_buf_free(&r.job.out);
	sh_buf_free(&r.job.aside);
	return status;
}
