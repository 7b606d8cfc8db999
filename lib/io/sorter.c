/* SPDX-License-Identifier: MIT */
#include "io/sorter.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/bytes.h"
#include "base/compare.h"
#include "io/parallel.h"
#include "io/spill.h"

enum {
	LENGTH = 4, /* bytes of the size that precedes a record of its own size */
	MEMORY_LEAST = 1 << 16,
	BLOCK = 1 << 15, /* bytes of a block of a run, at most, but for one large record */
	BLOCK_LEAST = 1 << 9,
	BLOCKS = 512,    /* of a run, about, when the memory is small */
	ROOM = 1 << 21,  /* bytes that are sorted by copies, which is faster than in place */
	FEW = 16,        /* items that are sorted by insertion: counters would cost more */
	DEPTH = 64,      /* bytes of a record of its own size that are sorted by digits */
	RANGE = 1 << 16, /* records of a range in memory, at most, but for equal prefixes */
	RANGES = 64,     /* in memory, at least, so that several threads have work */
	SHARE = 16,      /* ranges of the file that would fit in memory together */
};

#define CHANGED "a temporary file was changed"

/* Stands for a record of its own size. Most comparisons need no other bytes than the prefix. */
struct reference {
	char prefix[8];     /* compared bytes from some depth on, zeros behind their end */
	const char *record; /* its size is in the LENGTH bytes before it */
};

/* A block of whole records of a run. */
struct sh_sorter_block {
	uint64_t at;  /* offset in the file */
	size_t n;     /* bytes */
	size_t key;   /* offset of the compared bytes of its first record in sh_sorter.keys */
	size_t key_n; /* number of these bytes */
};

void sh_sorter_init(struct sh_sorter *s)
{
	*s = (struct sh_sorter){ .size = s->size,
		.tail = s->tail,
		.memory = s->memory > MEMORY_LEAST ? s->memory : MEMORY_LEAST,
		.threads = s->threads,
		.dir = s->dir,
		.fd = -1 };
}

void sh_sorter_free(struct sh_sorter *s)
{
	sh_buf_free(&s->in);
	sh_buf_free(&s->items);
	sh_buf_free(&s->keys);
	free(s->start);
	free(s->block);
	free(s->run);
	free(s->border);
	sh_spill_close(s->fd);
	sh_sorter_init(s);
}

/* ---- items: records of one size, or references ---- */

/* What is sorted: an array of items of `size` bytes, which begin with `key` compared bytes. */
struct items {
	size_t size, key;
	bool refers; /* the items are struct reference, with records that continue */
	size_t tail;
	char *room; /* ROOM bytes; NULL: all is sorted in place */
};

static struct items items_of(const struct sh_sorter *s)
{
	return s->size ? (struct items){ s->size, s->size - s->tail, false, s->tail, NULL }
		       : (struct items){ sizeof(struct reference), 8, true, s->tail, NULL };
}

static size_t size_of(const char *record)
{
	return sh_le32(record - LENGTH);
}

/* Returns the compared bytes of an item's record. */
static struct sh_slice key_of(const struct items *o, const char *item)
{
	struct reference r;

	if (!o->refers)
		return sh_slice(item, o->key);
	memcpy(&r, item, sizeof r);
	return sh_slice(r.record, size_of(r.record) - o->tail);
}

static void set_prefix(const struct items *o, char *item, size_t depth)
{
	struct sh_slice key = key_of(o, item);
	size_t n = key.n > depth ? key.n - depth : 0;

	memset(item, 0, 8);
	if (n)
		memcpy(item, key.p + depth, n < 8 ? n : 8);
}

/* Compares items whose prefixes, if they refer, are of one depth. */
static inline int compare(const struct items *o, const char *a, const char *b)
{
	uint64_t x, y;

	if (o->key < 8)
		return memcmp(a, b, o->key);
	x = sh_be64(a);
	y = sh_be64(b);
	if (x != y)
		return sh_compare(x, y);
	return o->refers ? sh_slice_cmp(key_of(o, a), key_of(o, b))
			 : memcmp(a + 8, b + 8, o->key - 8);
}

