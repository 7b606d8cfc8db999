/* SPDX-License-Identifier: MIT */
/* gemantic's SimHash.java: t/vectors/java_*. */
#include "base/num.h"
#include "fp/format.h"
#include "published/published.h"
#include "record/fingerprint.h"
#include "vectors.h"

static const unsigned widths[] = { 1, 3, 8, 16, 32, 63, 64, 65, 96, 128, 160, 256 };
static unsigned width;

static bool of_width(const struct vec_row *row)
{
	return strtoul(row->f[0], NULL, 10) == width;
}

static void test_texts(void)
{
	struct vec_table t = vec_load("java_simhash.tsv");
	size_t covered = 0;
	char options[64];

	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		width = widths[i];
		for (size_t j = 0; j < t.n; j++)
			covered += of_width(&t.row[j]);
		snprintf(options, sizeof options, "-b %u -x dec", width);
		vec_check_both("java_simhash", &t, 1, 3, "gemantic", options, of_width);
		snprintf(options, sizeof options, "shfp -p gemantic -b %u -x bare", width);
		vec_check("java_simhash, hex", &t, 1, 4, options, of_width);
		snprintf(options, sizeof options, "shfp -p gemantic -b %u -x bin", width);
		vec_check("java_simhash, strSimHash", &t, 1, 5, options, of_width);
	}
	ok(covered == t.n, "every width of java_simhash.tsv is tested");
}

/* Bytes that are not UTF-8 are decoded as by Java. */
static void test_bytes(void)
{
	struct vec_table t = vec_load("java_bytes_hex.tsv");

	for (size_t i = 0; i < t.n; i++)
		t.row[i].f[0] = vec_escape_hex(t.row[i].f[0]);
	vec_check_both("java_bytes_hex", &t, 0, 2, "gemantic", "2>/dev/null", NULL);
}

/* The class gives the last `bits` bits; the bits that its length reaches above them are never
 * read, and here never there. */
static void test_hash(void)
{
	struct vec_table t = vec_load("java_hash.tsv");

	for (size_t i = 0; i < t.n; i++) {
		unsigned bits = (unsigned)strtoul(t.row[i].f[0], NULL, 10);
		size_t n, digits = (bits + 3) / 4, have = strlen(t.row[i].f[4]);
		char *token = vec_bytes(t.row[i].f[1], &n), want[80], got[SH_FORMAT_MAX];
		uint64_t w[SH_FP_MAX_WORDS];

		memset(want, '0', sizeof want);
		if (have > digits)
			memcpy(want, t.row[i].f[4] + have - digits, digits);
		else
			memcpy(want + digits - have, t.row[i].f[4], have);
		sh_hash_feature(sh_hash_find("gemantic"), sh_slice(token, n), 0, bits, w);
		sh_fp_format_find("hex")->print(got, w, bits);
		ok(memcmp(got, want, digits) == 0, "java_hash row %zu", i + 2);
	}
}

/* ---- sub-blocks, from sh_fp_bits() and the fingerprints that shfp prints ---- */

/* Bit i of the class is bit bits-1-i of the fingerprint. */
static unsigned java_bit(const uint64_t *fp, unsigned bits, unsigned i)
{
	return (unsigned)sh_fp_bits(fp, bits - 1 - i, 1);
}

static unsigned bit_length(const uint64_t *fp, unsigned bits)
{
	unsigned n = bits;

	while (n && !java_bit(fp, bits, n - 1))
		n--;
	return n;
}

/* "[1, 2]": blocks of `each` of arg's bits, the first bit the most significant, as far as whole
 * ones fit into the length of the other fingerprint. */
