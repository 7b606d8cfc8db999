/* SPDX-License-Identifier: MIT */
/* Tests the keys of documents (match/keys.h): two documents of which one is short share a key that
 * makes them candidates when a brute-force comparison says that they reach the threshold. */
#include <string.h>

#include "base/error.h"
#include "hash/mix.h"
#include "match/keys.h"
#include "rng.h"
#include "tap.h"
#include "weight/weight.h"

enum { DOCS = 60, TOKENS = 48, KEYS = 4000 };

struct text {
	uint64_t token[TOKENS];
	size_t n;
	struct sh_doc_keys keys;
	struct sh_doc_key key[KEYS];
};

static struct text text[DOCS];

static struct sh_key_rules rules(uint64_t jaccard, uint64_t edit, unsigned n)
{
	struct sh_key_rules r = {
		.ngrams = { .min = n, .max = n }, .jaccard = jaccard, .edit = edit
	};

	sh_key_secret(0, r.secret);
	sh_key_rules_complete(&r);
	return r;
}

static struct sh_key_maker *maker(const struct sh_key_rules *r)
{
	struct sh_error err;
	struct sh_key_maker *m = sh_key_maker_new(r, &err);

	must(m != NULL);
	return m;
}

static void make(struct sh_key_maker *m, struct text *t)
{
	struct sh_error err;

	must(sh_keys_make(m, t->token, t->n, &t->keys, &err) == 0 && t->keys.n <= KEYS);
	if (t->keys.n)
		memcpy(t->key, t->keys.key, t->keys.n * sizeof *t->key);
}

/* Returns whether two documents share a key of this column that makes them candidates. */
static bool meet(const struct text *x, const struct text *y, unsigned column)
{
	for (size_t i = 0; i < x->keys.n; i++)
		for (size_t j = 0; j < y->keys.n; j++)
			if (x->key[i].column == column && y->key[j].column == column &&
			    x->key[i].hash == y->key[j].hash &&
			    (x->key[i].meets_all || y->key[j].meets_all))
				return true;
	return false;
}

/* ---- the oracle ---- */

static size_t grams(const struct text *t, unsigned n)
{
	return t->n == 0 ? 0 : t->n < n ? 1 : t->n - n + 1;
}

static bool same_gram(const struct text *x, size_t i, const struct text *y, size_t j, unsigned n)
{
	unsigned a = x->n < n ? (unsigned)x->n : n, b = y->n < n ? (unsigned)y->n : n;

	return a == b && memcmp(x->token + i, y->token + j, a * sizeof *x->token) == 0;
}

static bool has(const struct text *x, size_t end, const struct text *y, size_t j, unsigned n)
{
	for (size_t i = 0; i < end; i++)
		if (same_gram(x, i, y, j, n))
			return true;
	return false;
}

static size_t features(const struct text *t, unsigned n)
{
	size_t found = 0;

	for (size_t i = 0; i < grams(t, n); i++)
		found += !has(t, i, t, i, n);
	return found;
}

static bool reaches_jaccard(const struct text *x, const struct text *y, unsigned n, uint64_t t)
{
	size_t common = 0, all = features(x, n) + features(y, n);

	for (size_t i = 0; i < grams(x, n); i++)
		common += !has(x, i, x, i, n) && has(y, grams(y, n), x, i, n);
	return common * SH_WEIGHT_ONE >= t * (all - common);
}

static bool reaches_edit(const struct text *x, const struct text *y, uint64_t t)
{
	static size_t d[TOKENS + 1][TOKENS + 1];
	size_t longer = x->n > y->n ? x->n : y->n;

	for (size_t i = 0; i <= x->n; i++)
		for (size_t j = 0; j <= y->n; j++) {
			size_t least = i + j;

			if (i && j)
				least = d[i - 1][j - 1] + (x->token[i - 1] != y->token[j - 1]);
			if (i && d[i - 1][j] + 1 < least)
				least = d[i - 1][j] + 1;
			if (j && d[i][j - 1] + 1 < least)
				least = d[i][j - 1] + 1;
			d[i][j] = least;
		}
	return (longer - d[x->n][y->n]) * SH_WEIGHT_ONE >= t * longer;
}

/* ---- short documents ---- */

static uint64_t word(unsigned words)
{
	return sh_mix_moremur(rng_below(words) + 1);
}

/* Makes some texts, and edited copies of each. */
static void make_texts(unsigned words)
{
	for (size_t i = 0; i < DOCS; i++) {
		struct text *t = &text[i];

		if (i % 4 == 0 || i < 4) {
			t->n = 1 + rng_below(rng_below(2) ? 24 : TOKENS);
			for (size_t j = 0; j < t->n; j++)
				t->token[j] = word(words);
			continue;
		}
		*t = text[i - i % 4];
		for (unsigned edits = (unsigned)rng_below(1 + t->n / 3); edits; edits--) {
			size_t at = rng_below(t->n);

			switch (rng_below(3)) {
			case 0:
				t->token[at] = word(words);
				break;
			case 1:
				if (t->n > 1)
					memmove(t->token + at, t->token + at + 1,
					    (--t->n - at) * sizeof *t->token);
				break;
			default:
				if (t->n == TOKENS)
					break;
				memmove(t->token + at + 1, t->token + at,
				    (t->n++ - at) * sizeof *t->token);
				t->token[at] = word(words);
			}
		}
	}
}

