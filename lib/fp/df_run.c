#include "fp/df_run.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/merge.h"
#include "io/spill.h"

enum {
	HEAD = 4 + 3 * 8, /* length, df, first, last: little-endian, then the feature */
	WRITE_AT = 1 << 18,
	READ_SIZE = 1 << 16,
	FAN_IN = 64, /* runs merged at once: 4 MiB of read buffers */
};

void sh_df_runs_init(struct sh_df_runs *r, const char *dir)
{
	*r = (struct sh_df_runs){ .dir = dir, .fd = -1 };
}

void sh_df_runs_free(struct sh_df_runs *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->start);
	sh_buf_free(&r->out);
}

static int flush(struct sh_df_runs *r, struct sh_error *err)
{
	if (sh_spill_write(r->fd, r->out.p, r->out.n, err) < 0)
		return -1;
	r->end += r->out.n;
	r->out.n = 0;
	return 0;
}

int sh_df_runs_begin(struct sh_df_runs *r, struct sh_error *err)
{
	if (r->fd < 0 && (r->fd = sh_spill_open(r->dir, err)) < 0)
		return -1;
	if (r->n + 2 > r->cap &&
	    sh_grow((void **)&r->start, &r->cap, r->n + 2, sizeof *r->start, err) < 0)
		return -1;
	r->start[r->n] = r->end;
	return 0;
}

int sh_df_runs_add(struct sh_df_runs *r, const struct sh_df_entry *e, struct sh_error *err)
{
	char head[HEAD];

	sh_put_le32(head, (uint32_t)e->feature.n);
	sh_put_le64(head + 4, e->df);
	sh_put_le64(head + 12, e->first);
	sh_put_le64(head + 20, e->last);
	if (sh_buf_add(&r->out, head, HEAD, err) < 0 ||
	    sh_buf_add(&r->out, e->feature.p, e->feature.n, err) < 0)
		return -1;
	return r->out.n >= WRITE_AT ? flush(r, err) : 0;
}

int sh_df_runs_end(struct sh_df_runs *r, struct sh_error *err)
{
	if (flush(r, err) < 0)
		return -1;
	r->start[++r->n] = r->end;
	return 0;
}

/* Reads one run's entries. */
struct cursor {
	int fd;
	uint64_t at, end; /* what is not in the buffer yet */
	struct sh_buf buf;
	size_t used; /* of the buffer */
	struct sh_df_entry entry;
};

/* Have n unused bytes in the buffer. */
static int want(struct cursor *c, size_t n, struct sh_error *err)
{
	size_t left = c->buf.n - c->used, more = n > READ_SIZE ? n : READ_SIZE;

	if (left >= n)
		return 0;
	if (left)
		memmove(c->buf.p, c->buf.p + c->used, left);
	c->buf.n = left;
	c->used = 0;
	if (more > c->end - c->at)
		more = (size_t)(c->end - c->at);
	if (sh_buf_reserve(&c->buf, more, err) < 0 ||
	    sh_spill_read(c->fd, c->buf.p + left, more, c->at, err) < 0)
		return -1;
	c->buf.n += more;
	c->at += more;
	return c->buf.n >= n ? 0 : sh_error_set(err, SH_ERR_IO, "a temporary file was cut short");
}

static int cursor_next(void *arg, size_t i, struct sh_slice *key, struct sh_error *err)
{
	struct cursor *c = (struct cursor *)arg + i;
	const char *p;
	size_t n;

	if (c->used == c->buf.n && c->at == c->end)
		return 0;
	if (want(c, HEAD, err) < 0)
		return -1;
	n = sh_le32(c->buf.p + c->used);
	if (want(c, HEAD + n, err) < 0)
		return -1;
	p = c->buf.p + c->used;
	c->entry = (struct sh_df_entry){ sh_slice(p + HEAD, n), sh_le64(p + 4), sh_le64(p + 12),
		sh_le64(p + 20) };
	c->used += HEAD + n;
	*key = c->entry.feature;
	return 1;
}

