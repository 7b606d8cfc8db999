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
	FEW = 16,        /* items that are sorted by insertion: counters would cost more */
	RANGE = 1 << 16, /* records of a range in memory, at most, but for equal prefixes */
	RANGES = 64,     /* in memory, at least, so that several threads have work */
	SHARE = 16,      /* ranges of the file that would fit in memory together */
};

/* Stands for a record of its own size. Most comparisons need no other bytes than the prefix. */
struct reference {
	char prefix[8];     /* the first compared bytes, zeros behind their end */
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

/* ---- items: what is sorted, the records of one size or references ---- */

static size_t item_size(const struct sh_sorter *s)
{
	return s->size ? s->size : sizeof(struct reference);
}

/* Returns the number of bytes at the beginning of an item that order it, at first. */
static size_t item_key(const struct sh_sorter *s)
{
	return s->size ? s->size - s->tail : sizeof((struct reference *)NULL)->prefix;
}

/* Returns the compared bytes of an item's record. */
static struct sh_slice key_of(const struct sh_sorter *s, const char *item)
{
	struct reference r;

	if (s->size)
		return sh_slice(item, s->size - s->tail);
	memcpy(&r, item, sizeof r);
	return sh_slice(r.record, sh_le32(r.record - LENGTH) - s->tail);
}

static inline int compare(const struct sh_sorter *s, const char *a, const char *b)
{
	size_t key = item_key(s);
	uint64_t x, y;

	if (key < 8)
		return memcmp(a, b, key);
	x = sh_be64(a);
	y = sh_be64(b);
	if (x != y)
		return sh_compare(x, y);
	return s->size ? memcmp(a + 8, b + 8, key - 8) : sh_slice_cmp(key_of(s, a), key_of(s, b));
}

static int by_reference(const void *a, const void *b, void *sorter)
{
	return compare(sorter, a, b);
}

/* `size` is a constant in most calls of these functions, so that few instructions copy an item. */
#define SIZED static inline __attribute__((always_inline)) void

SIZED insert_sized(const struct sh_sorter *s, char *p, size_t n, size_t size)
{
	char x[SH_RECORD_MAX];

	for (size_t i = 1; i < n; i++) {
		size_t at = i;

		if (compare(s, p + (i - 1) * size, p + i * size) <= 0)
			continue;
		memcpy(x, p + i * size, size);
		do {
			memcpy(p + at * size, p + (at - 1) * size, size);
			at--;
		} while (at && compare(s, p + (at - 1) * size, x) > 0);
		memcpy(p + at * size, x, size);
	}
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
#define CALL_SIZED(size, function, ...)                                                            \
	((size) == 10      ? function(__VA_ARGS__, 10)                                             \
	    : (size) == 16 ? function(__VA_ARGS__, 16)                                             \
			   : function(__VA_ARGS__, size))

/* Divides the items by their byte `at`. Bucket d then ends before end[d]. Returns false, and does
 * nothing, when all items have the same byte. */
static bool divide(const struct sh_sorter *s, char *p, size_t n, size_t at, size_t end[256])
{
	size_t next[256], sum = 0, size = item_size(s);

	memset(end, 0, 256 * sizeof *end);
	for (const char *c = p + at, *last = p + n * size; c < last; c += size)
		end[(unsigned char)*c]++;
	if (end[(unsigned char)p[at]] == n)
		return false;
	for (unsigned d = 0; d < 256; d++) {
		next[d] = sum;
		end[d] = sum += end[d];
	}
	CALL_SIZED(size, move_sized, p, at, next, end);
	return true;
}

/* Sorts items that agree in `at` bytes, but leaves up to FEW records of one size unsorted within a
 * bucket. */
static void sort_buckets(const struct sh_sorter *s, char *p, size_t n, size_t at)
{
	size_t end[256], begin = 0, size = item_size(s);

	do {
		if (n <= FEW || at == item_key(s)) {
			if (!s->size)
				qsort_r(p, n, size, by_reference, (void *)(uintptr_t)s);
			return;
		}
	} while (!divide(s, p, n, at++, end));
	for (unsigned d = 0; d < 256; begin = end[d++])
		if (end[d] - begin > 1)
			sort_buckets(s, p + begin * size, end[d] - begin, at);
}

/* Items that agree in `at` bytes, for one thread. */
struct stretch {
	char *p;
	size_t n, at;
};

struct sorting {
	const struct sh_sorter *sorter;
	struct stretch *stretch;
	size_t n, cap;
	size_t most; /* items of a stretch, unless they agree in all bytes of item_key() */
};

/* Divides n items that agree in `at` bytes into stretches. */
static int make_stretches(struct sorting *x, char *p, size_t n, size_t at, struct sh_error *err)
{
	size_t end[256], begin = 0, size = item_size(x->sorter);
	int status = 0;

	while (n > x->most && at < item_key(x->sorter)) {
		if (!divide(x->sorter, p, n, at++, end))
			continue;
		for (unsigned d = 0; d < 256 && status == 0; begin = end[d++])
			if (end[d] > begin)
				status =
				    make_stretches(x, p + begin * size, end[d] - begin, at, err);
		return status;
	}
	if (SH_RESERVE(x->stretch, x->cap, x->n + 1, err) < 0)
		return -1;
	x->stretch[x->n++] = (struct stretch){ p, n, at };
	return 0;
}

static int sort_some(void *sorting, size_t from, size_t to, struct sh_error *err)
{
	const struct sorting *x = sorting;
	const struct sh_sorter *s = x->sorter;

	(void)err;
	for (; from < to; from++) {
		const struct stretch *some = &x->stretch[from];

		sort_buckets(s, some->p, some->n, some->at);
		/* One insertion for all buckets: most records are at their places. */
		if (s->size)
			CALL_SIZED(s->size, insert_sized, s, some->p, some->n);
	}
	return 0;
}

/* Makes references to n records of their own sizes, and sets *items to them. */
static int refer(const struct sh_sorter *s, const struct sh_buf *in, size_t n, struct sh_buf *items,
    struct sh_error *err)
{
	const char *p = in->p;

	items->n = 0;
	if (sh_buf_reserve(items, n * sizeof(struct reference) + 1, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct reference r = { .record = p + LENGTH };
		size_t size = sh_le32(p), key = size - s->tail;

		memcpy(r.prefix, r.record, key < 8 ? key : 8);
		memcpy(items->p + items->n, &r, sizeof r);
		items->n += sizeof r;
		p += LENGTH + size;
	}
	return 0;
}

/* Sorts n records. *items is scratch memory. Returns the sorted items, or NULL. */
static char *sort_records(const struct sh_sorter *s, struct sh_buf *in, size_t n,
    struct sh_buf *items, unsigned threads, struct sh_error *err)
{
	struct sorting x = { .sorter = s, .most = n };
	char *p;
	int status;

	if (!s->size && refer(s, in, n, items, err) < 0)
		return NULL;
	/* Not NULL without records. */
	if (s->size && sh_buf_reserve(in, 1, err) < 0)
		return NULL;
	p = s->size ? in->p : items->p;
	/* Several threads sort what one thread has divided by the first bytes. */
	if (threads > 1 && n >= RANGE)
		x.most = n / (4 * (size_t)threads);
	status = make_stretches(&x, p, n, 0, err);
	if (status == 0)
		status = sh_parallel(&x, 0, threads, x.n, 1, sort_some, err);
	free(x.stretch);
	return status < 0 ? NULL : p;
}

/* ---- runs ---- */

/* Writes sorted items as blocks of about `least` bytes. */
static int write_blocks(struct sh_sorter *s, const char *item, uint64_t n, size_t least,
    struct sh_buf *out, struct sh_error *err)
{
	for (; n; n--, item += item_size(s)) {
		struct sh_slice key = key_of(s, item);
		size_t own = s->size ? 0 : LENGTH;
		struct sh_sorter_block *b;

		if (out->n == 0) {
			if (SH_RESERVE(s->block, s->block_cap, s->n_blocks + 1, err) < 0)
				return -1;
			s->block[s->n_blocks++] =
			    (struct sh_sorter_block){ s->end, 0, s->keys.n, key.n };
			if (sh_buf_add(&s->keys, key.p, key.n, err) < 0)
				return -1;
		}
		if (sh_buf_add(out, key.p - own, own + key.n + s->tail, err) < 0)
			return -1;
		if (out->n < least && n > 1)
			continue;
		if (sh_spill_write(s->fd, out->p, out->n, err) < 0)
			return -1;
		b = &s->block[s->n_blocks - 1];
		b->n = out->n;
		s->end += b->n;
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

int sh_sorter_add(
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

/* ---- ranges ---- */

static struct sh_slice cut(struct sh_slice key, size_t prefix)
{
	return sh_slice(key.p, key.n < prefix ? key.n : prefix);
}

/* Divides the sorted records in memory. */
static int divide_memory(
    struct sh_sorter *s, const char *items, size_t prefix, struct sh_error *err)
{
	size_t n = (size_t)s->n, at = 0, size = item_size(s);
	size_t step = n / RANGES < RANGE ? n / RANGES + 1 : RANGE;

	s->start = malloc((n / step + 2) * sizeof *s->start);
	if (!s->start)
		return sh_error_nomem(err);
	s->start[0] = 0;
	s->ranges = 0;
	do {
		at = n - at < step ? n : at + step;
		while (at < n && sh_slice_eq(cut(key_of(s, items + (at - 1) * size), prefix),
				     cut(key_of(s, items + at * size), prefix)))
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
	const char *items = s->size ? s->in.p : s->items.p;
	size_t low = 1, high = s->ranges;

	/* The range before the first one that begins with the key or above it. */
	SH_BISECT(low, high, i,
	    sh_slice_cmp(
		s->border ? s->border[i] : key_of(s, items + s->start[i] * item_size(s)), key) < 0);
	return low - 1;
}

/* ---- reading ---- */

/* Adds the records of a block that are in the range. Sets *ends when a record is above the range:
 * so are all later ones of the run. */
static int add_records(const struct sh_sorter *s, size_t range, struct sh_slice block,
    struct sh_sorted *sorted, bool *ends, struct sh_error *err)
{
	size_t own = s->size ? 0 : LENGTH, size = s->size;

	for (; block.n && !*ends; block = sh_slice(block.p + size, block.n - size)) {
		struct sh_slice key;

		if (own)
			size = block.n < LENGTH ? 0 : LENGTH + (size_t)sh_le32(block.p);
		if (size > block.n || size < own + s->tail)
			return sh_error_set(err, SH_ERR_IO, "a temporary file was changed");
		key = sh_slice(block.p + own, size - own - s->tail);
		*ends = range + 1 < s->ranges && sh_slice_cmp(key, s->border[range + 1]) >= 0;
		if (*ends || sh_slice_cmp(key, s->border[range]) < 0)
			continue;
		if (sh_buf_add(&sorted->in, block.p, size, err) < 0)
			return -1;
		sorted->n++;
	}
	return 0;
}

/* Adds the records of a range from a run. */
static int read_run(const struct sh_sorter *s, size_t range, size_t run, struct sh_buf *room,
    struct sh_sorted *sorted, struct sh_error *err)
{
	size_t from = run ? s->run[run - 1] : 0, low = from, high = s->run[run], end = high;
	bool ends = false;

	/* The block before the first one whose first key is at least the border may have some. */
	SH_BISECT(low, high, i, sh_slice_cmp(block_key(s, i), s->border[range]) < 0);
	for (low -= low > from; low < end && !ends; low++) {
		const struct sh_sorter_block *b = &s->block[low];

		room->n = 0;
		if (sh_buf_reserve(room, b->n, err) < 0 ||
		    sh_spill_read(s->fd, room->p, b->n, b->at, err) < 0 ||
		    add_records(s, range, sh_slice(room->p, b->n), sorted, &ends, err) < 0)
			return -1;
	}
	return 0;
}

int sh_sorter_load(
    const struct sh_sorter *s, size_t range, struct sh_sorted *sorted, struct sh_error *err)
{
	struct sh_buf room = { 0 };
	int status = 0;

	sorted->size = s->size;
	sorted->next = 0;
	if (s->n_runs == 0) {
		sorted->n = s->start[range + 1] - s->start[range];
		sorted->record = (s->size ? s->in.p : s->items.p) + s->start[range] * item_size(s);
		return 0;
	}
	sorted->n = sorted->in.n = 0;
	for (size_t i = 0; i < s->n_runs && status == 0; i++)
		status = read_run(s, range, i, &room, sorted, err);
	sh_buf_free(&room);
	if (status < 0)
		return -1;
	sorted->record = sort_records(s, &sorted->in, sorted->n, &sorted->items, 1, err);
	return sorted->record ? 0 : -1;
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
		*record = sh_slice(r.record, sh_le32(r.record - LENGTH));
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
