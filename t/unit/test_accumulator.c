/* Features added the fast way, n-grams by what they share with the one before, against one by one. */
#include "fp/accumulator.h"
#include "fp/mix.h"

#include <stdlib.h>
#include <string.h>

#include "rng.h"
#include "tap.h"

enum { TOKENS = 60, TEXT = 4096, ROUNDS = 4000 };

struct words {
	char text[TEXT + SH_MIX_PADDING + 32];
	size_t start[TOKENS + 1]; /* of each token; a blank stands before the next */
	unsigned n;
};

/* Tokens of which few are different, some empty, some long. */
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

static enum sh_feature_look look_of(struct sh_slice s)
{
	return s.n && s.n <= 16 && !memchr(s.p, ' ', s.n) ? SH_LOOKS_WORD : SH_LOOKS_PLAIN;
}

/* All n-grams in order, some left out, some said twice. */
static int same(
    const struct words *w, unsigned n, struct sh_accumulator *fast, struct sh_accumulator *slow)
{
	struct sh_fingerprint x = { .empty = true }, y = { .empty = true };
	struct sh_error err;

	sh_accumulator_clear(fast);
	sh_accumulator_clear(slow);
	for (unsigned i = 0; i + n <= w->n; i++) {
		unsigned grams = rng_below(10) ? n : 1 + (unsigned)rng_below(w->n - i);
		struct sh_slice f = ngram(w, i, grams);
		int64_t weight = 1 + (int64_t)rng_below(3000000);

		if (f.n == 0 || rng_below(9) == 0)
			continue;
		if (sh_accumulator_add_padded(fast, f, look_of(f), weight, &err) < 0 ||
		    sh_accumulator_add(slow, f, weight, &err) < 0)
			return 0;
	}
	sh_accumulator_finish(fast, &x);
	sh_accumulator_finish(slow, &y);
	return x.empty == y.empty && memcmp(x.w, y.w, sizeof *x.w) == 0;
}

int main(void)
{
	struct sh_fingerprint_opts opts = {
		.hash = sh_hash_find("mix"), .scheme = sh_scheme_find("log"), .bits = 64
	};
	struct sh_accumulator fast, slow;
	static struct words w;
	struct sh_error err;

	rng_init(0xACC);
	if (sh_accumulator_init(&fast, &opts, &err) < 0 ||
	    sh_accumulator_init(&slow, &opts, &err) < 0)
		return 2;
	for (unsigned n = 1; n <= 7; n++) {
		unsigned wrong = 0;

		for (unsigned i = 0; i < ROUNDS; i++) {
			random_words(&w);
			wrong += !same(&w, n, &fast, &slow);
		}
		ok(!wrong, "%u-grams: %u documents, the same either way", n, ROUNDS);
	}
	sh_accumulator_free(&fast);
	sh_accumulator_free(&slow);
	return done_testing();
}