static int compare_whole(const void *a, const void *b, void *items)
{
	const struct items *o = items;

	return sh_slice_cmp(key_of(o, a), key_of(o, b));
}

/* `size` is a constant in most calls of these functions, so that few instructions copy an item. */
#define SIZED static inline __attribute__((always_inline)) void

SIZED insert_sized(const struct items *o, char *p, size_t n, size_t size)
{
	char x[SH_RECORD_MAX];

	for (size_t i = 1; i < n; i++) {
		size_t at = i;

		if (compare(o, p + (i - 1) * size, p + i * size) <= 0)
			continue;
		memcpy(x, p + i * size, size);
		do {
			memcpy(p + at * size, p + (at - 1) * size, size);
			at--;
		} while (at && compare(o, p + (at - 1) * size, x) > 0);
		memcpy(p + at * size, x, size);
	}
}

/* Copies the items to the buckets of their byte `at`. next[d] is where the next one of d goes. */
SIZED copy_sized(
    char *restrict to, const char *restrict p, size_t n, size_t at, size_t next[256], size_t size)
{
	for (size_t i = 0; i < n; i++)
		memcpy(to + next[(unsigned char)p[i * size + at]]++ * size, p + i * size, size);
}

/* Moves the items to the buckets of their byte `at`, in place (McIlroy, Bostic and McIlroy 1993:
 * American flag sort). next[d] is the begin of bucket d, and then its end, end[d]. */
SIZED move_sized(char *p, size_t at, size_t next[256], const size_t end[256], size_t size)
{
	char x[SH_RECORD_MAX], other[SH_RECORD_MAX];

	for (unsigned d = 0; d < 256; d++)
		while (next[d] < end[d]) {
			unsigned to;

			memcpy(x, p + next[d] * size, size);
			while ((to = (unsigned char)x[at]) != d) {
				char *place = p + next[to]++ * size;

				memcpy(other, place, size);
				memcpy(place, x, size);
				memcpy(x, other, size);
			}
			memcpy(p + next[d]++ * size, x, size);
		}
}

/* Calls a function of the above with the size of the items, which is mostly 10 or 16. */
#define CALL_SIZED(o, function, ...)                                                               \
	((o)->size == 10      ? function(__VA_ARGS__, 10)                                          \
	    : (o)->size == 16 ? function(__VA_ARGS__, 16)                                          \
			      : function(__VA_ARGS__, (o)->size))

/* Divides the items by their byte `at`. Bucket d then ends before end[d]. Returns false, and does
 * nothing, when all items have the same byte. */
static bool divide(const struct items *o, char *p, size_t n, size_t at, size_t end[256])
{
	size_t next[256], sum = 0;

	memset(end, 0, 256 * sizeof *end);
	for (const char *c = p + at, *last = p + n * o->size; c < last; c += o->size)
		end[(unsigned char)*c]++;
	if (end[(unsigned char)p[at]] == n)
		return false;
	for (unsigned d = 0; d < 256; d++) {
		next[d] = sum;
		end[d] = sum += end[d];
	}
	if (o->room && n * o->size <= ROOM) {
		CALL_SIZED(o, copy_sized, o->room, p, n, at, next);
		memcpy(p, o->room, n * o->size);
	} else {
		CALL_SIZED(o, move_sized, p, at, next, end);
	}
	return true;
}

/* Sorts items that agree in `at` bytes, but leaves up to FEW records of one size unsorted within a
 * bucket. depth: where the prefixes of references begin. */
static void sort_buckets(const struct items *o, char *p, size_t n, size_t at, size_t depth)
{
	size_t end[256], begin = 0, few = o->refers ? 1 : FEW;

	do {
		if (!o->refers && (n <= FEW || at == o->key))
			return;
		if (n <= FEW) {
			CALL_SIZED(o, insert_sized, o, p, n);
			return;
		}
		if (at == o->key && depth + 8 > DEPTH) {
			struct items whole = *o;

			qsort_r(p, n, o->size, compare_whole, &whole);
			return;
		}
		if (at == o->key) {
			at = 0;
			depth += 8;
			for (size_t i = 0; i < n; i++)
				set_prefix(o, p + i * o->size, depth);
		}
	} while (!divide(o, p, n, at++, end));
	for (unsigned d = 0; d < 256; begin = end[d++])
		if (end[d] - begin > few)
			sort_buckets(o, p + begin * o->size, end[d] - begin, at, depth);
}

