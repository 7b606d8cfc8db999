#include "fp/accumulator.h"

#include <stdlib.h>

#include "fp/minhash.h"
#include "fp/mix.h"
#include "record/escape.h"
#include "record/feature_run.h"

int sh_accumulator_init(
    struct sh_accumulator *a, const struct sh_fingerprint_opts *opts, struct sh_error *err)
{
	*a = (struct sh_accumulator){ .opts = opts };
	if (sh_fingerprint_check(opts, err) < 0)
		return -1;
	a->batches = opts->hash->composed && !opts->minhash && !opts->real;
	a->mixed_seed = sh_mix_seed(opts->seed);
	return sh_simhash_init(&a->simhash, opts->bits, opts->tie, err);
}

void sh_accumulator_free(struct sh_accumulator *a)
{
	free(a->hash);
	sh_buf_free(&a->text);
}

void sh_accumulator_clear(struct sh_accumulator *a)
{
	sh_simhash_clear(&a->simhash);
	a->n = 0;
	a->batched = 0;
	a->waiting = 0;
	a->any = false;
	memset(a->sum, 0, sizeof a->sum);
}

/* Of a record's weight: see struct sh_profile, real. Both quotients are rounded once at most. */
static double real_weight(int64_t millionths)
{
	return millionths < INT64_C(1) << 46 ? (double)millionths / 1e6
					     : (double)millionths / 0x1p50;
}

static void add_real(struct sh_accumulator *a, uint64_t word, int64_t millionths)
{
	double weight = real_weight(millionths);

	for (unsigned b = 0; b < 64; b++)
		a->sum[b] += word >> (63 - b) & 1 ? weight : -weight;
	a->n++;
}

static int add_hash(struct sh_accumulator *a, struct sh_slice text, struct sh_error *err)
{
	if (a->n == a->cap &&
	    sh_grow((void **)&a->hash, &a->cap, a->n + 1, sizeof *a->hash, err) < 0)
		return -1;
	sh_hash_feature(a->opts->hash, text, a->opts->seed, 64, &a->hash[a->n++]);
	return 0;
}

/* Cannot fail: what waits was known to fit. */
static void add_batch(struct sh_accumulator *a)
{
	struct sh_error err;

	if (a->batched)
		sh_simhash_add_weighted(&a->simhash, a->batch, a->weight, a->batched, &err);
	a->batched = 0;
	a->waiting = 0;
}

/* The end of the token that begins at p, which is a space or `end`. */
static const char *token_end(const char *p, const char *end)
{
	unsigned spaces = sh_where16(p, ' ');
	const char *space;

	if (spaces && p + __builtin_ctz(spaces) < end)
		return p + __builtin_ctz(spaces);
	if (spaces || end - p <= 16)
		return end;
	space = memchr(p, ' ', (size_t)(end - p));
	return space ? space : end;
}

/* Whether p and q agree in n <= SH_NGRAM_TAIL bytes; SH_ACCUMULATOR_PADDING more may be read. */
static inline bool same_bytes(const char *p, const char *q, size_t n)
{
#if defined(__SSE2__)
	/* How many they are nobody can predict: no branch on it. */
	const __m128i *a = (const void *)p, *b = (const void *)q;
	__m128i low = _mm_cmpeq_epi8(_mm_loadu_si128(a), _mm_loadu_si128(b));
	__m128i high = _mm_cmpeq_epi8(_mm_loadu_si128(a + 1), _mm_loadu_si128(b + 1));
	uint64_t same = (uint64_t)(uint32_t)_mm_movemask_epi8(low) |
			(uint64_t)(uint32_t)_mm_movemask_epi8(high) << 16;

	return (~same & ((UINT64_C(1) << n) - 1)) == 0;
#else
	for (; n > 8; n -= 8, p += 8, q += 8)
		if (sh_le64(p) != sh_le64(q))
			return false;
	return n == 0 || (sh_le64(p) ^ sh_le64(q)) << (64 - 8 * n) == 0;
#endif
}

/* Keep the text of the tail, whose hashes and lengths are there, if it is short enough. */
static void keep_tail(struct sh_ngram_tail *t, const char *p, size_t n)
{
	if (n > SH_NGRAM_TAIL || t->tokens == 0) {
		t->tokens = 0;
		return;
	}
	t->n = n;
	memcpy(t->text, p, SH_NGRAM_TAIL);
}

/* The hash of an n-gram that begins with the tail of the one before, and goes on with one token:
 * false when it does not. */
