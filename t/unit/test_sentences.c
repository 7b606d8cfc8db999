/* SPDX-License-Identifier: MIT */
/* Any bytes are divided into sentences, and repeated lines equal a comparison of all lines. */
#include "passage/sentences.h"

#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "tap.h"

static struct sh_error err;

/* Writes a random text of words, ends of sentences, white space, escapes and ill-formed bytes. */
static size_t random_text(char *to, size_t room)
{
	static const char *const piece[] = { "a", "Bc", "1", ". ", ".", "!", "? ", "\\n", "\\\\",
		"\\t", "\\", "\n", " ", "\xe3\x80\x82", "\xe4\xb8\xad", "\xe2\x80\x9d", "\xff",
		"\xe3\x80", "\"", ")", "\xe2\x80\xa6", "\xcc\x81" };
	size_t n = 0, pieces = rng_below(40);

	for (size_t i = 0; i < pieces && n + 4 < room; i++) {
		const char *p = piece[rng_below(sizeof piece / sizeof *piece)];

		memcpy(to + n, p, strlen(p));
		n += strlen(p);
	}
	return n;
}

/* Sentences follow each other without gaps, and none but the last is empty. */
static bool is_divided(const struct sh_sentences *s, size_t n)
{
	uint32_t at = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct sh_sentence *x = &s->at[i];

		if (x->from != at || x->to < x->from || x->next < x->to || x->next == x->from)
			return false;
		at = x->next;
	}
	return at == n;
}

static void test_borders(void)
{
	bool good = true;

	for (unsigned round = rng_rounds(20000); good && round; round--) {
		struct sh_sentence_opts opts = {
			.lines = rng() & 1, .raw = rng() & 1, .no_fold = rng() & 1, .run = 1
		};
		struct sh_splitter *s = sh_splitter_new(&opts, &err);
		struct sh_sentences out = { 0 };
		char *text = malloc(200);
		size_t n = random_text(text, 180);
		char *exact = malloc(n + 1);

		must(s && text && exact);
		memcpy(exact, text, n);
		must(sh_split_sentences(s, sh_slice(exact, n), &out, &err) == 0);
		good = is_divided(&out, n);
		free(text);
		free(exact);
		sh_sentences_free(&out);
		sh_splitter_delete(s);
	}
	ok(good, "the sentences of any bytes follow each other without gaps");
}

/* Compares the runs of `length` sentences with all runs before. */
static bool runs_are_right(struct sh_sentence *x, size_t n, unsigned length)
{
	struct sh_sentence_opts opts = { .run = length, .tokens = 1 };
	struct sh_run_counts counts;
	bool want[300] = { false }, good = true;
	size_t real[300], m = 0;

	for (size_t i = 0; i < n; i++)
		if (x[i].tokens)
			real[m++] = i;
	for (size_t i = 0; i + length <= m; i++)
		for (size_t j = 0; j < i; j++) {
			bool same = true;

			for (size_t k = 0; k < length && same; k++)
				same = x[real[i + k]].hash[0] == x[real[j + k]].hash[0];
			if (same)
				memset(want + real[i], 1, real[i + length - 1] - real[i] + 1);
		}
	must(sh_run_counts_init(&counts, &err) == 0);
	must(sh_count_runs(&counts, &opts, x, n, 0, &err) == 0);
	sh_run_counts_free(&counts);
	for (size_t i = 0; good && i < n; i++)
		good = (x[i].min > 0) == want[i];
	return good;
}

static void test_runs(void)
{
	bool good = true;

	for (unsigned round = rng_rounds(3000); good && round; round--) {
		struct sh_sentence x[300] = { { 0 } };
		size_t n = rng_below(60), alphabet = 1 + rng_below(20);

		for (size_t i = 0; i < n; i++) {
			x[i].tokens = rng_below(5) > 0;
			x[i].hash[0] = rng_below(alphabet);
		}
		good = runs_are_right(x, n, 1 + (unsigned)rng_below(5));
	}
	ok(good, "runs that occurred before equal a comparison of all runs");
}

int main(void)
{
	rng_init(0x5e27);
	test_borders();
	test_runs();
	return done_testing();
}