static void sort_items(struct items o, char *p, size_t n, size_t at)
{
	o.room = n > FEW ? malloc(ROOM) : NULL;
	sort_buckets(&o, p, n, at, 0);
	free(o.room);
	/* One insertion for all buckets: most records are at their places. */
	if (!o.refers)
		CALL_SIZED(&o, insert_sized, &o, p, n);
}

/* Items that agree in `at` bytes. */
struct stretch {
	char *p;
	size_t n, at;
};

struct sorting {
	struct items items;
	struct stretch *stretch;
	size_t n, cap;
};

static int sort_some(void *sorting, size_t from, size_t to, struct sh_error *err)
{
	const struct sorting *x = sorting;

	(void)err;
	for (; from < to; from++)
		sort_items(x->items, x->stretch[from].p, x->stretch[from].n, x->stretch[from].at);
	return 0;
}

/* Sorts n items. Several threads sort what one thread has divided by the first bytes. */
static int sort_all(struct items items, char *p, size_t n, unsigned threads, struct sh_error *err)
{
	struct sorting x = { .items = items };
	size_t large = n / (4 * (size_t)threads), end[256];
	int status = 0;

	if (threads == 1 || n < RANGE) {
		sort_items(items, p, n, 0);
		return 0;
	}
	if (SH_RESERVE(x.stretch, x.cap, 1, err) < 0)
		return -1;
	x.stretch[x.n++] = (struct stretch){ p, n, 0 };
	for (size_t i = 0; i < x.n && status == 0; i++) {
		struct stretch s = x.stretch[i];
		size_t begin = 0;

		if (s.n <= large || s.at == items.key)
			continue;
		if (!divide(&items, s.p, s.n, s.at, end)) {
			x.stretch[i--].at++;
			continue;
		}
		x.stretch[i].n = 0;
		status = SH_RESERVE(x.stretch, x.cap, x.n + 256, err);
		for (unsigned d = 0; d < 256 && status == 0; begin = end[d++])
			if (end[d] - begin > 1)
				x.stretch[x.n++] = (struct stretch){ s.p + begin * items.size,
					end[d] - begin, s.at + 1 };
	}
	if (status == 0)
		status = sh_parallel(&x, 0, threads, x.n, 1, sort_some, err);
	free(x.stretch);
	return status;
}

