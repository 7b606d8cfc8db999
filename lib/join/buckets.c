#include "join/buckets.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/buf.h"
#include "base/compare.h"
#include "io/parallel.h"
#include "io/radix.h"
#include "join/pairsort.h"

enum {
	PARTITIONS = 8,        /* of a column, at least */
	BY_QSORT = 64,         /* at most this number of postings are sorted by qsort() */
	SOME_PAIRS = 1 << 16,  /* pairs that a thread collects before it adds them */
	FIRST_PAIRS = 1 << 20, /* pairs before they are sorted for the first time, at least */
};

/* A posting is a document in a partition of a column: the document << 32 | the low 32 bits of its
 * key. In buckets to be joined, sh_bucket_join.number of the document is in its place. */
static uint32_t low_of(uint64_t posting)
{
	return (uint32_t)posting;
}

static uint32_t document_of(uint64_t posting)
{
	return (uint32_t)(posting >> 32);
}

static uint32_t number_of(uint64_t posting)
{
	return (uint32_t)(posting >> 32);
}

struct worker {
	struct sh_buckets *buckets;
	struct sh_stretch *read; /* memory for a stretch of the file */
	uint64_t *posting, *room;
	size_t posting_cap, room_cap;
	struct sh_pairs found;
};

struct sh_buckets {
	struct sh_bucket_opts opts;
	struct sh_key_columns columns;
	struct worker *worker;

	/* during a join */
	const struct sh_bucket_join *join;
	uint64_t *joins; /* bit i % 64 of element i / 64: document i has a number */
	struct range *range;
	size_t n_ranges, ranges_cap;
	pthread_mutex_t lock;
	struct sh_pairs all;
	size_t sorted; /* the first `sorted` pairs of `all` are sorted and distinct */
	bool too_many;
};

/* A partition: the keys of a column whose first bytes are from .. to - 1. */
struct range {
	unsigned column, from, to;
	uint64_t postings; /* documents without keys count, too */
};

/* ---- columns ---- */

struct sh_buckets *sh_buckets_new(const struct sh_bucket_opts *opts, struct sh_error *err)
{
	struct sh_buckets *b = calloc(1, sizeof *b);

	if (!b) {
		sh_error_nomem(err);
		return NULL;
	}
	b->opts = *opts;
	sh_key_columns_init(
	    &b->columns, opts->keys, opts->memory / 2, opts->tables ? opts->tables->dir : NULL);
	b->worker = calloc(opts->jobs, sizeof *b->worker);
	pthread_mutex_init(&b->lock, NULL);
	if (b->worker) {
		for (unsigned i = 0; i < opts->jobs; i++)
			b->worker[i].buckets = b;
		return b;
	}
	sh_error_nomem(err);
	sh_buckets_delete(b);
	return NULL;
}

/* Frees the memory of a join, except the pairs. */
static void free_workers(struct sh_buckets *b)
{
	for (unsigned i = 0; b->worker && i < b->opts.jobs; i++) {
		struct worker *w = &b->worker[i];

		free(w->read);
		free(w->posting);
		free(w->room);
		free(w->found.pair);
		*w = (struct worker){ .buckets = b };
	}
}

void sh_buckets_delete(struct sh_buckets *b)
{
	if (!b)
		return;
	free_workers(b);
	sh_key_columns_free(&b->columns);
	sh_tables_put(b->opts.tables, b->all.pair);
	pthread_mutex_destroy(&b->lock);
	free(b->range);
	free(b->worker);
	free(b);
}

void sh_buckets_pack(
    const struct sh_buckets *b, const uint64_t *key, const struct sh_key_block *to, size_t i)
{
	for (unsigned c = 0; c < b->opts.keys; c++, i += to->cap) {
		uint64_t x = key ? key[c] : 0;

		to->low[i] = (uint32_t)x;
		to->first[i] = (uint8_t)(x >> 32);
	}
}

int sh_buckets_add(
    struct sh_buckets *b, const struct sh_key_block *from, size_t n, struct sh_error *err)
{
	return sh_key_columns_add(&b->columns, from, n, err);
}

