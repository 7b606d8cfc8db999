/* Keys of minwise values: similar sets have a common key.
 *
 * A key is a hash of `rows` minwise values of a set (fp/minhash.h). A set has `keys` keys, each of
 * other values. Two sets of Jaccard similarity J share at least one key with probability
 *
 *     1 - (1 - J^rows)^keys
 *
 * (Broder 1997; Indyk, Motwani 1998). More rows make fewer chance candidates;
 * more keys find more pairs. */
#ifndef SH_FP_MINKEYS_H
#define SH_FP_MINKEYS_H

#include <stdint.h>

enum {
	SH_MINKEYS_ROWS = 16, /* most rows of a key */
	SH_MINKEYS_MAX = 64,  /* most keys of a set */
	SH_MINKEYS_BITS = 40, /* bits of a key */
};

struct sh_minkeys {
	unsigned rows, keys;
};

/* Returns the least number of keys with which at most the share `missed` (0 to 1) of the
 * pairs have no common key, when each key is common with probability `chance`. Returns at
 * least 1 and at most `most`. */
unsigned sh_minkeys_for(double chance, double missed, unsigned most);

/* Returns the average Jaccard similarity of the n-grams of two texts with edit similarity E, both 0
 * to 1. The share E^n of the n-grams is unchanged, which gives E^n / (2 - E^n). */
double sh_minkeys_edited(double edit, unsigned n);

/* Writes the k.keys keys of a set, each below 2^SH_MINKEYS_BITS. Key i is made of value[i * k.rows]
 * and the next k.rows - 1 minwise values. */
void sh_minkeys_of(struct sh_minkeys k, const uint64_t *value, uint64_t *key);

#endif
