/* SPDX-License-Identifier: MIT */
/* Minwise values follow their definition, and stay the same in all versions and for any order. */
#include "fp/minhash.h"

#include "base/num.h"
#include "hash/mix.h"
#include "rng.h"
#include "vectors.h"

/* Writes the last bit of each of `bits` minwise values. */
static void last_bits(const uint64_t *h, size_t n, unsigned bits, uint64_t *out)
{
	static uint64_t bin[SH_FP_MAX_BITS];

	sh_minhash_bins(h, n, bits, bin);
	for (unsigned i = 0; i < bits; i++)
		out[i / 64] = out[i / 64] << 1 | (bin[i] & 1);
}

static void test_frozen(void)
{
	struct vec_table t = vec_load("minhash.tsv");
	uint64_t *h = vec_need(malloc(5000 * sizeof *h)), w[SH_FP_MAX_WORDS];
	char got[SH_FP_MAX_BITS / 4 + 1];

	for (size_t i = 0; i < t.n; i++) {
		size_t n = strtoul(t.row[i].f[0], NULL, 10);
		unsigned bits = (unsigned)strtoul(t.row[i].f[1], NULL, 10);
		uint64_t seed = strtoull(t.row[i].f[2], NULL, 10);

		for (size_t j = 0; j < n; j++)
			h[j] = sh_mix_moremur(seed << 32 | j);
		last_bits(h, n, bits, w);
		got[sh_print_hex(got, w, bits / 4)] = '\0';
		ok(strcmp(got, t.row[i].f[3]) == 0,
		    "the values of %zu features in %u bins are those of all versions", n, bits);
	}
	free(h);
}

static void test_set(void)
{
	uint64_t h[300], w[16], v[16];
	size_t n = 100;

	for (size_t i = 0; i < n; i++)
		h[i] = sh_mix_moremur(i + 77);
	last_bits(h, n, 1024, w);
	for (size_t i = 0; i < n; i++) { /* backwards, and each three times */
		h[n + i] = h[i];
		h[2 * n + i] = h[n - 1 - i];
	}
	last_bits(h + 2 * n, n, 1024, v);
	ok(memcmp(w, v, sizeof w) == 0, "the order of features does not change the values");
	last_bits(h, 3 * n, 1024, v);
	ok(memcmp(w, v, sizeof w) == 0, "repeated features do not change the values");
}

/* Fills the bins as minhash.h defines them. */
static void fill(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin)
{
	const uint64_t low = UINT64_C(0xffffffffffff);
	unsigned empty = bins;

	for (unsigned i = 0; i < bins; i++)
		bin[i] = UINT64_MAX;
	for (unsigned round = 0; round < bins && empty; round++) {
		for (size_t i = 0; i < n; i++) {
			uint64_t x = sh_mix_word(h[i], round + 1), at = (x >> 32) * bins >> 32;
			uint64_t value = (uint64_t)round << 48 | (x & low);

			empty -= bin[at] == UINT64_MAX;
			bin[at] = value < bin[at] ? value : bin[at];
		}
	}
	for (unsigned b = 0; b < bins; b++)
		if (bin[b] == UINT64_MAX)
			for (size_t i = 0; i < n; i++) {
				uint64_t x = sh_mix_word(h[i], bins + b + 1) & low;

				bin[b] = x < bin[b] ? x : bin[b];
			}
}

/* Documents of 1 to 900 hashes, some of them repeated. */
static void test_definition(void)
{
	enum { MOST = 900, GUARD = 7 };
	static uint64_t h[MOST], got[SH_FP_MAX_BITS + 1], want[SH_FP_MAX_BITS];
	unsigned rounds = rng_rounds(2000), bad = 0;

	for (unsigned round = 0; round < rounds; round++) {
		unsigned bins = 1 + (unsigned)rng_below(round % 3 ? 130 : SH_FP_MAX_BITS);
		size_t n = 1 + rng_below(round % 5 ? 40 : MOST);

		for (size_t i = 0; i < n; i++)
			h[i] = i && rng_below(4) == 0 ? h[rng_below(i)] : rng();
		got[bins] = GUARD;
		sh_minhash_bins(h, n, bins, got);
		fill(h, n, bins, want);
		bad += got[bins] != GUARD;
		bad += memcmp(got, want, bins * sizeof *got) != 0;
	}
	ok(!bad, "the values follow the definition");
}

int main(void)
{
	test_frozen();
	test_definition();
	test_set();
	return done_testing();
}
