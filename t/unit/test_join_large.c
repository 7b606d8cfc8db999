/* SPDX-License-Identifier: MIT */
/* The join of large sets, with the code that only large sets use: compared with a comparison of all
 * pairs, and between kernels. */
#include "join_arrays.h"

#include <stdlib.h>
#include <time.h>

#include "fps.h"
#include "tap.h"

struct tally {
	uint64_t n, sum;
};

static int count(void *ctx, const struct sh_join_pair *hit, size_t n, struct sh_error *err)
{
	struct tally *t = ctx;

	(void)err;
	t->n += n;
	for (size_t i = 0; i < n; i++)
		t->sum += (hit[i].a * 0x9E3779B97F4A7C15ULL) ^ (hit[i].b * 0xBF58476D1CE4E5B9ULL);
	return 0;
}

static const struct sh_join_limits usual = { 1 << 18, 1 << 22, 256, 1, 1 << 12, NULL };

/* kernel NULL: the fastest. */
static struct sh_join *new_join(unsigned bits, unsigned k, const struct sh_kernel *kernel)
{
	struct sh_join_limits limits = usual;
	struct sh_error err;
	struct sh_join *j = sh_join_new(bits, k, 1 + below(3), &err);

	must(j != NULL);
	limits.kernel = kernel;
	sh_join_set_limits(j, &limits);
	return j;
}

static struct tally tally(unsigned bits, unsigned k, const uint64_t *fp, size_t n, bool brute)
{
	struct sh_join_limits all = { UINT64_MAX, UINT64_MAX, 0, 1, 1 << 12, NULL };
	struct sh_join *j = new_join(bits, k, NULL);
	struct tally t = { 0, 0 };
	struct sh_error err;

	if (brute)
		sh_join_set_limits(j, &all);
	if (join_arrays(j, SH_FP_WORDS(bits), fp, n, NULL, 0, count, &t, &err) < 0)
		t.n = UINT64_MAX;
	sh_join_delete(j);
	return t;
}

/* 48 of 64 bits equal in all. */
static void equal48(uint64_t *fp, uint32_t i)
{
	*fp = 0x123456789ABC0000ULL | i;
}

/* 30 % share 32 bits. */
static void equal32(uint64_t *fp, uint32_t i)
{
	*fp = rng();
	if (i % 10 < 3)
		*fp = (*fp & 0xFFFFFFFF) | 0xABCDEF0100000000ULL;
}

/* 30 % in ten groups, a few bits from their centre. */
static void groups(uint64_t *fp, uint32_t i)
{
	*fp = rng();
	if (i % 10 >= 3)
		return;
	*fp = (i / 10 % 10) * 0x9E3779B97F4A7C15ULL;
	for (unsigned d = 0; d < 5; d++)
		flip(fp, below(64));
}

/* few: there are few pairs, so that the plan must be much faster. */
static void skewed(
    const char *name, void (*make)(uint64_t *, uint32_t), size_t n, unsigned k, bool few)
{
	uint64_t *fp = calloc(n, sizeof *fp);
	struct tally want, got;
	clock_t start, plan, brute;

	for (uint32_t i = 0; i < n; i++)
		make(fp + i, i);
	start = clock();
	got = tally(64, k, fp, n, false);
	plan = clock() - start;
	start = clock();
	want = tally(64, k, fp, n, true);
	brute = clock() - start;
	ok(got.n == want.n && got.sum == want.sum, "%s, n %zu, k %u: %llu pairs", name, n, k,
	    (unsigned long long)want.n);
	if (few)
		ok(plan < brute, "%s, k %u: the join is faster than a comparison of all pairs",
		    name, k);
	printf("# %.3f s against %.3f s\n", (double)plan / CLOCKS_PER_SEC,
	    (double)brute / CLOCKS_PER_SEC);
	free(fp);
}

/* Enough fingerprints for an order in two steps: each kernel finds the pairs that brute force finds
 * in a part of the set, and all find the same ones. */
static void even(uint32_t n, unsigned k)
{
	uint64_t *fp = calloc(n, sizeof *fp);
	struct tally want = { 0, 0 };
	const struct sh_kernel *kernel;
	bool good = true;

	for (uint32_t i = 0; i < n; i++) {
		fp[i] = i % 20 ? rng() : fp[i ? below(i) : 0];
		for (unsigned d = below(5); i % 20 == 0 && d > 0; d--)
			flip(&fp[i], below(64));
	}
	for (unsigned i = 0; (kernel = sh_kernel_at(i)); i++) {
		struct sh_join *j = new_join(64, k, kernel);
		struct tally got = { 0, 0 };
		struct sh_error err;

		good &= join_arrays(j, 1, fp, n, NULL, 0, count, &got, &err) == 0;
		want = i == 0 ? got : want;
		good &= got.n == want.n && got.sum == want.sum;
		sh_join_delete(j);
	}
	ok(good && want.n > n / 40, "%u even fingerprints, k %u: %llu pairs by each kernel", n, k,
	    (unsigned long long)want.n);
	want = tally(64, k, fp, 30000, true);
	ok(tally(64, k, fp, 30000, false).sum == want.sum, "%llu pairs of 30000 as brute force",
	    (unsigned long long)want.n);
	free(fp);
}

/* Even fingerprints, and a crowd that shares its first 16 bits and exceeds one ordering step. The
 * first bit separates some fingerprints that are joined with all of the crowd. Ordering them must
 * not change the bucket before the crowd's, whose pairs come later. */
static void crowd(uint32_t n, uint32_t many, unsigned k)
{
	uint64_t *fp = calloc(n, sizeof *fp);
	struct tally want = { 0, 0 };
	const struct sh_kernel *kernel;
	bool good = true;

	for (uint32_t i = 0; i < n; i++)
		fp[i] = rng();
	for (uint32_t i = 0; i < many; i++)
		fp[n / 3 + i] = fp[n / 3 + i] >> 16 | UINT64_C(0xA000) << 48;
	for (uint32_t i = 0; i < 600; i++)
		fp[i] = fp[i] >> 16 | UINT64_C(0x2000) << 48;
	for (uint32_t i = n - 120; i < n; i += 2) {
		fp[i] = fp[i] >> 16 | UINT64_C(0x9FFF) << 48;
		fp[i + 1] = fp[i] ^ 1;
	}
	for (unsigned i = 0; (kernel = sh_kernel_at(i)); i++) {
		struct sh_join *j = new_join(64, k, kernel);
		struct tally got = { 0, 0 };
		struct sh_error err;

		good &= join_arrays(j, 1, fp, n, NULL, 0, count, &got, &err) == 0;
		want = i == 0 ? got : want;
		good &= got.n == want.n && got.sum == want.sum;
		sh_join_delete(j);
	}
	ok(good && want.n > 60, "%u of %u in one bucket, k %u: %llu pairs by each kernel", many, n,
	    k, (unsigned long long)want.n);
	free(fp);
}

int main(void)
{
	rng_init(20261122);
	skewed("48 bits equal", equal48, 20000, 3, false);
	skewed("32 bits equal in 30 %", equal32, 60000, 3, true);
	skewed("32 bits equal in 30 %", equal32, 60000, 8, false);
	skewed("groups", groups, 60000, 3, true);
	even(700000, 3);
	even(200000, 2);
	crowd(500000, 132000, 6);
	return done_testing();
}
