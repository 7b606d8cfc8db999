/* SPDX-License-Identifier: MIT */
/* Compares the join with a comparison of all pairs: random sets, every kernel, every plan. */
#include "base/compare.h"
#include "join_arrays.h"

#include <stdlib.h>
#include <string.h>

#include "fps.h"
#include "tap.h"

enum { CASES = 6000, N_MAX = 300, HITS_MAX = 2 * N_MAX * N_MAX };

struct hits {
	size_t n, stop_at;
	struct sh_join_pair *hit;
};

static int keep(void *ctx, const struct sh_join_pair *hit, size_t n, struct sh_error *err)
{
	struct hits *h = ctx;

	if (h->n + n > HITS_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "more hits than pairs");
	memcpy(h->hit + h->n, hit, n * sizeof *hit);
	h->n += n;
	if (h->stop_at > 0 && h->n >= h->stop_at)
		return sh_error_set(err, SH_ERR_IO, "stopped");
	return 0;
}

static int by_ends(const void *p, const void *q)
{
	const struct sh_join_pair *a = p, *b = q;

	if (a->a != b->a)
		return a->a < b->a ? -1 : 1;
	if (a->b != b->b)
		return a->b < b->b ? -1 : 1;
	return (a->distance > b->distance) - (a->distance < b->distance);
}

static void sort_hits(struct hits *h)
{
	if (h->n > 0)
		qsort(h->hit, h->n, sizeof *h->hit, by_ends);
}

static bool same_hits(const struct hits *a, const struct hits *b)
{
	return a->n == b->n && (a->n == 0 || memcmp(a->hit, b->hit, a->n * sizeof *a->hit) == 0);
}

/* Clusters with pairs at every distance up to k + 3; some sets vary in few bits only. */
static void random_set(uint64_t *fp, size_t n, unsigned bits, unsigned k)
{
	unsigned words = SH_FP_WORDS(bits), clusters = 1 + below(20), kind = below(4);
	unsigned narrow = 1 + below(bits);
	uint64_t centre[20][SH_FP_MAX_WORDS], base[SH_FP_MAX_WORDS];

	random_fp(base, bits);
	for (unsigned i = 0; i < clusters; i++)
		random_fp(centre[i], bits);
	for (size_t i = 0; i < n; i++) {
		uint64_t *to = fp + i * words;

		random_fp(to, bits);
		if (kind == 0) {
			memcpy(to, base, words * sizeof *to);
			for (unsigned b = 0; b < narrow; b++)
				if (rng() & 1)
					flip(to, (b * 7) % bits);
		} else if (kind < 3 || below(3) > 0) {
			memcpy(to, centre[below(clusters)], words * sizeof *to);
			for (unsigned d = below(k + 4); d > 0; d--)
				flip(to, below(bits));
		}
	}
}

static void brute_self(struct hits *h, const uint64_t *fp, size_t n, unsigned words, unsigned k)
{
	h->n = 0;
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++) {
			unsigned d = sh_fp_distance(fp + a * words, fp + b * words, words);

			if (d <= k)
				h->hit[h->n++] = (struct sh_join_pair){ a, b, d };
		}
}

static void brute_cross(struct hits *h, const uint64_t *x, size_t nx, const uint64_t *y, size_t ny,
    unsigned words, unsigned k)
{
	h->n = 0;
	for (uint32_t a = 0; a < nx; a++)
		for (uint32_t b = 0; b < ny; b++) {
			unsigned d = sh_fp_distance(x + a * words, y + b * words, words);

			if (d <= k)
				h->hit[h->n++] = (struct sh_join_pair){ a, b, d };
		}
}

static const unsigned widths[] = { 32, 64, 64, 64, 128, 128, 256, 4, 8, 36, 60, 68, 100, 192,
	1024 };

/* Limits from all records at once to a plan within a plan for a few records. */
static const struct sh_join_limits limits[] = {
	{ 1 << 18, 1 << 22, 256, 1, 0 },
	{ 0, 1 << 22, 256, 1, 0 },
	{ 0, 1 << 22, 256, 1e9, 20 },
	{ 0, 200, 8, 1e9, 100 },
	{ 0, 60, 4, 1e9, 0 },
	{ 0, 60, 4, 3, 0 },
};

enum { LIMITS = sizeof limits / sizeof *limits };

struct room {
	uint64_t *fp;
	struct hits want, got, first;
};

static struct sh_join *new_join(unsigned bits, unsigned k)
{
	struct sh_error err;
	struct sh_join *j = sh_join_new(bits, k, below(4) ? 1 : 2 + below(7), &err);

	if (j == NULL) {
		printf("Bail out! %s\n", err.text);
		exit(1);
	}
	return j;
}

/* Joins one set with every kernel. The pairs equal the pairs of brute force, in the same order for
 * all kernels and any number of threads. */