int sh_buckets_help(struct sh_buckets *b, struct sh_error *err)
{
	return sh_key_columns_help(&b->columns, err);
}

/* ---- pairs ---- */

/* Sorts b->all, and drops repeated pairs. Fails and sets b->too_many when more pairs than the limit
 * are left. */
static int sort_all(struct sh_buckets *b, unsigned threads, struct sh_error *err)
{
	if (sh_pairs_sort(&b->all, threads, b->opts.tables, err) < 0)
		return -1;
	b->sorted = b->all.n;
	b->too_many = b->all.n > b->join->limit;
	return b->too_many ? sh_error_set(err, SH_ERR_RANGE, "too many pairs") : 0;
}

/* Adds the pairs of a thread to b->all. Sorts b->all each time that it has doubled: other columns
 * find most pairs again. */
static int add_pairs(struct worker *w, struct sh_error *err)
{
	struct sh_buckets *b = w->buckets;
	struct sh_pairs *all = &b->all;
	size_t n = w->found.n;
	int status = 0;

	w->found.n = 0;
	if (n == 0)
		return 0;
	pthread_mutex_lock(&b->lock);
	if (b->too_many)
		status = sh_error_set(err, SH_ERR_RANGE, "too many pairs");
	else if (all->n + n > all->cap && all->n + n > 2 * b->sorted + FIRST_PAIRS)
		status = sort_all(b, 1, err);
	if (status == 0 && all->n + n > all->cap)
		status = sh_tables_grow(b->opts.tables, (void **)&all->pair, &all->cap,
		    all->n + n + b->sorted, sizeof *all->pair, err);
	if (status == 0) {
		memcpy(all->pair + all->n, w->found.pair, n * sizeof *all->pair);
		all->n += n;
	}
	pthread_mutex_unlock(&b->lock);
	return status;
}

static uint64_t pair_of(uint32_t x, uint32_t y)
{
	return x < y ? (uint64_t)y << 32 | x : (uint64_t)x << 32 | y;
}

static int add_pair(struct worker *w, uint32_t x, uint32_t y, struct sh_error *err)
{
	if (w->found.n == SOME_PAIRS && add_pairs(w, err) < 0)
		return -1;
	w->found.pair[w->found.n++] = pair_of(x, y);
	return 0;
}

/* ---- buckets ---- */

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return sh_compare(number_of(*x), number_of(*y));
}

static void order_bucket(uint64_t *p, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (number_of(p[i]) < number_of(p[i - 1])) {
			qsort(p, n, sizeof *p, by_number);
			return;
		}
}

static int join_bucket(struct worker *w, uint64_t *p, size_t n, struct sh_error *err)
{
	const struct sh_bucket_join *join = w->buckets->join;
	size_t near = join->near ? join->near : SIZE_MAX, below = 0;

	order_bucket(p, n);
	while (below < n && number_of(p[below]) < join->split)
		below++;
	if (join->split) {
		for (size_t i = below; i < n; i++)
			for (size_t k = 0; k < below; k++)
				if (add_pair(w, number_of(p[i]), number_of(p[k]), err) < 0)
					return -1;
		return 0;
	}
	for (size_t i = 1; i < n; i++) {
		size_t last = i > near ? i - near : 0;

		for (size_t k = 0; k < i && k < near; k++)
			if (add_pair(w, number_of(p[i]), number_of(p[k]), err) < 0)
				return -1;
		for (size_t k = last > near ? last : near; k < i; k++)
			if (add_pair(w, number_of(p[i]), number_of(p[k]), err) < 0)
				return -1;
	}
	return 0;
}

static int by_low(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return sh_compare(low_of(*x), low_of(*y));
}

/* Sorts postings by the low 32 bits of their keys: by the upper 22 of them, which few keys share,
 * then by insertion. */
