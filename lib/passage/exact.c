/* SPDX-License-Identifier: MIT */
#include "passage/exact.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/bits.h"
#include "base/buf.h"
#include "hash/mix.h"
#include "io/parallel.h"
#include "io/pool.h"

enum {
	/* Longest default k. A greater k leaves fewer k-grams a window, and so more anchors; a
	 * smaller k lets more anchors repeat without their windows. */
	K_MAX = 40,
	/* Bits of each filter for an anchor. At most one bit of 16 is set: at most one anchor of 16
	 * seems to occur twice by chance. */
	FILTER_BITS_EACH = 16,
	FILTER_BITS_MIN = 12, /* a smaller filter than 512 bytes saves nothing */
	POS_BITS = 40,     /* bits of a slot for a token number; the other bits are of the hash */
	PARTS_MAX = 256,   /* of the windows, by 8 bits of their hashes */
	CHUNK = 1 << 16,   /* about this number of tokens is a task: long beside its start */
	SLOT_BITS_MIN = 4, /* the least table of a part: 16 slots */
};

/* A k-gram that represents the windows from `since` on, up to the first window of the next anchor.
 * hash: the upper 32 bits of the hash of the k-gram. */
struct anchor {
	uint32_t since, hash;
};

/* Shared by all workers. */
struct finder {
	const struct sh_texts *t;
	struct sh_exact_opts opts;
	uint32_t k, window;             /* window: k-grams of a window of tokens */
	uint64_t power_k, power_length; /* power() of k and of opts.length */
	uint32_t *marked;

	struct anchor *anchor;
	size_t anchors, anchor_cap;
	uint64_t *at; /* of each document: its first anchor; at[documents]: the end */

	/* Anchors that occur, and that occur twice; by some bits of their hash, so that more may
	 * seem to. */
	uint64_t *once, *twice;
	unsigned filter_bits;

	uint64_t candidates; /* windows of anchors that seem to occur twice */
	unsigned parts;      /* of the candidates, by their hashes; each is looked up by itself */
	unsigned slot_bits;  /* of the table for one part */
};

struct worker {
	struct finder *f;

	/* Of one document. */
	uint64_t *prefix; /* prefix[i]: hash state of the first i tokens */
	uint64_t *gram;   /* hashes of the k-grams */
	uint32_t *first, *since;
	size_t prefix_cap, gram_cap, first_cap, since_cap;

	uint64_t *slot;    /* a window's first token + 1, below some bits of its hash */
	size_t used, most; /* slots; used > most: the table is too small */
	unsigned slot_bits;
};

/* Returns K^n, where K is the factor of sh_mix_step(). */
static uint64_t power(uint64_t n)
{
	uint64_t p = 1;

	while (n--)
		p = sh_mix_step(p, 0);
	return p;
}

static int reserve(struct worker *w, size_t n, struct sh_error *err)
{
	if (SH_RESERVE(w->prefix, w->prefix_cap, n + 1, err) < 0 ||
	    SH_RESERVE(w->gram, w->gram_cap, n, err) < 0 ||
	    SH_RESERVE(w->first, w->first_cap, n, err) < 0 ||
	    SH_RESERVE(w->since, w->since_cap, n, err) < 0)
		return -1;
	return 0;
}

/* Returns the hash of the n tokens from token i on. power_n: power(n). */
static uint64_t hash_of(const struct worker *w, size_t i, uint32_t n, uint64_t power_n)
{
	return sh_mix_finish(w->prefix[i + n] - w->prefix[i] * power_n);
}

/* Fills w->prefix for a document. */
static int hash_prefixes(struct worker *w, struct sh_token_hashes side, struct sh_error *err)
{
	uint64_t state = 0;

	if (reserve(w, side.n, err) < 0)
		return -1;
	for (size_t i = 0; i < side.n; i++) {
		w->prefix[i] = state;
		state = sh_mix_step(state, side.token[i]);
	}
	w->prefix[side.n] = state;
	return 0;
}

/* ---- anchors ---- */

/* Appends the anchors of a document. The document has at least `length` tokens. */
static int add_anchors(
    struct worker *w, struct sh_token_hashes side, struct sh_buf *anchors, struct sh_error *err)
{
	const struct finder *f = w->f;
	size_t grams = side.n - f->k + 1, n;
	struct anchor *to;

