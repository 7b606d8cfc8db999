/* SPDX-License-Identifier: MIT */
/* angelo_tools: t/vectors/angelo_*.tsv, figures.tsv. */
#include "base/num.h"
#include "fp/simhash.h"
#include "published/published.h"
#include "text/method.h"
#include "vectors.h"

static void test_hash(void)
{
	struct vec_table t = vec_load("angelo_hash_bin.tsv");

	for (size_t i = 0; i < t.n; i++) {
		char hex[8];
		uint64_t w;

		sh_hash_feature(
		    sh_hash_find("md5-nibbles"), sh_slice_str(t.row[i].f[0]), 0, 32, &w);
		sh_print_hex(hex, &w, 8);
		ok(memcmp(hex, t.row[i].f[3], 8) == 0, "hash of %s: %s", t.row[i].f[0],
		    t.row[i].f[3]);
	}
}

/* Six bits a word, as the article draws them. */
static void test_toy(void)
{
	struct vec_table t = vec_load("angelo_toy6.tsv");
	struct sh_simhash s;
	struct sh_error err;
	const char *result = "";
	uint64_t got;
	char bits[7] = "";

	if (sh_simhash_init(&s, 6, 0, &err) < 0)
		return;
	for (size_t i = 0; i < t.n; i++) {
		char *value = t.row[i].f[1], *at = strstr(value, "bits=");
		uint64_t h = 0;

		if (strcmp(t.row[i].f[0], "result") == 0)
			result = value;
		if (strncmp(t.row[i].f[0], "feature:", 8) != 0)
			continue;
		for (unsigned b = 0; b < 6; b++)
			h |= (uint64_t)(at[5 + b] == '1') << (63 - b);
		ok(sh_simhash_add(&s, &h, SH_WEIGHT_ONE * atoi(strchr(value, '=') + 1), &err) == 0,
		    "%s", t.row[i].f[0]);
	}
	sh_simhash_finish(&s, &got);
	for (unsigned b = 0; b < 6; b++)
		bits[b] = (char)('0' + (got >> (63 - b) & 1));
	ok(strcmp(bits, result) == 0, "toy fingerprint: %s", result);
}

static unsigned distance(const char *a, const char *b)
{
	uint64_t x = 0, y = 0;

	for (; *a && *b; a++, b++) {
		x = x << 1 | (*a == '1');
		y = y << 1 | (*b == '1');
	}
	return sh_fp_distance(&x, &y, 1);
}

static void test_distance(void)
{
	struct vec_table t = vec_load("angelo_distance.tsv");

	for (size_t i = 0; i < t.n; i++)
		ok(distance(t.row[i].f[0], t.row[i].f[1]) == strtoul(t.row[i].f[2], NULL, 10),
		    "distance of %s and %s: %s", t.row[i].f[0], t.row[i].f[1], t.row[i].f[2]);
}

/* The distances that the articles on SimHash and its programs work out. */
static void test_figures(void)
{
	struct vec_table t = vec_load("figures.tsv");

	for (size_t i = 0; i < t.n; i++) {
		char *what = t.row[i].f[1], a[80], b[80];

		if (strcmp(what, "hamming") == 0 && sscanf(t.row[i].f[2], "%79s %79s", a, b) == 2 &&
		    strspn(a, "01") == strlen(a))
			ok(distance(a, b) == strtoul(t.row[i].f[3], NULL, 10),
			    "figures.tsv: %s and %s: %s", a, b, t.row[i].f[3]);
	}
}

/* Whether the programs find a dictionary. */
static bool has_jieba(void)
{
	return system("\"$SHBIN/shtok\" --segment jieba </dev/null 2>/dev/null") == 0;
}

static void test_texts(void)
{
	struct vec_table published = vec_load("angelo_published.tsv");
	struct vec_table t = vec_load("angelo_simhash.tsv");

	vec_check_both("published text", &published, 1, 4, "angelo", "-x bin 2>/dev/null", NULL);
	vec_check_both("angelo_simhash", &t, 1, 4, "angelo", "-x bin 2>/dev/null", NULL);
	for (size_t i = 0; i < t.n; i++)
		if (strncmp(t.row[i].f[4], "ERROR", 5) == 0)
			t.row[i].f[4] = (char *)(uintptr_t) "empty";
		else
			t.row[i].f[4] = (char *)(uintptr_t) "-";
	vec_check("no kept word: an error", &t, 1, 4,
	    "while IFS= read -r line; do printf '%s\\n' \"$line\" | "
	    "shfp -p angelo --empty error >/dev/null 2>&1 || printf 'empty\\t%s\\n' "
	    "\"${line%%\t*}\";"
	    " done",
	    NULL);
}

int main(void)
{
	test_hash();
	test_toy();
	test_distance();
	test_figures();
	if (has_jieba())
		test_texts();
	else
		ok(true, "texts # SKIP no dictionary of jieba");
	return done_testing();
}
