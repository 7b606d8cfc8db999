/* SPDX-License-Identifier: MIT */
/* Tests ranks of documents (match/rank.h): exact numbers, strings without escapes, the order of
 * both, the rules of --keep. */
#include <string.h>

#include "base/error.h"
#include "match/rank.h"
#include "rng.h"
#include "tap.h"

enum { MOST = 40 };

static struct sh_error err;
static uint64_t rank[MOST];

static void set(void *arg, uint32_t document, uint64_t value)
{
	(void)arg;
	rank[document] = value;
}

static bool fill(struct sh_rank_values *v, const char *const *record, size_t n)
{
	bool good = sh_rank_values_header(v, sh_slice("", 0), &err) == 0;

	for (uint32_t i = 0; i < n; i++)
		good = good && sh_rank_values_add(v, i, sh_slice_str(record[i]), &err) == 0;
	sh_rank_values_finish(v, set, NULL);
	return good;
}

/* Fields are in the order of their ranks, the best first. Equal ones follow each other with "=". */
static void ordered(const char *rule, bool json, const char *const *record, size_t n)
{
	struct sh_document_form form = { .json = json };
	struct sh_rank_values v = { .form = &form };
	unsigned wrong = 0;

	must(sh_rank_rule_parse(rule, &v.rule, &err) == 0 &&
	     sh_rank_rule_check(&v.rule, &form, &err) == 0);
	must(fill(&v, record, n));
	for (size_t i = 0; i + 1 < n; i++) {
		bool same = record[i + 1][0] == '=' || (json && record[i + 1][0] == ' ');

		wrong += same ? rank[i] != rank[i + 1] : rank[i] >= rank[i + 1];
	}
	ok(wrong == 0, "%s: the order of %s ... (%u are wrong)", rule, record[0], wrong);
	sh_rank_values_free(&v);
}

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void test_numbers(void)
{
	/* The first field is "=" when the value is that of the line before. */
	static const char *const largest[] = { "\t1e1000000", "\t1e400", "\t9007199254740993",
		"\t9007199254740992", "=\t9007199254740992.000", "=\t+9007199254740992",
		"\t9007199254740991", "\t1234567890.00000000000000000002",
		"\t1234567890.00000000000000000001", "\t12.5", "=\t1.25e1", "=\t125e-1", "\t12",
		"\t.5", "\t0.05", "\t5e-400", "\t0", "=\t-0", "=\t0.000", "=\t0e9", "\t-1e-9",
		"\t-3", "\t-3.0000000000000000001", "\t-20", "\tz", "\tNaN", "\tNA", "\t1,000",
		"\t0x10", "\t" };
	static const char *const smallest[] = { "\t-20", "\t-3.01", "\t-3", "\t0", "\t7", "\t10",
		"\t1e30", "\t1,000", "\t1.2.3", "\tNA", "\tinf", "\t" };

	ordered("max:2", false, largest, COUNT(largest));
	ordered("min:2", false, smallest, COUNT(smallest));
}

static void test_strings(void)
{
	static const char *const json[] = { "{\"s\":3}", "{\"s\":\"\\u00e9\"}", " {\"s\":\"é\"}",
		"{\"s\":\"z\"}", "{\"s\":\"99\"}", "{\"s\":\"9\"}", "{\"s\":null}", " {}" };
	static const char *const tsv[] = { "\ta\\\\c", "\ta\\nb", "\ta\\tb", "\t" };
	struct sh_document_form form = { .json = true };
	struct sh_rank_values v = { .form = &form };
	char text[SH_RANK_TEXT];

	ordered("max:s", true, json, COUNT(json));
	ordered("max:2", false, tsv, COUNT(tsv));
	must(sh_rank_rule_parse("max:s", &v.rule, &err) == 0 && fill(&v, json, COUNT(json)));
	ok(sh_rank_values_doubt(&v, text) &&
		!strcmp(text,
		    "2 documents without field 's', 5 with a value of 's' that is no number: rank "
		    "last"),
	    "documents without a number are counted: %s", text);
	sh_rank_values_free(&v);
}

/* Whole numbers of up to 18 digits have the order of integers, in any notation. */
static void test_random(void)
{
	struct sh_document_form form = { 0 };
	unsigned wrong = 0;

	for (unsigned turn = 0; turn < rng_rounds(2000); turn++) {
		char line[2][64];
		const char *const record[2] = { line[0], line[1] };
		int64_t number[2];
		struct sh_rank_values v = { .form = &form };

		for (unsigned i = 0; i < 2; i++) {
			unsigned zeros = (unsigned)rng_below(4);
			uint64_t above = rng_any() % UINT64_C(1000000000000000000);

			number[i] = rng_below(3) ? (int64_t)above : -(int64_t)above;
			if (i && rng_below(4) == 0)
				number[1] = number[0] + (int64_t)rng_below(3) - 1;
			snprintf(line[i], sizeof line[i],
			    rng_below(2) ? "\t%lld%0*de-%u" : "\t%lld", (long long)number[i],
			    zeros ? (int)zeros : 1, 0, zeros ? zeros : 1);
		}
		must(sh_rank_rule_parse("max:2", &v.rule, &err) == 0 && fill(&v, record, 2));
		wrong += (rank[0] < rank[1]) != (number[0] > number[1]) ||
			 (rank[0] == rank[1]) != (number[0] == number[1]);
		sh_rank_values_free(&v);
	}
	ok(wrong == 0, "whole numbers in two notations have the order of integers");
}

static void test_rules(void)
{
	static const char *const bad[] = { "max:", "min:" };
	struct sh_document_form lines = { .line_ids = true }, fields = { 0 };
	struct sh_rank_rule rule;
	struct sh_rank a = { true, 9, 9 }, b = { false, 1, 1 }, c = { false, 1, 2 };

	for (size_t i = 0; i < COUNT(bad); i++)
		ok(sh_rank_rule_parse(bad[i], &rule, &err) < 0, "refused: %s", bad[i]);
	must(sh_rank_rule_parse("max:score", &rule, &err) == 0);
	ok(sh_rank_rule_check(&rule, &fields, &err) < 0 && strstr(err.text, "max:3"),
	    "a name needs a header or JSON: %s", err.text);
	ok(sh_rank_rule_check(&rule, &lines, &err) < 0, "-l has no fields: %s", err.text);
	must(sh_rank_rule_parse("list", &rule, &err) == 0);
	ok(rule.by == SH_RANK_LISTED && !strcmp(rule.path, "list"), "another word is a file");
	ok(sh_rank_compare(a, b) < 0 && sh_rank_compare(b, c) < 0 && sh_rank_compare(c, a) > 0 &&
		sh_rank_compare(a, a) == 0,
	    "protected documents are the best, then the rule decides, then the place");
}

int main(void)
{
	rng_init(4);
	test_numbers();
	test_strings();
	test_random();
	test_rules();
	return done_testing();
}