struct tally {
	unsigned pairs, missed, strange;
};

static void compare(const struct sh_key_rules *r, struct tally *jaccard, struct tally *edit)
{
	struct sh_key_maker *m = maker(r);
	unsigned n = r->ngrams.max;

	for (size_t i = 0; i < DOCS; i++) {
		struct text *t = &text[i];

		make(m, t);
		jaccard->strange += t->keys.features && t->keys.features != features(t, n);
		jaccard->strange +=
		    t->keys.short_jaccard != (r->jaccard && features(t, n) < SH_KEYS_SHORT);
		edit->strange += t->keys.short_edit != (r->edit && grams(t, n) < SH_KEYS_SHORT);
	}
	for (size_t i = 0; i < DOCS; i++)
		for (size_t j = 0; j < i; j++) {
			const struct text *x = &text[i], *y = &text[j];

			if ((x->keys.short_jaccard || y->keys.short_jaccard) &&
			    reaches_jaccard(x, y, n, r->jaccard)) {
				jaccard->pairs++;
				jaccard->missed += !meet(x, y, SH_COLUMN_FEATURE);
				if (x->keys.short_jaccard && y->keys.short_jaccard)
					jaccard->strange += meet(x, y, SH_COLUMN_SET) !=
							    reaches_jaccard(x, y, n, SH_WEIGHT_ONE);
			}
			if ((x->keys.short_edit || y->keys.short_edit) &&
			    reaches_edit(x, y, r->edit)) {
				edit->pairs++;
				edit->missed += !meet(x, y, SH_COLUMN_GRAM);
			}
		}
	sh_key_maker_delete(m);
}

static void test_short(void)
{
	static const uint64_t threshold[] = { 0, 1000000, 890000, 800000, 666667, 500000, 300000,
		50000 };
	enum { THRESHOLDS = sizeof threshold / sizeof *threshold };
	struct tally jaccard = { 0 }, edit = { 0 };

	for (unsigned turn = 0; turn < rng_rounds(320); turn++) {
		unsigned j = turn % THRESHOLDS, e = turn / THRESHOLDS % THRESHOLDS;
		struct sh_key_rules r = rules(threshold[j], threshold[e], 1 + turn % 5);

		if (!j && !e)
			continue;
		make_texts(turn % 3 ? 4 + turn : 3);
		compare(&r, &jaccard, &edit);
	}
	ok(jaccard.pairs > 1000 && jaccard.missed == 0,
	    "similar documents of which one is short share a key: Jaccard (%u of %u do not)",
	    jaccard.missed, jaccard.pairs);
	ok(edit.pairs > 1000 && edit.missed == 0,
	    "similar documents of which one is short share a key: edit similarity (%u of %u do "
	    "not)",
	    edit.missed, edit.pairs);
	ok(jaccard.strange + edit.strange == 0,
	    "features and short documents are counted, and short ones of one set share its key");
}

/* Makes a text of n different words, then `again` times the first word. */
static void spell(struct text *t, size_t n, size_t again)
{
	t->n = n + again;
	for (size_t i = 0; i < t->n; i++)
		t->token[i] = sh_mix_moremur(i < n ? i + 1 : 1);
}

/* The values must never change: records of two versions and two machines may meet. */
static void test_fixed(void)
{
	struct sh_key_rules r = rules(800000, 890000, 3);
	struct sh_key_maker *m = maker(&r);
	uint64_t sum = 0, other = 0;

	for (size_t n = 1; n <= 45; n++) {
		spell(text, n, n / 2 > TOKENS - n ? TOKENS - n : n / 2);
		make(m, text);
		for (size_t i = 0; i < text->keys.n; i++)
			sum = sum * 31 + text->key[i].hash + text->key[i].column;
	}
	sh_key_maker_delete(m);
	ok(sum == UINT64_C(0xed023225535b158f), "keys without a seed are fixed (%llx)",
	    (unsigned long long)sum);
	sh_key_secret(1, r.secret);
	m = maker(&r);
	spell(text, 40, 0);
	make(m, text);
	for (size_t i = 0; i < text->keys.n; i++)
		other = other * 31 + text->key[i].hash;
	ok(other != sum, "another seed gives other keys");
	sh_key_maker_delete(m);
}

int main(void)
{
	rng_init(38);
	test_short();
	test_fixed();
	return done_testing();
}
