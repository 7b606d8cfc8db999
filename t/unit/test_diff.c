/* SPDX-License-Identifier: MIT */
/* The words in which two texts differ: compares them with the longest common subsequence, computed
 * cell by cell. */
#include "report/beside.h"

#include <string.h>

#include "rng.h"
#include "tap.h"

enum { WORDS = 40, ROUNDS = 20000 };

static char text[2][WORDS * 8 + 1];

/* Makes a text of words with `letters` different values, and random blanks between. */
static struct sh_slice draw(int side, unsigned letters)
{
	static const char *const word[] = { "a", "bc", "\xE4\xB8\xAD", "\xE6\x96\x87", ".", "7" };
	static const char *const blank[] = { " ", "\n", "  ", "\t" };
	size_t n = rng_below(WORDS), at = 0;

	for (size_t i = 0; i < n; i++) {
		const char *w = word[rng_below(letters)], *b = blank[rng_below(4)];

		memcpy(text[side] + at, w, strlen(w));
		at += strlen(w);
		memcpy(text[side] + at, b, strlen(b));
		at += strlen(b);
	}
	return sh_slice(text[side], at);
}

static size_t common(const struct sh_diff_side *x, const struct sh_diff_side *y)
{
	static size_t cell[WORDS + 1][WORDS + 1];

	for (size_t i = 1; i <= x->n; i++)
		for (size_t j = 1; j <= y->n; j++) {
			size_t most =
			    cell[i - 1][j] > cell[i][j - 1] ? cell[i - 1][j] : cell[i][j - 1];

			cell[i][j] = x->word[i - 1].number == y->word[j - 1].number
					 ? cell[i - 1][j - 1] + 1
					 : most;
		}
	return cell[x->n][y->n];
}

/* Returns the number of words that do not differ, or SIZE_MAX when the two sides disagree about
 * them. */
static size_t kept(const struct sh_diff *d)
{
	const struct sh_diff_side *x = &d->side[0], *y = &d->side[1];
	size_t i = 0, j = 0, n = 0;

	for (;;) {
		while (i < x->n && x->word[i].differs)
			i++;
		while (j < y->n && y->word[j].differs)
			j++;
		if (i == x->n || j == y->n)
			return i == x->n && j == y->n ? n : SIZE_MAX;
		if (x->word[i++].number != y->word[j++].number)
			return SIZE_MAX;
		n++;
	}
}

static bool is_whole(const struct sh_diff_side *s)
{
	size_t at = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct sh_diff_word *w = &s->word[i];

		if (w->start != at || w->end < at || w->end > w[1].start)
			return false;
		at = w[1].start;
	}
	return at == s->text.n;
}

static void test_random(struct sh_diff *d)
{
	unsigned longer = 0, split = 0;
	struct sh_error err;

	rng_init(0xD1FF);
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned letters = 1 + i % 6;
		struct sh_slice x = draw(0, letters), y = draw(1, letters);

		must(sh_diff_texts(d, x, y, &err) == 0);
		split += !is_whole(&d->side[0]) || !is_whole(&d->side[1]);
		longer += kept(d) != common(&d->side[0], &d->side[1]);
	}
	ok(split == 0, "words and blanks together are the whole text");
	ok(longer == 0, "%d pairs: the words in common are a longest common subsequence", ROUNDS);
}

static void test_limit(struct sh_diff *d)
{
	enum { N = 6 * SH_DIFF_EDITS };
	static char a[2 * N], b[2 * N];
	struct sh_error err;
	size_t n;

	for (size_t i = 0; i < N; i++) {
		memcpy(a + 2 * i, i % 3 ? "x " : "y ", 2);
		memcpy(b + 2 * i, i % 3 ? "x " : "z ", 2);
	}
	must(sh_diff_texts(d, sh_slice(a, sizeof a), sh_slice(b, sizeof b), &err) == 0);
	n = kept(d);
	ok(n != SIZE_MAX && n >= SH_DIFF_EDITS - 2 && n < N / 2,
	    "all words behind the limit of edits count as different");
}

static void test_words(struct sh_diff *d)
{
	static const char x[] = "The caf\xC3\xA9, \xE4\xB8\xAD\xE6\x96\x87x\n";
	static const char y[] = "  The caf\xC3\xA8,\n\xE4\xB8\xAD\xE5\xAD\x97x";
	struct sh_error err;

	must(sh_diff_texts(d, sh_slice_str(x), sh_slice_str(y), &err) == 0);
	ok(d->side[0].n == 6 && d->side[1].n == 7,
	    "a text is split into words, signs and Han characters, each with the blanks before it");
	ok(kept(d) == 4 && d->side[0].word[1].differs && d->side[0].word[4].differs &&
		d->side[1].word[2].differs && d->side[1].word[5].differs,
	    "a word with another accent differs as a whole, and a Han character alone");
	must(sh_diff_texts(d, sh_slice("", 0), sh_slice("a", 1), &err) == 0);
	ok(d->side[0].n == 0 && d->side[1].word[0].differs, "an empty text has no words");
	must(sh_diff_texts(d, sh_slice("\xFF\xFE", 2), sh_slice("\xFF\xFF", 2), &err) == 0);
	ok(kept(d) == 1, "bytes that are not UTF-8 are split and compared");
}

int main(void)
{
	struct sh_diff d;
	struct sh_error err;

	must(sh_diff_init(&d, &err) == 0);
	test_random(&d);
	test_limit(&d);
	test_words(&d);
	sh_diff_free(&d);
	return done_testing();
}
