/* MinHash fingerprints: values that stay the same in all versions, set semantics, and the estimate
 * beside exact Jaccard. */
#include "fp/minhash_kernel.h"

#include "base/num.h"
#include "fp/minhash.h"
#include "hash/mix.h"
#include "rng.h"
#include "vectors.h"

#include <math.h>

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
		sh_minhash(h, n, bits, w);
		got[sh_print_hex(got, w, bits / 4)] = '\0';
		ok(strcmp(got, t.row[i].f[3]) == 0,
		    "the fingerprint of %zu features with %u bits is that of all versions", n,
		    bits);
	}
	free(h);
}

static void test_set(void)
{
	uint64_t h[300], w[16], v[16];
	size_t n = 100;

	for (size_t i = 0; i < n; i++)
		h[i] = sh_mix_moremur(i + 77);
	sh_minhash(h, n, 1024, w);
	for (size_t i = 0; i < n; i++) { /* backwards, and each three times */
		h[n + i] = h[i];
		h[2 * n + i] = h[n - 1 - i];
	}
	sh_minhash(h + 2 * n, n, 1024, v);
	ok(memcmp(w, v, sizeof w) == 0, "the order of features does not change the fingerprint");
	sh_minhash(h, 3 * n, 1024, v);
	ok(memcmp(w, v, sizeof w) == 0, "repeated features do not change the fingerprint");
}

/* Does the rounds as minhash.h defines them. */
static bool fill(const uint64_t *h, size_t n, unsigned bins, uint64_t *bin, unsigned *filled)
{
	unsigned empty = bins;

	for (unsigned i = 0; i < bins; i++)
		bin[i] = UINT64_MAX;
	for (unsigned round = 0; round < bins && empty; round++) {
		for (size_t i = 0; i < n; i++) {
			uint64_t x = sh_mix_word(h[i], round + 1), at = (x >> 32) * bins >> 32;
			uint64_t value = (uint64_t)round << 48 | (x & UINT64_C(0xffffffffffff));

			empty -= bin[at] == UINT64_MAX;
			bin[at] = value < bin[at] ? value : bin[at];
		}
		*filled = round ? *filled : bins - empty;
	}
	return empty;
}

/* Documents of 1 to 900 hashes, some of them repeated. */
static void test_kernel(const struct sh_minhash_kernel *kernel)
{
	enum { MOST = 900, GUARD = 7 };
	static uint64_t h[MOST], got[SH_FP_MAX_BITS + 1], want[SH_FP_MAX_BITS];
	unsigned rounds = rng_rounds(2000), bad = 0;

	for (unsigned round = 0; round < rounds; round++) {
		unsigned most = round % 3 ? 130 : SH_FP_MAX_BITS, filled[2];
		unsigned bins = 1 + (unsigned)rng_below(most), words = (bins + 63) / 64;
		size_t n = 1 + rng_below(round % 5 ? 40 : MOST);
		uint64_t bits[SH_FP_MAX_WORDS] = { 0 };
		bool left;

		for (size_t i = 0; i < n; i++)
			h[i] = i && rng_below(4) == 0 ? h[rng_below(i)] : rng();
		got[bins] = GUARD;
		left = kernel->fill(h, n, bins, got, &filled[0]);
		bad += left != fill(h, n, bins, want, &filled[1]) || filled[0] != filled[1];
		bad += got[bins] != GUARD;
		bad += memcmp(got, want, bins * sizeof *got) != 0;
		for (unsigned i = 0; i < 64 * words; i++)
			want[i] = rng();
		kernel->bits(want, 64 * words, bits);
		for (unsigned i = 0; i < 64 * words; i++)
			bad += (bits[i / 64] >> (63 - i % 64) & 1) != (want[i] & 1);
	}
	ok(!bad, "%s: bins and bits follow the definition", kernel->variant.name);
}

struct moments {
	double bias, deviation, want;
};

