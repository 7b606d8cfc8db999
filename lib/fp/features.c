#include "fp/features.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/siphash.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS, FEW = 24 };

struct sh_features {
	struct sh_tokenizer *tokenizer;
	struct sh_ngrams ngrams;
	uint64_t key[2];
	uint64_t *hash, *room;
	uint32_t *count;
	size_t hash_cap, room_cap, count_cap;
};

struct sh_features *sh_features_new(const struct sh_token_opts *token, struct sh_ngrams ngrams,
    const uint64_t key[2], struct sh_error *err)
{
	struct sh_features *f = calloc(1, sizeof *f);

	if (!f) {
		sh_error_nomem(err);
		return NULL;
	}
	f->ngrams = ngrams;
	memcpy(f->key, key, sizeof f->key);
	f->tokenizer = sh_tokenizer_new(token, err);
	if (!f->tokenizer) {
		free(f);
		return NULL;
	}
	return f;
}

void sh_features_delete(struct sh_features *f)
{
	if (!f)
		return;
	sh_tokenizer_delete(f->tokenizer);
	free(f->hash);
	free(f->room);
	free(f->count);
	free(f);
}

/* ---- sorting ---- */

static void sort_few(uint64_t *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t x = a[i];
		size_t j = i;

		for (; j > 0 && a[j - 1] > x; j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

/* By the digit at `shift` and all below; the bits above are equal. Hashes are spread evenly, so
 * that two levels do for most documents; equal ones go down to the last digit. */
static void sort_by_digit(uint64_t *a, uint64_t *room, size_t n, unsigned shift)
{
	size_t start[DIGITS + 1] = { 0 }, next[DIGITS];

	for (size_t i = 0; i < n; i++)
		start[(a[i] >> shift & (DIGITS - 1)) + 1]++;
	for (size_t d = 0; d < DIGITS; d++) {
		next[d] = start[d];
		start[d + 1] += start[d];
	}
	for (size_t i = 0; i < n; i++)
		room[next[a[i] >> shift & (DIGITS - 1)]++] = a[i];
	memcpy(a, room, n * sizeof *a);
	for (size_t d = 0; shift && d < DIGITS; d++) {
		size_t m = start[d + 1] - start[d];

		if (m > FEW)
			sort_by_digit(a + start[d], room, m, shift - DIGIT_BITS);
		else
			sort_few(a + start[d], m);
	}
}

static void sort(uint64_t *a, uint64_t *room, size_t n)
{
	if (n > FEW)
		sort_by_digit(a, room, n, 64 - DIGIT_BITS);
	else
		sort_few(a, n);
}

/* ---- the set ---- */

static int reserve(struct sh_features *f, size_t n, struct sh_error *err)
{
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

static size_t hash_ngrams(struct sh_features *f, const struct sh_tokens *t, struct sh_ngrams range)
{
	size_t m = 0;

	for (unsigned n = 1; n <= sh_ngrams_lead(range); n++) {
		struct sh_slice s = sh_ngram_text(t, 0, n);

		f->hash[m++] = sh_siphash(f->key, s.p, s.n);
	}
	for (unsigned n = range.min; n && n <= range.max; n++) {
		for (size_t i = 0; i + n <= t->n; i++) {
			struct sh_slice s = sh_ngram_text(t, i, n);

			f->hash[m++] = sh_siphash(f->key, s.p, s.n);
		}
	}
	return m;
}

/* Sorted hashes to distinct ones with their counts; the number of them. */
static size_t count_equal(uint64_t *hash, uint32_t *count, size_t n)
{
	size_t distinct = 0;

	for (size_t i = 0; i < n; i++) {
		if (i == 0 || hash[i] != hash[distinct - 1]) {
			hash[distinct] = hash[i];
			count[distinct++] = 0;
		}
		count[distinct - 1]++;
	}
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
	n = sh_ngrams_lead(range);
	for (unsigned i = range.min; i && i <= range.max; i++)
		n += tokens.n - i + 1;
	if (reserve(f, n, err) < 0)
		return -1;
	n = hash_ngrams(f, &tokens, range);
	sort(f->hash, f->room, n);
	*set = (struct sh_feature_set){ f->hash, f->count, count_equal(f->hash, f->count, n),
		tokens.bad_utf8 };
	return 0;
}