static inline bool hash_next(
    struct sh_ngram_tail *t, struct sh_slice text, uint64_t mixed_seed, uint64_t *hash)
{
	const char *last = text.p + t->n + 1, *end = text.p + text.n;
	uint64_t c = 0, h;
	size_t first;

	if (t->tokens == 0 || text.n <= t->n || text.p[t->n] != ' ' ||
	    !same_bytes(text.p, t->text, t->n) || token_end(last, end) != end)
		return false;
	h = sh_mix_token_padded(last, (size_t)(end - last), mixed_seed);
	for (unsigned i = 0; i < t->tokens; i++)
		c = sh_mix_step(c, t->hash[i]);
	*hash = sh_mix_finish(sh_mix_step(c, h));
	first = t->length[0] + 1;
	memmove(t->hash, t->hash + 1, sizeof t->hash - sizeof *t->hash);
	memmove(t->length, t->length + 1, sizeof t->length - sizeof *t->length);
	t->hash[t->tokens - 1] = h;
	t->length[t->tokens - 1] = (uint32_t)(end - last);
	keep_tail(t, text.p + first, text.n - first);
	return true;
}

/* sh_mix_feature() of a text with padding. */
static uint64_t hash_ngram(struct sh_ngram_tail *t, struct sh_slice text, uint64_t mixed_seed)
{
	const char *p = text.p, *end = p + text.n, *stop, *tail = end;
	uint64_t c = 0, h;
	unsigned n = 0;

	if (hash_next(t, text, mixed_seed, &c))
		return c;
	for (;; p = stop + 1, n++) {
		stop = token_end(p, end);
		h = sh_mix_token_padded(p, (size_t)(stop - p), mixed_seed);
		c = sh_mix_step(c, h);
		if (n == 1)
			tail = p;
		if (n >= 1 && n <= SH_NGRAM_TOKENS) {
			t->hash[n - 1] = h;
			t->length[n - 1] = (uint32_t)(stop - p);
		}
		if (stop == end)
			break;
	}
	t->tokens = n <= SH_NGRAM_TOKENS ? n : 0;
	keep_tail(t, tail, (size_t)(end - tail));
	return n ? sh_mix_finish(c) : c;
}

int sh_accumulator_add_padded(struct sh_accumulator *a, struct sh_slice feature,
    enum sh_feature_look look, int64_t weight, struct sh_error *err)
{
	bool word = look == SH_LOOKS_WORD;

	if (!a->batches || weight > INT64_MAX - sh_simhash_total(&a->simhash) - a->waiting ||
	    look == SH_LOOKS_ANY)
		return sh_accumulator_add(a, feature, weight, err);
	a->any = a->any || feature.n > 0;
	a->batch[a->batched] = word ? sh_mix_token_padded(feature.p, feature.n, a->mixed_seed)
				    : hash_ngram(&a->tail, feature, a->mixed_seed);
	a->weight[a->batched] = weight;
	a->waiting += weight;
	if (++a->batched == SH_ACCUMULATOR_BATCH)
		add_batch(a);
	return 0;
}

int sh_accumulator_add(
    struct sh_accumulator *a, struct sh_slice feature, int64_t weight, struct sh_error *err)
{
	const struct sh_fingerprint_opts *o = a->opts;
	uint64_t words[SH_FP_MAX_WORDS];

	add_batch(a);
	a->any = a->any || feature.n > 0;
	if (weight == 0)
		return 0;
	if (memchr(feature.p, '\\', feature.n)) {
		a->text.n = 0;
		if (sh_unescape(feature, &a->text, err) < 0)
			return -1;
		feature = sh_buf_slice(&a->text);
	}
	if (o->minhash)
		return add_hash(a, feature, err);
	sh_hash_feature(o->hash, feature, o->seed, o->bits, words);
	if (o->real) {
		add_real(a, words[0], weight);
		return 0;
	}
	return sh_simhash_add(&a->simhash, words, weight, err);
}

void sh_accumulator_finish(struct sh_accumulator *a, struct sh_fingerprint *out)
{
	add_batch(a);
	out->bad_utf8 = 0;
	if (a->opts->minhash) {
		out->empty = a->n == 0;
		if (!out->empty)
			sh_minhash(a->hash, a->n, a->opts->bits, out->w);
		return;
	}
	if (a->opts->real) {
		out->empty = a->n == 0;
		out->w[0] = 0;
		for (unsigned b = 0; b < 64; b++)
			out->w[0] = out->w[0] << 1 | (a->sum[b] > 0);
		return;
	}
	out->empty = sh_simhash_total(&a->simhash) == 0;
	sh_simhash_finish(&a->simhash, out->w);
}
