/* SPDX-License-Identifier: MIT */
/* Compares features that are added many lines at a time with features added one by one. */
#include "base/num.h"
#include "fp/accumulator.h"
#include "hash/mix.h"
#include "published/published.h"

#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "tap.h"

enum { TOKENS = 60, TEXT = 4096, ROUNDS = 2000 };

struct words {
	char text[TEXT + SH_MIX_PADDING + 32];
	size_t start[TOKENS + 1]; /* start of each token; a blank stands before the next token */
	unsigned n;
};

/* Makes tokens with few different values, some empty, some long. */
static void random_words(struct words *w)
{
	size_t at = 0;

	w->n = 1 + (unsigned)rng_below(TOKENS);
	memset(w->text, 'x', sizeof w->text);
	for (unsigned i = 0; i < w->n; i++) {
		size_t n = rng_below(8) ? rng_below(4) : rng_below(40);

		w->start[i] = at;
		for (; n; n--)
			w->text[at++] = (char)('a' + rng_below(2));
		w->text[at++] = ' ';
	}
	w->start[w->n] = at;
}

static struct sh_slice ngram(const struct words *w, unsigned from, unsigned n)
{
	return sh_slice(w->text + w->start[from], w->start[from + n] - 1 - w->start[from]);
}

enum { LINES = 200, LINE_ROOM = TEXT + 40 };

struct both {
	struct sh_accumulator fast, slow;
	struct sh_feature_lines lines;
	struct sh_id_prefix prefix;
	uint64_t chunks;
	char text[LINES * LINE_ROOM + 64];
	size_t n;
};

static int64_t random_weight(void)
{
	switch (rng_below(9)) {
	case 0:
		return (int64_t)rng_below(3000000);
	case 1:
		return 2 * SH_WEIGHT_ONE;
	case 4:
		return (int64_t)rng_below(80) * SH_WEIGHT_ONE;
	case 2:
		return (int64_t)rng_below(1000000000) * 1000000;
	case 3:
		return 1693147;
	default:
		return SH_WEIGHT_ONE;
	}
}

/* Appends a line to the text, and adds its feature alone. */
static int add_line(struct both *b, struct sh_slice f)
{
	int64_t weight = random_weight();
	struct sh_error err;
	char *p = b->text + b->n;

	p += sprintf(p, "id\t%.*s\t", (int)f.n, f.p);
	p += sh_print_weight(p, weight);
	*p++ = '\n';
	b->n = (size_t)(p - b->text);
	return sh_accumulator_add(&b->slow, f, weight, &err);
}

/* Adds all lines of the text, many at a time. Adds the last lines one by one. */
static int add_text(struct both *b)
{
	const char *p = b->text, *end = p + b->n, *next;
	struct sh_error err;

	if (sh_feature_lines_chunk(&b->lines, b->chunks++, p, end, &err) < 0)
		return -1;
	for (; p < end; p = next) {
		struct sh_feature f;

		next = sh_feature_lines_read(&b->lines, &b->prefix, p);
		if (!sh_accumulator_add_lines(&b->fast, &b->lines, b->lines.lines))
			return -1;
		if (next != p)
			continue;
		/* The line begins with a blank. */
		next = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
		if (p[3] != ' ' ||
		    sh_record_feature(sh_slice(p, (size_t)(next - p) - 1), &f, &err) < 0 ||
		    sh_accumulator_add(&b->fast, f.text, f.weight, &err) < 0)
			return -1;
	}
	return 0;
}

/* Appends all n-grams in order, without some, and with some of another length. */
static int same(const struct words *w, unsigned n, struct both *b)
{
	struct sh_fingerprint x = { .empty = true }, y = { .empty = true };
	size_t words = SH_FP_WORDS(b->fast.opts->bits);
	unsigned odd = (unsigned)rng_below(2), lines = 0;

	sh_accumulator_clear(&b->fast);
	sh_accumulator_clear(&b->slow);
	b->n = 0;
	for (unsigned i = 0; i + n <= w->n && lines < LINES; i++) {
		unsigned grams = odd && rng_below(10) == 0 ? 1 + (unsigned)rng_below(w->n - i) : n;
		struct sh_slice f = ngram(w, i, grams);

		if (f.n == 0 || rng_below(9) == 0)
			continue;
		lines++;
		if (add_line(b, f) < 0)
			return 0;
	}
	if (add_text(b) < 0)
		return 0;
	sh_accumulator_finish(&b->fast, &x);
	sh_accumulator_finish(&b->slow, &y);
	return x.empty == y.empty &&
	       sh_simhash_total(&b->fast.simhash) == sh_simhash_total(&b->slow.simhash) &&
	       memcmp(x.w, y.w, words * sizeof *x.w) == 0;
}

