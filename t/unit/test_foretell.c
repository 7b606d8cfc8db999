/* Compares what slots and edits prove about random texts with their sets of n-grams. */
#include "group/foretell.h"

#include <string.h>

#include "hash/mix.h"
#include "rng.h"
#include "tap.h"
#include "weight/weight.h"

enum { LONGEST = 120, GRAMS = 4 * LONGEST, FEW = 3, MANY = 1000 };

struct text {
	uint64_t token[LONGEST];
	struct sh_sequence all;
	uint64_t taken[64];
	struct sh_gram_slots slots;
	size_t features; /* n-grams, also repeated ones */
};

struct gram {
	const uint64_t *token;
	size_t n;
};

static uint64_t draw(uint64_t words)
{
	return sh_mix_moremur(1 + rng_below(words));
}

static void write_text(struct text *t, uint64_t words)
{
	t->all = (struct sh_sequence){ t->token, 1 + rng_below(LONGEST) };
	for (size_t i = 0; i < t->all.n; i++)
		t->token[i] = draw(words);
}

/* Makes y of x with this number of edits. */
static void edit_text(struct text *y, const struct text *x, unsigned edits, uint64_t words)
{
	size_t n = x->all.n;

	memcpy(y->token, x->token, n * sizeof *y->token);
	for (; edits; edits--) {
		size_t at = rng_below(n), what = rng_below(3);

		if (what == 0 && n > 1)
			memmove(y->token + at, y->token + at + 1, (--n - at) * sizeof *y->token);
		else if (what == 1 && n < LONGEST)
			memmove(y->token + at + 1, y->token + at, (n++ - at) * sizeof *y->token);
		else
			y->token[at] = draw(words);
	}
	y->all = (struct sh_sequence){ y->token, n };
}

static size_t list_grams(const struct text *t, struct sh_ngrams ngrams, struct gram *g)
{
	struct sh_ngrams range = sh_ngrams_of(ngrams, t->all.n);
	size_t n = 0;

	for (unsigned lead = 1; lead <= sh_ngrams_lead(range); lead++)
		g[n++] = (struct gram){ t->token, lead };
	for (size_t size = range.min; size <= range.max; size++)
		for (size_t i = 0; i + size <= t->all.n; i++)
			g[n++] = (struct gram){ t->token + i, size };
	return n;
}

static bool has(const struct gram *g, size_t n, struct gram x)
{
	for (size_t i = 0; i < n; i++)
		if (g[i].n == x.n && memcmp(g[i].token, x.token, x.n * sizeof *x.token) == 0)
			return true;
	return false;
}

/* Returns the number of distinct n-grams of x that y has, or lacks. */
static size_t count(const struct gram *x, size_t n, const struct gram *y, size_t m, bool in_y)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += !has(x, i, x[i]) && has(y, m, x[i]) == in_y;
	return found;
}

struct tally {
	unsigned wrong, similar, dissimilar;
};

static void fill(struct text *t, struct sh_ngrams ngrams)
{
	t->slots.taken = t->taken;
	must(sh_gram_slots_words(t->all.n) <= sizeof t->taken / sizeof *t->taken);
	sh_gram_slots_fill(&t->slots, t->all, ngrams, SIZE_MAX);
	must(sh_ngrams_count(sh_ngrams_of(ngrams, t->all.n), t->all.n, &t->features,
		 &(struct sh_error){ 0 }) == 0);
}

/* Compares two texts. touched: n-grams that an edit changes, at most. */
static void compare(struct sh_aligner *a, struct text *x, struct text *y, struct sh_ngrams ngrams,
    size_t touched, struct tally *t)
{
	static struct gram gx[GRAMS], gy[GRAMS];
	size_t n = list_grams(x, ngrams, gx), m = list_grams(y, ngrams, gy), distance;
	size_t both = count(gx, n, gy, m, true), only_x = count(gx, n, gy, m, false),
	       only_y = count(gy, m, gx, n, false);
	uint64_t threshold = rng_below(SH_WEIGHT_ONE + 1);
	bool reaches = both * SH_WEIGHT_ONE >= threshold * (both + only_x + only_y);
	struct sh_slots_apart apart;
	struct sh_error err;

	fill(x, ngrams);
	fill(y, ngrams);
	t->wrong += x->features != n || y->features != m || x->slots.distinct > both + only_x;
	if (sh_gram_slots_apart(&x->slots, &y->slots, &apart)) {
		bool fails = sh_foretell_dissimilar(apart, n, m, threshold);

		t->wrong += apart.x > only_x || apart.y > only_y || (fails && reaches);
		t->dissimilar += fails;
	}
	must(sh_align(a, x->all, y->all, (struct sh_align_bound){ .most = 2 * LONGEST }, &distance,
		 &err) == 0);
	if (distance && x->slots.distinct >= sh_foretell_features(touched * distance, threshold)) {
		t->wrong += !reaches || distance > sh_foretell_edits(n, touched, threshold);
		t->similar++;
	}
}

static struct tally tallied(struct sh_ngrams ngrams, uint64_t words, unsigned edits)
{
	struct tally t = { 0 };
	struct text x, y;
	struct sh_error err;
	struct sh_aligner *a = sh_aligner_new(&err);
	size_t touched = sh_ngrams_lead(ngrams);

	must(a != NULL);
	for (unsigned n = ngrams.min; n <= ngrams.max; n++)
		touched += n;
	for (unsigned i = 0; i < 1000; i++) {
		write_text(&x, words);
		if (edits)
			edit_text(&y, &x, 1 + (unsigned)rng_below(edits), words);
		else
			write_text(&y, words);
		compare(a, &x, &y, ngrams, touched, &t);
	}
	sh_aligner_delete(a);
	return t;
}

static void against_sets(struct sh_ngrams ngrams)
{
	struct tally few = tallied(ngrams, FEW, 0), few_edits = tallied(ngrams, FEW, 10),
		     edits = tallied(ngrams, MANY, 5), others = tallied(ngrams, MANY, 0);

	ok(few.wrong + few_edits.wrong + edits.wrong + others.wrong == 0,
	    "%u to %u words%s: nothing that the sets contradict", ngrams.min, ngrams.max,
	    ngrams.lead ? ", with the lead" : "");
	ok(edits.similar > 400 && others.dissimilar > 500,
	    "many copies are proven similar, and most other texts dissimilar: %u and %u of 1000",
	    edits.similar, others.dissimilar);
}

/* Slots of one n-gram each, so that every n-gram that one text lacks shows. */
static void lacking(void)
{
	struct text x, y;
	struct sh_slots_apart apart;
	unsigned missed = 0;

	for (unsigned i = 0; i < 1000; i++) {
		write_text(&x, MANY);
		edit_text(&y, &x, 1, MANY);
		fill(&x, (struct sh_ngrams){ .min = 3, .max = 3 });
		fill(&y, (struct sh_ngrams){ .min = 3, .max = 3 });
		missed +=
		    x.all.n >= 3 && y.all.n >= 3 &&
		    (!sh_gram_slots_apart(&x.slots, &y.slots, &apart) || apart.x + apart.y == 0);
	}
	ok(missed < 20, "a changed word is seen in the slots: all but %u of 1000 times", missed);
}

int main(void)
{
	rng_init(1991);
	against_sets((struct sh_ngrams){ .min = 3, .max = 3 });
	against_sets((struct sh_ngrams){ .min = 1, .max = 1 });
	against_sets((struct sh_ngrams){ .min = 1, .max = 3 });
	against_sets((struct sh_ngrams){ .min = 3, .max = 3, .lead = true });
	lacking();
	return done_testing();
}
