/* Keys by which near-duplicates are found in an archive: two documents that share a key are compared.
 *
 * Keys of bands, of documents with at least `few` features: bands x rows bins take the least values of the
 * features (fp/minhash.h). A band hashes `rows` of these values to one key. Two documents of Jaccard similarity J
 * share a key of some band with probability
 *
 *     1 - (1 - J^rows)^bands
 *
 * (Broder 1997; Indyk, Motwani 1998). sh_key_layout() makes it 99.8 % at J = threshold.
 *
 * Keys of features: small documents are found exactly, by a prefix filter (Chaudhuri, Ganti, Kaushik 2006). Two
 * sets of n features with similarity at least T share one of their first n - ceil(T n) + 1 features, in
 * any common order. A document of fewer than `few` features has a key for each feature of this prefix. So has a larger
 * document that can reach similarity T to such a document.
 *
 * A key has 48 bits: the band in the first 8 bits, a hash in the other 40. Features are hashed under the
 * archive's secret key, so nobody can write texts that all share keys. */
#ifndef SH_ARCHIVE_KEYS_H
#define SH_ARCHIVE_KEYS_H

#include "base/buf.h"

#include <stdint.h>

enum {
	SH_KEY_HASH_BITS = 40, /* the band stands above them */
	SH_BAND_FEATURE = 0xf0,
	SH_BAND_ID = 0xff,
};

static inline unsigned sh_key_band(uint64_t key)
{
	return (unsigned)(key >> SH_KEY_HASH_BITS);
}

struct sh_key_rule {
	unsigned bands, rows;
	unsigned few; /* documents of fewer features have keys of features; 0: no document has */
	uint64_t threshold; /* in millionths */
	uint64_t key[2];
};

/* Sets bands and rows for the threshold. */
void sh_key_layout(struct sh_key_rule *r);

struct sh_key_list {
	uint64_t *key;
	size_t n, cap;
};

/* Appends the keys of a document. hash: n features, distinct and ascending. */
int sh_keys_of(const struct sh_key_rule *r, const uint64_t *hash, size_t n,
    struct sh_key_list *list, struct sh_error *err);

/* Returns the key of an id, by which the archive finds a document that it knows. */
uint64_t sh_key_of_id(const struct sh_key_rule *r, struct sh_slice id);

#endif
