/* SPDX-License-Identifier: MIT */
/* The Go program with the first 8 bytes of MD5: t/vectors/go_*.tsv, md5.tsv. */
#include "base/num.h"
#include "published/published.h"
#include "record/fingerprint.h"
#include "vectors.h"

static void test_texts(void)
{
	struct vec_table t = vec_load("go_simhash.tsv");

	vec_check_both("go_simhash", &t, 0, 2, "gomd5", "", NULL);
	vec_check("go_simhash as %x", &t, 0, 3, "shfp -p gomd5 -x bare", NULL);
}

/* Bytes that are not UTF-8 stand in hex, and are written to records with escapes. */
static void test_bytes(void)
{
	struct vec_table t = vec_load("go_simhash_bytes_hex.tsv");

	for (size_t i = 0; i < t.n; i++)
		t.row[i].f[0] = vec_escape_hex(t.row[i].f[0]);
	vec_check_both("go_simhash_bytes_hex", &t, 0, 2, "gomd5", "2>/dev/null", NULL);
}

/* "a<code point>b" is two fields or one. */
static void test_white_space(void)
{
	struct vec_table t = vec_load("go_fields_whitespace.tsv");
	char name[32], **got = vec_need(calloc(t.n + 1, sizeof *got));
	FILE *f = vec_input(name);

	for (size_t i = 0; i < t.n; i++) {
		unsigned c = (unsigned)strtoul(t.row[i].f[0], NULL, 16);

		fprintf(f, "%zu\ta", i);
		if (c == '\t' || c == '\n' || c == '\r')
			fprintf(f, "\\%c", c == '\t' ? 't' : c == '\n' ? 'n' : 'r');
		else if (c < 0x80)
			putc((int)c, f);
		else if (c < 0x800)
			fprintf(f, "%c%c", 0xC0 | c >> 6, 0x80 | (c & 63));
		else
			fprintf(f, "%c%c%c", 0xE0 | c >> 12, 0x80 | (c >> 6 & 63), 0x80 | (c & 63));
		fprintf(f, "b\n");
	}
	fclose(f);
	vec_run(
	    "shtok -p gomd5 | cut -f1 | uniq -c | awk '{ print $1 \"\\t\" $2 }'", name, got, t.n);
	unlink(name);
	for (size_t i = 0; i < t.n; i++)
		ok(got[i] && atoi(got[i]) == 1 + atoi(t.row[i].f[1]), "U+%s separates: %s",
		    t.row[i].f[0], t.row[i].f[1]);
}

static void test_md5(void)
{
	struct vec_table t = vec_load("md5.tsv");
	static const char *const name[] = { "md5", "md5-last" };

	for (size_t i = 0; i < t.n; i++) {
		size_t n;
		char *bytes = vec_unhex(t.row[i].f[0], &n), hex[16];
		uint64_t w[2];

		for (unsigned j = 0; j < 2; j++) {
			sh_hash_feature(sh_hash_find(name[j]), sh_slice(bytes, n), 0, 64, w);
			sh_print_hex(hex, w, 16);
			ok(memcmp(hex, t.row[i].f[2 + j], 16) == 0, "md5.tsv row %zu: %s %s", i + 2,
			    name[j], t.row[i].f[2 + j]);
		}
	}
}

/* The article's own values contradict each other, and the program it shows. */
static void test_claims(void)
{
	uint64_t a = UINT64_C(0x8bff35d6ec0a8f76), b = UINT64_C(0x8bff75d6ec1b8f76);
	uint64_t x = UINT64_C(0xe0894ccef4509142), y = UINT64_C(0xaae62ae822a6608f);

	ok(sh_fp_distance(&a, &b, 1) == 3,
	    "the two fingerprints of the article differ in 3 bits, not in 4 as it says");
	ok(sh_fp_distance(&x, &y, 1) == 37,
	    "the fingerprints that the program of the article prints differ in 37 bits");
}

int main(void)
{
	test_texts();
	test_bytes();
	test_white_space();
	test_md5();
	test_claims();
	return done_testing();
}
