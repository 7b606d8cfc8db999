#include "archive/keys.h"

#include <stdlib.h>

#include "archive/manifest.h"
#include "base/bytes.h"
#include "base/compare.h"
#include "base/num.h"
#include "base/siphash.h"
#include "fp/minhash.h"
#include "fp/minkeys.h"
#include "hash/mix.h"

#define MISSED     0.002 /* largest share of pairs at the threshold that have no common key */
#define COMMON     0.45  /* largest T^rows: share of pairs at the threshold that agree in a band */
#define IN_BAND(x) ((x) >> 24)

void sh_key_layout(struct sh_key_rule *r)
{
	double t = (double)r->threshold / SH_WEIGHT_ONE;
	double by_edit = sh_minkeys_edited((double)r->edit / SH_WEIGHT_ONE, r->ngrams.max);
	double chance;

	if (r->edit && (!r->threshold || by_edit < t))
		t = by_edit;
	chance = t;
	for (r->rows = 1; r->rows < SH_ROWS_MAX && chance > COMMON; r->rows++)
		chance *= t;
	r->bands = sh_minkeys_for(chance, MISSED, SH_BANDS_MAX);
}

static uint64_t key_of(const struct sh_key_rule *r, unsigned band, const char *p, size_t n)
{
	return (uint64_t)band << SH_KEY_HASH_BITS | IN_BAND(sh_siphash(r->key, p, n));
}

static void add_bands(
    const struct sh_key_rule *r, const uint64_t *hash, size_t n, struct sh_key_list *list)
{
	uint64_t bin[SH_BANDS_MAX * SH_ROWS_MAX];

	sh_minhash_bins(hash, n, r->bands * r->rows, bin);
	for (unsigned b = 0; b < r->bands; b++) {
		char bytes[SH_ROWS_MAX * sizeof *bin];

		for (unsigned i = 0; i < r->rows; i++)
			sh_put_le64(bytes + i * sizeof *bin, bin[b * r->rows + i]);
		list->key[list->n++] = key_of(r, b, bytes, r->rows * sizeof *bin);
	}
}

/* ---- keys of features ---- */

/* The common order of all documents is the order of the hashes. */
static int add_prefix(struct sh_key_list *list, unsigned band, const uint64_t *hash, size_t prefix,
    struct sh_error *err)
{
	if (SH_RESERVE(list->key, list->cap, list->n + prefix, err) < 0)
		return -1;
	for (size_t i = 0; i < prefix; i++)
		list->key[list->n++] = (uint64_t)band << SH_KEY_HASH_BITS | IN_BAND(hash[i]);
	return 0;
}

/* Returns the length of the prefix of n features, or 0 when no small document can be similar. */
static size_t prefix_by_jaccard(const struct sh_key_rule *r, size_t n)
{
	if (!r->few || !r->threshold || n > (r->few - 1) * (uint64_t)SH_WEIGHT_ONE / r->threshold)
		return 0;
	return n - (size_t)((r->threshold * n + SH_WEIGHT_ONE - 1) / SH_WEIGHT_ONE) + 1;
}

/* ---- small documents by edit similarity ---- */

/* Returns the largest edit distance of two similar documents. The longer one has n tokens. */
static size_t distance_within(const struct sh_key_rule *r, size_t n)
{
	return (size_t)((SH_WEIGHT_ONE - r->edit) * n / SH_WEIGHT_ONE);
}

/* Returns the number of tokens of the longest document that can be similar to one of n tokens. */
static size_t longest(const struct sh_key_rule *r, size_t n)
{
	return (size_t)(n * (uint64_t)SH_WEIGHT_ONE / r->edit);
}

/* Returns the number of tokens of the longest small document. */
static size_t small_tokens(const struct sh_key_rule *r)
{
	return r->few ? r->few + r->ngrams.max - 2 : 0;
}