	if (hash_prefixes(w, side, err) < 0)
		return -1;
	for (size_t i = 0; i < grams; i++)
		w->gram[i] = hash_of(w, i, f->k, f->power_k);
	n = sh_minimizers(w->gram, grams, f->window, w->first, w->since);
	if (sh_buf_reserve(anchors, n * sizeof *to, err) < 0)
		return -1;
	to = (struct anchor *)(void *)(anchors->p + anchors->n);
	for (size_t i = 0; i < n; i++)
		to[i] = (struct anchor){ w->since[i], (uint32_t)(w->gram[w->first[i]] >> 32) };
	anchors->n += n * sizeof *to;
	return 0;
}

/* Computes the anchors of a chunk: the documents whose first tokens are in a range of CHUNK tokens.
 * Sets at[] of these documents, counted from the first anchor of the chunk. */
static int compute_chunk(void *worker, struct sh_job *job)
{
	struct worker *w = worker;
	struct finder *f = w->f;
	uint64_t begin = (uint64_t)job->task * CHUNK;
	size_t end = sh_lower_bound(f->t->at, f->t->n, begin + CHUNK);

	for (size_t d = sh_lower_bound(f->t->at, f->t->n, begin); d < end; d++) {
		struct sh_token_hashes side = sh_texts_tokens(f->t, (uint32_t)d);

		f->at[d] = job->out.n / sizeof *f->anchor;
		if (side.n >= f->opts.length && add_anchors(w, side, &job->out, &job->err) < 0)
			return -1;
	}
	return 0;
}

/* Appends the anchors of a chunk to those of all chunks before it. */
static int append_chunk(void *finder, struct sh_job *job, struct sh_error *err)
{
	struct finder *f = finder;
	size_t n = job->out.n / sizeof *f->anchor;
	uint64_t begin = (uint64_t)job->task * CHUNK;
	size_t end = sh_lower_bound(f->t->at, f->t->n, begin + CHUNK);

	if (job->failed)
		return 0;
	for (size_t d = sh_lower_bound(f->t->at, f->t->n, begin); d < end; d++)
		f->at[d] += f->anchors;
	if (f->anchors + n > f->anchor_cap &&
	    sh_tables_grow(f->opts.tables, (void **)&f->anchor, &f->anchor_cap, f->anchors + n,
		sizeof *f->anchor, err) < 0)
		return -1;
	if (n)
		memcpy(f->anchor + f->anchors, job->out.p, job->out.n);
	f->anchors += n;
	return 0;
}

static int find_anchors(struct finder *f, void **workers, struct sh_error *err)
{
	struct sh_pool pool = { compute_chunk, workers, f->opts.jobs, append_chunk, f };

	f->at = sh_tables_get(f->opts.tables, f->t->n + 1, sizeof *f->at, err);
	if (!f->at || sh_pool_tasks(&pool, (size_t)(f->t->at[f->t->n] / CHUNK) + 1, err) < 0)
		return -1;
	f->at[f->t->n] = f->anchors;
	return 0;
}

static uint32_t filter_bit(const struct finder *f, const struct anchor *a)
{
	return a->hash >> (32 - f->filter_bits);
}

/* Returns false when the anchor occurs once. May return true, too, because another anchor may
 * have the same filter bit. */
static bool may_repeat(const struct finder *f, const struct anchor *a)
{
	return sh_bits_has(f->twice, filter_bit(f, a));
}

static int build_filters(struct finder *f, struct sh_error *err)
{
	size_t words;

	f->filter_bits = FILTER_BITS_MIN;
	while (f->filter_bits < 32 && f->anchors * FILTER_BITS_EACH >> f->filter_bits)
		f->filter_bits++;
	words = (size_t)1 << (f->filter_bits - 6);
	f->once = sh_tables_get_zeroed(f->opts.tables, words, sizeof *f->once, err);
	f->twice =
	    f->once ? sh_tables_get_zeroed(f->opts.tables, words, sizeof *f->twice, err) : NULL;
	if (!f->twice)
		return -1;
	for (size_t i = 0; i < f->anchors; i++) {
		uint32_t bit = filter_bit(f, &f->anchor[i]);
		uint64_t mask = UINT64_C(1) << bit % 64;

		f->twice[bit / 64] |= f->once[bit / 64] & mask;
		f->once[bit / 64] |= mask;
	}
	sh_tables_put(f->opts.tables, f->once);
	f->once = NULL;
	return 0;
}

static size_t windows_of(const struct finder *f, uint32_t document)
{
	return sh_texts_tokens(f->t, document).n - f->opts.length + 1;
}