/* Makes references to n records of their own sizes, and sets *items to them. */
static int refer(
    const struct sh_buf *in, size_t n, size_t tail, struct sh_buf *items, struct sh_error *err)
{
	const struct items o = { .refers = true, .tail = tail };
	const char *p = in->p;

	items->n = 0;
	if (sh_buf_reserve(items, n * sizeof(struct reference) + 1, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct reference r = { .record = p + LENGTH };

		memcpy(items->p + items->n, &r, sizeof r);
		set_prefix(&o, items->p + items->n, 0);
		items->n += sizeof r;
		p += LENGTH + sh_le32(p);
	}
	return 0;
}

/* Sorts n records. *items is scratch memory. Returns the sorted items, or NULL. */
static char *sort_records(const struct sh_sorter *s, struct sh_buf *in, size_t n,
    struct sh_buf *items, unsigned threads, struct sh_error *err)
{
	char *p;

	if (!s->size && refer(in, n, s->tail, items, err) < 0)
		return NULL;
	/* Not NULL without records. */
	if (s->size && sh_buf_reserve(in, 1, err) < 0)
		return NULL;
	p = s->size ? in->p : items->p;
	return sort_all(items_of(s), p, n, threads, err) < 0 ? NULL : p;
}

/* ---- runs ---- */

/* Writes a block of whole records. first: the compared bytes of its first record. */
static int write_block(
    struct sh_sorter *s, struct sh_slice bytes, struct sh_slice first, struct sh_error *err)
{
	struct sh_sorter_block b = { s->end, bytes.n, s->keys.n, first.n };

	if (SH_RESERVE(s->block, s->block_cap, s->n_blocks + 1, err) < 0 ||
	    sh_buf_add(&s->keys, first.p, first.n, err) < 0 ||
	    sh_spill_write(s->fd, bytes.p, bytes.n, err) < 0)
		return -1;
	s->block[s->n_blocks++] = b;
	s->end += bytes.n;
	return 0;
}

/* Writes n sorted items as blocks of about `least` bytes. */
static int write_blocks(struct sh_sorter *s, const char *item, uint64_t n, size_t least,
    struct sh_buf *out, struct sh_error *err)
{
	struct items o = items_of(s);
	struct sh_slice first = { 0 };

	for (; n; n--, item += o.size) {
		struct sh_slice key = key_of(&o, item);
		const char *from = o.refers ? key.p - LENGTH : item;
		size_t size = key.n + s->tail + (o.refers ? LENGTH : 0);

		if (out->n == 0)
			first = key;
		if (sh_buf_add(out, from, size, err) < 0)
			return -1;
		if (out->n < least && n > 1)
			continue;
		if (write_block(s, sh_buf_slice(out), first, err) < 0)
			return -1;
		out->n = 0;
	}
	return 0;
}

/* Sorts the records in memory, writes them to the file as a run, and forgets them. */
static int write_run(struct sh_sorter *s, struct sh_error *err)
{
	size_t least = s->memory / BLOCKS < BLOCK_LEAST ? BLOCK_LEAST
		       : s->memory / BLOCKS < BLOCK     ? s->memory / BLOCKS
							: BLOCK;
	struct sh_buf out = { 0 };
	char *items;
	int status;

	if (SH_RESERVE(s->run, s->run_cap, s->n_runs + 1, err) < 0 ||
	    (s->fd < 0 && (s->fd = sh_spill_open(s->dir, err)) < 0) ||
	    !(items = sort_records(s, &s->in, (size_t)s->n, &s->items, s->threads, err)))
		return -1;
	status = write_blocks(s, items, s->n, least, &out, err);
	sh_buf_free(&out);
	s->run[s->n_runs++] = s->n_blocks;
	s->in.n = 0;
	s->n = 0;
	return status;
}

/* Appends n records, of `bytes` bytes in all. Returns where their bytes belong, or NULL. */
static inline char *append(struct sh_sorter *s, size_t n, size_t bytes, struct sh_error *err)
{
	size_t item = s->size ? 0 : sizeof(struct reference);
	char *p;

	if (s->n && s->in.n + bytes + (s->n + n) * item > s->memory && write_run(s, err) < 0)
		return NULL;
	if (s->in.cap - s->in.n < bytes && sh_buf_reserve(&s->in, bytes, err) < 0)
		return NULL;
	p = s->in.p + s->in.n;
	s->in.n += bytes;
	s->n += n;
	return p;
}

char *sh_sorter_append(struct sh_sorter *s, size_t n, struct sh_error *err)
{
	return append(s, n, n * s->size, err);
}

int sh_sorter_add2(
    struct sh_sorter *s, struct sh_slice first, struct sh_slice second, struct sh_error *err)
{
	size_t size = first.n + second.n, own = s->size ? 0 : LENGTH;
	char *p;

	if (size > UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "a record of 4 GiB or more");
	p = append(s, 1, own + size, err);
	if (!p)
		return -1;
	if (own)
		sh_put_le32(p, (uint32_t)size);
	if (first.n)
		memcpy(p + own, first.p, first.n);
	if (second.n)
		memcpy(p + own + first.n, second.p, second.n);
	return 0;
}

int sh_sorter_add(struct sh_sorter *s, const void *record, size_t size, struct sh_error *err)
{
	return sh_sorter_add2(s, sh_slice(record, size), (struct sh_slice){ 0 }, err);
}

/* ---- ranges ---- */

static struct sh_slice cut(struct sh_slice key, size_t prefix)
{
	return sh_slice(key.p, key.n < prefix ? key.n : prefix);
}

/* Divides the sorted records in memory. */
static int divide_memory(
    struct sh_sorter *s, const char *items, size_t prefix, struct sh_error *err)
{
	struct items o = items_of(s);
	size_t n = (size_t)s->n, at = 0;
	size_t step = n / RANGES < RANGE ? n / RANGES + 1 : RANGE;

	s->start = malloc((n / step + 2) * sizeof *s->start);
	if (!s->start)
		return sh_error_nomem(err);
	s->start[0] = 0;
	s->ranges = 0;
	do {
		at = n - at < step ? n : at + step;
		while (at < n && sh_slice_eq(cut(key_of(&o, items + (at - 1) * o.size), prefix),
				     cut(key_of(&o, items + at * o.size), prefix)))
			at++;
		s->start[++s->ranges] = at;
	} while (at < n);
	return 0;
}

static struct sh_slice block_key(const struct sh_sorter *s, size_t block)
{
	return sh_slice(s->keys.p + s->block[block].key, s->block[block].key_n);
}

static int by_bytes(const void *a, const void *b)
{
	return sh_slice_cmp(*(const struct sh_slice *)a, *(const struct sh_slice *)b);
}

/* Divides the keys in the file by first keys of blocks. */
static int divide_file(struct sh_sorter *s, size_t prefix, struct sh_error *err)
{
	uint64_t blocks = s->memory / SHARE * s->n_blocks / s->end;
	size_t step;

	/* At each border a block of each run is read twice. */
	step = blocks > 2 * s->n_runs ? (size_t)blocks : 2 * s->n_runs;
	s->border = malloc(s->n_blocks * sizeof *s->border);
	if (!s->border)
		return sh_error_nomem(err);
	for (size_t i = 0; i < s->n_blocks; i++)
		s->border[i] = cut(block_key(s, i), prefix);
	qsort(s->border, s->n_blocks, sizeof *s->border, by_bytes);
	s->border[0] = sh_slice("", 0);
	s->ranges = 1;
	for (size_t i = step; i < s->n_blocks; i += step)
		if (by_bytes(&s->border[i], &s->border[s->ranges - 1]) > 0)
			s->border[s->ranges++] = s->border[i];
	return 0;
}

int sh_sorter_finish(struct sh_sorter *s, size_t prefix, struct sh_error *err)
{
	const char *items;

	free(s->start);
	free(s->border);
	s->start = NULL;
	s->border = NULL;
	if (s->n_runs == 0) {
		items = sort_records(s, &s->in, (size_t)s->n, &s->items, s->threads, err);
		return items ? divide_memory(s, items, prefix, err) : -1;
	}
	if (s->n && write_run(s, err) < 0)
		return -1;
	sh_buf_free(&s->in);
	sh_buf_free(&s->items);
	return divide_file(s, prefix, err);
}

size_t sh_sorter_range_of(const struct sh_sorter *s, struct sh_slice key)
{
	const struct items o = items_of(s);
	const char *items = s->size ? s->in.p : s->items.p;
	size_t low = 1, high = s->ranges;

	/* The range before the first one that begins with the key or above it. */
	SH_BISECT(low, high, i,
	    sh_slice_cmp(s->border ? s->border[i] : key_of(&o, items + s->start[i] * o.size), key) <
		0);
	return low - 1;
}

/* Passes the records of a block that are in the range to each(). Sets *ends when a record is above
 * the range: so are all later ones of the run. */
static int filter_block(const struct sh_sorter *s, size_t range, const char *p, size_t n,
    sh_sorter_each_fn *each, void *arg, bool *ends, struct sh_error *err)
{
	size_t own = s->size ? 0 : LENGTH;

	while (n && !*ends) {
		size_t size = s->size;
		struct sh_slice key;

		if (n < own || (own && (size = sh_le32(p)) < s->tail) || size > n - own)
			return sh_error_set(err, SH_ERR_IO, CHANGED);
		key = sh_slice(p + own, size - s->tail);
		*ends = range + 1 < s->ranges && sh_slice_cmp(key, s->border[range + 1]) >= 0;
		if (!*ends && sh_slice_cmp(key, s->border[range]) >= 0 &&
		    each(arg, sh_slice(p + own, size), err) < 0)
			return -1;
		p += own + size;
		n -= own + size;
	}
	return 0;
}

/* Passes the records of a range from the blocks from .. to-1, which are a run. */
static int read_run(const struct sh_sorter *s, size_t range, size_t from, size_t to,
    struct sh_buf *block, sh_sorter_each_fn *each, void *arg, struct sh_error *err)
{
	size_t low = from, high = to;
	bool ends = false;

	/* The block before the first one whose first key is at least the border may have some. */
	SH_BISECT(low, high, i, sh_slice_cmp(block_key(s, i), s->border[range]) < 0);
	for (low -= low > from; low < to && !ends; low++) {
		const struct sh_sorter_block *b = &s->block[low];

		block->n = 0;
		if (sh_buf_reserve(block, b->n, err) < 0 ||
		    sh_spill_read(s->fd, block->p, b->n, b->at, err) < 0 ||
		    filter_block(s, range, block->p, b->n, each, arg, &ends, err) < 0)
			return -1;
	}
	return 0;
}

static int read_runs(const struct sh_sorter *s, size_t range, sh_sorter_each_fn *each, void *arg,
    struct sh_error *err)
{
	struct sh_buf block = { 0 };
	int status = 0;

	for (size_t i = 0; i < s->n_runs && status == 0; i++)
		status =
		    read_run(s, range, i ? s->run[i - 1] : 0, s->run[i], &block, each, arg, err);
	sh_buf_free(&block);
	return status;
}

/* Appends a record to sorted->in. */
static int keep(void *arg, struct sh_slice record, struct sh_error *err)
{
	struct sh_sorted *sorted = arg;
	char length[LENGTH];

	sorted->n++;
	sh_put_le32(length, (uint32_t)record.n);
	return sorted->size == 0 && sh_buf_add(&sorted->in, length, LENGTH, err) < 0
		   ? -1
		   : sh_buf_add(&sorted->in, record.p, record.n, err);
}

int sh_sorter_load(
    const struct sh_sorter *s, size_t range, struct sh_sorted *sorted, struct sh_error *err)
{
	sorted->size = s->size;
	sorted->next = 0;
	if (s->n_runs == 0) {
		sorted->n = s->start[range + 1] - s->start[range];
		sorted->record =
		    (s->size ? s->in.p : s->items.p) + s->start[range] * items_of(s).size;
		return 0;
	}
	sorted->n = sorted->in.n = 0;
	if (read_runs(s, range, keep, sorted, err) < 0)
		return -1;
	sorted->record = sort_records(s, &sorted->in, sorted->n, &sorted->items, 1, err);
	return sorted->record ? 0 : -1;
}

int sh_sorter_each(const struct sh_sorter *s, size_t range, sh_sorter_each_fn *each, void *arg,
    struct sh_error *err)
{
	struct sh_sorted sorted = { 0 };
	struct sh_slice record;

	if (s->n_runs)
		return read_runs(s, range, each, arg, err);
	if (sh_sorter_load(s, range, &sorted, err) < 0)
		return -1;
	while (sh_sorted_next(&sorted, &record))
		if (each(arg, record, err) < 0)
			return -1;
	return 0;
}

bool sh_sorted_next(struct sh_sorted *sorted, struct sh_slice *record)
{
	struct reference r;

	if (sorted->next == sorted->n)
		return false;
	if (sorted->size) {
		*record = sh_slice(sorted->record + sorted->next * sorted->size, sorted->size);
	} else {
		memcpy(&r, sorted->record + sorted->next * sizeof r, sizeof r);
		*record = sh_slice(r.record, size_of(r.record));
	}
	sorted->next++;
	return true;
}

void sh_sorted_free(struct sh_sorted *sorted)
{
	sh_buf_free(&sorted->in);
	sh_buf_free(&sorted->items);
	*sorted = (struct sh_sorted){ 0 };
}
