/* SPDX-License-Identifier: MIT */
#include "io/runs.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/bytes.h"
#include "base/merge.h"
#include "io/parallel.h"
#include "io/spill.h"

enum {
	HEAD = 8,        /* two lengths of 4 bytes; key and value follow */
	BLOCK = 1 << 15, /* the usual size of a block */
	FAN_IN = 128,    /* most runs merged at once: 4 MiB of blocks */
	/* A range has about RANGE_BLOCKS blocks, but at least RANGE_SHARE blocks for each run. */
	RANGE_BLOCKS = 64,
	RANGE_SHARE = 2,
};

#define CHANGED "a temporary file was changed"

void sh_runs_init(struct sh_runs *r, const char *dir)
{
	*r = (struct sh_runs){ .dir = dir, .block = BLOCK, .fd = -1 };
	pthread_mutex_init(&r->lock, NULL);
}

static void run_free(struct sh_run *run)
{
	free(run->block);
	sh_buf_free(&run->keys);
	*run = (struct sh_run){ 0 };
}

void sh_runs_free(struct sh_runs *r)
{
	size_t block;

	sh_spill_close(r->fd);
	for (size_t i = 0; i < r->n; i++)
		run_free(&r->run[i]);
	free(r->run);
	free(r->border);
	pthread_mutex_destroy(&r->lock);
	block = r->block;
	sh_runs_init(r, r->dir);
	r->block = block;
}

/* ---- writing ---- */

void sh_run_begin(struct sh_run_writer *w, struct sh_runs *r)
{
	*w = (struct sh_run_writer){ .runs = r };
}

void sh_run_free(struct sh_run_writer *w)
{
	run_free(&w->run);
	sh_buf_free(&w->out);
}

/* Reserves n bytes at the end of the file. Sets *at to the offset of the first of them. The first
 * call creates the file. */
static int reserve(struct sh_runs *r, size_t n, uint64_t *at, struct sh_error *err)
{
	int fd;

	pthread_mutex_lock(&r->lock);
	if (r->fd < 0)
		r->fd = sh_spill_open(r->dir, err);
	fd = r->fd;
	*at = r->end;
	r->end += n;
	pthread_mutex_unlock(&r->lock);
	return fd < 0 ? -1 : 0;
}

static struct sh_slice entry_key(const char *entry)
{
	return sh_slice(entry + HEAD, sh_le32(entry));
}

static int add_block(
    struct sh_run *run, uint64_t at, size_t n, struct sh_slice key, struct sh_error *err)
{
	if (SH_RESERVE(run->block, run->cap, run->n + 1, err) < 0)
		return -1;
	run->block[run->n++] = (struct sh_run_block){ at, n, run->keys.n, key.n };
	return sh_buf_add(&run->keys, key.p, key.n, err);
}

static int end_block(struct sh_run_writer *w, struct sh_error *err)
{
	size_t n = w->out.n;
	uint64_t at;

	if (n == 0)
		return 0;
	if (reserve(w->runs, n, &at, err) < 0 ||
	    sh_spill_write_at(w->runs->fd, w->out.p, n, at, err) < 0)
		return -1;
	w->out.n = 0;
	return add_block(&w->run, at, n, entry_key(w->out.p), err);
}

int sh_run_add(
    struct sh_run_writer *w, struct sh_slice key, struct sh_slice value, struct sh_error *err)
{
	char head[HEAD];

	if (key.n > UINT32_MAX || value.n > UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "entry of 4 GiB or more");
	sh_put_le32(head, (uint32_t)key.n);
	sh_put_le32(head + 4, (uint32_t)value.n);
	if (sh_buf_add(&w->out, head, HEAD, err) < 0 ||
	    sh_buf_add(&w->out, key.p, key.n, err) < 0 ||
	    sh_buf_add(&w->out, value.p, value.n, err) < 0)
		return -1;
	return w->out.n >= w->runs->block ? end_block(w, err) : 0;
}

int sh_run_end(struct sh_run_writer *w, struct sh_error *err)
{
	int status = end_block(w, err);

	sh_buf_free(&w->out);
	return status;
}

static int add_blocks(struct sh_run *to, const struct sh_run *from, struct sh_error *err)
{
	for (size_t i = 0; i < from->n; i++)
		if (add_block(to, from->block[i].at, from->block[i].n, sh_run_key(from, i), err) <
		    0)
			return -1;
	return 0;
}

