/* SPDX-License-Identifier: MIT */
#include "match/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/num.h"
#include "base/siphash.h"
#include "fp/count.h"
#include "fp/hashsort.h"
#include "fp/minhash.h"
#include "hash/keyed.h"
#include "hash/mix.h"

enum {
	FEW = SH_KEYS_SHORT,
	PAIRS_MOST = 12, /* longest prefix of which pairs of features are keys */
	SAMPLE = 3,      /* n-grams in the sample of shows_many(), for each feature of its limit */
	REPEATED = 4,    /* one n-gram in four repeats another: the numbered set has keys, too */
};

/* ---- the table ---- */

/* Keys and rows by the Jaccard similarity that edits leave at the threshold. Measured on edited
 * copies of English and Chinese. Weak n-grams are common: unrelated texts share some, so a key of
 * weak n-grams takes more values. */
static const struct {
	double similarity; /* at least */
	unsigned keys, rows, weak_keys, weak_rows;
} by_edit[] = {
	{ 0.75, 16, 4, 16, 4 }, { 0.65, 24, 3, 16, 4 },
	{ 0.53, 24, 3, 32, 4 }, /* edit 0.89 of word triples */
	{ 0.43, 24, 2, 48, 3 }, { 0.34, 32, 2, 48, 2 },
	{ 0, 48, 2, 48, 2 }, /* edit 0.75 of word triples */
};

enum { CHARACTERS_WEAK = 3 }; /* n-grams of up to 3 characters are weak, and single words */

#define MISSED 0.002 /* Jaccard: largest share of pairs at the threshold without a common key */
#define COMMON 0.45  /* Jaccard: largest T^rows, share of pairs at the threshold that share a key */

/* Returns the average Jaccard similarity of the n-grams of two texts with edit similarity E. The
 * share E^n of the n-grams is unchanged, which gives E^n / (2 - E^n). */
static double edited(double edit, unsigned n)
{
	double same = 1;

	for (unsigned i = 0; i < n; i++)
		same *= edit;
	return same / (2 - same);
}

static void lay_out_edit(struct sh_key_rules *r, double similarity)
{
	bool weak = r->ngrams.max <= (r->unit == SH_UNIT_CHAR ? CHARACTERS_WEAK : 1);
	size_t i = 0;

	while (by_edit[i].similarity > similarity)
		i++;
	r->keys = weak ? by_edit[i].weak_keys : by_edit[i].keys;
	r->rows = weak ? by_edit[i].weak_rows : by_edit[i].rows;
}

static void lay_out_jaccard(struct sh_key_rules *r, double similarity)
{
	double chance = similarity * similarity, left;

	for (r->rows = 2; r->rows < SH_KEYS_ROWS_MAX && chance > COMMON; r->rows++)
		chance *= similarity;
	left = 1 - chance;
	for (r->keys = 1; r->keys < SH_KEYS_MAX && left > MISSED; r->keys++)
		left *= 1 - chance;
}

void sh_key_rules_thresholds(
    struct sh_key_rules *r, const struct sh_measure *m, uint64_t threshold, uint64_t edit)
{
	r->jaccard = m->ordered ? 0 : threshold;
	r->edit = m->any ? edit : m->ordered ? threshold : 0;
}

void sh_key_rules_complete(struct sh_key_rules *r)
{
	double jaccard = (double)r->jaccard / SH_WEIGHT_ONE;
	double edit = edited((double)r->edit / SH_WEIGHT_ONE, r->ngrams.max);

	r->ngrams.lead = r->ngrams.past_first = false;
	if (r->keys && r->rows)
		return;
	if (r->edit && (!r->jaccard || edit < jaccard))
		lay_out_edit(r, edit);
	else
		lay_out_jaccard(r, jaccard);
}

void sh_key_secret(uint64_t seed, uint64_t secret[2])
{
	secret[0] = sh_mix_moremur(seed + SH_MIX_GOLDEN);
	secret[1] = sh_mix_moremur(secret[0] + seed + SH_MIX_GOLDEN);
}

unsigned sh_key_rules_tag(const struct sh_key_rules *r, unsigned tokens)
{
	const uint64_t part[] = { tokens, r->jaccard, r->edit, r->keys, r->rows };
	uint64_t x = 0;

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		x = sh_mix_moremur(x + SH_MIX_GOLDEN + part[i]);
	return (unsigned)(x >> 48) | !(x >> 48);
}

