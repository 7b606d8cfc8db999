/* SPDX-License-Identifier: MIT */
/* Compares the pairs of band streams and of joins in memory with those found by comparing all
 * fingerprints; and every kernel of the join with the plain kernel. */
#include "fuzz.h"

#include "../unit/join_arrays.h"
#include "../unit/test_props_join.c"

enum { SPOTS = 200 };

struct hits {
	struct sh_join_pair hit[SPOTS * SPOTS];
	size_t n;
};

static int note_hits(void *ctx, const struct sh_join_pair *hit, size_t n, struct sh_error *err)
{
	struct hits *to = ctx;

	(void)err;
	check(to->n + n <= SPOTS * SPOTS);
	memcpy(to->hit + to->n, hit, n * sizeof *hit);
	to->n += n;
	return 0;
}

/* The buckets are so small that a few fingerprints reach every branch of the join. */
static void kernels(void)
{
	static struct hits want, got;
	static uint64_t fp[SPOTS];
	struct sh_join_limits limits = { .small = rng_below(300),
		.large = 1 + rng_below(300),
		.few = (uint32_t)rng_below(64),
		.brute_factor = (double)rng_below(1000),
		.task = 1 + (uint32_t)rng_below(SPOTS) };
	unsigned k = (unsigned)rng_below(14);
	size_t n = rng_below(SPOTS), cut = rng_below(n + 1);
	struct sh_error err;

	for (size_t i = 0; i < n; i++) {
		fp[i] = i && rng_below(4) ? fp[rng_below(i)] : rng() & rng();
		for (uint64_t flips = rng_below(k + 3); i && flips; flips--)
			fp[i] ^= UINT64_C(1) << rng_below(64);
	}
	for (unsigned way = 0; way < 2; way++) {
		bool first = true;
		size_t brute = 0;

		for (size_t i = 0; i < (way ? cut : n); i++)
			for (size_t j = way ? cut : i + 1; j < n; j++)
				brute += (unsigned)__builtin_popcountll(fp[i] ^ fp[j]) <= k;
		for (unsigned row = 0; (limits.kernel = sh_kernel_at(row)); row++) {
			struct sh_join *j = sh_join_new(64, k, 1, &err);
			int status;

			check(j != NULL);
			sh_join_set_limits(j, &limits);
			got.n = 0;
			status = way ? join_arrays(
					   j, 1, fp, cut, fp + cut, n - cut, note_hits, &got, &err)
				     : join_arrays(j, 1, fp, n, NULL, 0, note_hits, &got, &err);
			check(status == 0 && got.n == brute);
			if (first)
				want = got;
			check(got.n == want.n &&
			      memcmp(got.hit, want.hit, got.n * sizeof *got.hit) == 0);
			first = false;
			sh_join_delete(j);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct line x[BANDS_MAX], y[BANDS_MAX];
	struct bands bands[2] = { { .line = x }, { .line = y } };
	struct tally bad = { 0 }, did = { 0 };

	fuzz_begin(data, size);
	if (rng_below(3) == 0)
		kernels();
	else
		one_case(&bad, &did, &bands[0], &bands[1]);
	check(bad.banded == 0);
	check(bad.in_memory == 0);
	return 0;
}