/* `trials` pairs of sets of `n` features, `common` of them shared. */
static struct moments measure(unsigned bits, size_t n, size_t common, unsigned trials)
{
	double j = (double)common / (double)(2 * n - common), sum = 0, squares = 0, x;
	uint64_t *h = vec_need(malloc(2 * n * sizeof *h)), a[16], b[16];
	struct moments m;

	for (unsigned t = 0; t < trials; t++) {
		uint64_t seed = (uint64_t)t << 40 | (uint64_t)n << 20 | common;

		for (size_t i = 0; i < 2 * n - common; i++)
			h[i] = sh_mix_moremur(seed * 1000003 + i);
		sh_minhash(h, n, bits, a);
		sh_minhash(h + n - common, n, bits, b);
		x = 1 - 2.0 * sh_fp_distance(a, b, bits / 64) / bits - j;
		sum += x;
		squares += x * x;
	}
	free(h);
	m.bias = sum / trials;
	m.deviation = sqrt(squares / trials);
	m.want = sqrt((1 - j * j) / bits);
	return m;
}

static void test_estimate(void)
{
	static const size_t sizes[] = { 4, 20, 100, 500, 3000 };
	static const unsigned widths[] = { 64, 256, 1024 };

	for (size_t s = 0; s < 5; s++) {
		for (size_t w = 0; w < 3; w++) {
			for (unsigned quarter = 0; quarter < 4; quarter++) {
				unsigned trials = sizes[s] > 1000 ? 200 : 600;
				size_t common = sizes[s] * (quarter + (quarter == 3)) / 5;
				struct moments m = measure(widths[w], sizes[s], common, trials);
				double error = m.want / sqrt(trials);

				/* 4 standard errors of a mean; a deviation is known to 3 %, and
				 * small sets do better than independent permutations. */
				ok(fabs(m.bias) < 4 * error && m.deviation < 1.15 * m.want,
				    "%u bits, 2 sets of %zu with %zu common: bias %.4f, deviation "
				    "%.4f of %.4f",
				    widths[w], sizes[s], common, m.bias, m.deviation, m.want);
			}
		}
	}
}

/* Runs the programs: documents and features give the same fingerprints, and bands give the pairs
 * of fingerprints. */
static void test_programs(void)
{
	static const char script[] =
	    "PATH=\"$SHBIN:$PATH\" LC_ALL=C; export PATH LC_ALL; d=$(mktemp -d) && cd $d || exit "
	    "1\n"
	    "head -qn 200 \"$T_DATA\"/en_dev.tsv \"$T_DATA\"/zh_dev.tsv | cut -f1,2 >docs\n"
	    "for b in 64 256 1024; do\n"
	    "  shfp --bare --minhash -b $b -n 3 docs >a\n"
	    "  shtok -n 3 docs | shweight -w set | shfp --bare --minhash -b $b >b\n"
	    "  cmp a b && [ -s a ] || echo ways differ at $b bits\n"
	    "done\n"
	    "shfp --bare --minhash -b 256 -n 3 docs >a\n"
	    "shjoin -k 20 a | sort >p\n"
	    "shband -k 20 -M 22 a | sort | shjoin -k 20 | sort >q\n"
	    "cmp p q && [ -s p ] || echo joins differ\n"
	    "cd / && rm -r $d\n";
	char line[256];
	bool good = true;
	FILE *f;

	fflush(stdout);
	f = vec_need(popen(script, "r"));
	while (fgets(line, sizeof line, f)) {
		printf("# %s", line);
		good = false;
	}
	ok(pclose(f) == 0 && good,
	    "shfp --minhash: documents as features, and the same pairs by bands");
}

int main(void)
{
	const struct sh_minhash_kernel *kernel;

	test_frozen();
	for (unsigned i = 0; (kernel = sh_minhash_kernel_at(i)) != NULL; i++)
		test_kernel(kernel);
	test_set();
	test_estimate();
	test_programs();
	return done_testing();
}
