/* SPDX-License-Identifier: MIT */
#include "fp/simhash.h"

#include <stdlib.h>

#include "base/wide.h"
#include "hash/mix.h"
#include "rng.h"
#include "vectors.h"

enum { MOST = 700 };

/* Features of one document; words[] are the input of the fingerprint. */
struct doc {
	size_t n;
	uint64_t h[MOST];
	int64_t w[MOST];
	uint64_t words[MOST][SH_FP_MAX_WORDS];
};

static struct doc doc;
static struct sh_simhash sim;
static struct sh_error err;

/* Weights of one kind a document: all 1, few sorts, small, any, heavy, 0 too. */
static int64_t random_weight(unsigned kind)
{
	switch (kind) {
	case 0:
		return SH_WEIGHT_ONE;
	case 1:
		return rng_below(3) ? SH_WEIGHT_ONE : 1693147;
	case 2:
		return (int64_t)rng_below(3);
	case 3:
		return (int64_t)(rng_any() >> 12);
	case 4:
		return INT32_MAX - 1 + (int64_t)rng_below(4);
	default:
		return (int64_t)rng_below(100000000);
	}
}

/* Few different hashes, and pairs that are each other's complement, so that ties
 * are common. */
static uint64_t random_hash(size_t n, unsigned kind)
{
	if (n && kind % 3 == 0 && rng_below(2))
		return ~doc.h[rng_below(n)];
	if (n && kind % 3 == 1 && rng_below(4))
		return doc.h[rng_below(n)];
	return rng();
}

static void make_doc(size_t most, unsigned words)
{
	unsigned weights = (unsigned)rng_below(6), hashes = (unsigned)rng_below(4), j;
	size_t i;

	doc.n = rng_below(most + 1);
	for (i = 0; i < doc.n; i++) {
		doc.h[i] = random_hash(i, hashes);
		doc.w[i] = random_weight(weights);
		for (j = 0; j < words; j++)
			doc.words[i][j] = sh_mix_word(doc.h[i], j);
	}
}

/* Computes the fingerprint by the definition, bit by bit. */
static void oracle(unsigned bits, unsigned tie, uint64_t *out)
{
	struct sh_wide sum[2]; /* of features without the bit, and of features with it */
	size_t i;
	unsigned b;

	memset(out, 0, SH_FP_WORDS(bits) * sizeof *out);
	for (b = 0; b < bits; b++) {
		sum[0] = sum[1] = sh_wide(0);
		for (i = 0; i < doc.n; i++) {
			struct sh_wide *to = &sum[doc.words[i][b / 64] >> (63 - b % 64) & 1];

			*to = sh_wide_add(*to, sh_wide((uint64_t)doc.w[i]));
		}
		if (sh_wide_less(sum[0], sum[1]) || (tie && !sh_wide_less(sum[1], sum[0])))
			out[b / 64] |= UINT64_C(1) << (63 - b % 64);
	}
}

static int add_singly(void)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < doc.n; i++)
		rc |= sh_simhash_add(&sim, doc.words[i], doc.w[i], &err);
	return rc;
}

/* Adds the features in pieces of random sizes, by every function that accepts them. */
static int add_mixed(void)
{
	size_t i, n, j;
	int rc = 0;

	for (i = 0; i < doc.n; i += n) {
		n = 1 + rng_below(doc.n - i);
		for (j = i; j < i + n && doc.w[j] == SH_WEIGHT_ONE; j++)
			;
		if (j == i + n && rng_below(2)) {
			rc |= sh_simhash_add_units(&sim, doc.h + i, n, &err);
		} else if (rng_below(4)) {
			rc |= sh_simhash_add_weighted(&sim, doc.h + i, doc.w + i, n, &err);
		} else {
			n = 1;
			rc |= sh_simhash_add(&sim, doc.words[i], doc.w[i], &err);
		}
	}
	return rc;
}

static void shuffle(void)
{
	struct doc *d = &doc;
	uint64_t h;
	int64_t w;
	size_t i, j;

	for (i = d->n; i > 1; i--) {
		j = rng_below(i);
		h = d->h[i - 1];
		w = d->w[i - 1];
		d->h[i - 1] = d->h[j];
		d->w[i - 1] = d->w[j];
		d->h[j] = h;
		d->w[j] = w;
		for (unsigned k = 0; k < SH_FP_MAX_WORDS; k++) {
			h = d->words[i - 1][k];
			d->words[i - 1][k] = d->words[j][k];
			d->words[j][k] = h;
		}
	}
}

static int64_t total_of_doc(void)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < doc.n; i++)
		sum += doc.w[i];
	return sum;
}

