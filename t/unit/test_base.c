/* SPDX-License-Identifier: MIT */
/* Small modules of lib/base: slices, real numbers, numbers in hexadecimal digits, sets of bits. */
#include <inttypes.h>
#include <locale.h>
#include <string.h>

#include "base/bits.h"
#include "base/num.h"
#include "base/real.h"
#include "rng.h"
#include "tap.h"

static void test_real(void)
{
	static const char *const bad[] = { "", "1x", "x", "1 ", "1,5", "-", ".", "1e" };
	char digits[SH_REAL_CHARS + 1];
	double x = 0;

	ok(sh_parse_real(sh_slice("3.25", 4), &x) == 0 && x == 3.25, "3.25");
	ok(sh_parse_real(sh_slice("-1e3,", 4), &x) == 0 && x == -1000,
	    "a number ends at the end of its slice");
	ok(sh_parse_real(sh_slice("1\0", 2), &x) < 0, "a NUL does not end a slice");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(sh_parse_real(sh_slice_str(bad[i]), &x) < 0, "'%s' is refused as a number",
		    bad[i]);
	memset(digits, '1', sizeof digits);
	ok(sh_parse_real(sh_slice(digits, SH_REAL_CHARS), &x) == 0 && x > 1e62, "63 digits");
	ok(sh_parse_real(sh_slice(digits, SH_REAL_CHARS + 1), &x) < 0, "64 digits");
}

/* Tests a locale with a decimal comma, when the system has one. */
static void test_locale(void)
{
	static const char *const comma[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "ru_RU.UTF-8" };
	double x = 0;

	for (size_t i = 0; i < sizeof comma / sizeof *comma; i++) {
		if (!setlocale(LC_ALL, comma[i]))
			continue;
		ok(sh_parse_real(sh_slice("0.5", 3), &x) == 0 && x == 0.5, "0.5 in %s", comma[i]);
		setlocale(LC_ALL, "C");
		return;
	}
	ok(1, "0.5 in another locale # SKIP there is none with a decimal comma");
}

static void test_hex(void)
{
	int wrong = 0;

	for (int i = 0; i < 20000; i++) {
		unsigned digits = 1 + (unsigned)rng_below(16);
		uint64_t x = rng_any(), y = 0,
			 low = digits < 16 ? x % (UINT64_C(1) << 4 * digits) : x;
		char text[17], want[17];
		int width = snprintf(want, sizeof want, "%" PRIx64, x);

		wrong += sh_hex_width(x) != (unsigned)width;
		snprintf(want, sizeof want, "%0*" PRIx64, (int)digits, low);
		wrong += sh_print_hex_number(text, x, digits) != digits;
		wrong += memcmp(text, want, digits) != 0;
		wrong += sh_parse_hex_number(sh_slice(text, digits), &y) != SH_NUM_OK || y != low;
		text[rng_below(digits)] = "gG/:@`A "[rng_below(8)];
		wrong += sh_parse_hex_number(sh_slice(text, digits), &y) == SH_NUM_OK;
	}
	ok(wrong == 0,
	    "numbers of 1 to 16 digits are written like printf and parsed back: %d wrong", wrong);
	ok(sh_parse_hex_number(sh_slice("", 0), NULL) < 0, "a number without digits is refused");
	ok(sh_parse_hex_number(sh_slice("00000000000000001", 17), NULL) < 0,
	    "a number of 17 digits is refused");
}

static void test_bits(void)
{
	enum { N = 300 };
	uint64_t set[N / 64 + 1] = { 0 };
	bool there[N + 1] = { false };
	int wrong = sh_bits_words(N) != sizeof set / sizeof *set || sh_bits_words(64) != 2;

	for (int i = 0; i < 100; i++) {
		size_t x = rng_below(N + 1);

		sh_bits_put(set, x);
		there[x] = true;
	}
	for (size_t x = 0; x <= N; x++)
		wrong += sh_bits_has(set, x) != there[x];
	ok(wrong == 0, "a set of bits has exactly the bits that were added: %d wrong", wrong);
}

static void test_shown(void)
{
	struct sh_slice text =
	    sh_slice_str("a\xe5\xad\x97\xf0\xa0\xae\xb7z"); /* of 1, 3, 4 and 1 bytes */
	static const int at_most[] = { 0, 1, 1, 1, 4, 4, 4, 4, 8, 9, 9 };
	int wrong = 0;

	for (size_t n = 0; n < sizeof at_most / sizeof *at_most; n++)
		wrong += sh_shown(text, n) != at_most[n];
	ok(wrong == 0, "a cut text ends at a whole character: %d wrong", wrong);
	ok(sh_shown(sh_slice_str("\x80\x80\x80\x80\x80\x80"), 5) == 5,
	    "text that is not UTF-8 is cut at any byte");
	ok(sh_shown(sh_slice(NULL, 0), 5) == 0, "nothing");
}

int main(void)
{
	rng_init(1);
	test_real();
	test_locale();
	test_hex();
	test_bits();
	test_shown();
	return done_testing();
}
