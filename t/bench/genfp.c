/* SPDX-License-Identifier: MIT */
/* genfp N [BITS [PLANTED [SKEW [SEED]]]]: writes N fingerprint records.
 *
 * The fingerprints are uniformly random. PLANTED percent are copies of earlier fingerprints with 0
 * to 6 bits changed. With SKEW 1, 30 % of all are in ten groups of identical fingerprints, and 30 %
 * in groups of about 1,000 fingerprints with 0 to 2 bits changed. Ids are the numbers from 0. */
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "record/fingerprint.h"

static uint64_t state;

/* SplitMix64 */
static uint64_t next(void)
{
	uint64_t x = state += UINT64_C(0x9E3779B97F4A7C15);

	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

static void change(uint64_t *fp, unsigned bits, unsigned n)
{
	while (n--) {
		unsigned bit = (unsigned)(next() % bits);

		fp[bit / 64] ^= UINT64_C(1) << (63 - bit % 64);
	}
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
	unsigned bits = argc > 2 ? (unsigned)atoi(argv[2]) : 64, words = SH_FP_WORDS(bits);
	unsigned planted = argc > 3 ? (unsigned)atoi(argv[3]) : 5;
	bool skew = argc > 4 && atoi(argv[4]);
	uint64_t *fp = malloc(n * words * sizeof *fp + 1);
	char line[SH_FP_MAX_BITS / 4 + SH_NUM_CHARS + 2];

	state = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
	if (!fp || !sh_fp_width_ok(bits) || bits % 32)
		return 2;
	for (size_t i = 0; i < n; i++) {
		uint64_t *at = fp + i * words;
		unsigned dice = (unsigned)(next() % 100);
		size_t from = i;

		if (skew && dice < 30)
			from = next() % 10;
		else if (skew && dice < 60)
			from = 10 + next() % (n / 3000 + 1);
		else if (!skew && dice < planted)
			from = i ? next() % i : 0;
		if (from < i)
			memcpy(at, fp + from * words, words * sizeof *at);
		else
			for (unsigned w = 0; w < words; w++)
				at[w] = bits == 32 ? next() << 32 : next();
		if (from < i && !(skew && dice < 30))
			change(at, bits, (unsigned)(next() % (skew ? 3 : 7)));
	}
	for (size_t i = 0; i < n; i++) {
		size_t len = sh_print_hex(line, fp + i * words, bits / 4);

		line[len++] = '\t';
		len += sh_print_u64(line + len, i);
		line[len++] = '\n';
		if (fwrite(line, 1, len, stdout) != len)
			return 2;
	}
	free(fp);
	return fflush(stdout) == EOF ? 2 : 0;
}
