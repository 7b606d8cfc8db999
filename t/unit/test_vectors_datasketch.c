/* SPDX-License-Identifier: MIT */
/* datasketch's MinHash: t/vectors/datasketch_signatures.tsv; SHA-1 and MT19937 by their published
 * values. */
#include "fp/permutations.h"
#include "hash/mt19937.h"
#include "hash/sha1.h"
#include "vectors.h"

static bool sha1_is(const char *text, const char *want)
{
	uint32_t d[5];
	char got[41];

	sh_sha1(sh_slice_str(text), d);
	snprintf(got, sizeof got, "%08x%08x%08x%08x%08x", d[0], d[1], d[2], d[3], d[4]);
	return strcmp(got, want) == 0;
}

static void test_sha1(void)
{
	ok(sha1_is("", "da39a3ee5e6b4b0d3255bfef95601890afd80709") &&
		sha1_is("abc", "a9993e364706816aba3e25717850c26c9cd0d89d") &&
		sha1_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		    "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
	    "SHA-1 of the examples of FIPS 180 is right");
}

/* The value that the C++ standard requires of std::mt19937. */
static void test_mt19937(void)
{
	struct sh_mt19937 r;
	uint32_t x = 0;

	sh_mt19937_seed(&r, 5489);
	for (int i = 0; i < 10000; i++)
		x = sh_mt19937_next32(&r);
	ok(x == UINT32_C(4123659995), "the 10000th number of MT19937 is that of the C++ standard");
}

/* Runs one command for each setting, with all its texts. */
static void test_signatures(void)
{
	struct vec_table t = vec_load("datasketch_signatures.tsv");
	size_t next;

	for (size_t i = 0; i < t.n; i = next) {
		struct vec_table part = { t.row + i, 0 };
		char **f = t.row[i].f, command[256], options[128];

		for (next = i; next < t.n && strcmp(t.row[next].f[1], f[1]) == 0 &&
			       strcmp(t.row[next].f[2], f[2]) == 0;
		     next++)
			part.n++;
		snprintf(options, sizeof options,
		    "--permutations %s --scheme %s --seed %s --empty ones", f[2], f[1], f[3]);
		snprintf(command, sizeof command, "shfp -n 1 --split fields %s", options);
		vec_check("documents", &part, 0, 4, command, NULL);
		snprintf(command, sizeof command, "shtok -n 1 --split fields | shfp --features %s",
		    options);
		vec_check("features", &part, 0, 4, command, NULL);
	}
}

int main(void)
{
	test_sha1();
	test_mt19937();
	test_signatures();
	return done_testing();
}
