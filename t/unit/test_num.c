/* SPDX-License-Identifier: MIT */
#include "base/num.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/hex.h"
#include "rng.h"
#include "tap.h"

static int u64(const char *s, uint64_t *x)
{
	return sh_parse_u64(sh_slice_str(s), x);
}

static int weight(const char *s, int64_t *x)
{
	return sh_parse_weight(sh_slice_str(s), x);
}

static void test_u64(void)
{
	static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "1.0", "0x10", "1e3", "a",
		"18446744073709551615x", "99999999999999999999999999/" };
	static const char *const large[] = { "18446744073709551616", "18446744073709551620",
		"99999999999999999999", "36893488147419103232", "100000000000000000000000000" };
	uint64_t x = 7;
	size_t i;

	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(u64(bad[i], &x) == SH_NUM_MALFORMED && x == 7, "'%s' is refused as a number",
		    bad[i]);
	for (i = 0; i < sizeof large / sizeof *large; i++)
		ok(u64(large[i], &x) == SH_NUM_RANGE && x == 7, "%s is refused as too large",
		    large[i]);
	ok(u64("18446744073709551615", &x) == 0 && x == UINT64_MAX, "2^64-1 is read");
	ok(u64("0000000000000000000000000018446744073709551615", &x) == 0 && x == UINT64_MAX,
	    "leading zeros are accepted");
	ok(sh_parse_u64(sh_slice("12345", 3), &x) == 0 && x == 123,
	    "a number ends at the end of its slice");
}

static void test_u64_round_trip(void)
{
	char got[SH_NUM_CHARS + 1], want[32];
	uint64_t x, y;
	size_t n;
	int i, bad = 0;

	for (i = 0; i < 200000; i++) {
		x = i < 2000 ? (uint64_t)i : i < 4000 ? UINT64_MAX - (uint64_t)i + 2000 : rng_any();
		n = sh_print_u64(got, x);
		got[n] = '\0';
		snprintf(want, sizeof want, "%" PRIu64, x);
		bad += strcmp(got, want) != 0 || u64(want, &y) != 0 || y != x;
	}
	ok(!bad, "200000 numbers of 64 bits are written like printf and read back");
}

static void test_weight_forms(void)
{
	static const struct {
		const char *s;
		int rc;
		int64_t x;
		const char *shortest;
	} rows[] = {
		{ "0", 0, 0, "0" },
		{ "1", 0, 1000000, "1" },
		{ "1.0", 0, 1000000, "1" },
		{ "007.50", 0, 7500000, "7.5" },
		{ "0.000001", 0, 1, "0.000001" },
		{ "0.333333", 0, 333333, "0.333333" },
		{ "100.00001", 0, 100000010, "100.00001" },
		{ "9223372036854.775807", 0, INT64_MAX, "9223372036854.775807" },
		{ "9223372036854.775808", SH_NUM_RANGE, 0, NULL },
		{ "9223372036855", SH_NUM_RANGE, 0, NULL },
		{ "99999999999999999999999.5", SH_NUM_RANGE, 0, NULL },
		{ "0.0000001", SH_NUM_PLACES, 0, NULL },
		{ "1.0000000", SH_NUM_PLACES, 0, NULL },
		{ "1.00000000000000000000000000000000000000000", SH_NUM_PLACES, 0, NULL },
		{ "", SH_NUM_MALFORMED, 0, NULL },
		{ ".", SH_NUM_MALFORMED, 0, NULL },
		{ ".5", SH_NUM_MALFORMED, 0, NULL },
		{ "1.", SH_NUM_MALFORMED, 0, NULL },
		{ "1.2.3", SH_NUM_MALFORMED, 0, NULL },
		{ "-1", SH_NUM_MALFORMED, 0, NULL },
		{ "+1", SH_NUM_MALFORMED, 0, NULL },
		{ "1e3", SH_NUM_MALFORMED, 0, NULL },
		{ "1,5", SH_NUM_MALFORMED, 0, NULL },
		{ "nan", SH_NUM_MALFORMED, 0, NULL },
		{ "inf", SH_NUM_MALFORMED, 0, NULL },
		{ "0.00000x1", SH_NUM_MALFORMED, 0, NULL },
	};
	char out[SH_NUM_CHARS];
	int64_t x;
	size_t i, n;
	int rc;

	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		x = 0;
		rc = weight(rows[i].s, &x);
		ok(rc == rows[i].rc && x == rows[i].x, "weight '%s' gives %d", rows[i].s,
		    rows[i].rc);
		if (rc)
			continue;
		n = sh_print_weight(out, x);
		ok(sh_slice_eq(sh_slice(out, n), sh_slice_str(rows[i].shortest)),
		    "the weight is written as %s", rows[i].shortest);
	}
	ok(strstr(sh_num_reason(SH_NUM_PLACES), "6 decimal places") != NULL,
	    "the reason names the limit");
	ok(strcmp(sh_num_reason(SH_NUM_RANGE), sh_num_reason(SH_NUM_MALFORMED)) != 0,
	    "each reason has a message");
}

