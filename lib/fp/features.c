#include "fp/features.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/siphash.h"
#include "hash/keyed.h"
#include "text/method.h"

enum {
	FEW = 24,             /* up to FEW hashes are sorted by insertion alone */
	DIGIT_BITS = 11,      /* bits of a radix digit, at most */
	PASSES_MAX = 3,       /* radix digits, at most */
	FIRST_ROOM = 1 << 12, /* elements allocated at first */
};

/* Hashes to be sorted, and the distinct ones with their counts. */
struct distinct {
	uint64_t *hash, *room;
	uint32_t *count;
	size_t hash_cap, room_cap, count_cap;
};

struct sh_features {
	struct sh_tokenizer *tokenizer;
	struct sh_ngrams ngrams;
	struct sh_keyed keyed;
	const struct sh_keyed_kernel *kernel; /* NULL: hashes for archives, by sh_keyed_text() */
	bool rows; /* hash n-grams from token hashes instead of their texts */
	bool keeps_order, only_order;
	bool sequences, cut;
	struct distinct grams, tokens;
	uint64_t *token; /* of the text, in order */
	size_t token_cap;
};

enum kind { ARCHIVED, APART, SEQUENCES };

static struct sh_features *make(const struct sh_token_opts *token, struct sh_ngrams ngrams,
    const uint64_t key[2], enum kind kind, struct sh_error *err)
{
	struct sh_features *f = calloc(1, sizeof *f);
	struct sh_token_opts opts = *token;

	if (!f) {
		sh_error_nomem(err);
		return NULL;
	}
	f->ngrams = ngrams;
	/* Texts are compared as a whole, even when a fingerprint leaves out a part. */
	f->ngrams.past_first = false;
	sh_keyed_init(&f->keyed, key);
	f->kernel = kind == ARCHIVED ? NULL : sh_keyed_kernel_at(0);
	f->sequences = kind == SEQUENCES;
	/* Words of other methods may contain blanks: two n-grams of different words may have the
	 * same text, and must then be the same feature. */
	f->rows = kind == SEQUENCES ||
		  (kind == APART && (!token->method || token->method == sh_token_method_at(0)) &&
		      token->unit == SH_UNIT_WORD && ngrams.max <= SH_KEYED_ROW_MAX);
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
	return make(token, ngrams, key, ARCHIVED, err);
}

struct sh_features *sh_features_new_apart(const struct sh_token_opts *token,
    struct sh_ngrams ngrams, const uint64_t key[2], struct sh_error *err)
{
	return make(token, ngrams, key, APART, err);
}

struct sh_features *sh_features_new_sequences(const struct sh_token_opts *token,
    struct sh_ngrams ngrams, const uint64_t key[2], bool cut, struct sh_error *err)
{
	struct sh_features *f = make(token, ngrams, key, SEQUENCES, err);

	if (f)
		f->cut = cut;
	return f;
}

static void free_distinct(struct distinct *d)
{
	free(d->hash);
	free(d->room);
	free(d->count);
}

void sh_features_delete(struct sh_features *f)
{
	if (!f)
		return;
	sh_tokenizer_delete(f->tokenizer);
	free_distinct(&f->grams);
	free_distinct(&f->tokens);
	free(f->token);
	free(f);
}

