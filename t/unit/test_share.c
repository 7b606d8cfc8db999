/* Compares documents that share sampled features with the definition, which uses every pair of
 * documents and every bucket. Compares the least hashes of a set with a sort of the set. */
#include "join/share.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fp/bottom.h"
#include "rng.h"
#include "tap.h"

enum { DOCS = 300, FEATURES = 20, MANY = 50000 };

static uint64_t feature[DOCS][FEATURES];
static size_t size[DOCS];
static uint32_t number[DOCS], owner[DOCS];

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static size_t distinct(uint64_t *a, size_t n)
{
	size_t m = 0;

	qsort(a, n, sizeof *a, ascending);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || a[i] != a[i - 1])
			a[m++] = a[i];
	return m;
}

static void least_hashes(void)
{
	static uint64_t hash[3000], sorted[3000], least[200];
	unsigned wrong = 0;

	for (unsigned round = 0; round < rng_rounds(3000); round++) {
		size_t n = rng_below(rng_below(2) ? 60 : 3000), most = 1 + rng_below(200), m;
		uint64_t different = 1 + rng_below(2 * n + 2);

		for (size_t i = 0; i < n; i++)
			hash[i] = rng_below(different) * UINT64_C(0x9E3779B97F4A7C15);
		memcpy(sorted, hash, n * sizeof *hash);
		m = distinct(sorted, n);
		m = m < most ? m : most;
		wrong += sh_bottom(hash, n, most, least) != m ||
			 memcmp(least, sorted, m * sizeof *least) != 0;
	}
	ok(wrong == 0, "the least hashes of a set are distinct and ascending");
}

static void random_documents(uint64_t features)
{
	for (size_t i = 0; i < DOCS; i++) {
		size[i] = rng_below(FEATURES + 1);
		for (size_t j = 0; j < size[i]; j++)
			feature[i][j] = rng_below(1 + rng_below(features));
		size[i] = distinct(feature[i], size[i]);
	}
}

/* Omits some documents, and gives the others random numbers with gaps. */
static void random_numbers(void)
{
	memset(owner, 0xff, sizeof owner);
	for (uint32_t i = 0; i < DOCS; i++) {
		number[i] = rng_below(5) ? (uint32_t)rng_below(DOCS) : SH_SHARE_NONE;
		if (number[i] != SH_SHARE_NONE && owner[number[i]] != UINT32_MAX)
			number[i] = SH_SHARE_NONE;
		if (number[i] != SH_SHARE_NONE)
			owner[number[i]] = i;
	}
}

static bool has(uint32_t document, uint64_t f)
{
	for (size_t j = 0; j < size[document]; j++)
		if (feature[document][j] == f)
			return true;
	return false;
}

/* How many shared features the rule of near and first members counts, for x above y. */
static unsigned slow(uint32_t x, uint32_t y)
{
	unsigned common = 0;

	if (owner[x] == UINT32_MAX || owner[y] == UINT32_MAX)
		return 0;
	for (size_t j = 0; j < size[owner[x]]; j++) {
		unsigned before = 0, between = 0;

		if (!has(owner[y], feature[owner[x]][j]))
			continue;
		for (uint32_t i = 0; i < x; i++) {
			bool member = owner[i] != UINT32_MAX && has(owner[i], feature[owner[x]][j]);

			before += member && i < y;
			between += member && i > y;
		}
		common += before < SH_SHARE_NEAR || between < SH_SHARE_NEAR;
	}
	return common;
}

static unsigned wrong_found(
    const struct sh_share *s, struct sh_share_room *room, uint32_t x, unsigned least)
{
	const struct sh_shared *found;
	size_t n, i = 0;
	unsigned wrong = 0;
	struct sh_error err;

	must(sh_share_find(s, x, least, 0, room, &found, &n, &err) == 0);
	for (uint32_t y = 0; y < x; y++) {
		unsigned common = slow(x, y);

		if (common < least)
			continue;
		wrong += i == n || found[i].number != y || found[i].common != common;
		i += i < n;
	}
	return wrong + (i != n);
}

static void against_all_pairs(uint64_t features, bool numbered)
{
	struct sh_share_room room = { 0 };
	unsigned wrong = 0;
	struct sh_error err;

	for (unsigned round = 0; round < rng_rounds(8); round++) {
		struct sh_share s = { 0 };

		random_documents(features);
		random_numbers();
		for (uint32_t i = 0; i < DOCS; i++) {
			must(sh_share_add(&s, feature[i], size[i], &err) == 0);
			owner[i] = numbered ? owner[i] : i;
		}
		must(sh_share_order(&s, numbered ? number : NULL, DOCS, 1 + (unsigned)rng_below(4),
			 &err) == 0);
		for (uint32_t x = 0; x < DOCS; x++)
			wrong += wrong_found(&s, &room, x, 1 + (unsigned)rng_below(3));
		sh_share_free(&s);
	}
	sh_share_room_free(&room);
	ok(wrong == 0, "%llu features, %s: as all pairs give it", (unsigned long long)features,
	    numbered ? "some left out" : "all documents");
}

/* Builds the buckets of many random documents. */
static void order_many(struct sh_share *s, uint64_t seed, unsigned threads)
{
	struct sh_error err;
	uint64_t hash[10];

	rng_init(seed);
	*s = (struct sh_share){ 0 };
	for (size_t i = 0; i < MANY; i++) {
		size_t n = rng_below(11);

		for (size_t j = 0; j < n; j++)
			hash[j] = rng_below(MANY) * UINT64_C(0x9E3779B97F4A7C15);
		must(sh_share_add(s, hash, distinct(hash, n), &err) == 0);
	}
	must(sh_share_order(s, NULL, 0, threads, &err) == 0);
}

static void threads(void)
{
	static const unsigned number_of[] = { 2, 3, 8 };
	struct sh_share one, some;
	unsigned wrong = 0;

	order_many(&one, 7, 1);
	for (size_t i = 0; i < 3; i++) {
		size_t n = one.first[MANY];

		order_many(&some, 7, number_of[i]);
		wrong += memcmp(one.first, some.first, (MANY + 1) * sizeof *one.first) != 0 ||
			 memcmp(one.member, some.member, n * sizeof *one.member) != 0 ||
			 memcmp(one.place, some.place, n * sizeof *one.place) != 0;
		sh_share_free(&some);
	}
	ok(wrong == 0 && one.first[MANY] > MANY,
	    "the buckets are the same with any number of threads");
	sh_share_free(&one);
}

int main(void)
{
	rng_init(1997);
	least_hashes();
	against_all_pairs(10, false);
	against_all_pairs(100, true);
	against_all_pairs(3000, false);
	threads();
	return done_testing();
}
