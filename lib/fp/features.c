#include "fp/features.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/siphash.h"
#include "hash/keyed.h"
#include "text/method.h"

enum {
	FEW = 24,             /* up to FEW hashes are sorted by insertion alone */
	DIGIT_BITS = 11,      /* bits of a radix digit, at most */
	PASSES_MAX = 3,       /* radix digits, at most */
	FIRST_ROOM = 1 << 12, /* elements allocated at first */
};

struct sh_features {
	struct sh_tokenizer *tokenizer;
	struct sh_ngrams ngrams;
	struct sh_keyed keyed;
	const struct sh_keyed_kernel *kernel; /* NULL: hash for archives, by sh_keyed_text() */
	bool rows; /* hash n-grams from word hashes instead of their texts */
	bool keeps_order;
	uint64_t *hash, *room, *token, *ordered;
	uint32_t *count;
	size_t hash_cap, room_cap, token_cap, ordered_cap, count_cap;
};

static struct sh_features *make(const struct sh_token_opts *token, struct sh_ngrams ngrams,
    const uint64_t key[2], bool apart, struct sh_error *err)
{
	struct sh_features *f = calloc(1, sizeof *f);
	struct sh_token_opts opts = *token;

	if (!f) {
		sh_error_nomem(err);
		return NULL;
	}
	f->ngrams = ngrams;
	/* Texts are compared as a whole, whatever a fingerprint leaves out. */
	f->ngrams.past_first = false;
	sh_keyed_init(&f->keyed, key);
	f->kernel = apart ? sh_keyed_kernel_at(0) : NULL;
	/* Words of other methods may contain blanks: two n-grams of different words may have the same
	 * text, and must then be the same feature. */
	f->rows = apart && (!token->method || token->method == sh_token_method_at(0)) &&
		  token->unit == SH_UNIT_WORD && ngrams.max <= SH_KEYED_ROW_MAX;
	opts.apart = f->rows;
	f->tokenizer = sh_tokenizer_new(&opts, err);
	if (!f->tokenizer) {
		free(f);
		return NULL;
	}
	return f;
}

struct sh_features *sh_features_new(const struct sh_token_opts *token, struct sh_ngrams ngrams,
    const uint64_t key[2], struct sh_error *err)
{
	return make(token, ngrams, key, false, err);
}

struct sh_features *sh_features_new_apart(
    const struct sh_token_opts *token, struct sh_ngrams ngrams, struct sh_error *err)
{
	uint64_t key[2];

	return sh_random_key(key, err) < 0 ? NULL : make(token, ngrams, key, true, err);
}

void sh_features_delete(struct sh_features *f)
{
	if (!f)
		return;
	sh_tokenizer_delete(f->tokenizer);
	free(f->hash);
	free(f->room);
	free(f->token);
	free(f->ordered);
	free(f->count);
	free(f);
}

void sh_features_keep_order(struct sh_features *f)
{
	f->keeps_order = true;
}

/* ---- hashing ---- */

/* Hashes the texts of the first `count` n-grams of n tokens. */
static void hash_texts(
    const struct sh_features *f, const struct sh_tokens *t, unsigned n, size_t count, uint64_t *h)
{
	if (f->kernel) {
		f->kernel->texts(&f->keyed, t->text, t->start, t->end + n - 1, count, h);
		return;
	}
	for (size_t i = 0; i < count; i++)
		h[i] = sh_keyed_text(&f->keyed, sh_ngram_text(t, i, n));
}

/* Hashes the first `count` n-grams of n tokens. */
static void hash_some(
    const struct sh_features *f, const struct sh_tokens *t, unsigned n, size_t count, uint64_t *h)
{
	if (f->rows && n > 1)
		f->kernel->rows(&f->keyed, f->token, count + n - 1, n, h);
	else
		hash_texts(f, t, n, count, h);
}

static size_t hash_ngrams(struct sh_features *f, const struct sh_tokens *t, struct sh_ngrams range)
{
	size_t m = 0;

	if (f->rows && range.max > 1)
		hash_texts(f, t, 1, t->n, f->token);
	for (unsigned n = 1; n <= sh_ngrams_lead(range); n++)
		hash_some(f, t, n, 1, f->hash + m++);
	for (unsigned n = range.min; n && n <= range.max; n++) {
		hash_some(f, t, n, t->n - n + 1, f->hash + m);
		m += t->n - n + 1;
	}
	return m;
}

/* ---- sorting ---- */