/* Lines whose weights do not fit are refused and have no effect. */
static void test_full(struct both *b)
{
	const char *const line = "id\tword\t999999999.999999\n";
	struct sh_error err;
	bool took = true;
	int64_t before = 0;

	sh_accumulator_clear(&b->fast);
	b->n = 0;
	for (unsigned i = 0; i < LINES; i++)
		b->n += (size_t)sprintf(b->text + b->n, "%s", line);
	for (unsigned i = 0; took && i < 100; i++) {
		before = sh_simhash_total(&b->fast.simhash);
		took = sh_feature_lines_chunk(
			   &b->lines, b->chunks++, b->text, b->text + b->n, &err) == 0 &&
		       sh_feature_lines_read(&b->lines, &b->prefix, b->text) == b->text + b->n &&
		       sh_accumulator_add_lines(&b->fast, &b->lines, b->lines.lines);
	}
	ok(!took && before > INT64_MAX - LINES * INT64_C(999999999999999) &&
		before == sh_simhash_total(&b->fast.simhash),
	    "refuses lines that make the sum of weights too large");
}

/* The total weight is at most INT64_MAX. */
static void test_limit(struct both *b)
{
	static const char line[] = "id\tword\t10.000003\n";
	const uint64_t word = UINT64_C(1) << 63;
	const int64_t weight = 10000003;
	struct sh_error err;
	bool took[2];

	b->n = sizeof line - 1;
	memcpy(b->text, line, sizeof line);
	for (int over = 0; over < 2; over++) {
		sh_accumulator_clear(&b->fast);
		took[over] =
		    sh_simhash_add(&b->fast.simhash, &word, INT64_MAX - weight + over, &err) == 0 &&
		    sh_feature_lines_chunk(&b->lines, b->chunks++, b->text, b->text + b->n, &err) ==
			0 &&
		    sh_feature_lines_read(&b->lines, &b->prefix, b->text) == b->text + b->n &&
		    sh_accumulator_add_lines(&b->fast, &b->lines, b->lines.lines);
	}
	ok(took[0] && !took[1], "accepts a total weight of INT64_MAX, and refuses a larger one");
}

static void test_bits(struct both *b, unsigned bits)
{
	struct sh_fingerprint_opts opts = {
		.hash = sh_hash_find("mix"), .scheme = sh_scheme_find("log"), .bits = bits
	};
	static struct words w;
	struct sh_error err;

	if (sh_accumulator_init(&b->fast, &opts, &err) < 0 ||
	    sh_accumulator_init(&b->slow, &opts, &err) < 0 ||
	    sh_feature_lines_init(&b->lines, true, &err) < 0)
		return;
	sh_id_prefix_set(&b->prefix, sh_slice_str("id"));
	for (unsigned n = 1; n <= 7; n++) {
		unsigned wrong = 0;

		for (unsigned i = 0; i < ROUNDS; i++) {
			random_words(&w);
			wrong += !same(&w, n, b);
		}
		ok(!wrong,
		    "%u bits, %u-grams: %u documents have the same sums by lines at a time and one "
		    "by one",
		    bits, n, ROUNDS);
	}
	if (bits == 64) {
		test_full(b);
		test_limit(b);
	}
	sh_feature_lines_free(&b->lines);
	sh_accumulator_free(&b->fast);
	sh_accumulator_free(&b->slow);
}

int main(void)
{
	static struct both b;

	rng_init(0xACC);
	test_bits(&b, 64);
	test_bits(&b, 200);
	return done_testing();
}
