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

/* It rules the windows from `since` on, up to the next one's. */
struct anchor {
	uint32_t since, hash;
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

	/* Of all documents. */
	struct anchor *anchor;
	size_t anchors, anchor_cap;
	uint64_t *at; /* of each document: its first anchor; at[documents]: the end */

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

static int sum_prefixes(struct finder *f, struct sh_side side, struct sh_error *err)
{
	uint64_t sum = 0;

	if (reserve(f, side.n, err) < 0)
		return -1;
	for (size_t i = 0; i < side.n; i++) {
		f->prefix[i] = sum;
		sum = sh_mix_step(sum, side.token[i]);
	}
	f->prefix[side.n] = sum;
	return 0;
}

/* ---- anchors ---- */

/* The anchors of a document of at least `length` tokens. */
static int add_anchors(struct finder *f, struct sh_side side, struct sh_error *err)
{
	size_t grams = side.n - f->k + 1, n;

	if (sum_prefixes(f, side, err) < 0)
		return -1;
	for (size_t i = 0; i < grams; i++)
		f->gram[i] = hash_of(f, i, f->k, f->power_k);
	n = sh_minimizers(f->gram, grams, f->window, f->first, f->since);
	if (f->anchors + n > f->anchor_cap && sh_grow((void **)&f->anchor, &f->anchor_cap,
						  f->anchors + n, sizeof *f->anchor, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		f->anchor[f->anchors++] =
		    (struct anchor){ f->since[i], (uint32_t)(f->gram[f->first[i]] >> 32) };
	return 0;
}

static int find_anchors(struct finder *f, struct sh_error *err)
{
	f->at = malloc((f->t->n + 1) * sizeof *f->at);
	if (!f->at)
		return sh_error_nomem(err);
	for (uint32_t d = 0; d < f->t->n; d++) {
		struct sh_side side = sh_texts_side(f->t, d);

		f->at[d] = f->anchors;
		if (side.n >= f->length && add_anchors(f, side, err) < 0)
			return -1;
	}
	f->at[f->t->n] = f->anchors;
	return 0;
}

static uint32_t filter_bit(const struct finder *f, const struct anchor *a)
{
	return a->hash >> (32 - f->filter_bits);
}

static bool occurs_twice(const struct finder *f, const struct anchor *a)
{
	return sh_bits_has(f->twice, filter_bit(f, a));
}

static int filter_anchors(struct finder *f, struct sh_error *err)
{
	for (f->filter_bits = 12; f->filter_bits < 32 && f->anchors * SPARE >> f->filter_bits;)
		f->filter_bits++;
	f->once = calloc((size_t)1 << (f->filter_bits - 6), sizeof *f->once);
	f->twice = calloc((size_t)1 << (f->filter_bits - 6), sizeof *f->twice);
	if (!f->once || !f->twice)
		return sh_error_nomem(err);
	for (size_t i = 0; i < f->anchors; i++) {
		uint32_t bit = filter_bit(f, &f->anchor[i]);
		uint64_t mask = UINT64_C(1) << bit % 64;

		f->twice[bit / 64] |= f->once[bit / 64] & mask;
		f->once[bit / 64] |= mask;
	}
	free(f->once);
	f->once = NULL;
	return 0;
}

static size_t windows_of(const struct finder *f, uint32_t document)
{
	return sh_texts_side(f->t, document).n - f->length + 1;
}

/* Behind the last window that anchor i of the document rules. */
static size_t last_window(const struct finder *f, uint32_t document, uint64_t i)
{
	return i + 1 < f->at[document + 1] ? f->anchor[i + 1].since : windows_of(f, document);
}

/* ---- windows ---- */

static int make_table(struct finder *f, struct sh_error *err)
{
	for (uint32_t d = 0; d < f->t->n; d++)
		for (uint64_t i = f->at[d]; i < f->at[d + 1]; i++)
			if (occurs_twice(f, &f->anchor[i]))
				f->candidates += last_window(f, d, i) - f->anchor[i].since;
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

/* The windows of one anchor. *expected: where the window before was found, and one further. *done: tokens
 * before are marked. */
static void find_windows(
    struct finder *f, uint64_t base, size_t from, size_t to, uint64_t *expected, uint64_t *done)
{
	for (size_t i = from; i < to; i++) {
		uint64_t hash = hash_of(f, i, f->length, f->power_length), at = base + i;
		uint64_t other = look_up(f, hash, at, *expected);

		if (other == UINT64_MAX) {
			*expected = UINT64_MAX;
			continue;
		}
		mark(f, at > *done ? at : *done, at + f->length);
		*done = at + f->length;
		if (f->every)
			mark(f, other == *expected ? other + f->length - 1 : other,
			    other + f->length);
		*expected = other + 1;
	}
}

static int find_in(struct finder *f, uint32_t document, struct sh_error *err)
{
	uint64_t expected = UINT64_MAX, done = 0;
	bool summed = false;

	for (uint64_t i = f->at[document]; i < f->at[document + 1]; i++) {
		if (!occurs_twice(f, &f->anchor[i])) {
			expected = UINT64_MAX;
			continue;
		}
		if (!summed && sum_prefixes(f, sh_texts_side(f->t, document), err) < 0)
			return -1;
		summed = true;
		find_windows(f, f->t->at[document], f->anchor[i].since, last_window(f, document, i),
		    &expected, &done);
	}
	return 0;
}

static int find_all(struct finder *f, struct sh_error *err)
{
	for (uint32_t d = 0; d < f->t->n; d++)
		if (find_in(f, d, err) < 0)
			return -1;
	return 0;
}

int sh_exact_find(const struct sh_texts *t, uint32_t length, uint32_t k, bool every,
    uint64_t *marked, struct sh_error *err)
{
	struct finder f = { .t = t, .length = length, .every = every, .marked = marked };
	int status = 0;

	if (t->at[t->n] >> POS_BITS)
		return sh_error_set(err, SH_ERR_RANGE, "more than 2^%d tokens", POS_BITS);
	f.k = k ? k : length / 2 + 3;
	if (!k && f.k > K_MAX)
		f.k = K_MAX;
	if (f.k > length)
		f.k = length;
	f.window = length - f.k + 1;
	f.power_k = power(f.k);
	f.power_length = power(length);
	if (find_anchors(&f, err) < 0 || filter_anchors(&f, err) < 0 || make_table(&f, err) < 0 ||
	    find_all(&f, err) < 0)
		status = -1;
	free(f.prefix);
	free(f.gram);
	free(f.first);
	free(f.since);
	free(f.anchor);
	free(f.at);
	free(f.once);
	free(f.twice);
	free(f.slot);
	return status;
}