/* ---- the maker ---- */

/* A prefix of `features` features, sorted by their hashes. pairs: the keys are the pairs of these
 * features, not single features. */
struct prefix {
	uint32_t features; /* 0: no keys */
	bool pairs;
};

struct sh_key_maker {
	struct sh_key_rules rules;
	struct sh_keyed keyed;
	const struct sh_keyed_kernel *kernel;
	struct sh_hash_count distinct;

	/* Features of the largest set, and tokens of the longest text, that can be similar to a
	 * short one. 0: the measure makes no match. */
	size_t reach_features, reach_tokens;
	size_t short_tokens; /* of the longest text that is short by edit similarity */
	/* Features in the prefix of a short set of n features: [pairs][n]. */
	uint32_t feature_prefix[2][FEW];
	/* q-grams in the prefix of a short text of n tokens: [n * modes + mode]. */
	uint32_t *gram_prefix;
	unsigned modes;

	uint64_t *token; /* of sh_key_tokens() */
	size_t token_cap;
	uint64_t *gram; /* the n-grams of the document, in the order of the text */
	size_t gram_cap;
	struct sh_hashes set; /* sorted features */
	struct sh_doc_key *key;
	size_t n, cap;
};

/* ---- prefixes ---- */

/* Returns the least number of features that a set of n features shares with a similar set that is
 * not larger. */
static size_t common_features(const struct sh_key_rules *r, size_t n)
{
	return (size_t)((r->jaccard * n + SH_WEIGHT_ONE - 1) / SH_WEIGHT_ONE);
}

/* Returns the prefix of a set of n features, for similar sets of which the larger one has `larger`
 * features. */
static struct prefix feature_prefix(const struct sh_key_rules *r, size_t n, size_t larger)
{
	size_t common = common_features(r, larger);
	bool pairs = common >= 2 && larger - common + 2 <= PAIRS_MOST;

	return (struct prefix){ (uint32_t)(n - common + 1 + pairs), pairs };
}

/* Returns the largest edit distance of two similar texts, the longer one of n tokens. */
static size_t distance_within(const struct sh_key_rules *r, size_t n)
{
	return (size_t)((SH_WEIGHT_ONE - r->edit) * n / SH_WEIGHT_ONE);
}

static size_t count_grams(size_t n, unsigned q)
{
	return n < q ? 1 : n - q + 1;
}

/* Returns the largest q with which two similar texts, the longer one of n tokens, share a q-gram.
 */
static unsigned choose_q(const struct sh_key_rules *r, size_t n)
{
	size_t distance = distance_within(r, n);
	unsigned q = r->ngrams.max;

	while (q > 1 && distance && count_grams(n, q) <= q * distance)
		q--;
	return q;
}

/* Returns the prefix of the q-grams of both texts, for similar texts of which the longer one has n
 * tokens. Sets *mode to a number of q and prefix.pairs: texts of two modes share no keys. */
static struct prefix gram_prefix(const struct sh_key_rules *r, size_t n, unsigned *mode)
{
	unsigned q = choose_q(r, n);
	size_t changed = q * distance_within(r, n);
	bool pairs = count_grams(n, q) >= changed + 2 && changed + 2 <= PAIRS_MOST;

	*mode = 2 * q + pairs;
	return (struct prefix){ (uint32_t)(changed + 1 + pairs), pairs };
}

/* A short set of n features is the smaller one of a pair, or as large as the other one. Of the
 * sizes of the larger one with the same keys, the smallest size needs the longest prefix. */
static void list_feature_prefixes(struct sh_key_maker *m)
{
	const struct sh_key_rules *r = &m->rules;

	for (size_t n = 1; n < FEW; n++)
		for (size_t larger = n; larger <= n * (uint64_t)SH_WEIGHT_ONE / r->jaccard;
		     larger++) {
			struct prefix p = feature_prefix(r, n, larger);

			if (!m->feature_prefix[p.pairs][n])
				m->feature_prefix[p.pairs][n] = p.features;
			if (m->feature_prefix[0][n] &&
			    larger - common_features(r, larger) + 2 > PAIRS_MOST)
				break; /* all larger sets need keys of single features */
		}
}

