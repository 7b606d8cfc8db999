/* SPDX-License-Identifier: MIT */
/* Tables with keys of the user: constructed keys take at most three times the CPU time of random
 * keys. Each time is the least of several alternating runs. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hmap.h"
#include "base/siphash.h"
#include "fp/count.h"
#include "join/fpset.h"
#include "rng.h"
#include "tap.h"
#include "weight/terms.h"

enum { N = 60000, ROUNDS = 7 };

static uint64_t random_keys[N], crafted[N];
static struct sh_error err;
static bool failed;

static void expect(int good)
{
	failed = failed || !good;
}

/* ---- tables ---- */

static void counts(const uint64_t *key)
{
	struct sh_hash_count c;

	expect(sh_hash_count_init(&c, &err) == 0 && sh_hash_count(&c, key, N, &err) == 0);
	sh_hash_count_free(&c);
}

static void wide(const uint64_t *key)
{
	struct sh_join_side room = { 0 };
	struct sh_fpset set;

	sh_fpset_init(&set, 2, &room, 1);
	for (unsigned i = 0; i < N / 2; i++)
		expect(sh_fpset_add(&set, key + 2 * i, sh_slice_str("id"), &err) == 0);
	expect(sh_fpset_close(&set, &err) == 0);
	sh_fpset_free(&set);
	sh_join_side_free(&room);
}

static void strings(const uint64_t *key)
{
	struct sh_hmap m;
	uint32_t index;

	expect(sh_hmap_init(&m, &err) == 0);
	for (unsigned i = 0; i < N; i++)
		expect(
		    sh_hmap_put(&m, sh_slice((const char *)&key[i], 8), &index, NULL, &err) == 0);
	sh_hmap_free(&m);
}

static void terms(const uint64_t *key)
{
	char text[8 + SH_TERMS_SHORT] = { 0 };
	struct sh_slice slice = sh_slice(text, 8);
	struct sh_terms t;

	expect(sh_terms_init(&t, &err) == 0);
	for (unsigned i = 0; i < N; i++) {
		memcpy(text, &key[i], 8);
		expect(sh_terms_add(&t, &slice, &(int64_t){ 1 }, 1, &err) == 0);
	}
	sh_terms_free(&t);
}

static const struct {
	const char *name;
	void (*fill)(const uint64_t *key);
} tables[] = {
	{ "distinct hashes of a document", counts },
	{ "identical fingerprints", wide },
	{ "ids and features as strings", strings },
	{ "features of a document as strings", terms },
};

/* ---- keys ---- */

/* Returns keys that a table without a secret would put in one slot: by their lowest bits, by their
 * highest bits, after a usual multiplication; and regular keys. */
static uint64_t craft(unsigned how, uint64_t i)
{
	static const uint64_t golden_inverse = UINT64_C(0xF1DE83E19937733D);

	switch (how) {
	case 0:
		return i << 32;
	case 1:
		return i << 48 | i >> 16;
	case 2:
		return i;
	case 3:
		return i * golden_inverse;
	case 4:
		return i * UINT64_C(0x9E3779B97F4A7C15);
	case 5:
		return (i << 32) * golden_inverse;
	default:
		return UINT64_C(0xABCDEF0123456789) ^ (i & 255) ^ (i >> 8 << 56) ^ i >> 8 << 20;
	}
}

enum { WAYS = 7 };

static double seconds(void (*fill)(const uint64_t *), const uint64_t *key)
{
	clock_t before = clock();

	fill(key);
	return (double)(clock() - before) / CLOCKS_PER_SEC;
}

static double worst_ratio(void (*fill)(const uint64_t *))
{
	double worst = 0;

	for (unsigned how = 0; how < WAYS; how++) {
		double hostile = 1e9, usual = 1e9;

		for (unsigned i = 0; i < N; i++)
			crafted[i] = craft(how, i + 1);
		for (unsigned round = 0; round < ROUNDS; round++) {
			double a = seconds(fill, crafted), b = seconds(fill, random_keys);

			hostile = a < hostile ? a : hostile;
			usual = b < usual ? b : usual;
		}
		worst = hostile / usual > worst ? hostile / usual : worst;
	}
	return worst;
}

/* ---- one fingerprint of many records ------------------------------------------- */

enum { RECORDS = 4 * N, GROUPS = RECORDS / 100 };

static void distinct(const uint64_t *word)
{
	struct sh_join_side room = { 0 };
	struct sh_fpset set;

	sh_fpset_init(&set, 1, &room, 1);
	for (unsigned i = 0; i < RECORDS; i++)
		expect(
		    sh_fpset_add(&set, word + i, sh_slice((const char *)&i, sizeof i), &err) == 0);
	expect(sh_fpset_close(&set, &err) == 0 && set.side.n == 1 + GROUPS &&
	       set.n_copy == RECORDS - set.side.n);
	sh_fpset_free(&set);
	sh_join_side_free(&room);
}

/* Half of the records have one fingerprint; each fifty of the others share another one. In the
 * order of first bits the first one precedes or follows all others. */
static double first_to_last(void)
{
	static uint64_t first[RECORDS], last[RECORDS];
	double a = 1e9, b = 1e9;

	for (unsigned i = 0; i < RECORDS; i++) {
		uint64_t x = UINT64_MAX / (GROUPS + 2) * (i / 100 + 1);

		first[i] = i % 2 ? 0 : x;
		last[i] = i % 2 ? UINT64_MAX : x;
	}
	for (unsigned round = 0; round < ROUNDS; round++) {
		double one = seconds(distinct, first), other = seconds(distinct, last);

		a = one < a ? one : a;
		b = other < b ? other : b;
	}
	return a / b;
}

int main(void)
{
	double ratio;

	rng_init(2311);
	for (unsigned i = 0; i < N; i++)
		random_keys[i] = rng();
	for (unsigned i = 0; i < sizeof tables / sizeof *tables; i++) {
		ratio = worst_ratio(tables[i].fill);
		ok(ratio < 3 && !failed,
		    "%s: %d kinds of crafted keys cost at most %.2f times as much as random keys",
		    tables[i].name, WAYS, ratio);
	}
	ratio = first_to_last();
	ok(ratio < 3 && !failed,
	    "a fingerprint of half of the records, first in order, costs %.2f times as much as "
	    "last",
	    ratio);
	return done_testing();
}