static bool self_case(struct room *r)
{
	unsigned bits = widths[below(sizeof widths / sizeof *widths)], k = below(17);
	size_t n = below(N_MAX + 1);
	const struct sh_join_limits *limit = &limits[below(LIMITS)];
	const struct sh_kernel *kernel;
	bool good = true;

	random_set(r->fp, n, bits, k);
	brute_self(&r->want, r->fp, n, SH_FP_WORDS(bits), k);
	for (unsigned i = 0; (kernel = sh_kernel_at(i)); i++) {
		struct sh_join *j = new_join(bits, k);
		struct sh_join_limits way = *limit;
		struct sh_error err;

		way.kernel = kernel;
		sh_join_set_limits(j, &way);
		r->got.n = 0;
		good &=
		    join_arrays(j, SH_FP_WORDS(bits), r->fp, n, NULL, 0, keep, &r->got, &err) == 0;
		sh_join_delete(j);
		if (i == 0) {
			r->first.n = r->got.n;
			memcpy(r->first.hit, r->got.hit, r->got.n * sizeof *r->got.hit);
		}
		good &= same_hits(&r->first, &r->got);
		sort_hits(&r->got);
		if (!same_hits(&r->want, &r->got)) {
			printf("# %s: %u bits, k %u, n %zu, limits %td: %zu pairs, expected %zu\n",
			    kernel->variant.name, bits, k, n, limit - limits, r->got.n, r->want.n);
			good = false;
		}
	}
	return good;
}

static bool cross_case(struct room *r)
{
	unsigned bits = widths[below(sizeof widths / sizeof *widths)], k = below(17);
	size_t nx = below(N_MAX), ny = below(N_MAX);
	const uint64_t *y = r->fp + nx * SH_FP_WORDS(bits);
	struct sh_join *j = new_join(bits, k);
	struct sh_error err;
	bool good;

	random_set(r->fp, nx + ny, bits, k);
	sh_join_set_limits(j, &limits[below(LIMITS)]);
	brute_cross(&r->want, r->fp, nx, y, ny, SH_FP_WORDS(bits), k);
	r->got.n = 0;
	good = join_arrays(j, SH_FP_WORDS(bits), r->fp, nx, y, ny, keep, &r->got, &err) == 0;
	/* The next call uses the working memory again. */
	good &= join_arrays(j, SH_FP_WORDS(bits), y, ny, NULL, 0, keep, &r->first, &err) == 0;
	r->first.n = r->got.n = 0;
	good &= join_arrays(j, SH_FP_WORDS(bits), r->fp, nx, y, ny, keep, &r->got, &err) == 0;
	sh_join_delete(j);
	sort_hits(&r->got);
	if (!same_hits(&r->want, &r->got)) {
		printf("# %u bits, k %u, %zu x %zu: %zu pairs, expected %zu\n", bits, k, nx, ny,
		    r->got.n, r->want.n);
		good = false;
	}
	return good;
}

/* ---- bands: every bucket of every table ------------------------------------ */

struct by_key {
	char key[SH_BAND_MAX_KEY];
	uint32_t i;
};

static int key_order(const void *p, const void *q)
{
	return memcmp(p, q, SH_BAND_MAX_KEY);
}

struct renumber {
	const struct by_key *row;
	struct hits *to;
};

static int keep_renumbered(
    void *ctx, const struct sh_join_pair *hit, size_t n, struct sh_error *err)
{
	const struct renumber *r = ctx;

	for (size_t i = 0; i < n; i++) {
		uint32_t a = r->row[hit[i].a].i, b = r->row[hit[i].b].i;
		struct sh_join_pair h = { a < b ? a : b, a < b ? b : a, hit[i].distance };

		if (keep(r->to, &h, 1, err) < 0)
			return -1;
	}
	return 0;
}

/* Does the work of shband, sort and shjoin for one table. */
static bool join_table(struct sh_join *j, const struct sh_band *b, const struct sh_band_table *t,
    const uint64_t *fp, size_t n, struct hits *to)
{
	static struct by_key row[N_MAX];
	static uint64_t bucket[N_MAX * SH_FP_MAX_WORDS];
	struct sh_error err;

	for (uint32_t i = 0; i < n; i++) {
		memset(&row[i], 0, sizeof row[i]);
		sh_band_key(b, t, fp + i * b->words, row[i].key);
		row[i].i = i;
	}
	qsort(row, n, sizeof *row, key_order);
	sh_join_set_table(j, t);
	for (size_t at = 0, end; at < n; at = end) {
		struct renumber r = { row + at, to };

		for (end = at; end < n && memcmp(row[at].key, row[end].key, b->key_len) == 0; end++)
			memcpy(bucket + (end - at) * b->words, fp + row[end].i * b->words,
			    b->words * sizeof *bucket);
		if (end - at > 1 && join_arrays(j, b->words, bucket, end - at, NULL, 0,
					keep_renumbered, &r, &err) < 0)
			return false;
	}
	return true;
}

