/* Keys by which near-duplicates are found in an archive: documents that share one are compared.
 *
 * Of a document's features the smallest values in bands x rows bins are taken (fp/minhash.h), and
 * `rows` of them hashed to the key of a band. Documents of similarity J share the key of some band
 * with the chance
 *
 *     1 - (1 - J^rows)^bands
 *
 * (Broder 1997; Indyk, Motwani 1998). The layout for a threshold T makes that 99.8 % at J = T.
 *
 * Documents of few features are found exactly: with features in one order, two sets of similarity
 * T or more share one of their first n - ceil(T n) + 1 features, n the size of each (prefix filter:
 * Chaudhuri, Ganti, Kaushik 2006). So documents that are that small, or can be as similar as T to one
 * that is, have a key for each of those features.
 *
 * A key is a number of 48 bits: the band in the first 8, a hash in the others. Features are hashed
 * under the archive's key, which nobody else knows: texts that all share keys cannot be written. */
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
	unsigned few;       /* documents of fewer features are found by these; 0: none are */
	uint64_t threshold; /* in millionths */
	uint64_t key[2];
};

/* Fill in bands and rows for the threshold. */
void sh_key_layout(struct sh_key_rule *r);

struct sh_key_list {
	uint64_t *key;
	size_t n, cap;
};

/* Append the keys of n features, distinct and ascending; without features there are none. */
int sh_keys_of(const struct sh_key_rule *r, const uint64_t *hash, size_t n,
    struct sh_key_list *list, struct sh_error *err);

/* The key of an id, by which a document that is known is found again. */
uint64_t sh_key_of_id(const struct sh_key_rule *r, struct sh_slice id);

#endif
