/* Keys of minwise values: similar sets share one.
 *
 * A key hashes `rows` of the minwise values of a set (fp/minhash.h). A set has `keys` keys, of different values.
 * Two sets of Jaccard similarity J share at least one key with probability
 *
 *     1 - (1 - J^rows)^keys
 *
 * (Broder 1997; Indyk, Motwani 1998). More rows make fewer chance candidates; more keys find more pairs. */
#ifndef SH_FP_MINKEYS_H
#define SH_FP_MINKEYS_H

#include <stdint.h>

enum {
	SH_MINKEYS_ROWS = 16, /* at most, per key */
	SH_MINKEYS_MAX = 64,  /* keys of a set, at most */
	SH_MINKEYS_BITS = 40, /* of a key */
};

struct sh_minkeys {
	unsigned rows, keys;
};

/* The least number of keys, up to `most`, with which at most the share `missed` of the pairs share none. A pair
 * shares one key with probability `chance`. */
unsigned sh_minkeys_for(double chance, double missed, unsigned most);

/* The probability that two sets of similarity j share a key. */
double sh_minkeys_found(struct sh_minkeys k, double j);

/* The Jaccard similarity of the n-grams of two texts of this edit similarity, on average: with E^n of the n-grams
 * unchanged, E^n / (2 - E^n). */
double sh_minkeys_edited(double edit, unsigned n);

/* Writes the k.keys keys of the set with these k.rows * k.keys minwise values. */
void sh_minkeys_of(struct sh_minkeys k, const uint64_t *value, uint64_t *key);

#endif