int sh_runs_put(
    struct sh_runs *r, const struct sh_run_writer *writer, size_t n, struct sh_error *err)
{
	struct sh_run run = { 0 };
	int status = 0;

	for (size_t i = 0; status == 0 && i < n; i++)
		status = add_blocks(&run, &writer[i].run, err);
	pthread_mutex_lock(&r->lock);
	if (status == 0)
		status = SH_RESERVE(r->run, r->cap, r->n + 1, err);
	if (status == 0)
		r->run[r->n++] = run;
	pthread_mutex_unlock(&r->lock);
	if (status < 0)
		run_free(&run);
	return status;
}

/* ---- reading ---- */

void sh_run_open(
    struct sh_run_reader *c, const struct sh_runs *r, size_t run, size_t from, size_t to)
{
	const struct sh_run_block *block = r->run[run].block;

	*c = (struct sh_run_reader){ .fd = r->fd, .next = block + from, .end = block + to };
}

void sh_run_close(struct sh_run_reader *c)
{
	sh_buf_free(&c->buf);
}

static int read_block(struct sh_run_reader *c, struct sh_error *err)
{
	const struct sh_run_block *b = c->next++;

	c->buf.n = c->used = 0;
	if (sh_buf_reserve(&c->buf, b->n, err) < 0 ||
	    sh_spill_read(c->fd, c->buf.p, b->n, b->at, err) < 0)
		return -1;
	c->buf.n = b->n;
	return 0;
}

int sh_run_next(
    struct sh_run_reader *c, struct sh_slice *key, struct sh_slice *value, struct sh_error *err)
{
	size_t left, v;

	if (c->used == c->buf.n) {
		if (c->next == c->end)
			return 0;
		if (read_block(c, err) < 0)
			return -1;
	}
	left = c->buf.n - c->used;
	if (left < HEAD)
		return sh_error_set(err, SH_ERR_IO, CHANGED);
	left -= HEAD;
	*key = entry_key(c->buf.p + c->used);
	v = sh_le32(c->buf.p + c->used + 4);
	if (key->n > left || v > left - key->n)
		return sh_error_set(err, SH_ERR_IO, CHANGED);
	*value = sh_slice(key->p + key->n, v);
	c->used += HEAD + key->n + v;
	return 1;
}

/* ---- the merge ---- */

/* Reads the entries of a run that are in a range of keys. */
struct cursor {
	struct sh_run_reader reader;
	struct sh_slice value;
	struct sh_slice from, to; /* the borders; to.p is NULL for the last range */
	bool begun;
};

static int cursor_next(void *arg, size_t i, struct sh_slice *key, struct sh_error *err)
{
	struct cursor *c = (struct cursor *)arg + i;
	int got;

	do
		got = sh_run_next(&c->reader, key, &c->value, err);
	while (got > 0 && !c->begun && sh_slice_cmp(*key, c->from) < 0);
	c->begun = true;
	return got > 0 && c->to.p ? sh_slice_cmp(*key, c->to) < 0 : got;
}

/* Returns the first block that may have keys of a range: the block before the first block whose
 * first key is at least `from`. */
static size_t first_block(const struct sh_run *run, struct sh_slice from)
{
	size_t low = 0, high = run->n;

	SH_BISECT(low, high, middle, sh_slice_cmp(sh_run_key(run, middle), from) < 0);
	return low ? low - 1 : 0;
}

static int merge_cursors(
    struct cursor *cursors, size_t n, sh_runs_entry *each, void *arg, struct sh_error *err)
{
	struct sh_merge m = { .next = cursor_next, .arg = cursors };
	int status = sh_merge_init(&m, n, err);
	size_t top;

	while (status == 0 && sh_merge_top(&m, &top)) {
		status = each(arg, m.key[top], cursors[top].value, err);
		if (status == 0)
			status = sh_merge_pop(&m, err);
	}
	sh_merge_free(&m);
	return status;
}

/* Merges the entries of a range of n runs, from run `first` on. */
static int merge_some(const struct sh_runs *r, size_t first, size_t n, struct sh_slice from,
    struct sh_slice to, sh_runs_entry *each, void *arg, struct sh_error *err)
{
	struct cursor *c = calloc(n + 1, sizeof *c);
	int status;

