/* SPDX-License-Identifier: MIT */
/* The keyed hash: counts over many keys how often similar texts and rows agree in some bits. */
#include "hash/keyed.h"
#include "rng.h"
#include "tap.h"

enum { KEYS = 20000 };

/* Counts, over many keys, how often 8 bits of two hashes agree at the low end, the high end and the
 * middle: 1/256 of them, within six deviations. */
static bool agree_by_chance(const unsigned *agree)
{
	bool good = true;

	for (unsigned i = 0; i < 8; i++)
		good = good && agree[i] > KEYS / 256 - 54 && agree[i] < KEYS / 256 + 54;
	return good;
}

static void compare_bytes(unsigned *agree, uint64_t x, uint64_t y)
{
	for (unsigned i = 0; i < 8; i++)
		agree[i] += ((x ^ y) >> 8 * i & 255) == 0;
}

static void test_texts(void)
{
	static const char *const pairs[][2] = { { "a", "b" }, { "a", "a\1" }, { "", "\200" },
		{ "abcd", "abcd\1" }, { "abcdefgh", "\341bcdefgh" }, { "abcdefghi", "abcdefghj" },
		{ "0123456789abcdef", "0123456789abcdEf" },
		{ "0123456789abcdef", "0123456789abcdef0" },
		{ "a text longer than sixteen", "a text longer than sixteem" } };
	unsigned bad = 0;

	for (unsigned p = 0; p < sizeof pairs / sizeof *pairs; p++) {
		unsigned agree[8] = { 0 };

		for (unsigned i = 0; i < KEYS; i++) {
			uint64_t key[2] = { rng(), i }, h[2];
			struct sh_keyed k;
			char text[2][64] = { { 0 } };

			sh_keyed_init(&k, key);
			for (unsigned j = 0; j < 2; j++) {
				const uint32_t start = 0, end = (uint32_t)strlen(pairs[p][j]);

				memcpy(text[j], pairs[p][j], end);
				sh_keyed_plain.texts(&k, text[j], &start, &end, 1, &h[j]);
			}
			compare_bytes(agree, h[0], h[1]);
		}
		if (!agree_by_chance(agree)) {
			printf("# '%s' and '%s'\n", pairs[p][0], pairs[p][1]);
			bad++;
		}
	}
	ok(bad == 0, "hashes of similar texts agree as often as random hashes, in every byte");
}

/* Rows that differ in one bit of one hash, and rows of 2 and 3 hashes with two in common. */
static void test_rows(void)
{
	unsigned bit[8] = { 0 }, longer[8] = { 0 };

	for (unsigned i = 0; i < KEYS; i++) {
		uint64_t key[2] = { rng(), i }, h[4] = { rng(), rng(), 0, 0 }, x[3];
		struct sh_keyed k;

		sh_keyed_init(&k, key);
		sh_keyed_plain.rows(&k, h, 3, 3, &x[0]);
		sh_keyed_plain.rows(&k, h, 2, 2, &x[1]);
		compare_bytes(longer, x[0], x[1]);
		h[i % 3] ^= UINT64_C(1) << i / 3 % 64;
		sh_keyed_plain.rows(&k, h, 3, 3, &x[2]);
		compare_bytes(bit, x[0], x[2]);
	}
	ok(agree_by_chance(bit),
	    "keys of rows that differ in one bit agree as often as random hashes");
	ok(agree_by_chance(longer),
	    "keys of rows that contain each other, and of zeros, agree as often as random hashes");
}

/* Hashes in archives must not change. */
static void test_frozen(void)
{
	static const char *const texts[] = { "", "a", "of the people", "0123456789abcdef",
		"\xe4\xb8\xad\xe5\x9b\xbd" };
	static const uint64_t want[] = { UINT64_C(0x31da6fcba3db23c0), UINT64_C(0xc91a84ea9321b7f0),
		UINT64_C(0x987111297792f02d), UINT64_C(0x751f14714daff6f4),
		UINT64_C(0xb49777ed3b6ee88c), UINT64_C(0x0cbe17a635aad516),
		UINT64_C(0x1488e2e5f62244b2) };
	const uint64_t key[2] = { 1, 2 };
	struct sh_keyed k;
	char text[300];
	bool good = true;

	sh_keyed_init(&k, key);
	for (unsigned i = 0; i < 7; i++) {
		size_t n = i < 5 ? strlen(texts[i]) : i == 5 ? 100 : 200;

		memset(text, 'x', sizeof text);
		memcpy(text, i < 5 ? texts[i] : text, i < 5 ? n : 0);
		if (sh_keyed_text(&k, sh_slice(text, n)) != want[i]) {
			printf("# %u: 0x%llx\n", i,
			    (unsigned long long)sh_keyed_text(&k, sh_slice(text, n)));
			good = false;
		}
	}
	ok(good, "the hash of archives is that of all versions");
}

int main(void)
{
	rng_init(62);
	test_texts();
	test_rows();
	test_frozen();
	return done_testing();
}