static void test_weight_round_trip(void)
{
	char out[SH_NUM_CHARS];
	int64_t x, y;
	size_t n;
	int i, bad = 0;

	for (i = 0; i < 100000; i++) {
		x = (int64_t)(rng_any() >> 1);
		n = sh_print_weight(out, x);
		bad += sh_parse_weight(sh_slice(out, n), &y) != 0 || y != x;
		bad += n > 1 && memchr(out, '.', n) && out[n - 1] == '0';
	}
	ok(!bad, "100000 weights are read back as written, without trailing zeros");
}

static void test_size(void)
{
	static const char *const bad[] = { "", "K", "64 M", "64MB", "64MM", "-1M", "64X", ".G",
		"1.G", "1.5", "1.5.5G", "1e9", "1,5G", "64\x0b" };
	uint64_t x = 0;
	size_t i;

	ok(sh_parse_size(sh_slice_str("64M"), &x) == 0 && x == 64u << 20, "64M");
	ok(sh_parse_size(sh_slice_str("64m"), &x) == 0 && x == 64u << 20, "64m");
	ok(sh_parse_size(sh_slice_str("4096"), &x) == 0 && x == 4096, "4096");
	ok(sh_parse_size(sh_slice_str("16383P"), &x) == 0 && x == UINT64_C(16383) << 50, "16383P");
	ok(sh_parse_size(sh_slice_str("16384P"), &x) == SH_NUM_RANGE, "16384P is 2^64");
	ok(sh_parse_size(sh_slice_str("1.5G"), &x) == 0 && x == UINT64_C(3) << 29, "1.5G");
	ok(sh_parse_size(sh_slice_str("0.25k"), &x) == 0 && x == 256, "0.25k");
	ok(sh_parse_size(sh_slice_str(".25k"), &x) == 0 && x == 256, ".25k");
	ok(sh_parse_size(sh_slice_str("0.000001M"), &x) == 0 && x == 1, "0.000001M is cut off");
	ok(sh_parse_size(sh_slice_str("1.999999P"), &x) == 0 &&
		x > (UINT64_C(2) << 50) - 1200000000 && x < UINT64_C(2) << 50,
	    "1.999999P");
	ok(sh_parse_size(sh_slice_str("16383.999999P"), &x) == 0 && x > UINT64_C(16383) << 50,
	    "16383.999999P");
	ok(sh_parse_size(sh_slice_str("1.0000001G"), &x) == SH_NUM_PLACES, "too many places");
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(sh_parse_size(sh_slice_str(bad[i]), &x) == SH_NUM_MALFORMED,
		    "'%s' is refused as a size", bad[i]);
}