void sh_features_keep_order(struct sh_features *f, bool only)
{
	f->keeps_order = true;
	f->only_order = only;
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

/* Hashes rows of more tokens than the kernels take. */
static void hash_long_rows(
    const struct sh_features *f, const uint64_t *token, unsigned n, size_t count, uint64_t *h)
{
	for (size_t i = 0; i < count; i++) {
		char bytes[SH_NGRAM_MAX * sizeof *token];

		for (unsigned j = 0; j < n; j++)
			sh_put_le64(bytes + j * sizeof *token, token[i + j]);
		h[i] = sh_siphash(f->keyed.key, bytes, n * sizeof *token);
	}
}

/* Hashes the first `count` n-grams of n tokens. t: NULL when f->token has the tokens. */
static void hash_some(
    const struct sh_features *f, const struct sh_tokens *t, unsigned n, size_t count, uint64_t *h)
{
	if (f->rows && n > SH_KEYED_ROW_MAX)
		hash_long_rows(f, f->token, n, count, h);
	else if (f->rows && n > 1)
		f->kernel->rows(&f->keyed, f->token, count + n - 1, n, h);
	else if (t)
		hash_texts(f, t, n, count, h);
	else
		memcpy(h, f->token, count * sizeof *h);
}

static size_t hash_ngrams(
    struct sh_features *f, const struct sh_tokens *t, size_t tokens, struct sh_ngrams range)
{
	uint64_t *hash = f->grams.hash;
	size_t m = 0;

	for (unsigned n = 1; n <= sh_ngrams_lead(range); n++)
		hash_some(f, t, n, 1, hash + m++);
	for (unsigned n = range.min; n && n <= range.max; n++) {
		hash_some(f, t, n, tokens - n + 1, hash + m);
		m += tokens - n + 1;
	}
	return m;
}

/* ---- sorting ---- */

/* Sorts by insertion. The elements must be at most a few places away from their final place. */
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

/* Sorts the hashes by a radix sort of their upper bits, the lowest digit first, then by insertion.
 * f->hash and f->room are exchanged in each pass. */
static void sort(struct distinct *f, size_t n)
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

/* Allocates at least FIRST_ROOM elements at first: each growth copies the array. */
static int grow(void *array, size_t *cap, size_t n, size_t size, struct sh_error *err)
{
	n = n < FIRST_ROOM ? FIRST_ROOM : n;
	return n > *cap ? sh_grow(array, cap, n, size, err) : 0;
}

static int reserve(struct distinct *d, size_t n, struct sh_error *err)
{
	if (grow(&d->hash, &d->hash_cap, n, sizeof *d->hash, err) < 0 ||
	    grow(&d->room, &d->room_cap, n, sizeof *d->room, err) < 0)
		return -1;
	return grow(&d->count, &d->count_cap, n, sizeof *d->count, err);
}

/* Replaces sorted hashes by the distinct ones, in place, with their counts. Returns the
 * number of distinct ones. There is no branch on the hashes: of several equal hashes
 * the last one writes last. */
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

/* Sorts the first n hashes and drops the repeated ones. Returns the number of distinct ones. */
static size_t find_distinct(struct distinct *d, size_t n)
{
	sort(d, n);
	return count_equal(d->hash, d->count, n);
}

/* Fills in the set from tokens; from f->token, when t is NULL or n-grams are rows. */
static int fill(struct sh_features *f, const struct sh_tokens *t, size_t tokens,
    struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_ngrams range = sh_ngrams_of(f->ngrams, tokens);
	size_t n;

	*set = (struct sh_feature_set){ .ordered = f->token,
		.n_ordered = f->keeps_order ? tokens : 0 };
	if (f->only_order)
		return 0;
	if (sh_ngrams_count(range, tokens, &n, err) < 0 || reserve(&f->grams, n, err) < 0)
		return -1;
	n = hash_ngrams(f, t, tokens, range);
	set->n = find_distinct(&f->grams, n);
	set->hash = f->grams.hash;
	set->count = f->grams.count;
	return 0;
}

int sh_features_of_sequence(struct sh_features *f, const uint64_t *token, size_t n,
    struct sh_feature_set *set, struct sh_error *err)
{
	if (grow(&f->token, &f->token_cap, n, sizeof *f->token, err) < 0 ||
	    reserve(&f->tokens, n, err) < 0)
		return -1;
	if (n && token != f->token)
		memcpy(f->token, token, n * sizeof *token);
	if (fill(f, NULL, n, set, err) < 0)
		return -1;
	if (n)
		memcpy(f->tokens.hash, f->token, n * sizeof *token);
	set->ordered = f->token;
	set->n_ordered = n;
	set->n_tokens = find_distinct(&f->tokens, n);
	set->token = f->tokens.hash;
	return 0;
}

/* Hashes the tokens into f->token. */
static int hash_tokens(struct sh_features *f, const struct sh_tokens *t, struct sh_error *err)
{
	if (grow(&f->token, &f->token_cap, t->n, sizeof *f->token, err) < 0)
		return -1;
	hash_texts(f, t, 1, t->n, f->token);
	for (size_t i = 0; f->cut && i < t->n; i++)
		f->token[i] &= ~(uint64_t)UINT32_MAX;
	return 0;
}

bool sh_features_take_apart(const struct sh_features *f)
{
	return f->rows;
}

int sh_features_of(
    struct sh_features *f, struct sh_slice text, struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_tokens tokens;

	if (sh_tokenize(f->tokenizer, text, &tokens, err) < 0)
		return -1;
	return sh_features_of_tokens(f, &tokens, set, err);
}

int sh_features_of_tokens(struct sh_features *f, const struct sh_tokens *t,
    struct sh_feature_set *set, struct sh_error *err)
{
	int status;

	if ((f->keeps_order || f->sequences || (f->rows && f->ngrams.max > 1)) &&
	    hash_tokens(f, t, err) < 0)
		return -1;
	status = f->sequences ? sh_features_of_sequence(f, f->token, t->n, set, err)
			      : fill(f, t, t->n, set, err);
	set->bad_utf8 = t->bad_utf8;
	return status;
}