	if (!c)
		return sh_error_nomem(err);
	for (size_t i = 0; i < n; i++) {
		const struct sh_run *run = &r->run[first + i];

		c[i].from = from;
		c[i].to = to;
		sh_run_open(&c[i].reader, r, first + i, first_block(run, from), run->n);
	}
	status = merge_cursors(c, n, each, arg, err);
	for (size_t i = 0; i < n; i++)
		sh_run_close(&c[i].reader);
	free(c);
	return status;
}

int sh_runs_merge(
    const struct sh_runs *r, size_t range, sh_runs_entry *each, void *arg, struct sh_error *err)
{
	struct sh_slice none = { 0 };

	return merge_some(r, 0, r->n, r->border[range],
	    range + 1 < r->ranges ? r->border[range + 1] : none, each, arg, err);
}

/* ---- fewer runs ---- */

/* Each FAN_IN consecutive runs become one run. */
struct fewer {
	const struct sh_runs *runs;
	struct sh_run_writer *writer; /* by new run */
};

static int add_entry(void *arg, struct sh_slice key, struct sh_slice value, struct sh_error *err)
{
	return sh_run_add(arg, key, value, err);
}

static int merge_groups(void *arg, size_t from, size_t to, struct sh_error *err)
{
	const struct fewer *f = arg;
	const struct sh_runs *r = f->runs;
	struct sh_slice all = { 0 };

	for (size_t i = from; i < to; i++) {
		size_t first = i * FAN_IN, n = r->n - first < FAN_IN ? r->n - first : FAN_IN;

		if (merge_some(r, first, n, all, all, add_entry, &f->writer[i], err) < 0 ||
		    sh_run_end(&f->writer[i], err) < 0)
			return -1;
	}
	return 0;
}

static void remove_runs(struct sh_runs *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		run_free(&r->run[i]);
	r->n -= n;
	memmove(r->run, r->run + n, r->n * sizeof *r->run);
}

static int fewer_runs(struct sh_runs *r, unsigned threads, struct sh_error *err)
{
	size_t before = r->n, n = (before + FAN_IN - 1) / FAN_IN;
	struct fewer f = { r, calloc(n, sizeof *f.writer) };
	int status;

	if (!f.writer)
		return sh_error_nomem(err);
	for (size_t i = 0; i < n; i++)
		sh_run_begin(&f.writer[i], r);
	status = sh_parallel(&f, 0, threads, n, 1, merge_groups, err);
	for (size_t i = 0; i < n; i++) {
		if (status == 0)
			status = sh_runs_put(r, &f.writer[i], 1, err);
		sh_run_free(&f.writer[i]);
	}
	free(f.writer);
	remove_runs(r, status == 0 ? before : 0);
	return status;
}

/* ---- ranges ---- */

static int by_bytes(const void *a, const void *b)
{
	return sh_slice_cmp(*(const struct sh_slice *)a, *(const struct sh_slice *)b);
}

static size_t count_blocks(const struct sh_runs *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->run[i].n;
	return n;
}

/* Stores the first keys of all blocks in key[] in bytewise order, cut to `prefix` bytes. */
static void sort_keys(const struct sh_runs *r, size_t prefix, struct sh_slice *key)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		for (size_t b = 0; b < r->run[i].n; b++, n++) {
			key[n] = sh_run_key(&r->run[i], b);
			if (key[n].n > prefix)
				key[n].n = prefix;
		}
	qsort(key, n, sizeof *key, by_bytes);
}

int sh_runs_close(struct sh_runs *r, size_t prefix, unsigned threads, struct sh_error *err)
{
	size_t n, step;

	while (r->n > FAN_IN)
		if (fewer_runs(r, threads, err) < 0)
			return -1;
	n = count_blocks(r);
	/* At each border a block of each run is read twice. */
	step = RANGE_SHARE * r->n > RANGE_BLOCKS ? RANGE_SHARE * r->n : RANGE_BLOCKS;
	r->border = malloc((n + 1) * sizeof *r->border);
	if (!r->border)
		return sh_error_nomem(err);
	sort_keys(r, prefix, r->border);
	r->border[0] = sh_slice("", 0);
	r->ranges = 1;
	for (size_t i = step; i < n; i += step)
		if (by_bytes(&r->border[i], &r->border[r->ranges - 1]) > 0)
			r->border[r->ranges++] = r->border[i];
	return 0;
}