static unsigned random_bits(void)
{
	static const unsigned usual[] = { 64, 64, 64, 32, 128, 256, 1024 };

	return rng_below(3) ? usual[rng_below(7)] : 1 + (unsigned)rng_below(SH_FP_MAX_BITS);
}

/* One object for all documents, cleared in between, as programs use it. */
static void test_against_oracle(const struct sh_simhash_kernel *kernel)
{
	uint64_t want[SH_FP_MAX_WORDS], got[SH_FP_MAX_WORDS];
	unsigned t, bits = 0, tie = 0, bad = 0, ties = 0;

	for (t = 0; t < 12000; t++) {
		if (t % 10 == 0) {
			bits = random_bits();
			tie = (unsigned)rng_below(2);
			bad += sh_simhash_init(&sim, bits, tie, &err) != 0;
			sim.kernel = kernel;
		}
		make_doc(t % 50 ? 40 : MOST, sim.words);
		oracle(bits, !tie, got);
		oracle(bits, tie, want);
		ties += memcmp(got, want, sim.words * 8) != 0;
		bad += (t & 1 ? add_singly() : add_mixed()) != 0;
		bad += sh_simhash_total(&sim) != total_of_doc();
		sh_simhash_finish(&sim, got);
		bad += memcmp(got, want, sim.words * 8) != 0;
		sh_simhash_clear(&sim);
		shuffle();
		bad += add_mixed() != 0;
		sh_simhash_finish(&sim, got);
		bad += memcmp(got, want, sim.words * 8) != 0;
		sh_simhash_clear(&sim);
	}
	ok(!bad,
	    "%s: 12000 documents of 1..1024 bits, each in two orders, have the bits of the "
	    "definition",
	    kernel->variant.name);
	ok(ties > 2000, "%u documents have ties", ties);
}

static void test_scaling(void)
{
	uint64_t a[SH_FP_MAX_WORDS], b[SH_FP_MAX_WORDS];
	unsigned t, bad = 0;
	int64_t factor;
	size_t i;

	for (t = 0; t < 2000; t++) {
		sh_simhash_init(&sim, 128, 0, &err);
		make_doc(60, 2);
		for (i = 0; i < doc.n; i++)
			doc.w[i] %= 1000000000;
		add_mixed();
		sh_simhash_finish(&sim, a);
		factor = 1 + (int64_t)rng_below(100000000);
		for (i = 0; i < doc.n; i++)
			doc.w[i] *= factor;
		sh_simhash_clear(&sim);
		bad += add_mixed() != 0;
		sh_simhash_finish(&sim, b);
		bad += memcmp(a, b, 16) != 0;
	}
	ok(!bad, "2000 documents: a common factor of all weights changes no bit");
}

/* Lane by lane counts in 64 bits: counters of 16 or 20 bits would wrap. */
static void test_long_documents(void)
{
	enum { LONG = 1100000 };
	uint64_t *h = malloc(LONG * sizeof *h), want = 0, got[1];
	uint32_t count[64] = { 0 };
	size_t n, i, piece;
	int b;

	if (!h)
		return;
	/* half of the lanes rise, half fall, all near the middle */
	for (i = 0; i < LONG; i++) {
		h[i] = rng();
		if (i % 100 == 0)
			h[i] = UINT64_C(0xaaaaaaaaaaaaaaaa);
	}
	for (n = 65535; n <= LONG; n = n < 65537 ? n + 1 : n == 65537 ? 1048575 : n + 25713) {
		memset(count, 0, sizeof count);
		for (i = 0; i < n; i++)
			for (b = 0; b < 64; b++)
				count[b] += (uint32_t)(h[i] >> b & 1);
		for (want = 0, b = 0; b < 64; b++)
			want |= (uint64_t)(2 * count[b] > n) << b;
		sh_simhash_init(&sim, 64, 0, &err);
		for (i = 0; i < n; i += piece) {
			piece = 1 + rng_below(200000);
			piece = piece < n - i ? piece : n - i;
			sh_simhash_add_units(&sim, h + i, piece, &err);
		}
		sh_simhash_finish(&sim, got);
		ok(got[0] == want && sh_simhash_total(&sim) == (int64_t)n * SH_WEIGHT_ONE,
		    "%zu features of weight 1 have the right sums", n);
	}
	free(h);
}

/* Counted units beside weights that are summed, in any order: more than 32 bits hold of
 * millionths. */
