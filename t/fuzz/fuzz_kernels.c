/* SPDX-License-Identifier: MIT */
/* Compares vector variants of loops over hashes with the plain variants: the default hash, bit
 * sums, counts of distinct hashes. */
#include "base/compare.h"
#include "fp/count.h"
#include "fp/simhash.h"
#include "fuzz.h"

#include "../unit/test_variants.c"

static struct sh_error err;

enum { MOST = 260, STRETCH = MOST + 300 };

static void mix(const struct sh_mix_kernel *kernel, const uint8_t *data, size_t size)
{
	uint32_t start[MOST] = { 0 }, end[MOST] = { 0 };
	uint64_t want[MOST], got[MOST + 1], h[MOST];
	size_t n = rng_below(MOST), width = 1 + rng_below(16), count, i;
	uint64_t seed = rng_below(2) ? rng() : 0;
	char *text = calloc(1, STRETCH + SH_PAD);

	check(text != NULL);
	memcpy(text, data, size < STRETCH ? size : STRETCH);
	for (i = 0; i < n; i++) {
		start[i] = (uint32_t)rng_below(STRETCH - 60);
		end[i] = start[i] + (uint32_t)rng_below(rng_below(20) ? 17 : 60);
		h[i] = rng();
	}
	got[n] = 1;
	kernel->tokens(text, start, end, n, seed, got);
	for (i = 0; i < n; i++)
		check(got[i] == sh_mix_token(sh_slice(text + start[i], end[i] - start[i]), seed));
	kernel->windows(text, n, width, seed, got);
	for (i = 0; i < n; i++)
		check(got[i] == sh_mix_token(sh_slice(text + i, width), seed));
	width = 1 + rng_below(24);
	count = kernel->ngrams(h, n, width, got);
	check(count == (n < width ? 0 : n - width + 1));
	for (i = 0; i < count; i++)
		check(got[i] == (want[i] = sh_mix_ngram(h + i, width)));
	check(got[n] == 1 || count == n + 1);
	free(text);
}

/* Computes the bit sums one by one. 64 bits suffice, because weights are bounded here. */
static void sums(const struct sh_simhash_kernel *kernel)
{
	static struct sh_simhash s;
	static const unsigned widths[] = { 32, 64, 65, 100, 128, 256, 1024 };
	unsigned bits = widths[rng_below(7)], tie = (unsigned)rng_below(2);
	int64_t sum[SH_FP_MAX_BITS] = { 0 }, total = 0, w[MOST];
	uint64_t h[MOST], out[SH_FP_MAX_WORDS];

	check(sh_simhash_init(&s, bits, tie, &err) == 0);
	s.kernel = kernel;
	for (uint64_t batches = rng_below(4); batches; batches--) {
		size_t n = rng_below(MOST);
		bool units = rng_below(2);
		unsigned size = (unsigned)rng_below(44);

		for (size_t i = 0; i < n; i++) {
			h[i] = i && rng_below(3) == 0 ? ~h[rng_below(i)] : rng();
			w[i] = units ? SH_WEIGHT_ONE : (int64_t)(rng() >> (63 - size));
			total += w[i];
			for (unsigned b = 0; b < bits; b++)
				sum[b] +=
				    sh_mix_word(h[i], b / 64) >> (63 - b % 64) & 1 ? w[i] : -w[i];
		}
		check((units ? sh_simhash_add_units(&s, h, n, &err)
			     : sh_simhash_add_weighted(&s, h, w, n, &err)) == 0);
	}
	check(sh_simhash_total(&s) == total);
	sh_simhash_finish(&s, out);
	for (unsigned b = 0; b < bits; b++)
		check((out[b / 64] >> (63 - b % 64) & 1) == (sum[b] > 0      ? 1u
								: sum[b] < 0 ? 0u
									     : tie));
}

static void counts(void)
{
	static struct sh_hash_count c;
	static bool begun;
	uint64_t hash[MOST * 4], sorted[MOST * 4];
	size_t n = rng_below(MOST * 4);
	uint64_t kinds = 1 + rng_below(n + 1), distinct = 0;

	if (!begun)
		check(sh_hash_count_init(&c, &err) == 0);
	begun = true;
	for (size_t i = 0; i < n; i++)
		hash[i] = sorted[i] =
		    rng_below(4) ? rng_below(kinds) * UINT64_C(0x9E3779B97F4A7C15) : rng();
	qsort(sorted, n, sizeof *sorted, sh_compare_u64);
	for (size_t i = 0; i < n; i++)
		distinct += i == 0 || sorted[i] != sorted[i - 1];
	check(sh_hash_count(&c, hash, n, &err) == 0);
	check(c.n == distinct);
	for (size_t i = 0, all = 0; i < c.n; i++) {
		check(hash[c.first[i]] == c.hash[i] && (i == 0 || c.first[i] > c.first[i - 1]));
		all += c.count[i];
		check(i + 1 < c.n || all == n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sh_mix_kernel *m;
	const struct sh_simhash_kernel *s;

	for (unsigned i = 0; (m = sh_mix_kernel_at(i)); i++) {
		fuzz_begin(data, size);
		mix(m, data, size);
	}
	for (unsigned i = 0; (s = sh_simhash_kernel_at(i)); i++) {
		fuzz_begin(data, size);
		sums(s);
	}
	fuzz_begin(data, size);
	counts();
	return 0;
}
