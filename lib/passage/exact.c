#include "passage/exact.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/buf.h"
#include "hash/mix.h"

enum {
	K_MAX =
	    40, /* the fastest of long ones: more windows share an anchor, and fewer anchors occur twice */
	SPARE = 16,    /* bits of the filters for an anchor */
	POS_BITS = 40, /* of a slot of the table: the rest is of the hash */
};

struct finder {
	const struct sh_texts *t;
	uint32_t length, k, window; /* window: k-grams of a window of tokens */
	uint64_t power_k, power_length;
	bool every;
	uint64_t *marked;

	/* Of one document. */
	uint64_t *prefix, *gram;
	uint32_t *first, *since;
	size_t prefix_cap, gram_cap, first_cap, since_cap;
	size_t anchors;

	/* Anchors that occur, and that occur twice; by some bits of their hash, so that more may seem to. */
	uint64_t *once, *twice;
	unsigned filter_bits;

	uint64_t *slot; /* a window's first token + 1, below some bits of its hash */
	unsigned slot_bits;
	uint64_t candidates;
};

static uint64_t power(uint64_t n)
{
	uint64_t p = 1;

	while (n--)
		p = sh_mix_step(p, 0);
	return p;
}

static int reserve(struct finder *f, size_t n, struct sh_error *err)
{
	if ((n + 1 > f->prefix_cap &&
		sh_grow((void **)&f->prefix, &f->prefix_cap, n + 1, sizeof *f->prefix, err) < 0) ||
	    (n > f->gram_cap &&
		sh_grow((void **)&f->gram, &f->gram_cap, n, sizeof *f->gram, err) < 0) ||
	    (n > f->first_cap &&
		sh_grow((void **)&f->first, &f->first_cap, n, sizeof *f->first, err) < 0) ||
	    (n > f->since_cap &&
		sh_grow((void **)&f->since, &f->since_cap, n, sizeof *f->since, err) < 0))
		return -1;
	return 0;
}

static uint64_t hash_of(const struct finder *f, size_t i, uint32_t n, uint64_t power_n)
{
	return sh_mix_finish(f->prefix[i + n] - f->prefix[i] * power_n);
}

/* The anchors of a document of at least `length` tokens. */
static int find_anchors(struct finder *f, struct sh_side side, struct sh_error *err)
{
	size_t grams = side.n - f->k + 1;
	uint64_t sum = 0;

	if (reserve(f, side.n, err) < 0)
		return -1;
	for (size_t i = 0; i < side.n; i++) {
		f->prefix[i] = sum;
		sum = sh_mix_step(sum, side.token[i]);
	}
	f->prefix[side.n] = sum;
	for (size_t i = 0; i < grams; i++)
		f->gram[i] = hash_of(f, i, f->k, f->power_k);
	f->anchors = sh_minimizers(f->gram, grams, f->window, f->first, f->since);
	return 0;
}

/* ---- which anchors occur twice ---- */

static uint64_t filter_bit(const struct finder *f, size_t anchor)
{
	return f->gram[f->first[anchor]] >> (64 - f->filter_bits);
}

static int make_filters(struct finder *f, uint64_t tokens, struct sh_error *err)
{
	/* Anchors are 2 / (window + 1) of the tokens. */
	uint64_t bits = 2 * tokens / (f->window + 1) * SPARE;

	for (f->filter_bits = 12; bits >> f->filter_bits;)
		f->filter_bits++;
	f->once = calloc((size_t)1 << (f->filter_bits - 6), sizeof *f->once);
	f->twice = calloc((size_t)1 << (f->filter_bits - 6), sizeof *f->twice);
	return f->once && f->twice ? 0 : sh_error_nomem(err);
}

static void count_anchors(struct finder *f)
{
	for (size_t i = 0; i < f->anchors; i++) {
		uint64_t bit = filter_bit(f, i), mask = UINT64_C(1) << bit % 64;

		f->twice[bit / 64] |= f->once[bit / 64] & mask;
		f->once[bit / 64] |= mask;
	}
}

/* Behind the last window that anchor i rules. */
static size_t last_window(const struct finder *f, size_t i, size_t windows)
{
	return i + 1 < f->anchors ? f->since[i + 1] : windows;
}

static void count_candidates(struct finder *f, size_t windows)
{
	for (size_t i = 0; i < f->anchors; i++)
		if (sh_bits_has(f->twice, filter_bit(f, i)))
			f->candidates += last_window(f, i, windows) - f->since[i];
}

/* ---- windows ---- */