/* Insertion sort, for elements that are at most a few places away from their final place. */
static void sort_nearly_sorted(uint64_t *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t x = a[i];
		size_t j = i;

		if (a[i - 1] <= x)
			continue;
		for (; j > 0 && a[j - 1] > x; j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

/* Returns the number of upper bits in which most of n evenly distributed hashes differ. */
static unsigned distinct_bits(size_t n)
{
	unsigned bits = 4;

	for (; n > 1; n >>= 1)
		bits++;
	return bits < PASSES_MAX * DIGIT_BITS ? bits : PASSES_MAX * DIGIT_BITS;
}

/* Stable sort by the digit of `bits` bits that begins at bit `shift`. */
static void sort_by_digit(
    const uint64_t *restrict from, uint64_t *restrict to, size_t n, unsigned shift, unsigned bits)
{
	size_t start[1 << DIGIT_BITS], mask = ((size_t)1 << bits) - 1, sum = 0;

	memset(start, 0, (mask + 1) * sizeof *start);
	for (size_t i = 0; i < n; i++)
		start[from[i] >> shift & mask]++;
	for (size_t d = 0; d <= mask; d++) {
		size_t here = start[d];

		start[d] = sum;
		sum += here;
	}
	for (size_t i = 0; i < n; i++)
		to[start[from[i] >> shift & mask]++] = from[i];
}

/* Radix sort by the upper bits, the lowest digit first, then insertion sort. f->hash and f->room are
 * exchanged in each pass. */
static void sort(struct sh_features *f, size_t n)
{
	unsigned bits = distinct_bits(n), passes = bits > 2 * DIGIT_BITS ? 3 : 2;

	bits = (bits + passes - 1) / passes;
	for (unsigned left = n > FEW ? passes : 0; left > 0; left--) {
		uint64_t *sorted = f->room;
		size_t cap = f->room_cap;

		sort_by_digit(f->hash, sorted, n, 64 - left * bits, bits);
		f->room = f->hash;
		f->room_cap = f->hash_cap;
		f->hash = sorted;
		f->hash_cap = cap;
	}
	sort_nearly_sorted(f->hash, n);
}

/* ---- the set ---- */

/* Allocates at least FIRST_ROOM elements at first: growing copies. */
static int reserve(struct sh_features *f, size_t n, size_t tokens, struct sh_error *err)
{
	n = n < FIRST_ROOM ? FIRST_ROOM : n;
	tokens = tokens < FIRST_ROOM ? FIRST_ROOM : tokens;
	if (f->rows && tokens > f->token_cap &&
	    sh_grow((void **)&f->token, &f->token_cap, tokens, sizeof *f->token, err) < 0)
		return -1;
	if (f->keeps_order && n > f->ordered_cap &&
	    sh_grow((void **)&f->ordered, &f->ordered_cap, n, sizeof *f->ordered, err) < 0)
		return -1;
	if (n > f->hash_cap &&
	    sh_grow((void **)&f->hash, &f->hash_cap, n, sizeof *f->hash, err) < 0)
		return -1;
	if (n > f->room_cap &&
	    sh_grow((void **)&f->room, &f->room_cap, n, sizeof *f->room, err) < 0)
		return -1;
	if (n > f->count_cap &&
	    sh_grow((void **)&f->count, &f->count_cap, n, sizeof *f->count, err) < 0)
		return -1;
	return 0;
}

/* Replaces sorted hashes by the distinct ones, in place, with their counts. Returns the number of
 * distinct ones. Without a branch on the hashes: the last of several equal hashes writes last. */
static size_t count_equal(uint64_t *hash, uint32_t *count, size_t n)
{
	size_t distinct = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		uint64_t h = hash[i];

		hash[distinct] = h;
		count[distinct] = (uint32_t)(i + 1);
		distinct += h != hash[i + 1];
	}
	if (n) {
		hash[distinct] = hash[n - 1];
		count[distinct++] = (uint32_t)n;
	}
	for (size_t i = distinct; i-- > 1;)
		count[i] -= count[i - 1];
	return distinct;
}

int sh_features_of(
    struct sh_features *f, struct sh_slice text, struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_tokens tokens;
	struct sh_ngrams range;
	size_t n;

	if (sh_tokenize(f->tokenizer, text, &tokens, err) < 0)
		return -1;
	range = sh_ngrams_of(f->ngrams, tokens.n);
	if (sh_ngrams_count(range, tokens.n, &n, err) < 0 || reserve(f, n, tokens.n, err) < 0)
		return -1;
	n = hash_ngrams(f, &tokens, range);
	if (f->keeps_order && n)
		memcpy(f->ordered, f->hash, n * sizeof *f->hash);
	sort(f, n);
	*set = (struct sh_feature_set){ f->hash, f->count, count_equal(f->hash, f->count, n),
		tokens.bad_utf8, f->ordered, f->keeps_order ? n : 0 };
	return 0;
}