/* Returns the end of the windows of anchor i: the position behind the last one. */
static size_t windows_end(const struct finder *f, uint32_t document, uint64_t i)
{
	return i + 1 < f->at[document + 1] ? f->anchor[i + 1].since : windows_of(f, document);
}

/* ---- windows ---- */

/* Chooses the number of parts: at least one for each worker. The tables of all workers together
 * fit in memory. */
static void plan_parts(struct finder *f)
{
	for (uint32_t d = 0; d < f->t->n; d++)
		for (uint64_t i = f->at[d]; i < f->at[d + 1]; i++)
			if (may_repeat(f, &f->anchor[i]))
				f->candidates += windows_end(f, d, i) - f->anchor[i].since;
	f->parts = f->opts.jobs < PARTS_MAX ? f->opts.jobs : PARTS_MAX;
	/* Two thirds of the slots are for the windows of an average part. A part with more windows
	 * than 7/8 of the slots begins again with a larger table: see find_parts(). */
	for (;; f->parts = 2 * f->parts < PARTS_MAX ? 2 * f->parts : PARTS_MAX) {
		for (f->slot_bits = SLOT_BITS_MIN;
		     f->candidates / f->parts * 3 / 2 >> f->slot_bits;)
			f->slot_bits++;
		if (f->parts == PARTS_MAX ||
		    (uint64_t)f->opts.jobs * sizeof(uint64_t) << f->slot_bits <= f->opts.memory)
			return;
	}
}

static bool same_window(const struct finder *f, uint64_t a, uint64_t b)
{
	return memcmp(f->t->token + a, f->t->token + b, f->opts.length * sizeof *f->t->token) == 0;
}

/* Returns the first window that equals the window at token `at`; UINT64_MAX when there is no
 * earlier one. The previous window equals the window before `expected`. */
static uint64_t find_or_insert(struct worker *w, uint64_t hash, uint64_t at, uint64_t expected)
{
	const struct finder *f = w->f;
	const uint64_t pos = (UINT64_C(1) << POS_BITS) - 1;
	uint64_t tag = hash & ~pos;
	size_t s = (size_t)(hash & ((UINT64_C(1) << w->slot_bits) - 1)), last = f->opts.length - 1;

	for (; w->slot[s]; s = (s + 1) & (((size_t)1 << w->slot_bits) - 1)) {
		uint64_t other = (w->slot[s] & pos) - 1;

		if ((w->slot[s] & ~pos) != tag)
			continue;
		/* `expected` and `at` follow equal windows: only their last tokens may differ. */
		if (other == expected ? f->t->token[other + last] == f->t->token[at + last]
				      : same_window(f, other, at))
			return other;
	}
	if (++w->used <= w->most)
		w->slot[s] = tag | (at + 1);
	return UINT64_MAX;
}

/* Marks the tokens from .. to-1 and each of them as joined with the next one. joined: marks also
 * token `from` as joined with the token before. Workers of other parts may set bits of the same
 * words: several workers need atomic operations. */
static void mark(struct finder *f, uint64_t from, uint64_t to, bool joined)
{
	from = 2 * from - joined;
	to = 2 * to - 1;
	while (from < to) {
		uint64_t bit = from % 32, n = to - from < 32 - bit ? to - from : 32 - bit;
		uint32_t mask = UINT32_MAX >> (32 - n) << bit;

		if (f->opts.jobs == 1)
			f->marked[from / 32] |= mask;
		else
			__atomic_fetch_or(&f->marked[from / 32], mask, __ATOMIC_RELAXED);
		from += n;
	}
}

/* The result for the previous window. */
struct before {
	/* first token of the earlier window that equals it, + 1; UINT64_MAX: there is none */
	uint64_t expected;
	uint64_t done; /* end of the tokens that are marked */
};

/* Looks up the windows from .. to-1 of an anchor that belong to the part. */
static void find_windows(
    struct worker *w, unsigned part, uint64_t base, size_t from, size_t to, struct before *before)
{
	struct finder *f = w->f;
	const uint32_t length = f->opts.length;

