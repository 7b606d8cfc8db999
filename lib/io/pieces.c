/* SPDX-License-Identifier: MIT */
#include "io/pieces.h"

#include <stdlib.h>

#ifdef SH_HAVE_LZ4
#include <lz4.h>
#endif

#include "base/bisect.h"
#include "io/header.h"
#include "io/pool.h"
#include "io/spill.h"

/* Least size of a piece in bytes, except the last piece of a chunk. A random access decompresses
 * one piece, so larger pieces are slower. */
enum { PIECE = 16 * 1024 };

/* ---- compression ---- */

/* Compresses n bytes. Returns the compressed size, or 0 when it would not be below n. */
static size_t lz4_pack(const char *p, size_t n, char *to)
{
#ifdef SH_HAVE_LZ4
	if (n <= LZ4_MAX_INPUT_SIZE) {
		int got = LZ4_compress_default(p, to, (int)n, (int)n - 1);

		return got > 0 ? (size_t)got : 0;
	}
#endif
	(void)p;
	(void)n;
	(void)to;
	return 0;
}

/* Decompresses to to[n]. Returns false when the result does not have n bytes. */
static bool lz4_unpack(struct sh_slice packed, char *to, size_t n)
{
#ifdef SH_HAVE_LZ4
	return LZ4_decompress_safe(packed.p, to, (int)packed.n, (int)n) == (int)n;
#else
	(void)packed;
	(void)to;
	(void)n;
	return false;
#endif
}

/* ---- writing ---- */

/* The inputs that are being added. */
struct copy {
	struct sh_pieces *to;
	uint64_t base; /* bytes of the text before these inputs */
	struct sh_pieces_text *text;
};

/* Bytes of a piece, in the text and in the file. */
struct lengths {
	size_t text, packed;
};

/* Decides by the chunk's offset in the text. So the pieces do not depend on threads, and memory
 * holds the beginning of the text. */
static bool fits_in_memory(const struct copy *c, const struct sh_job *job)
{
	return c->base + job->from.at + job->in.n <= c->to->memory;
}

/* Returns the length of the next piece: whole records of at least PIECE bytes, or all bytes. */
static size_t piece_length(struct sh_slice rest, bool csv)
{
	size_t n = 0;

	while (n < PIECE && n < rest.n)
		n += sh_record_front(sh_slice(rest.p + n, rest.n - n), csv).n + 1;
	return n < rest.n ? n : rest.n;
}

/* Appends a piece to job->out, and its lengths to job->aside. */
static int pack(struct sh_job *job, const char *p, size_t n, struct sh_error *err)
{
	struct lengths l = { n, n };
	char *to;

	if (sh_buf_reserve(&job->out, n, err) < 0)
		return -1;
	to = job->out.p + job->out.n;
	l.packed = lz4_pack(p, n, to);
	if (l.packed == 0) {
		memcpy(to, p, n);
		l.packed = n;
	}
	job->out.n += l.packed;
	return sh_buf_add(&job->aside, &l, sizeof l, err);
}

static int work(void *copy, struct sh_job *job)
{
	struct sh_slice rest = job->in;

	if (fits_in_memory(copy, job))
		return 0;
	while (rest.n) {
		/* The encoding of an input is guessed from its first piece, so that piece is the
		 * whole chunk. */
		size_t n = job->from.starts_file ? rest.n : piece_length(rest, job->from.csv);

		if (pack(job, rest.p, n, &job->err) < 0)
			return -1;
		rest = sh_slice(rest.p + n, rest.n - n);
	}
	return 0;
}

static int write_pieces(struct sh_pieces *p, const struct sh_job *job, struct sh_error *err)
{
	const struct lengths *l = (const struct lengths *)(const void *)job->aside.p;
	size_t more = job->aside.n / sizeof *l;
	uint64_t at = p->n;

	if (SH_RESERVE(p->piece, p->cap, p->n_pieces + more, err) < 0)
		return -1;
	if (p->n_pieces == 0) {
		p->fd = sh_spill_open(p->dir, err);
		if (p->fd < 0)
			return -1;
	}
	for (size_t i = 0; i < more; i++) {
		p->piece[p->n_pieces++] = (struct sh_piece){ at, p->written };
		at += l[i].text;
		p->written += l[i].packed;
	}
	return sh_spill_write(p->fd, job->out.p, job->out.n, err);
}