/* Of the lengths of the longer text in one mode, the largest length needs the longest prefix. */
static int list_gram_prefixes(struct sh_key_maker *m, struct sh_error *err)
{
	const struct sh_key_rules *r = &m->rules;
	struct {
		size_t longer; /* the last length in this mode */
		uint32_t features;
	} last[2 * SH_NGRAM_MAX + 2] = { { 0, 0 } };
	size_t longer = 0;

	m->modes = 2 * r->ngrams.max + 2;
	m->gram_prefix = calloc((m->short_tokens + 1) * m->modes, sizeof *m->gram_prefix);
	if (!m->gram_prefix)
		return sh_error_nomem(err);
	for (size_t n = 1; n <= m->short_tokens; n++) {
		while (longer < n * (uint64_t)SH_WEIGHT_ONE / r->edit) {
			unsigned mode;
			struct prefix p = gram_prefix(r, ++longer, &mode);

			last[mode].longer = longer;
			last[mode].features = p.features;
		}
		for (unsigned mode = 0; mode < m->modes; mode++)
			if (last[mode].longer >= n)
				m->gram_prefix[n * m->modes + mode] = last[mode].features;
	}
	return 0;
}

struct sh_key_maker *sh_key_maker_new(const struct sh_key_rules *r, struct sh_error *err)
{
	struct sh_key_maker *m = calloc(1, sizeof *m);

	if (!m) {
		sh_error_nomem(err);
		return NULL;
	}
	m->rules = *r;
	sh_keyed_init(&m->keyed, r->secret);
	m->kernel = sh_keyed_kernel_at(0);
	if (r->jaccard) {
		m->reach_features = (FEW - 1) * (uint64_t)SH_WEIGHT_ONE / r->jaccard;
		list_feature_prefixes(m);
	}
	if (r->edit) {
		/* A text of this length has FEW - 1 n-grams. */
		m->short_tokens = FEW + r->ngrams.max - 2;
		m->reach_tokens = m->short_tokens * (uint64_t)SH_WEIGHT_ONE / r->edit;
	}
	if (sh_hash_count_init(&m->distinct, err) < 0 ||
	    (r->edit && list_gram_prefixes(m, err) < 0)) {
		sh_key_maker_delete(m);
		return NULL;
	}
	return m;
}

void sh_key_maker_delete(struct sh_key_maker *m)
{
	if (!m)
		return;
	sh_hash_count_free(&m->distinct);
	sh_hashes_free(&m->set);
	free(m->gram_prefix);
	free(m->token);
	free(m->gram);
	free(m->key);
	free(m);
}

/* ---- n-grams ---- */

const uint64_t *sh_key_tokens(
    struct sh_key_maker *m, const struct sh_tokens *t, struct sh_error *err)
{
	if (SH_RESERVE(m->token, m->token_cap, t->n + 1, err) < 0)
		return NULL;
	if (t->n)
		m->kernel->texts(&m->keyed, t->text, t->start, t->end, t->n, m->token);
	return m->token;
}

/* Writes the hashes of all n-grams of q tokens, or of the only one of fewer tokens, and returns
 * their number. */
static size_t hash_grams(
    const struct sh_key_maker *m, const uint64_t *token, size_t n, unsigned q, uint64_t *gram)
{
	size_t count = count_grams(n, q);

	q = n < q ? (unsigned)n : q;
	if (q == 1)
		memcpy(gram, token, n * sizeof *gram);
	else if (q <= SH_KEYED_ROW_MAX)
		m->kernel->rows(&m->keyed, token, n, q, gram);
	else
		for (size_t i = 0; i < count; i++) {
			char bytes[SH_NGRAM_MAX * sizeof *token];

			for (unsigned j = 0; j < q; j++)
				sh_put_le64(bytes + j * sizeof *token, token[i + j]);
			gram[i] = sh_siphash(m->keyed.key, bytes, q * sizeof *token);
		}
	return count;
}

/* Hashes all n-grams of the document into m->gram, and reserves memory for its sets. */
static int hash_document(
    struct sh_key_maker *m, const uint64_t *token, size_t n, size_t *count, struct sh_error *err)
{
	struct sh_ngrams range = sh_ngrams_of(m->rules.ngrams, n);
	size_t all;

	*count = 0;
	if (sh_ngrams_count(range, n, &all, err) < 0 ||
	    SH_RESERVE(m->gram, m->gram_cap, all, err) < 0 ||
	    sh_hashes_reserve(&m->set, all > n ? all : n, err) < 0)
		return -1;
	for (unsigned q = range.min; q <= range.max; q++)
		*count += hash_grams(m, token, n, q, m->gram + *count);
	return 0;
}

