/* SPDX-License-Identifier: MIT */
/* The bounds of a record: ids of 1 to SH_ID_MAX bytes without CR, fingerprints of 1 to
 * SH_FP_HEX_MAX lower-case digits, similarities from 0 to 1. */
#include "record/fields.h"

#include <stdio.h>

#include "tap.h"
#include "text_util.h"

static struct sh_error err;

static int as_feature(struct sh_slice line)
{
	struct sh_feature f;

	return sh_record_feature(line, &f, &err);
}

static int as_fp(struct sh_slice line)
{
	struct sh_fp_record r;

	return sh_record_fp(line, &r, &err);
}

static int as_band(struct sh_slice line)
{
	struct sh_band_record r;

	return sh_record_band(line, &r, &err);
}

static int as_pair(struct sh_slice line)
{
	struct sh_pair_record r;

	return sh_record_pair(line, &r, &err);
}

/* In a pattern ID stands for an id, and FP for a fingerprint. */
static const struct form {
	const char *name, *pattern;
	int (*parse)(struct sh_slice line);
} forms[] = {
	{ "feature", "ID\tword\t1", as_feature },
	{ "fingerprint", "FP\tID", as_fp },
	{ "band", "key\tFP\tID", as_band },
	{ "first of a pair", "ID\tb\t3", as_pair },
	{ "second of a pair", "a\tID\t3\t0.5\tjaccard", as_pair },
	{ "first of a report", "ID\tb\t0.5\tedit", as_pair },
	{ "second of a report with sizes", "a\tID\t0.5\tedit\t2", as_pair },
};

enum { FORMS = sizeof forms / sizeof *forms };

/* Parses a record of the pattern with this id and fingerprint, in a heap block of exactly its
 * length. */
static int parse(const struct form *form, const char *id, size_t id_n, size_t digits)
{
	struct sh_buf b = { 0 };
	char *exact;
	int status;

	for (const char *p = form->pattern; *p; p++) {
		if (strncmp(p, "ID", 2) == 0) {
			append(&b, id, id_n);
			p++;
		} else if (strncmp(p, "FP", 2) == 0) {
			for (size_t i = 0; i < digits; i++)
				append(&b, &"0123456789abcdef"[i % 16], 1);
			p++;
		} else {
			append(&b, p, 1);
		}
	}
	exact = exact_copy(b.p, b.n);
	status = form->parse(sh_slice(exact, b.n));
	free(exact);
	sh_buf_free(&b);
	return status;
}

static void test_ids(const struct form *form)
{
	char id[SH_ID_MAX + 1];
	int wrong = 0;

	memset(id, 'x', sizeof id);
	for (size_t n = 0; n <= 20; n++)
		wrong += (parse(form, id, n, 16) == 0) != (n > 0);
	ok(wrong == 0, "%s: ids of 1 to 20 bytes are accepted", form->name);
	ok(parse(form, id, SH_ID_MAX, 16) == 0, "%s: an id of %d bytes is accepted", form->name,
	    SH_ID_MAX);
	ok(parse(form, id, SH_ID_MAX + 1, 16) < 0 && strstr(err.text, "4097 bytes"),
	    "%s: a longer id is refused: %s", form->name, err.text);
	wrong = 0;
	for (size_t n = 1; n <= 20; n++) {
		for (size_t at = 0; at < n; at++) {
			id[at] = '\r';
			wrong += parse(form, id, n, 16) == 0;
			id[at] = '\t';
			wrong += parse(form, id, n, 16) == 0;
			id[at] = '\n' + 1;
			wrong += parse(form, id, n, 16) < 0;
			id[at] = 'x';
		}
	}
	ok(wrong == 0, "%s: CR and TAB are refused anywhere in an id: %d are not", form->name,
	    wrong);
}

static void test_digits(const struct form *form)
{
	int wrong = 0;

	if (!strstr(form->pattern, "FP"))
		return;
	for (size_t n = 0; n <= SH_FP_HEX_MAX + 20; n++)
		wrong += (parse(form, "id", 2, n) == 0) != (n >= 1 && n <= SH_FP_HEX_MAX);
	ok(wrong == 0, "%s: 1 to %d digits are accepted", form->name, SH_FP_HEX_MAX);
}

static void test_similarity(void)
{
	static const char *const good[] = { "0", "0.000001", "0.999999", "1", "1.0" };
	static const char *const bad[] = { "1.000001", "2", "-0", "", ".", "--", "- ", "-" };
	struct sh_pair_record r;
	char line[40];

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		snprintf(line, sizeof line, "a\tb\t0\t%s\tedit", good[i]);
		ok(sh_record_pair(sh_slice_str(line), &r, &err) == 0 && r.similarity >= 0 &&
			r.similarity <= 1000000 && sh_slice_eq(r.measure, sh_slice_str("edit")),
		    "similarity %s is accepted", good[i]);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(line, sizeof line, "a\tb\t0\t%s\tedit", bad[i]);
		ok(sh_record_pair(sh_slice_str(line), &r, &err) < 0,
		    "'%s' is refused as a similarity", bad[i]);
	}
}

static void test_pairs(void)
{
	static const struct {
		const char *line;
		int64_t distance, similarity;
		bool coverage;
	} good[] = {
		{ "a\tb\t0", 0, -1, false },
		{ "a\tb\t-", -1, -1, false },
		{ "a\tb\t12\t0.5\tjaccard", 12, 500000, false },
		{ "a\tb\t-\t0.5\tcontainment1", -1, 500000, false },
		{ "a\tb\t0.5\tedit", -1, 500000, false },
		{ "a\tb\t1\tedit\t9", -1, 1000000, false },
		{ "a\tb\t100\t0.25\t0.75", 0, 750000, true },
	};
	static const char *const bad[] = { "a\tb", "a\tb\t--", "a\tb\t3\t0.5", "a\tb\t3\t0.5\t",
		"a\tb\t0.5\tedit\t0.5", "a\tb\t0.5\tedit\t2\t", "a\tb\t\t0.5\tedit",
		"a\tb\t1.5\t0.25\t0.75", "a\tb\t5\t6\t7\t8" };
	struct sh_pair_record r;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		ok(sh_record_pair(sh_slice_str(good[i].line), &r, &err) == 0 &&
			r.distance == good[i].distance && r.similarity == good[i].similarity &&
			r.coverage == good[i].coverage,
		    "a pair or a line of a report: %s", good[i].line);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(sh_record_pair(sh_slice_str(bad[i]), &r, &err) < 0, "refused as a pair: %s",
		    bad[i]);
}

/* Only a document without features has an empty feature. */
static void test_empty_feature(void)
{
	ok(as_feature(sh_slice_str("id\t\t0")) == 0, "an empty feature of weight 0 is accepted");
	ok(as_feature(sh_slice_str("id\t\t0.000001")) < 0 && strstr(err.text, "empty feature"),
	    "an empty feature with a weight is refused");
}

int main(void)
{
	for (size_t i = 0; i < FORMS; i++) {
		test_ids(&forms[i]);
		test_digits(&forms[i]);
	}
	test_similarity();
	test_pairs();
	test_empty_feature();
	return done_testing();
}