/* Numbers as users write them for options. */
static void test_options(void)
{
	static const struct {
		const char *text;
		int code;
		uint64_t x;
	} counts[] = {
		{ "0", 0, 0 },
		{ "17", 0, 17 },
		{ "8e9", 0, UINT64_C(8000000000) },
		{ "8E9", 0, UINT64_C(8000000000) },
		{ "1.5e6", 0, 1500000 },
		{ "1.25e2", 0, 125 },
		{ "3e0", 0, 3 },
		{ "0e99999999999", 0, 0 },
		{ "0.0e3", 0, 0 },
		{ "1.8446744073709551615e19", 0, UINT64_MAX },
		{ "1.8446744073709551616e19", SH_NUM_RANGE, 0 },
		{ "1e20", SH_NUM_RANGE, 0 },
		{ "1e99999", SH_NUM_RANGE, 0 },
		{ "18446744073709551616", SH_NUM_RANGE, 0 },
		{ "", SH_NUM_MALFORMED, 0 },
		{ "e9", SH_NUM_MALFORMED, 0 },
		{ ".e9", SH_NUM_MALFORMED, 0 },
		{ "8e", SH_NUM_MALFORMED, 0 },
		{ "8e+9", SH_NUM_MALFORMED, 0 },
		{ "8e-9", SH_NUM_MALFORMED, 0 },
		{ "8e9e9", SH_NUM_MALFORMED, 0 },
		{ "1.25e1", SH_NUM_MALFORMED, 0 },
		{ "1.5", SH_NUM_MALFORMED, 0 },
		{ "1.e3", SH_NUM_MALFORMED, 0 },
		{ "1e1.5", SH_NUM_MALFORMED, 0 },
		{ "0x10", SH_NUM_MALFORMED, 0 },
	};
	static const char *const no_share[] = { "", ".", "0.", ".8.", "..8", "-.8", "8e-1", ".8x" };
	int64_t w = 0;

	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		uint64_t x = 0;
		int code = sh_parse_count(sh_slice_str(counts[i].text), &x);

		ok(code == counts[i].code && x == counts[i].x, "'%s' is read as a count",
		    counts[i].text);
	}
	ok(sh_parse_millionths(sh_slice_str(".8"), &w) == 0 && w == 800000,
	    ".8 is read as a share");
	ok(sh_parse_millionths(sh_slice_str("0.8"), &w) == 0 && w == 800000,
	    "0.8 is read as a share");
	ok(sh_parse_millionths(sh_slice_str("1"), &w) == 0 && w == SH_WEIGHT_ONE,
	    "1 is read as a share");
	ok(sh_parse_millionths(sh_slice_str(".1234567"), &w) == SH_NUM_PLACES, "too many places");
	ok(sh_parse_weight(sh_slice_str(".8"), &w) == SH_NUM_MALFORMED,
	    ".8 is refused in a record");
	for (size_t i = 0; i < sizeof no_share / sizeof *no_share; i++)
		ok(sh_parse_millionths(sh_slice_str(no_share[i]), &w) == SH_NUM_MALFORMED,
		    "'%s' is refused as a share", no_share[i]);
}

static void test_hex(void)
{
	char got[64], want[65];
	uint64_t w[4], v[4];
	size_t digits, words, i, j, bad = 0;

	for (i = 0; i < 50000; i++) {
		for (j = 0; j < 4; j++)
			w[j] = rng();
		snprintf(want, sizeof want, "%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64,
		    w[0], w[1], w[2], w[3]);
		digits = 1 + rng_below(64);
		words = (digits + 15) / 16;
		bad += sh_print_hex(got, w, digits) != digits || memcmp(got, want, digits) != 0;
		bad += sh_parse_hex(sh_slice(got, digits), v) != 0;
		if (digits % 16)
			w[words - 1] &= ~(UINT64_MAX >> digits % 16 * 4);
		bad += memcmp(v, w, words * 8) != 0;
	}
	ok(!bad, "50000 numbers of 1..64 hex digits are written like printf and read back");
}

static void test_hex_strict(void)
{
	char s[40];
	uint64_t w[3];
	size_t n, at, bad = 0;
	int c, good;

	for (n = 1; n <= sizeof s; n++) {
		for (c = 0; c < 256; c++) {
			at = rng_below(n);
			memset(s, '5', n);
			s[at] = (char)c;
			good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
			bad += (sh_parse_hex(sh_slice(s, n), w) == 0) != good;
		}
	}
	ok(!bad, "only the bytes 0-9 and a-f are digits, in strings of 1..40");
	bad = 0;
	for (c = 0; c < 256; c++) {
		for (at = 0; at < 16; at++) {
			uint64_t x = rng(), wrong = 0, same = 0;

			sh_print_hex16(s, x);
			bad += sh_unhex16(s, &same) != x || same != 0;
			s[at] = (char)c;
			good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
			sh_unhex16(s, &wrong);
			bad += (wrong == 0) != good;
		}
	}
	ok(!bad, "only the bytes 0-9 and a-f are digits, at each place of 16 digits that are read "
		 "at once");
	ok(sh_parse_hex(sh_slice("", 0), w) == SH_NUM_MALFORMED,
	    "an empty string is refused as hex");
}

static void test_bytes(void)
{
	const unsigned char p[9] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	unsigned char q[8];

	ok(sh_le64(p + 1) == UINT64_C(0x0807060504030201),
	    "little-endian numbers are read at odd addresses");
	ok(sh_be64(p + 1) == UINT64_C(0x0102030405060708), "big-endian numbers are read");
	sh_put_le64(q, UINT64_C(0x0807060504030201));
	ok(memcmp(q, p + 1, 8) == 0, "numbers are written and read back");
	ok(sh_rotl64(UINT64_C(0x8000000000000001), 4) == 0x18, "rotation moves bits around");
}

int main(void)
{
	rng_init(1);
	test_u64();
	test_u64_round_trip();
	test_weight_forms();
	test_weight_round_trip();
	test_size();
	test_options();
	test_hex();
	test_hex_strict();
	test_bytes();
	return done_testing();
}