/* Returns whether any two similar documents of up to n tokens share a q-gram. */
static bool grams_suffice(const struct sh_key_rule *r, unsigned q, size_t n)
{
	for (size_t tokens = 1; tokens <= n; tokens++) {
		size_t d = distance_within(r, tokens), grams = tokens < q ? 1 : tokens - q + 1;

		if (d && grams <= q * d)
			return false;
	}
	return true;
}

/* Returns the number of q-grams. A document of fewer tokens has one. */
static size_t count_grams(const struct sh_feature_set *set, unsigned q)
{
	return set->n_ordered < q ? 1 : set->n_ordered - q + 1;
}

static void hash_grams(
    const struct sh_key_rule *r, const struct sh_feature_set *set, unsigned q, uint64_t *gram)
{
	size_t n = count_grams(set, q);

	q = set->n_ordered < q ? (unsigned)set->n_ordered : q;
	for (size_t i = 0; i < n; i++) {
		char bytes[SH_NGRAM_MAX * sizeof *gram];

		for (unsigned j = 0; j < q; j++)
			sh_put_le64(bytes + j * sizeof *gram, set->ordered[i + j]);
		gram[i] = sh_siphash(r->key, bytes, q * sizeof *gram);
	}
	qsort(gram, n, sizeof *gram, sh_compare_u64);
}

/* Makes repeated q-grams different: the second one, the third one, ... */
static void number_repeats(uint64_t *gram, size_t n)
{
	uint64_t last = 0;
	unsigned repeat = 0;

	for (size_t i = 0; i < n; i++) {
		repeat = i && gram[i] == last ? repeat + 1 : 0;
		last = gram[i];
		gram[i] = repeat ? sh_mix_word(last, repeat) : last;
	}
	qsort(gram, n, sizeof *gram, sh_compare_u64);
}

/* Adds the first q d + 1 q-grams, d being the largest distance of a similar document. */
static int add_grams(const struct sh_key_rule *r, const struct sh_feature_set *set, unsigned q,
    struct sh_key_list *list, struct sh_error *err)
{
	size_t n = count_grams(set, q);
	size_t prefix = q * distance_within(r, longest(r, set->n_ordered)) + 1;
	uint64_t *gram = malloc(n * sizeof *gram);
	int status;

	if (!gram)
		return sh_error_nomem(err);
	hash_grams(r, set, q, gram);
	number_repeats(gram, n);
	status = add_prefix(list, SH_KEY_BAND_GRAM, gram, n < prefix ? n : prefix, err);
	free(gram);
	return status;
}

/* Adds the keys by which small documents are found. */
static int add_small(const struct sh_key_rule *r, const struct sh_feature_set *set,
    struct sh_key_list *list, struct sh_error *err)
{
	size_t prefix = prefix_by_jaccard(r, set->n), small = small_tokens(r);

	if (r->edit && small && set->n_ordered <= longest(r, small)) {
		unsigned q = r->ngrams.max;

		while (!grams_suffice(r, q, longest(r, small)))
			q--;
		if (add_grams(r, set, q, list, err) < 0)
			return -1;
	}
	return add_prefix(list, SH_KEY_BAND_FEATURE, set->hash, prefix, err);
}

static bool is_small(const struct sh_key_rule *r, const struct sh_feature_set *set)
{
	return r->edit ? set->n_ordered <= small_tokens(r) : set->n < r->few;
}

int sh_keys_of(const struct sh_key_rule *r, const struct sh_feature_set *set,
    struct sh_key_list *list, struct sh_error *err)
{
	if (set->n == 0)
		return 0;
	if (SH_RESERVE(list->key, list->cap, list->n + r->bands, err) < 0)
		return -1;
	if (!is_small(r, set))
		add_bands(r, set->hash, set->n, list);
	return add_small(r, set, list, err);
}

uint64_t sh_key_of_id(const struct sh_key_rule *r, struct sh_slice id)
{
	return key_of(r, SH_KEY_BAND_ID, id.p, id.n);
}