static void test_units_beside_weights(void)
{
	static const size_t some[] = { 1000, 2047, 2048, 2148, 4096, 5000, 9000, 70000 };

	for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
		int64_t sum[64] = { 0 }, w;
		uint64_t h, want = 0, got[1];

		sh_simhash_init(&sim, 64, 0, &err);
		for (size_t i = 0; i < some[k]; i++) {
			/* Some bits in nearly all, so that the highest planes are needed. */
			h = k % 2 ? rng() : rng() | rng() | rng() | UINT64_C(0xF0F0F0F0);
			w = rng_below(10) ? SH_WEIGHT_ONE : (int64_t)rng_below(2000000);
			for (unsigned b = 0; b < 64; b++)
				sum[b] += h >> b & 1 ? w : -w;
			if (w == SH_WEIGHT_ONE)
				sh_simhash_add_units(&sim, &h, 1, &err);
			else
				sh_simhash_add(&sim, &h, w, &err);
		}
		for (unsigned b = 0; b < 64; b++)
			want |= (uint64_t)(sum[b] > 0) << b;
		sh_simhash_finish(&sim, got);
		ok(got[0] == want,
		    "%zu features, a tenth with another weight than 1, have the right sums",
		    some[k]);
	}
}

static void test_extremes(void)
{
	const uint64_t x = UINT64_C(0x123456789abcdef0), y = ~x;
	const int64_t w[3] = { INT64_MAX / 2, INT64_MAX / 2, 2 }, negative[2] = { 1, -1 };
	const int64_t largest[3] = { INT64_MAX / 2, INT64_MAX / 2, 1 };
	const uint64_t h[3] = { x, y, y };
	uint64_t out[1];

	sh_simhash_init(&sim, 64, 0, &err);
	ok(sh_simhash_add(&sim, &x, INT64_MAX, &err) == 0, "the largest weight is accepted");
	sh_simhash_finish(&sim, out);
	ok(out[0] == x, "the largest weight alone decides each bit");
	ok(sh_simhash_add(&sim, &y, 1, &err) < 0 && err.code == SH_ERR_RANGE,
	    "a millionth more than the largest total is refused");
	ok(sh_simhash_add(&sim, &y, SH_WEIGHT_ONE, &err) < 0 && err.code == SH_ERR_RANGE,
	    "a unit more than the largest total is refused");
	ok(sh_simhash_add_units(&sim, &y, 1, &err) < 0 && err.code == SH_ERR_RANGE,
	    "a batch of units above the largest total is refused");
	ok(sh_simhash_add(&sim, &y, 0, &err) == 0,
	    "a weight of 0 is accepted at the largest total");
	ok(sh_simhash_total(&sim) == INT64_MAX, "refused weights were not added");
	sh_simhash_clear(&sim);
	ok(sh_simhash_add_weighted(&sim, h, w, 3, &err) < 0 && err.code == SH_ERR_RANGE &&
		sh_simhash_total(&sim) == 0,
	    "a batch that would overflow is refused as a whole");
	ok(sh_simhash_add_weighted(&sim, h, w, 2, &err) == 0 &&
		sh_simhash_add(&sim, &y, 1, &err) == 0,
	    "two halves and 1 make the largest total");
	sh_simhash_finish(&sim, out);
	ok(out[0] == y, "the weight 1 decides between the halves");
	sh_simhash_clear(&sim);
	ok(sh_simhash_add_weighted(&sim, h, largest, 3, &err) == 0 &&
		sh_simhash_total(&sim) == INT64_MAX,
	    "two halves and 1 make the largest total in one batch");
	sh_simhash_clear(&sim);
	ok(sh_simhash_add_weighted(&sim, h, negative, 2, &err) < 0 && err.code == SH_ERR_PARAM,
	    "a negative weight in a batch is refused");
	ok(sh_simhash_add(&sim, &x, -1, &err) < 0 && err.code == SH_ERR_PARAM,
	    "a negative weight is refused");
	sh_simhash_add(&sim, &x, INT64_MAX - 3 * SH_WEIGHT_ONE, &err);
	ok(sh_simhash_add_units(&sim, h, 3, &err) == 0 &&
		sh_simhash_add_units(&sim, h, 1, &err) < 0 && err.code == SH_ERR_RANGE,
	    "units and weights have a common limit");
	/* sets the count just below the limit of the planes */
	sim.units = SH_UNITS_MAX - 1;
	sim.weighted = 0;
	ok(sh_simhash_add_units(&sim, h, 1, &err) == 0 &&
		sh_simhash_add_units(&sim, h, 1, &err) < 0,
	    "the last unit is number %lld", (long long)SH_UNITS_MAX);
}