	for (size_t i = from; i < to; i++) {
		bool joined;
		uint64_t hash = hash_of(w, i, length, f->power_length), at = base + i, other;

		if (f->parts > 1 && (hash >> 32 & (PARTS_MAX - 1)) * f->parts / PARTS_MAX != part) {
			before->expected = UINT64_MAX;
			continue;
		}
		other = find_or_insert(w, hash, at, before->expected);
		if (other == UINT64_MAX) {
			before->expected = UINT64_MAX;
			continue;
		}
		joined = at < before->done;
		mark(f, joined ? before->done : at, at + length, joined);
		before->done = at + length;
		joined = other == before->expected && length > 1;
		if (f->opts.every)
			mark(f, joined ? other + length - 1 : other, other + length, joined);
		before->expected = other + 1;
	}
}

/* Looks up the windows of a document whose anchors seem to occur twice. */
static int find_in(struct worker *w, unsigned part, uint32_t document, struct sh_error *err)
{
	const struct finder *f = w->f;
	struct before before = { UINT64_MAX, 0 };
	bool summed = false;

	for (uint64_t i = f->at[document]; i < f->at[document + 1]; i++) {
		if (!may_repeat(f, &f->anchor[i])) {
			before.expected = UINT64_MAX;
			continue;
		}
		if (!summed && hash_prefixes(w, sh_texts_tokens(f->t, document), err) < 0)
			return -1;
		summed = true;
		find_windows(w, part, f->t->at[document], f->anchor[i].since,
		    windows_end(f, document, i), &before);
	}
	return 0;
}

/* Looks up all windows of a part. Returns 1; 0 when the table became full; or -1. */
static int find_part(struct worker *w, unsigned part, struct sh_error *err)
{
	size_t slots = (size_t)1 << w->slot_bits;

	free(w->slot);
	w->slot = calloc(slots, sizeof *w->slot);
	w->used = 0;
	w->most = slots / 8 * 7;
	if (!w->slot)
		return sh_error_nomem(err);
	for (uint32_t d = 0; d < w->f->t->n; d++)
		if (find_in(w, part, d, err) < 0)
			return -1;
		else if (w->used > w->most)
			return 0;
	return 1;
}

static int find_parts(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct worker *w = worker;

	for (size_t part = from; part < to; part++) {
		int got;

		/* A part with too many windows for its table begins again with a larger one. The
		 * marks so far are right. */
		w->slot_bits = w->f->slot_bits;
		while ((got = find_part(w, (unsigned)part, err)) == 0)
			w->slot_bits++;
		if (got < 0)
			return -1;
	}
	return 0;
}

static void free_all(struct finder *f, struct worker *workers)
{
	for (unsigned i = 0; i < f->opts.jobs; i++) {
		struct worker *w = &workers[i];

		free(w->prefix);
		free(w->gram);
		free(w->first);
		free(w->since);
		free(w->slot);
	}
	sh_tables_put(f->opts.tables, f->anchor);
	sh_tables_put(f->opts.tables, f->at);
	sh_tables_put(f->opts.tables, f->once);
	sh_tables_put(f->opts.tables, f->twice);
}

int sh_exact_find(const struct sh_texts *t, const struct sh_exact_opts *opts, uint32_t *marked,
    struct sh_error *err)
{
	struct finder f = { .t = t, .opts = *opts, .marked = marked };
	struct worker *workers;
	void **all;
	int status = -1;

	if (t->at[t->n] >> POS_BITS)
		return sh_error_set(err, SH_ERR_RANGE, "more than 2^%d tokens", POS_BITS);
	workers = calloc(opts->jobs, sizeof *workers);
	all = calloc(opts->jobs, sizeof *all);
	/* Half of the window: such a k-gram is rare, and the window still has many to choose from.
	 * 3 more tokens make the k-grams of short windows rarer. */
	f.k = opts->k ? opts->k : opts->length / 2 + 3;
	if (!opts->k && f.k > K_MAX)
		f.k = K_MAX;
	if (f.k > opts->length)
		f.k = opts->length;
	f.window = opts->length - f.k + 1;
	f.power_k = power(f.k);
	f.power_length = power(opts->length);
	if (!workers || !all) {
		sh_error_nomem(err);
	} else {
		for (unsigned i = 0; i < opts->jobs; i++) {
			workers[i].f = &f;
			all[i] = &workers[i];
		}
		if (find_anchors(&f, all, err) == 0 && build_filters(&f, err) == 0) {
			plan_parts(&f);
			status = sh_parallel(
			    workers, sizeof *workers, opts->jobs, f.parts, 1, find_parts, err);
		}
		free_all(&f, workers);
	}
	free(workers);
	free(all);
	return status;
}
