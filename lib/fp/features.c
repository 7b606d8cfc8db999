#include "fp/features.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/siphash.h"
#include "base/wide.h"

enum { DIGIT_BITS = 8, WIDE_BITS = 11, MANY = 512, FEW = 24 };

/* Texts of up to so many words of 8 bytes are hashed by multiplications. */
enum { KEY_WORDS = 16 };

struct sh_features {
	struct sh_tokenizer *tokenizer;
	struct sh_ngrams ngrams;
	uint64_t key[2];
	struct sh_wide wide[KEY_WORDS + 2]; /* of the words, the length, and the sum */
	uint64_t *hash, *room;
	uint32_t *count;
	size_t hash_cap, room_cap, count_cap;
};

/* ---- hashing ---- */

static void make_wide_keys(struct sh_features *f)
{
	for (uint64_t i = 0; i < KEY_WORDS + 2; i++) {
		char number[2][sizeof(uint64_t)];

		sh_put_le64(number[0], 2 * i);
		sh_put_le64(number[1], 2 * i + 1);
		f->wide[i].low = sh_siphash(f->key, number[0], sizeof number[0]);
		f->wide[i].high = sh_siphash(f->key, number[1], sizeof number[1]);
	}
}

/* The upper half of sum(key * word) modulo 2^128: for any two texts the keys that make them
 * collide are one in 2^64. 8 bytes behind the text must be readable. */
static inline uint64_t hash_text(const struct sh_features *f, struct sh_slice s)
{
	const struct sh_wide *k = f->wide;
	struct sh_wide sum = sh_wide_add(sh_wide_scale(k[KEY_WORDS], s.n), k[KEY_WORDS + 1]);
	size_t i = 0;

	if (s.n > KEY_WORDS * 8)
		return sh_siphash(f->key, s.p, s.n);
	for (; 8 * i + 8 <= s.n; i++)
		sum = sh_wide_add(sum, sh_wide_scale(k[i], sh_le64(s.p + 8 * i)));
	if (s.n % 8)
		sum = sh_wide_add(sum,
		    sh_wide_scale(k[i], sh_le64(s.p + 8 * i) & (UINT64_MAX >> (64 - s.n % 8 * 8))));
	return sum.high;
}

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
	make_wide_keys(f);
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

/* By the highest of the `left` low bits and then by those below; what is above is equal. Hashes
 * are spread evenly, so that one or two levels do; equal ones go down to the last bit. */
static void sort_by_digit(uint64_t *a, uint64_t *room, size_t n, unsigned left)
{
	unsigned bits = n > MANY ? WIDE_BITS : DIGIT_BITS, digits;
	size_t start[(1 << WIDE_BITS) + 1];
	unsigned shift;

	if (bits > left)
		bits = left;
	digits = 1U << bits;
	shift = left - bits;
	memset(start, 0, (digits + 1) * sizeof *start);
	for (size_t i = 0; i < n; i++)
		start[(a[i] >> shift & (digits - 1)) + 1]++;
	for (unsigned d = 0; d < digits; d++)
		start[d + 1] += start[d];
	/* start[d] runs to the place where digit d ends. */
	for (size_t i = 0; i < n; i++)
		room[start[a[i] >> shift & (digits - 1)]++] = a[i];
	memcpy(a, room, n * sizeof *a);
	for (unsigned d = 0; shift && d < digits; d++) {
		size_t from = d ? start[d - 1] : 0;

		if (start[d] - from > FEW)
			sort_by_digit(a + from, room, start[d] - from, shift);
	}
	/* The rest is at most a bucket away from its place. */
	sort_few(a, n);
}

static void sort(uint64_t *a, uint64_t *room, size_t n)
{
	if (n > FEW)
		sort_by_digit(a, room, n, 64);
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

	for (unsigned n = 1; n <= sh_ngrams_lead(range); n++)
		f->hash[m++] = hash_text(f, sh_ngram_text(t, 0, n));
	for (unsigned n = range.min; n && n <= range.max; n++)
		for (size_t i = 0; i + n <= t->n; i++)
			f->hash[m++] = hash_text(f, sh_ngram_text(t, i, n));
	return m;
}

/* Sorted hashes to distinct ones, in place, and how often each stood there: their number. */
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
