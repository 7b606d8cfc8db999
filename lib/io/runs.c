#include "io/runs.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/merge.h"
#include "io/spill.h"

enum {
	HEAD = 8, /* two lengths of 4 bytes; key and value follow */
	WRITE_AT = 1 << 18,
	READ_SIZE = 1 << 16,
	FAN_IN = 64, /* runs merged at once: 4 MiB of read buffers */
};

void sh_runs_init(struct sh_runs *r, const char *dir)
{
	*r = (struct sh_runs){ .dir = dir, .fd = -1 };
}

void sh_runs_free(struct sh_runs *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->start);
	sh_buf_free(&r->out);
	sh_runs_init(r, r->dir);
}

static int flush(struct sh_runs *r, struct sh_error *err)
{
	if (sh_spill_write(r->fd, r->out.p, r->out.n, err) < 0)
		return -1;
	r->end += r->out.n;
	r->out.n = 0;
	return 0;
}

int sh_runs_begin(struct sh_runs *r, struct sh_error *err)
{
	if (r->fd < 0 && (r->fd = sh_spill_open(r->dir, err)) < 0)
		return -1;
	if (r->n + 2 > r->cap &&
	    sh_grow((void **)&r->start, &r->cap, r->n + 2, sizeof *r->start, err) < 0)
		return -1;
	r->start[r->n] = r->end;
	return 0;
}

int sh_runs_add(struct sh_runs *r, struct sh_slice key, struct sh_slice value, struct sh_error *err)
{
	char head[HEAD];

	if (key.n > UINT32_MAX || value.n > UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "entry of 4 GiB or more");
	sh_put_le32(head, (uint32_t)key.n);
	sh_put_le32(head + 4, (uint32_t)value.n);
	if (sh_buf_add(&r->out, head, HEAD, err) < 0 ||
	    sh_buf_add(&r->out, key.p, key.n, err) < 0 ||
	    sh_buf_add(&r->out, value.p, value.n, err) < 0)
		return -1;
	return r->out.n >= WRITE_AT ? flush(r, err) : 0;
}

int sh_runs_end(struct sh_runs *r, struct sh_error *err)
{
	if (flush(r, err) < 0)
		return -1;
	r->start[++r->n] = r->end;
	return 0;
}

void sh_run_open(struct sh_run_reader *c, const struct sh_runs *r, size_t run)
{
	*c = (struct sh_run_reader){ .fd = r->fd, .at = r->start[run], .end = r->start[run + 1] };
}

void sh_run_close(struct sh_run_reader *c)
{
	sh_buf_free(&c->buf);
}

/* Reads until the buffer holds at least n unread bytes. */
static int want(struct sh_run_reader *c, size_t n, struct sh_error *err)
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

int sh_run_next(
    struct sh_run_reader *c, struct sh_slice *key, struct sh_slice *value, struct sh_error *err)
{
	size_t k, v;

	if (c->used == c->buf.n && c->at == c->end)
		return 0;
	if (want(c, HEAD, err) < 0)
		return -1;
	k = sh_le32(c->buf.p + c->used);
	v = sh_le32(c->buf.p + c->used + 4);
	if (want(c, HEAD + k + v, err) < 0)
		return -1;
	*key = sh_slice(c->buf.p + c->used + HEAD, k);
	*value = sh_slice(key->p + k, v);
	c->used += HEAD + k + v;
	return 1;
}

struct cursor {
	struct sh_run_reader reader;
	struct sh_slice value;
};

static int cursor_next(void *arg, size_t i, struct sh_slice *key, struct sh_error *err)
{
	struct cursor *c = (struct cursor *)arg + i;

	return sh_run_next(&c->reader, key, &c->value, err);
}

/* Merges n runs, from run `first` on. */
static int merge_some(const struct sh_runs *r, size_t first, size_t n, sh_runs_entry *each,
    void *arg, struct sh_error *err)
{
	struct cursor *cursors = calloc(n, sizeof *cursors);
	struct sh_merge m = { .next = cursor_next, .arg = cursors };
	size_t top;
	int status;

	if (!cursors)
		return sh_error_nomem(err);
	for (size_t i = 0; i < n; i++)
		sh_run_open(&cursors[i].reader, r, first + i);
	status = sh_merge_init(&m, n, err);
	while (status == 0 && sh_merge_top(&m, &top)) {
		status = each(arg, m.key[top], cursors[top].value, err);
		if (status == 0)
			status = sh_merge_pop(&m, err);
	}
	sh_merge_free(&m);
	for (size_t i = 0; i < n; i++)
		sh_run_close(&cursors[i].reader);
	free(cursors);
	return status;
}

static int add_entry(void *arg, struct sh_slice key, struct sh_slice value, struct sh_error *err)
{
	return sh_runs_add(arg, key, value, err);
}

/* Merges each FAN_IN consecutive runs into one run of a new file. */
static int fewer_runs(struct sh_runs *r, struct sh_error *err)
{
	struct sh_runs to;
	int status = 0;

	sh_runs_init(&to, r->dir);
	for (size_t i = 0; status == 0 && i < r->n; i += FAN_IN) {
		size_t n = r->n - i < FAN_IN ? r->n - i : FAN_IN;

		status = sh_runs_begin(&to, err);
		if (status == 0)
			status = merge_some(r, i, n, add_entry, &to, err);
		if (status == 0)
			status = sh_runs_end(&to, err);
	}
	if (status < 0) {
		sh_runs_free(&to);
		return -1;
	}
	sh_runs_free(r);
	*r = to;
	return 0;
}

int sh_runs_merge(struct sh_runs *r, sh_runs_entry *each, void *arg, struct sh_error *err)
{
	while (r->n > FAN_IN)
		if (fewer_runs(r, err) < 0)
			return -1;
	return merge_some(r, 0, r->n, each, arg, err);
}