static void sort_by_low(uint64_t *p, uint64_t *room, size_t n)
{
	sh_radix_pass(&(struct sh_radix){ p, room, n, sizeof *p, 32 - 2 * SH_RADIX_DIGIT });
	sh_radix_pass(&(struct sh_radix){ room, p, n, sizeof *p, 32 - SH_RADIX_DIGIT });
	for (size_t i = 1; i < n; i++) {
		uint64_t x = p[i];
		size_t at = i;

		for (; at && low_of(p[at - 1]) > low_of(x); at--)
			p[at] = p[at - 1];
		p[at] = x;
	}
}

/* Keeps the postings whose low bits another posting has, too. Returns their number. */
static size_t keep_shared(uint64_t *p, size_t n)
{
	bool before = false; /* p[i - 1] has the low bits of p[i] */
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		bool after = i + 1 < n && low_of(p[i + 1]) == low_of(p[i]);

		p[kept] = p[i];
		kept += before || after;
		before = after;
	}
	return kept;
}

/* Puts the numbers of documents in their place: apart from the search for buckets, so that the
 * reads of numbers do not wait for each other. */
static void number_postings(const struct sh_bucket_join *join, uint64_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (uint64_t)join->number[document_of(p[i])] << 32 | low_of(p[i]);
}

/* Joins the postings whose keys have one first byte. */
static int join_first(struct worker *w, uint64_t *p, size_t n, struct sh_error *err)
{
	if (n < 2)
		return 0;
	if (n > BY_QSORT) {
		if (SH_RESERVE(w->room, w->room_cap, n, err) < 0)
			return -1;
		sort_by_low(p, w->room, n);
	} else {
		qsort(p, n, sizeof *p, by_low);
	}
	n = keep_shared(p, n);
	number_postings(w->buckets->join, p, n);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && low_of(p[end]) == low_of(p[i]);)
			end++;
		if (join_bucket(w, p + i, end - i, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- partitions ---- */

/* By first byte: its postings are w->posting[start .. end - 1]. */
struct places {
	size_t start[SH_FIRSTS], end[SH_FIRSTS];
};

/* Counts the keys of a column by their first bytes. */
static void count(const struct sh_buckets *b, unsigned column, size_t n[SH_FIRSTS])
{
	memset(n, 0, SH_FIRSTS * sizeof *n);
	for (size_t piece = 0; piece < b->columns.n_pieces; piece++)
		for (unsigned i = 0; i < SH_FIRSTS; i++)
			n[i] += sh_key_columns_count(&b->columns, piece, column, i);
}

static void mark_joins(void *buckets, size_t from, size_t to)
{
	const struct sh_buckets *b = buckets;

	for (size_t i = from; i < to; i++) {
		const uint32_t *number = b->join->number + 64 * i;

		b->joins[i] = 0;
		for (size_t k = 0; k < 64 && 64 * i + k < b->columns.n; k++)
			b->joins[i] |= (uint64_t)(number[k] != SH_BUCKETS_NONE) << k;
	}
}

/* Appends the postings of the documents that join among n records of one first byte. Document 0 of
 * the piece is `document`. Returns the end of the postings. */
static uint64_t *append(const struct sh_buckets *b, uint64_t *to, const struct sh_key_record *p,
    size_t n, size_t document)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t x = document + p[i].document;

		*to = x << 32 | (uint32_t)p[i].high << 16 | p[i].low;
		to += b->joins[x / 64] >> x % 64 & 1;
	}
	return to;
}

static int gather(struct worker *w, const struct range *r, struct places *at, struct sh_error *err)
{
	const struct sh_key_columns *c = &w->buckets->columns;

	if (!w->read && !(w->read = aligned_alloc(SH_SPILL_BLOCK, sizeof *w->read)))
		return sh_error_nomem(err);
	for (size_t piece = 0; piece < c->n_pieces; piece++) {
		const struct sh_key_record *p =
		    sh_key_columns_read(c, piece, r->column, r->from, r->to, w->read, err);

		if (!p)
			return -1;
		for (unsigned i = r->from; i < r->to; i++) {
			size_t n = sh_key_columns_count(c, piece, r->column, i);

			at->end[i] = (size_t)(append(w->buckets, w->posting + at->end[i], p, n,
						  piece * SH_PIECE) -
					      w->posting);
			p += n;
		}
	}
	return 0;
}

