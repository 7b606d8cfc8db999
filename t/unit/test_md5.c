/* SPDX-License-Identifier: MIT */
#include "hash/md5.h"

#include "rng.h"
#include "tap.h"

static void hex(const unsigned char d[SH_MD5_BYTES], char out[33])
{
	unsigned i;

	for (i = 0; i < SH_MD5_BYTES; i++)
		snprintf(out + 2 * i, 3, "%02x", d[i]);
}

/* RFC 1321, appendix A.5. */
static void test_suite(void)
{
	static const char *const rows[][2] = {
		{ "", "d41d8cd98f00b204e9800998ecf8427e" },
		{ "a", "0cc175b9c0f1b6a831c399e269772661" },
		{ "abc", "900150983cd24fb0d6963f7d28e17f72" },
		{ "message digest", "f96b697d7cb7938d525a2f31aaf161d0" },
		{ "abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b" },
		{ "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
		    "d174ab98d277d9f5a5611c2c9f419d9f" },
		{ "1234567890123456789012345678901234567890"
		  "1234567890123456789012345678901234567890",
		    "57edf4a22be3c955ac49da2e2107b67a" },
	};
	unsigned char d[SH_MD5_BYTES];
	char got[33];
	size_t i;

	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		sh_md5(sh_slice(NULL, 0), sh_slice_str(rows[i][0]), d);
		hex(d, got);
		ok(strcmp(got, rows[i][1]) == 0, "MD5(\"%s\")", rows[i][0]);
	}
}

/* The digest of the digests of 0, 1, ... 299 times 'a', from
 * python3 -c 'from hashlib import md5
 * print(md5(b"".join(md5(b"a" * n).digest() for n in range(300))).hexdigest())' */
static void test_every_length(void)
{
	static const char want[] = "4a0125a7ff7488a489fe225c37fc99fc";
	unsigned char all[300 * SH_MD5_BYTES];
	char text[300], got[33];
	size_t n;

	memset(text, 'a', sizeof text);
	for (n = 0; n < 300; n++)
		sh_md5(sh_slice(NULL, 0), sh_slice(text, n), all + n * SH_MD5_BYTES);
	sh_md5(sh_slice(NULL, 0), sh_slice((char *)all, sizeof all), all);
	hex(all, got);
	ok(strcmp(got, want) == 0, "the digest of texts of every length 0..299 is right: %s", got);
}

static void test_two_parts(void)
{
	unsigned char whole[SH_MD5_BYTES], parts[SH_MD5_BYTES];
	char text[300];
	size_t i, n, cut, bad = 0;

	for (i = 0; i < 20000; i++) {
		n = rng_below(sizeof text + 1);
		cut = rng_below(n + 1);
		memset(text, (int)i, n);
		text[rng_below(sizeof text)] = 'x';
		sh_md5(sh_slice(NULL, 0), sh_slice(text, n), whole);
		sh_md5(sh_slice(text, cut), sh_slice(text + cut, n - cut), parts);
		bad += memcmp(whole, parts, sizeof whole) != 0;
	}
	ok(!bad, "a text in two pieces has the digest of the whole, 20000 times");
}

int main(void)
{
	rng_init(1);
	test_suite();
	test_every_length();
	test_two_parts();
	return done_testing();
}