static void test_empty(void)
{
	uint64_t out[2] = { 7, 7 }, x = 1;

	ok(sh_simhash_init(&sim, 0, 0, &err) < 0 && err.code == SH_ERR_PARAM, "0 bits are refused");
	ok(sh_simhash_init(&sim, 1025, 0, &err) < 0 && err.code == SH_ERR_PARAM,
	    "1025 bits are refused");
	ok(sh_simhash_init(&sim, 64, 2, &err) < 0 && err.code == SH_ERR_PARAM,
	    "a tie of 2 is refused");
	sh_simhash_init(&sim, 100, 0, &err);
	sh_simhash_finish(&sim, out);
	ok(out[0] == 0 && out[1] == 0 && sh_simhash_total(&sim) == 0,
	    "a document without features has a fingerprint of zeros");
	sh_simhash_init(&sim, 100, 1, &err);
	sh_simhash_finish(&sim, out);
	ok(out[0] == UINT64_MAX && out[1] == UINT64_MAX << 28,
	    "a document without features has 100 ones when ties are ones, and zeros behind them");
	sh_simhash_init(&sim, 64, 0, &err);
	sh_simhash_add(&sim, &x, 0, &err);
	ok(sh_simhash_total(&sim) == 0, "a feature of weight 0 leaves the document empty");
}

/* One feature's fingerprint is its hash, by every way in, at every width. */
static void test_one_feature(void)
{
	uint64_t words[SH_FP_MAX_WORDS], out[SH_FP_MAX_WORDS], h;
	const int64_t w = 5;
	unsigned bits, j, way, bad = 0;

	for (bits = 1; bits <= SH_FP_MAX_BITS; bits++) {
		for (way = 0; way < 4; way++) {
			h = rng();
			sh_simhash_init(&sim, bits, 0, &err);
			for (j = 0; j < sim.words; j++)
				words[j] = sh_mix_word(h, j);
			if (way == 0)
				sh_simhash_add(&sim, words, SH_WEIGHT_ONE, &err);
			else if (way == 1)
				sh_simhash_add(&sim, words, 1, &err);
			else if (way == 2)
				sh_simhash_add_units(&sim, &h, 1, &err);
			else
				sh_simhash_add_weighted(&sim, &h, &w, 1, &err);
			sh_simhash_finish(&sim, out);
			if (bits % 64)
				words[sim.words - 1] &= UINT64_MAX << (64 - bits % 64);
			bad += memcmp(words, out, sim.words * 8) != 0;
		}
	}
	ok(!bad, "1..1024 bits: one feature's fingerprint is the first bits of its hash");
}

/* t/vectors: hashes of 64 bits by seomoz, and six bits a word as an article draws them. */
static void test_published(void)
{
	struct vec_table t = vec_load("seomoz_compute.tsv");
	unsigned bad = t.n < 30;
	uint64_t out;

	sh_simhash_init(&sim, 64, 0, &err);
	for (size_t i = 0; i < t.n; i++, sh_simhash_clear(&sim)) {
		for (char *hex = strtok(t.row[i].f[0], " "); hex; hex = strtok(NULL, " ")) {
			uint64_t h = strtoull(hex, NULL, 16);

			bad += sh_simhash_add_units(&sim, &h, 1, &err) < 0;
		}
		sh_simhash_finish(&sim, &out);
		bad += out != strtoull(t.row[i].f[1], NULL, 16);
	}
	ok(!bad, "seomoz_compute.tsv: %zu rows", t.n);
	t = vec_load("angelo_toy6.tsv");
	bad = 1;
	sh_simhash_init(&sim, 6, 0, &err);
	for (size_t i = 0; i < t.n; i++) {
		char *value = t.row[i].f[1], *bits = strstr(value, "bits=");
		uint64_t h = bits ? strtoull(bits + 5, NULL, 2) << 58 : 0;

		if (strncmp(t.row[i].f[0], "feature:", 8) == 0) {
			sh_simhash_add(
			    &sim, &h, SH_WEIGHT_ONE * atoi(strchr(value, '=') + 1), &err);
		} else if (strcmp(t.row[i].f[0], "result") == 0) {
			sh_simhash_finish(&sim, &out);
			bad = out != strtoull(value, NULL, 2) << 58;
		}
	}
	ok(!bad, "angelo_toy6.tsv");
}

int main(void)
{
	const struct sh_simhash_kernel *kernel;
	unsigned i;

	rng_init(1);
	for (i = 0; (kernel = sh_simhash_kernel_at(i)); i++)
		test_against_oracle(kernel);
	ok(i > 0 && sh_simhash_kernel_at(i + 1) == NULL, "%u kernels run on this processor", i);
	test_scaling();
	test_long_documents();
	test_units_beside_weights();
	test_extremes();
	test_empty();
	test_one_feature();
	test_published();
	return done_testing();
}
