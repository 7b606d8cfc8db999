/* SPDX-License-Identifier: MIT */
/* mfonda/simhash: t/vectors/mfonda_*.tsv, fnv1_64.tsv. */
#include "base/num.h"
#include "published/published.h"
#include "record/fingerprint.h"
#include "vectors.h"

static void test_texts(void)
{
	struct vec_table t = vec_load("mfonda_simhash.tsv");

	vec_check_both("words", &t, 0, 1, "mfonda", "", NULL);
	vec_check("unicode words", &t, 0, 3, "shfp -p mfonda --split go-letters", NULL);
	vec_check("shingles of 2 fields", &t, 0, 5, "shfp -p mfonda --split fields -n 2", NULL);
}

static void test_fnv1(void)
{
	struct vec_table t = vec_load("fnv1_64.tsv");

	for (size_t i = 0; i < t.n; i++) {
		size_t n;
		char *bytes = vec_bytes(t.row[i].f[0], &n), hex[16];
		uint64_t w;

		sh_hash_feature(sh_hash_find("fnv1"), sh_slice(bytes, n), 0, 64, &w);
		sh_print_hex(hex, &w, 16);
		ok(memcmp(hex, t.row[i].f[1], 16) == 0, "fnv1 of \"%s\"", t.row[i].f[0]);
	}
}

static uint64_t fingerprint_of(const char *text)
{
	char name[32], *got[1] = { NULL };
	FILE *f = vec_input(name);

	fprintf(f, "0\t%s\n", text);
	fclose(f);
	vec_run("shfp -p mfonda", name, got, 1);
	unlink(name);
	return got[0] ? strtoull(got[0], NULL, 16) : 0;
}

/* The tests of the project itself. */
static void test_published(void)
{
	struct vec_table t = vec_load("mfonda_tests.tsv");

	for (size_t i = 0; i < t.n; i++) {
		char *what = t.row[i].f[0], *input = t.row[i].f[1], *want = t.row[i].f[2], *bar;
		uint64_t a, b;

		if (strcmp(what, "fnv1-64") == 0) {
			sh_hash_feature(sh_hash_find("fnv1"), sh_slice_str(input), 0, 64, &a);
			ok(a == strtoull(want, NULL, 10), "%s %s", what, input);
		} else if (strcmp(what, "simhash words") == 0) {
			ok(fingerprint_of(input) == strtoull(want, NULL, 16), "%s %s", what, input);
		} else if (strcmp(what, "distance") == 0) {
			bar = vec_need(strstr(input, " | "));
			*bar = '\0';
			a = fingerprint_of(input);
			b = fingerprint_of(bar + 3);
			ok(sh_fp_distance(&a, &b, 1) == strtoul(want, NULL, 10), "%s %s | %s", what,
			    input, bar + 3);
		} else {
			/* All sums 0: every bit is 1, as in a text without words. */
			ok(fingerprint_of("...") == strtoull(want, NULL, 16), "%s", what);
		}
	}
}

int main(void)
{
	test_texts();
	test_fnv1();
	test_published();
	return done_testing();
}