static void sub_blocks(
    const uint64_t *fp, const uint64_t *arg, unsigned bits, unsigned each, char *out)
{
	unsigned length = bit_length(fp, bits);
	char *p = out;

	*p++ = '[';
	for (unsigned from = 0; from + each <= length; from += each) {
		uint64_t block[4] = { 0 };

		/* A number of `each` bits, left-aligned as a fingerprint is. */
		for (unsigned i = 0; i < each; i++)
			block[i / 64] |= (uint64_t)java_bit(arg, bits, from + i) << (63 - i % 64);
		p += sprintf(p, "%s", from ? ", " : "");
		p += sh_fp_format_find("dec")->print(p, block, each);
	}
	strcpy(p, "]");
}

static void parse_fp(const char *hex, unsigned bits, uint64_t *w)
{
	size_t n = strlen(hex);

	memset(w, 0, SH_FP_MAX_WORDS * sizeof *w);
	if (n * 4 != bits || sh_parse_hex(sh_slice(hex, n), w) < 0)
		printf("# bad fingerprint %s\n", hex);
}

static void fingerprints(const struct vec_table *t, unsigned column, unsigned bits, char **got)
{
	char name[32], command[64];
	FILE *f = vec_input(name);

	for (size_t i = 0; i < t->n; i++) {
		if (strtoul(t->row[i].f[0], NULL, 10) != bits)
			continue;
		fprintf(f, "%zu\t", i);
		vec_put_text(f, t->row[i].f[column]);
		putc('\n', f);
	}
	fclose(f);
	snprintf(command, sizeof command, "shfp -p gemantic -b %u", bits);
	vec_run(command, name, got, t->n);
	unlink(name);
}

static void test_sub_distance(void)
{
	static const unsigned sizes[] = { 16, 32, 64, 128 };
	struct vec_table t = vec_load("java_sub_distance.tsv");
	char **a = vec_need(calloc(t.n, sizeof *a)), **b = vec_need(calloc(t.n, sizeof *b));

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		fingerprints(&t, 1, sizes[i], a);
		fingerprints(&t, 2, sizes[i], b);
	}
	for (size_t i = 0; i < t.n; i++) {
		unsigned bits = (unsigned)strtoul(t.row[i].f[0], NULL, 10);
		unsigned each = bits / ((unsigned)strtoul(t.row[i].f[3], NULL, 10) + 1);
		uint64_t x[SH_FP_MAX_WORDS], y[SH_FP_MAX_WORDS];
		char got[8192] = "java.lang.ArithmeticException";

		if (!a[i] || !b[i]) {
			ok(false, "row %zu has fingerprints", i + 2);
			continue;
		}
		parse_fp(a[i], bits, x);
		parse_fp(b[i], bits, y);
		if (each)
			sub_blocks(x, y, bits, each, got);
		ok(bit_length(x, bits) == strtoul(t.row[i].f[4], NULL, 10) &&
			each == strtoul(t.row[i].f[5], NULL, 10) &&
			strcmp(got, t.row[i].f[6]) == 0 &&
			sh_fp_distance(x, y, SH_FP_WORDS(bits)) == strtoul(t.row[i].f[7], NULL, 10),
		    "java_sub_distance row %zu: %.60s", i + 2, t.row[i].f[6]);
	}
}

/* The output of the class for its three texts, at 64 bits. */
static void test_main_output(void)
{
	static const char *const text[] = {
		"This is a test string for testing",
		"This is a test string for testing, This is a test string for testing abcdef",
		"This is a test string for testing als",
	};
	static const char *const want[] = { "9227187964509734024", "9227187964518122632",
		"9227223148898608264" };
	char name[32], *got[3] = { NULL };
	FILE *f = vec_input(name);

	for (int i = 0; i < 3; i++)
		fprintf(f, "%d\t%s\n", i, text[i]);
	fclose(f);
	vec_run("shfp -p gemantic -x dec", name, got, 3);
	unlink(name);
	for (int i = 0; i < 3; i++)
		ok(got[i] && strcmp(got[i], want[i]) == 0, "main() prints %s", want[i]);
}

int main(void)
{
	test_texts();
	test_bytes();
	test_hash();
	test_sub_distance();
	test_main_output();
	return done_testing();
}
