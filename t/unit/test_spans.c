/* SPDX-License-Identifier: MIT */
/* The limits up to which matches are joined to spans and spans are merged and kept, and the
 * coverage of some spans. fuzz_passage compares spans of random documents with slow definitions. */
#include "passage/placed.h"
#include "passage_util.h"

static struct sh_error err;

enum { RUN = 20 }; /* tokens of a common run */

/* Writes RUN tokens that both documents have, `gap` own tokens, and RUN more common tokens. */
static struct sh_token_hashes two_runs(uint32_t *to, uint32_t gap, uint32_t own)
{
	for (uint32_t i = 0; i < 2 * RUN + gap; i++)
		to[i] = i < RUN ? i : i < RUN + gap ? own + i : i - gap;
	return (struct sh_token_hashes){ to, 2 * RUN + gap };
}

/* Finds the spans of a document and of the only document of `others`, from two common runs. They
 * begin at tokens from[] and at[]. The spans are valid until the matcher ends. */
static struct sh_matcher *find(const struct sh_match_opts *opts, struct sh_token_hashes side,
    const struct sh_texts *others, const uint32_t from[2], const uint32_t at[2],
    struct sh_span **spans, size_t *n)
{
	struct sh_matcher *m = sh_matcher_new(opts, others, &err);

	must(m != NULL);
	sh_matcher_begin(m, side);
	for (int i = 0; i < 2; i++) {
		uint32_t first, end;

		must(sh_matcher_hit(m, 0, from[i], at[i], &first, &end, &err) == 0 &&
		     end - first == RUN);
	}
	must(sh_matcher_spans(m, spans, n, &err) == 0);
	return m;
}

/* Two common runs are one span up to a gap, a difference of the gaps, and a distance to merge. A
 * span has at least the matched tokens and the identity of the options. */
static void test_limits(void)
{
	static const struct {
		uint32_t gap_a, gap_b, merge, least;
		uint64_t identity;
		size_t spans;
	} row[] = { { 40, 40, 0, 1, 0, 1 }, { 41, 41, 0, 1, 0, 2 }, { 17, 5, 0, 1, 0, 1 },
		{ 18, 5, 0, 1, 0, 2 }, { 41, 41, 41, 1, 0, 1 }, { 41, 42, 41, 1, 0, 2 },
		{ 42, 41, 41, 1, 0, 2 }, { 40, 40, 0, 2 * RUN, 0, 1 },
		{ 40, 40, 0, 2 * RUN + 1, 0, 0 }, { 40, 40, 0, 1, 500000, 1 },
		{ 40, 40, 0, 1, 500001, 0 } };
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		uint32_t left[100], right[100], gap_a = row[i].gap_a, gap_b = row[i].gap_b;
		struct sh_match_opts opts = { 5, row[i].least, row[i].identity, row[i].merge,
			false };
		struct sh_token_hashes b = two_runs(right, gap_b, 2000);
		struct sh_texts others = { 0 };
		struct sh_matcher *m;
		struct sh_span *spans;
		size_t n;

		add_document(&others, b.token, b.n);
		m = find(&opts, two_runs(left, gap_a, 1000), &others,
		    (uint32_t[]){ 0, RUN + gap_a }, (uint32_t[]){ 0, RUN + gap_b }, &spans, &n);
		wrong += n != row[i].spans;
		sh_matcher_delete(m);
		sh_texts_free(&others);
	}
	ok(!wrong, "spans are joined, merged and kept up to their limits");
}

/* Two halves in exchanged order are one span, of which one half matches. */
static void test_exchanged(void)
{
	uint32_t left[2 * RUN], right[2 * RUN];
	struct sh_match_opts opts = { 3, 5, 300000, 1, false };
	struct sh_texts others = { 0 };
	struct sh_matcher *m;
	struct sh_span *span;
	size_t n;

	for (uint32_t i = 0; i < 2 * RUN; i++) {
		left[i] = i;
		right[i] = (i + RUN) % (2 * RUN);
	}
	add_document(&others, right, 2 * RUN);
	m = find(&opts, (struct sh_token_hashes){ left, 2 * RUN }, &others, (uint32_t[]){ 0, RUN },
	    (uint32_t[]){ RUN, 0 }, &span, &n);
	ok(n == 1 && span->matched == RUN && span->from == 0 && span->to == 2 * RUN &&
		span->at == 0 && span->end == 2 * RUN,
	    "of two halves in exchanged order one matches");
	sh_matcher_delete(m);
	sh_texts_free(&others);
}

static bool covers(struct sh_span *spans, size_t n, uint32_t first, uint32_t other)
{
	struct sh_buf room = { 0 };
	uint32_t here, there;

	must(sh_coverage(spans, n, &room, &here, &there, &err) == 0);
	sh_buf_free(&room);
	return here == first && there == other;
}

static void test_coverage(void)
{
	struct sh_span one[] = { { 0, 5, 15, 0, 10, 8 } };
	struct sh_span two[] = { { 0, 0, 10, 0, 10, 10 }, { 0, 5, 15, 5, 15, 10 } };
	struct sh_span poor[] = { { 0, 0, 100, 0, 100, 50 }, { 0, 200, 300, 0, 100, 100 } };

	ok(covers(one, 1, 8, 8), "the coverage of one span is its matched tokens");
	ok(covers(two, 2, 15, 15), "tokens of two spans count once");
	ok(covers(poor, 2, 150, 100), "the better one of two spans over the same tokens counts");
	ok(sh_coverage_needs(SH_COVERAGE_USUAL, 9) == 9 &&
		sh_coverage_needs(SH_COVERAGE_USUAL, 10) == 8 &&
		sh_coverage_needs(SH_COVERAGE_USUAL, 19) == 16 &&
		sh_coverage_needs(SH_COVERAGE_USUAL, 20) == 12,
	    "queries of fewer than 20 and of fewer than 10 tokens need more coverage");
}

int main(void)
{
	test_limits();
	test_exchanged();
	test_coverage();
	return done_testing();
}