static int join_range(struct worker *w, const struct range *r, struct sh_error *err)
{
	struct places at;
	size_t counts[SH_FIRSTS], n = 0;

	count(w->buckets, r->column, counts);
	for (unsigned i = r->from; i < r->to; i++) {
		at.start[i] = at.end[i] = n;
		n += counts[i];
	}
	if (n == 0)
		return 0;
	if (SH_RESERVE(w->posting, w->posting_cap, n, err) < 0)
		return -1;
	if (!w->found.pair && !(w->found.pair = malloc(SOME_PAIRS * sizeof *w->found.pair)))
		return sh_error_nomem(err);
	if (gather(w, r, &at, err) < 0)
		return -1;
	for (unsigned i = r->from; i < r->to; i++)
		if (join_first(w, w->posting + at.start[i], at.end[i] - at.start[i], err) < 0)
			return -1;
	return 0;
}

static int join_ranges(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct worker *w = worker;

	for (size_t i = from; i < to; i++)
		if (join_range(w, &w->buckets->range[i], err) < 0)
			return -1;
	return 0;
}

/* Cuts the columns into partitions. A partition has at most `most` postings, or one first byte. */
static int cut(struct sh_buckets *b, size_t most, struct sh_error *err)
{
	b->n_ranges = 0;
	for (unsigned c = 0; c < b->opts.keys; c++) {
		struct range r = { .column = c };
		size_t counts[SH_FIRSTS];

		count(b, c, counts);
		for (unsigned i = 0; i < SH_FIRSTS; i++) {
			if (SH_RESERVE(b->range, b->ranges_cap, b->n_ranges + 2, err) < 0)
				return -1;
			if (r.postings && r.postings + counts[i] > most) {
				b->range[b->n_ranges++] = r;
				r = (struct range){ c, i, i, 0 };
			}
			r.to = i + 1;
			r.postings += counts[i];
		}
		b->range[b->n_ranges++] = r;
	}
	return 0;
}

static int join_columns(struct sh_buckets *b, struct sh_error *err)
{
	/* One ninth of a thread's memory is for the sorted postings of one first byte. */
	size_t most = b->opts.memory / 2 / b->opts.jobs / sizeof(uint64_t) / 9 * 8;
	size_t part = b->columns.n / PARTITIONS + 1, words = (b->columns.n + 63) / 64;
	unsigned jobs = b->opts.jobs;

	b->joins = sh_tables_get(b->opts.tables, words, sizeof *b->joins, err);
	if (!b->joins || sh_parallel_each(jobs, words, mark_joins, b, err) < 0 ||
	    cut(b, part < most ? part : most, err) < 0 ||
	    sh_parallel(b->worker, sizeof *b->worker, jobs, b->n_ranges, 1, join_ranges, err) < 0)
		return -1;
	for (unsigned i = 0; i < jobs; i++)
		if (add_pairs(&b->worker[i], err) < 0)
			return -1;
	return sort_all(b, jobs, err);
}

int sh_buckets_pairs(struct sh_buckets *b, const struct sh_bucket_join *join, const uint64_t **pair,
    size_t *n, struct sh_error *err)
{
	int status;

	b->join = join;
	b->all.n = b->sorted = 0;
	b->too_many = false;
	status = sh_key_columns_finish(&b->columns, err);
	if (status == 0)
		status = join_columns(b, err);
	sh_tables_put(b->opts.tables, b->joins);
	b->joins = NULL;
	free_workers(b);
	b->join = NULL;
	*pair = b->all.pair;
	*n = b->all.n;
	return b->too_many ? 0 : status < 0 ? -1 : 1;
}

bool sh_buckets_found(const struct sh_buckets *b, uint32_t x, uint32_t y)
{
	uint64_t pair = pair_of(x, y);
	size_t i = sh_lower_bound(b->all.pair, b->all.n, pair);

	return i < b->all.n && b->all.pair[i] == pair;
}