static int done(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct copy *c = arg;
	struct sh_pieces *p = c->to;
	int status;

	if (job->failed)
		return 0;
	status = fits_in_memory(c, job) ? sh_buf_add(&p->held, job->in.p, job->in.n, err)
					: write_pieces(p, job, err);
	p->n += job->in.n;
	c->text[job->from.operand].n += job->in.n;
	c->text[job->from.operand].codec = job->from.codec;
	return status;
}

int sh_pieces_add(struct sh_pieces *p, const struct sh_pieces_inputs *in,
    struct sh_pieces_text *text, struct sh_error *err)
{
	struct copy copy = { p, p->n, text };
	unsigned jobs = in->jobs ? in->jobs : 1;
	void **workers = calloc(jobs, sizeof *workers);
	struct sh_pool pool = { work, workers, jobs, done, &copy };
	struct sh_source source;
	int status;

	if (!workers)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < jobs; i++)
		workers[i] = &copy;
	memset(text, 0, in->n * sizeof *text);
	sh_source_init(&source, in->names, in->n);
	source.fds = in->fds;
	source.copies = true;
	source.header.csv = in->csv;
	status = sh_pool_run(&pool, &source, err);
	sh_source_free(&source);
	free(workers);
	if (status < 0 || sh_buf_reserve(&p->held, SH_PAD, err) < 0)
		return -1;
	memset(p->held.p + p->held.n, 0, SH_PAD);
	return 0;
}

void sh_pieces_free(struct sh_pieces *p)
{
	if (p->n_pieces)
		sh_spill_close(p->fd);
	sh_buf_free(&p->held);
	free(p->piece);
	*p = (struct sh_pieces){ 0 };
}

/* ---- reading ---- */

/* Returns the index of the piece in the file that has the byte at offset `at`. */
static size_t find(const struct sh_pieces *p, uint64_t at)
{
	size_t lo = 1, hi = p->n_pieces;

	SH_BISECT(lo, hi, mid, p->piece[mid].at <= at);
	return lo - 1;
}

uint64_t sh_pieces_next(const struct sh_pieces *p, uint64_t at)
{
	size_t i = find(p, at);

	if (i < p->n_pieces && p->piece[i].at < at)
		i++;
	return i < p->n_pieces ? p->piece[i].at : p->n;
}

static int load(
    const struct sh_pieces *p, size_t i, struct sh_piece_room *room, struct sh_error *err)
{
	struct sh_piece here = p->piece[i], end = { p->n, p->written };
	struct sh_buf *from = &room->packed;
	size_t n, packed;

	if (i + 1 < p->n_pieces)
		end = p->piece[i + 1];
	n = (size_t)(end.at - here.at);
	packed = (size_t)(end.place - here.place);
	room->of = NULL;
	room->text.n = room->packed.n = 0;
	if (packed == n)
		from = &room->text;
	if (sh_buf_reserve(&room->text, n + SH_PAD, err) < 0 ||
	    sh_buf_reserve(from, packed, err) < 0 ||
	    sh_spill_read(p->fd, from->p, packed, here.place, err) < 0)
		return -1;
	if (packed < n && !lz4_unpack(sh_slice(from->p, packed), room->text.p, n))
		return sh_error_set(err, SH_ERR_IO, "a temporary file is damaged");
	memset(room->text.p + n, 0, SH_PAD);
	room->text.n = n;
	room->of = p;
	room->number = i;
	return 0;
}

int sh_pieces_at(const struct sh_pieces *p, uint64_t at, struct sh_piece_room *room,
    struct sh_slice *bytes, struct sh_error *err)
{
	size_t i, before;

	if (sh_pieces_held(p, at)) {
		*bytes = sh_slice(p->held.p + at, p->held.n - (size_t)at);
		return 0;
	}
	i = find(p, at);
	if ((room->of != p || room->number != i) && load(p, i, room, err) < 0)
		return -1;
	before = (size_t)(at - p->piece[i].at);
	*bytes = sh_slice(room->text.p + before, room->text.n - before);
	return 0;
}

void sh_piece_room_free(struct sh_piece_room *room)
{
	sh_buf_free(&room->text);
	sh_buf_free(&room->packed);
	*room = (struct sh_piece_room){ 0 };
}