/* Receives merged entries. */
struct taker {
	int (*take)(void *arg, const struct sh_df_entry *e, struct sh_error *err);
	void *arg;
};

/* All runs as one stream of entries, equal features summed. */
static int merge_cursors(
    struct cursor *cursors, size_t n, const struct taker *to, struct sh_error *err)
{
	struct sh_merge m = { .next = cursor_next, .arg = cursors };
	struct sh_buf feature = { 0 };
	struct sh_df_entry sum = { 0 };
	bool pending = false;
	size_t top;
	int status = sh_merge_init(&m, n, err);

	while (status == 0 && sh_merge_top(&m, &top)) {
		const struct sh_df_entry *e = &cursors[top].entry;

		if (pending && sh_slice_eq(e->feature, sh_buf_slice(&feature))) {
			sum.df += e->df - (e->first == sum.last);
			sum.last = e->last;
		} else {
			sum.feature = sh_buf_slice(&feature);
			if (pending)
				status = to->take(to->arg, &sum, err);
			sum = *e;
			pending = true;
			feature.n = 0;
			if (status == 0)
				status = sh_buf_add(&feature, e->feature.p, e->feature.n, err);
		}
		if (status == 0)
			status = sh_merge_pop(&m, err);
	}
	sum.feature = sh_buf_slice(&feature);
	if (status == 0 && pending)
		status = to->take(to->arg, &sum, err);
	sh_merge_free(&m);
	sh_buf_free(&feature);
	return status;
}

static int merge_runs(
    struct sh_df_runs *r, size_t first, size_t n, const struct taker *to, struct sh_error *err)
{
	struct cursor *cursors = calloc(n, sizeof *cursors);
	int status;

	if (!cursors)
		return sh_error_nomem(err);
	for (size_t i = 0; i < n; i++) {
		cursors[i].fd = r->fd;
		cursors[i].at = r->start[first + i];
		cursors[i].end = r->start[first + i + 1];
	}
	status = merge_cursors(cursors, n, to, err);
	for (size_t i = 0; i < n; i++)
		sh_buf_free(&cursors[i].buf);
	free(cursors);
	return status;
}

static int add_to_run(void *arg, const struct sh_df_entry *e, struct sh_error *err)
{
	return sh_df_runs_add(arg, e, err);
}

/* Fewer and longer runs, FAN_IN of them into one, in another file. The order of the
 * runs is kept: a document that a run's end cut continues in the next run. */
static int fewer_runs(struct sh_df_runs *r, struct sh_error *err)
{
	struct sh_df_runs to;
	const struct taker taker = { add_to_run, &to };
	int status = 0;

	sh_df_runs_init(&to, r->dir);
	for (size_t i = 0; status == 0 && i < r->n; i += FAN_IN) {
		size_t n = r->n - i < FAN_IN ? r->n - i : FAN_IN;

		status = sh_df_runs_begin(&to, err);
		if (status == 0)
			status = merge_runs(r, i, n, &taker, err);
		if (status == 0)
			status = sh_df_runs_end(&to, err);
	}
	if (status < 0) {
		sh_df_runs_free(&to);
		return -1;
	}
	sh_df_runs_free(r);
	*r = to;
	return 0;
}

struct emitter {
	sh_df_emit *emit;
	void *arg;
};

static int emit_entry(void *arg, const struct sh_df_entry *e, struct sh_error *err)
{
	const struct emitter *to = arg;

	return to->emit(to->arg, e->feature, e->df, err);
}

int sh_df_runs_merge(struct sh_df_runs *r, sh_df_emit *emit, void *arg, struct sh_error *err)
{
	struct emitter to = { emit, arg };
	const struct taker taker = { emit_entry, &to };

	while (r->n > FAN_IN)
		if (fewer_runs(r, err) < 0)
			return -1;
	return merge_runs(r, 0, r->n, &taker, err);
}
