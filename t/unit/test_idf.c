/* SPDX-License-Identifier: MIT */
/* Tables of idf from other programs: values are rounded to millionths, and median and mean are
 * right. */
#include "weight/df.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "rng.h"
#include "scratch.h"
#include "tap.h"

static char path[SCRATCH_MAX];

static struct sh_idf_table load(const char *text)
{
	FILE *file = fopen(path, "w");
	struct sh_idf_table t;
	struct sh_error err;

	if (!file || fputs(text, file) == EOF || fclose(file) == EOF ||
	    sh_idf_table_load(&t, path, &err) < 0) {
		puts("Bail out! the test itself failed");
		exit(99);
	}
	return t;
}

static int64_t value_of(const char *number)
{
	char text[100];
	struct sh_idf_table t;
	int64_t x;

	snprintf(text, sizeof text, "word %s\n", number);
	t = load(text);
	x = sh_idf_lookup(&t, sh_slice("word", 4), -1);
	sh_idf_table_free(&t);
	return x;
}

static bool refused(const char *number)
{
	FILE *file = fopen(path, "w");
	struct sh_idf_table t;
	struct sh_error err;
	bool good;

	if (!file || fprintf(file, "word %s\n", number) < 0 || fclose(file) == EOF)
		return false;
	good = sh_idf_table_load(&t, path, &err) < 0 && err.code == SH_ERR_RECORD;
	sh_idf_table_free(&t);
	return good;
}

/* Up to 12 places in whole numbers of 10^-12. */
static void test_rounding(void)
{
	int wrong = 0;

	for (int i = 0; i < 500; i++) {
		uint64_t whole = rng_below(1000), part = rng_below(1000000000000);
		int places = (int)rng_below(13);
		uint64_t unit = 1, exact;
		char number[40];

		if (rng_below(3) == 0) /* half a millionth, or near it */
			part = rng_below(1000000) * 1000000 + 499999 + rng_below(3);
		for (int k = places; k < 12; k++)
			unit *= 10;
		part -= part % unit;
		exact = whole * 1000000000000 + part;
		if (places)
			snprintf(number, sizeof number, "%llu.%0*llu", (unsigned long long)whole,
			    places, (unsigned long long)(part / unit));
		else
			snprintf(number, sizeof number, "%llu", (unsigned long long)whole);
		wrong += value_of(number) != (int64_t)((exact + 500000) / 1000000);
	}
	ok(wrong == 0, "values are rounded to millionths, halves up: %d are not", wrong);
	ok(value_of("8e-05") == 80 && value_of("1.25E+1") == 12500000 && value_of("5e-7") == 1,
	    "powers of ten are read as Python prints them");
	ok(refused("e5") && refused("1e") && refused("1e300") && refused("0x1p-2") &&
		refused("-1e2") && refused("1e-"),
	    "other numbers are refused");
	ok(value_of("0.0000005") == 1 && value_of("0.00000049999999") == 0,
	    "a half of a millionth is rounded up, and less than a half down");
}

static void test_table(void)
{
	struct sh_idf_table t = load("b 2\na\t1\nc d 7\nb 4\r\n");

	ok(t.lines == 4 && t.features.n == 3, "4 lines give 3 features");
	ok(sh_idf_lookup(&t, sh_slice("b", 1), 0) == 4000000, "the last line of a feature counts");
	ok(sh_idf_lookup(&t, sh_slice("c d", 3), 0) == 7000000,
	    "a feature of two words has its value");
	ok(sh_idf_lookup(&t, sh_slice("c", 1), 5) == 5,
	    "a feature that the table lacks has the given value");
	ok(sh_idf_real(&t, sh_slice("a", 1), 0) == 1 && sh_idf_real(&t, sh_slice("x", 1), 8) == 8,
	    "the values as doubles equal the values of the file");
	ok(t.median == 4000000, "the median is that of the features");
	ok(t.real_mean == 3.5, "the mean is that of the lines");
	sh_idf_table_free(&t);
	t = load("\na 1\nb 2\n\r\nc 3\n");
	/* (double): of wider registers, as i386 has, the constant would have all bits. */
	ok(t.features.n == 3 && t.real_mean == (double)1.2 && t.median == 2000000,
	    "empty lines give no feature, and count in the mean");
	sh_idf_table_free(&t);
	t = load("a 1\nb 2\nc 3\nd 4\n");
	ok(t.median == 3000000, "the median of an even number of values is the upper one");
	sh_idf_table_free(&t);
}

int main(void)
{
	rng_init(9);
	scratch(path, "idf");
	test_rounding();
	test_table();
	unlink(path);
	return done_testing();
}
