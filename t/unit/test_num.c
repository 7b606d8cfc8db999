/* SPDX-License-Identifier: MIT */
/* Sizes, counts and shares as users write them for options; t/fuzz/fuzz_numbers.c has the numbers
 * of records. */
#include "base/num.h"

#include "tap.h"

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
	for (size_t i = 0; i < sizeof no_share / sizeof *no_share; i++)
		ok(sh_parse_millionths(sh_slice_str(no_share[i]), &w) == SH_NUM_MALFORMED,
		    "'%s' is refused as a share", no_share[i]);
}

int main(void)
{
	test_size();
	test_options();
	return done_testing();
}
