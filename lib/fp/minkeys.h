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

/* Returns how many keys a set needs so that at most the share `missed` of the pairs (0 to 1) have no key in common,
 * when each key is common with probability `chance`: 1 to `most`, and `most` when more would be needed. */
unsigned sh_minkeys_for(double chance, double missed, unsigned most);

/* Returns the probability that two sets of Jaccard similarity j (0 to 1) share at least one key. */
double sh_minkeys_found(struct sh_minkeys k, double j);

/* Returns the average Jaccard similarity (0 to 1) of the n-grams of two texts with edit similarity E (0 to 1). n: tokens
 * of an n-gram. The share E^n of the n-grams is unchanged: E^n / (2 - E^n). */
double sh_minkeys_edited(double edit, unsigned n);

/* Writes the keys of a set to key[k.keys], each below 2^SH_MINKEYS_BITS. value: its k.rows * k.keys minwise values. */
void sh_minkeys_of(struct sh_minkeys k, const uint64_t *value, uint64_t *key);

#endif