static bool band_case(struct room *r)
{
	unsigned bits = widths[below(sizeof widths / sizeof *widths)],
		 k = below(bits < 7 ? bits : 7);
	unsigned room = bits - k < 3 ? bits - k : 3;
	size_t n = below(N_MAX / 2);
	struct sh_join *j = new_join(bits, k);
	struct sh_band b;
	struct sh_error err;
	bool good = sh_band_init(&b, bits, k, k + 1 + below(room), &err) == 0;

	random_set(r->fp, n, bits, k);
	sh_join_set_limits(j, &limits[below(LIMITS)]);
	brute_self(&r->want, r->fp, n, b.words, k);
	r->got.n = 0;
	for (uint32_t t = 0; t < b.tables && good; t++)
		good = join_table(j, &b, &b.table[t], r->fp, n, &r->got);
	sort_hits(&r->got);
	if (good && !same_hits(&r->want, &r->got)) {
		printf("# %u bits, k %u, %u blocks, n %zu: %zu pairs, expected %zu\n", bits, k,
		    b.blocks, n, r->got.n, r->want.n);
		good = false;
	}
	sh_band_free(&b);
	sh_join_delete(j);
	return good;
}

/* ---- plans and errors -------------------------------------------------------- */

static void plans(void)
{
	struct sh_plan_sets task = { 64, 3, 1e6, 1e6, true, 1, { 0 } };
	struct sh_plan plan;
	bool radii = true, apart = true;

	for (unsigned b = 0; b < 64; b++)
		task.agree[b] = 0.5;
	for (unsigned k = 0; k <= 20; k++) {
		unsigned sum = 0;
		uint64_t seen = 0;

		task.k = k;
		sh_plan(&plan, &task);
		for (unsigned i = 0; i < plan.blocks; i++) {
			sum += plan.block[i].radius + 1;
			apart &= (seen & plan.block[i].mask) == 0;
			seen |= plan.block[i].mask;
		}
		radii &= plan.blocks == 0 || sum == k + 1;
	}
	ok(radii, "radii + 1 sum to k + 1 for k = 0 .. 20");
	ok(apart, "blocks share no bits");
	task.k = 3;
	sh_plan(&plan, &task);
	ok(plan.seconds < plan.brute_seconds / 100,
	    "k 3 of a million fingerprints is far cheaper than all pairs");
	task.nx = task.ny = 50;
	sh_plan(&plan, &task);
	ok(plan.blocks == 0, "fifty fingerprints are compared pair by pair");
}

static void errors(struct room *r)
{
	struct sh_error err;
	struct sh_join *j = new_join(64, 64);

	ok(sh_join_new(63, 3, 1, &err) == NULL && err.code == SH_ERR_PARAM,
	    "63 bits are refused: %s", err.text);
	random_set(r->fp, 100, 64, 3);
	r->got.n = 0;
	r->got.stop_at = 2000;
	ok(join_arrays(j, 1, r->fp, 100, NULL, 0, keep, &r->got, &err) == -1 &&
		err.code == SH_ERR_IO,
	    "a callback that fails ends the join");
	r->got.stop_at = 0;
	r->got.n = 0;
	ok(join_arrays(j, 1, r->fp, 100, NULL, 0, keep, &r->got, &err) == 0 && r->got.n == 4950,
	    "k = bits gives every pair");
	sh_join_delete(j);
}

static void many(const char *what, bool (*one)(struct room *), struct room *r, unsigned cases)
{
	unsigned bad = 0;

	for (unsigned i = 0; i < cases; i++)
		bad += !one(r);
	ok(bad == 0, "%s: %u of %u random sets differ from brute force", what, bad, cases);
}

int main(int argc, char **argv)
{
	struct room r = { 0 };
	unsigned cases = argc > 1 ? (unsigned)atoi(argv[1]) : rng_rounds(CASES);

	rng_init(20240607);
	r.fp = malloc(2 * N_MAX * SH_FP_MAX_WORDS * sizeof *r.fp);
	r.want.hit = malloc(HITS_MAX * sizeof *r.want.hit);
	r.got.hit = malloc(HITS_MAX * sizeof *r.got.hit);
	r.first.hit = malloc(HITS_MAX * sizeof *r.first.hit);
	if (r.fp == NULL || r.want.hit == NULL || r.got.hit == NULL || r.first.hit == NULL)
		return 1;
	many("one set", self_case, &r, cases);
	many("two sets", cross_case, &r, cases / 2);
	many("bands, bucket by bucket", band_case, &r, cases / 4);
	plans();
	errors(&r);
	free(r.fp);
	free(r.want.hit);
	free(r.got.hit);
	free(r.first.hit);
	return done_testing();
}