/* Makes repeated hashes of the set different: the second one, the third one, ... Sorts them. */
static void number_repeats(struct sh_key_maker *m, size_t count)
{
	uint64_t *h, last = 0;
	unsigned repeat = 0;

	sh_hashes_sort(&m->set, count);
	h = m->set.hash;
	for (size_t i = 0; i < count; i++) {
		repeat = i && h[i] == last ? repeat + 1 : 0;
		last = h[i];
		h[i] = sh_mix_word(last, repeat);
	}
}

/* ---- keys ---- */

static void add_key(struct sh_key_maker *m, unsigned column, uint64_t hash, bool meets_all)
{
	m->key[m->n++] = (struct sh_doc_key){ hash, 0, (uint8_t)column, meets_all };
}

/* Writes r->keys keys: each is a hash of r->rows minwise values. */
static void make_minwise(
    const struct sh_key_rules *r, const uint64_t *feature, size_t n, uint64_t *key)
{
	uint64_t value[SH_KEYS_MAX * SH_KEYS_ROWS_MAX], *next = value;

	sh_minhash_bins(feature, n, r->keys * r->rows, value);
	for (unsigned i = 0; i < r->keys; i++) {
		uint64_t x = 0;

		for (unsigned row = 0; row < r->rows; row++)
			x = sh_mix_moremur(x + SH_MIX_GOLDEN + *next++);
		key[i] = x >> (64 - SH_KEYS_BITS);
	}
}

/* Adds the keys of minwise values of the plain set, of the numbered set, or of both. */
static int add_minwise(
    struct sh_key_maker *m, size_t count, bool plain, bool numbered, struct sh_error *err)
{
	const struct sh_key_rules *r = &m->rules;
	uint64_t key[2][SH_KEYS_MAX];

	if (SH_RESERVE(m->key, m->cap, m->n + 2 * r->keys, err) < 0)
		return -1;
	if (plain)
		make_minwise(r, m->gram, count, key[0]);
	if (numbered) {
		memcpy(m->set.hash, m->gram, count * sizeof *m->gram);
		number_repeats(m, count);
		make_minwise(r, m->set.hash, count, key[1]);
	}
	for (unsigned i = 0; i < r->keys; i++) {
		if (plain)
			add_key(m, i, key[0][i], true);
		if (numbered && !(plain && key[0][i] == key[1][i]))
			add_key(m, i, key[1][i], true);
	}
	return 0;
}

/* Adds the keys of a prefix of m->set, which is sorted and has `count` features. mode: makes keys
 * of different modes differ. */