static int make_table(struct finder *f, struct sh_error *err)
{
	for (f->slot_bits = 4; f->candidates * 3 / 2 >> f->slot_bits;)
		f->slot_bits++;
	f->slot = calloc((size_t)1 << f->slot_bits, sizeof *f->slot);
	return f->slot ? 0 : sh_error_nomem(err);
}

static bool same_window(const struct finder *f, uint64_t a, uint64_t b)
{
	return memcmp(f->t->token + a, f->t->token + b, f->length * sizeof *f->t->token) == 0;
}

/* The first window that equals the one at token `at`; UINT64_MAX when it is the first. The window before was
 * found to equal that before `expected`. */
static uint64_t look_up(struct finder *f, uint64_t hash, uint64_t at, uint64_t expected)
{
	const uint64_t pos = (UINT64_C(1) << POS_BITS) - 1;
	uint64_t tag = hash & ~pos;
	size_t s = (size_t)(hash & ((UINT64_C(1) << f->slot_bits) - 1));

	for (; f->slot[s]; s = (s + 1) & (((size_t)1 << f->slot_bits) - 1)) {
		uint64_t other = (f->slot[s] & pos) - 1;

		if ((f->slot[s] & ~pos) != tag)
			continue;
		/* All but the last token is known to be equal. */
		if (other == expected
			? f->t->token[other + f->length - 1] == f->t->token[at + f->length - 1]
			: same_window(f, other, at))
			return other;
	}
	f->slot[s] = tag | (at + 1);
	return UINT64_MAX;
}

static void mark(struct finder *f, uint64_t from, uint64_t to)
{
	for (; from < to && from % 64; from++)
		sh_bits_put(f->marked, from);
	for (; to - from >= 64 && from < to; from += 64)
		f->marked[from / 64] = UINT64_MAX;
	for (; from < to; from++)
		sh_bits_put(f->marked, from);
}

static void find_windows(struct finder *f, uint32_t document, size_t windows)
{
	uint64_t base = f->t->at[document], expected = UINT64_MAX, done = 0;

	for (size_t a = 0; a < f->anchors; a++) {
		size_t end = last_window(f, a, windows);

		if (!sh_bits_has(f->twice, filter_bit(f, a))) {
			expected = UINT64_MAX;
			continue;
		}
		for (size_t i = f->since[a]; i < end; i++) {
			uint64_t hash = hash_of(f, i, f->length, f->power_length), at = base + i;
			uint64_t other = look_up(f, hash, at, expected);

			if (other == UINT64_MAX) {
				expected = UINT64_MAX;
				continue;
			}
			mark(f, at > done ? at : done, at + f->length);
			done = at + f->length;
			if (f->every)
				mark(f, other == expected ? other + f->length - 1 : other,
				    other + f->length);
			expected = other + 1;
		}
	}
}

/* ---- all documents ---- */

enum pass { COUNT_ANCHORS, COUNT_CANDIDATES, FIND };

static int pass_over(struct finder *f, enum pass pass, struct sh_error *err)
{
	for (uint32_t d = 0; d < f->t->n; d++) {
		struct sh_side side = sh_texts_side(f->t, d);
		size_t windows = side.n - f->length + 1;

		if (side.n < f->length)
			continue;
		if (find_anchors(f, side, err) < 0)
			return -1;
		if (pass == COUNT_ANCHORS)
			count_anchors(f);
		else if (pass == COUNT_CANDIDATES)
			count_candidates(f, windows);
		else
			find_windows(f, d, windows);
	}
	return 0;
}

int sh_exact_find(const struct sh_texts *t, uint32_t length, uint32_t k, bool every,
    uint64_t *marked, struct sh_error *err)
{
	struct finder f = { .t = t, .length = length, .every = every, .marked = marked };
	uint64_t tokens = t->at[t->n];
	int status = 0;

	if (tokens >> POS_BITS)
		return sh_error_set(err, SH_ERR_RANGE, "more than 2^%d tokens", POS_BITS);
	f.k = k ? k : length / 2 + 3;
	if (!k && f.k > K_MAX)
		f.k = K_MAX;
	if (f.k > length)
		f.k = length;
	f.window = length - f.k + 1;
	f.power_k = power(f.k);
	f.power_length = power(length);
	if (make_filters(&f, tokens, err) < 0 || pass_over(&f, COUNT_ANCHORS, err) < 0 ||
	    pass_over(&f, COUNT_CANDIDATES, err) < 0 || make_table(&f, err) < 0 ||
	    pass_over(&f, FIND, err) < 0)
		status = -1;
	free(f.prefix);
	free(f.gram);
	free(f.first);
	free(f.since);
	free(f.once);
	free(f.twice);
	free(f.slot);
	return status;
}
