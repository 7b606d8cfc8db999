/* SPDX-License-Identifier: MIT */
/* The checksum that represents Snowball's version (text/stem.h). */
#include <libstemmer.h>
#include <string.h>

#include "tap.h"
#include "text/stem.h"

enum { ALGORITHMS_MAX = 200 };

static uint64_t checksum(const char *algorithm)
{
	struct sh_error err;
	uint64_t sum = 0;

	must(sh_stem_checksum(algorithm, &sum, &err) == 0);
	return sum;
}

/* Two algorithms are as different as two versions of one algorithm, or more so. */
static void test_distinct(void)
{
	uint64_t sum[ALGORITHMS_MAX];
	size_t n = 0;
	bool distinct = true, again = true;

	for (const char **name = sb_stemmer_list(); *name; name++, n++) {
		must(n < ALGORITHMS_MAX);
		sum[n] = checksum(*name);
		again = again && sum[n] == checksum(*name);
		for (size_t i = 0; i < n; i++)
			if (sum[i] == sum[n]) {
				distinct = false;
				printf(
				    "# %s and %s have one checksum\n", sb_stemmer_list()[i], *name);
			}
	}
	ok(n > 10 && distinct, "each of %zu stemmers has its own checksum", n);
	ok(again, "a checksum is the same each time");
	ok(checksum("en") == checksum("english"), "two names of one stemmer have one checksum");
}

static void test_unknown(void)
{
	struct sh_error err;
	uint64_t sum;

	ok(sh_stem_checksum("klingon", &sum, &err) < 0 && err.code == SH_ERR_PARAM,
	    "a language that Snowball does not have is an error");
}

int main(void)
{
	test_distinct();
	test_unknown();
	return done_testing();
}
