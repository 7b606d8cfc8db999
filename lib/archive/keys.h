/* Keys by which near-duplicates are found in an archive: two documents that share a key are
 * compared.
 *
 * Keys of bands, for documents with at least `few` features: keys of their minwise values
 * (fp/minkeys.h), one a band. sh_key_layout() chooses bands and rows so that 99.8 % of the pairs at
 * J = threshold share a key. For edit similarity E it does so at the Jaccard similarity of n-grams
 * that changes of single tokens leave, on average:
 *
 *     J = s / (2 - s), s = E^n
 *
 * but with at most SH_BANDS_MAX bands, which are not enough for J below 0.1.
 *
 * Keys of features: small documents are found exactly, by a prefix filter (Chaudhuri, Ganti,
 * Kaushik 2006). Two sets of n features with similarity at least T share one of their first n -
 * ceil(T n) + 1 features, in any common order. A document of fewer than `few` features has a key
 * for each feature of this prefix. A larger document also has these keys when it can reach
 * similarity T to a document of fewer than `few` features.
 *
 * For edit similarity E a document is small when it has fewer than `few` n-grams, repeated ones
 * counted. One edit changes at most q of the q-grams of a text. So two documents at distance d have
 * a common q-gram among the first q d + 1 of each, repeated ones counted. The longer document must
 * have more than q d q-grams. q is the largest number, at most n, with which each match of a small
 * document does.
 *
 * A key has 48 bits: the band in the first 8 bits, a hash in the other 40. Features are hashed
 * under the archive's secret key, so nobody can write texts that all share keys. */
#ifndef SH_ARCHIVE_KEYS_H
#define SH_ARCHIVE_KEYS_H

#include "fp/features.h"

enum {
	SH_KEY_BITS = 48,
	SH_KEY_HASH_BITS = 40, /* bits below the band */
	/* bands of other keys than those of minwise values */
	SH_KEY_BAND_FEATURE = 0xf0,
	SH_KEY_BAND_GRAM = 0xf1, /* q-grams of small documents, for edit similarity */
	SH_KEY_BAND_ID = 0xff,
};

static inline unsigned sh_key_band(uint64_t key)
{
	return (unsigned)(key >> SH_KEY_HASH_BITS);
}

struct sh_key_rule {
	unsigned bands, rows;
	unsigned few;       /* a document of fewer features is small; 0: no document is */
	uint64_t threshold; /* of the Jaccard similarity, in millionths; 0: it makes no match */
	uint64_t edit;      /* of the edit similarity; 0: it makes no match */
	struct sh_ngrams ngrams;
	uint64_t key[2];
};

/* Sets bands and rows for the thresholds. */
void sh_key_layout(struct sh_key_rule *r);

struct sh_key_list {
	uint64_t *key; /* owned by the caller: free() */
	size_t n, cap;
};

/* Appends the keys of a document. The set has tokens in their order when edit similarity makes
 * matches. */
int sh_keys_of(const struct sh_key_rule *r, const struct sh_feature_set *set,
    struct sh_key_list *list, struct sh_error *err);

/* Returns the key of an id, by which the archive finds a known document. */
uint64_t sh_key_of_id(const struct sh_key_rule *r, struct sh_slice id);

#endif