static int add_prefix(struct sh_key_maker *m, unsigned column, unsigned mode, struct prefix p,
    size_t count, bool is_short, struct sh_error *err)
{
	const uint64_t *h = m->set.hash;
	size_t n = p.features < count ? p.features : count;

	if (SH_RESERVE(m->key, m->cap, m->n + (p.pairs ? n * n / 2 : n), err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		for (size_t j = p.pairs ? 0 : i; j < i + !p.pairs; j++) {
			uint64_t both = p.pairs ? h[i] ^ sh_rotl64(h[j], 32) : h[i];

			add_key(m, column, sh_mix_moremur(both + mode) >> (64 - SH_KEYS_BITS),
			    is_short);
		}
	return 0;
}

/* Returns a hash of a sequence. Hashes four parts of the sequence, because their products do not
 * wait for each other. */
static uint64_t hash_sequence(const uint64_t *token, size_t n)
{
	enum { PARTS = 4 };
	uint64_t h[PARTS] = { n, 1, 2, 3 };

	for (size_t i = 0; i < n; i += PARTS)
		for (size_t k = 0; k < PARTS; k++)
			h[k] = ((h[k] ^ (i + k < n ? token[i + k] : 0)) *
				   UINT64_C(0x9FB21C651E98DF25)) ^
			       h[k] >> 29;
	for (size_t k = 1; k < PARTS; k++)
		h[0] = sh_mix_moremur(h[0] + SH_MIX_GOLDEN + h[k]);
	return h[0];
}

/* Sets *set to the hash of all features. */
static int add_features(struct sh_key_maker *m, size_t count, const struct sh_doc_keys *d,
    uint64_t *set, struct sh_error *err)
{
	struct prefix p = feature_prefix(&m->rules, d->features, d->features);
	size_t n;

	memcpy(m->set.hash, m->gram, count * sizeof *m->gram);
	n = sh_hashes_distinct(&m->set, count);
	*set = hash_sequence(m->set.hash, n);
	if (!d->short_jaccard) /* it is the larger one of each pair */
		return add_prefix(m, SH_COLUMN_FEATURE, p.pairs, p, n, false, err);
	for (unsigned pairs = 0; pairs < 2; pairs++) {
		p = (struct prefix){ m->feature_prefix[pairs][n], pairs };
		if (p.features && add_prefix(m, SH_COLUMN_FEATURE, pairs, p, n, true, err) < 0)
			return -1;
	}
	return 0;
}

static int add_grams(struct sh_key_maker *m, const uint64_t *token, size_t n, unsigned mode,
    struct prefix p, bool is_short, struct sh_error *err)
{
	size_t count;

	if (!p.features)
		return 0;
	count = hash_grams(m, token, n, mode / 2, m->set.hash);
	number_repeats(m, count);
	sh_hashes_sort(&m->set, count);
	return add_prefix(m, SH_COLUMN_GRAM, mode, p, count, is_short, err);
}

static int add_all_grams(
    struct sh_key_maker *m, const uint64_t *token, size_t n, bool is_short, struct sh_error *err)
{
	unsigned mode;
	struct prefix p = gram_prefix(&m->rules, n, &mode);

	if (!is_short) /* it is the longer one of each pair */
		return add_grams(m, token, n, mode, p, false, err);
	for (mode = 0; mode < m->modes; mode++) {
		p = (struct prefix){ m->gram_prefix[n * m->modes + mode], mode % 2 };
		if (add_grams(m, token, n, mode, p, true, err) < 0)
			return -1;
	}
	return 0;
}

/* Returns whether some of the n-grams show more features than the largest set that can be similar
 * to a short one has. N-grams with different leading bits differ. Counting all features takes a
 * quarter of the time by Jaccard similarity. */
static bool shows_many(const struct sh_key_maker *m, size_t count)
{
	size_t sample = SAMPLE * m->reach_features;
	uint64_t seen = 0;

	for (size_t i = 0; i < sample && count > sample; i++)
		seen |= UINT64_C(1) << (m->gram[i] >> 58);
	return sh_count_bits(seen) > m->reach_features;
}

int sh_keys_make(struct sh_key_maker *m, const uint64_t *token, size_t n, struct sh_doc_keys *keys,
    struct sh_error *err)
{
	const struct sh_key_rules *r = &m->rules;
	bool few, plain, numbered;
	uint64_t set = 0;
	size_t count;

	*keys = (struct sh_doc_keys){ .tokens = n };
	m->n = 0;
	if (n == 0)
		return 0;
	if (hash_document(m, token, n, &count, err) < 0)
		return -1;
	if (r->edit || !shows_many(m, count)) {
		if (sh_hash_count(&m->distinct, m->gram, count, err) < 0)
			return -1;
		keys->features = m->distinct.n;
	}
	few = keys->features && keys->features < FEW;
	keys->short_jaccard = r->jaccard && few;
	keys->short_edit = r->edit && n <= m->short_tokens;
	plain = !few && (r->jaccard || !keys->short_edit);
	numbered = r->edit && !keys->short_edit && keys->features < count &&
		   (few || REPEATED * (count - keys->features) >= count);
	if ((plain || numbered) && add_minwise(m, count, plain, numbered, err) < 0)
		return -1;
	if (r->jaccard && keys->features && keys->features <= m->reach_features &&
	    add_features(m, count, keys, &set, err) < 0)
		return -1;
	if (r->edit && n <= m->reach_tokens &&
	    add_all_grams(m, token, n, keys->short_edit, err) < 0)
		return -1;
	if (SH_RESERVE(m->key, m->cap, m->n + 2, err) < 0)
		return -1;
	if (keys->short_jaccard)
		add_key(m, SH_COLUMN_SET, set >> (64 - SH_KEYS_BITS), true);
	add_key(m, SH_COLUMN_TEXT, hash_sequence(token, n) >> (64 - SH_KEYS_BITS), true);
	keys->key = m->key;
	keys->n = m->n;
	return 0;
}
