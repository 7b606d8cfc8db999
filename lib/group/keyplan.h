/* Chooses how candidates are found: by the distance of fingerprints, whose cost grows with the square of the
 * documents, or by keys (fp/minkeys.h), and by how many keys of how many rows.
 *
 * Keys must find at least as many pairs as the distance at each similarity from the lowest wanted one on. Of the
 * layouts that do, the cheapest is chosen. Each row more makes chance candidates rarer, and each needs more keys. A
 * sample of the documents says how rare: a pair of similarity J shares a key by chance with probability J^rows. */
#ifndef SH_GROUP_KEYPLAN_H
#define SH_GROUP_KEYPLAN_H

#include "base/error.h"
#include "fp/minkeys.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	SH_KEY_PLAN_VALUES = 64, /* minwise values of a sampled document */
	SH_KEY_PLAN_ROWS = 8,    /* rows of a key, at most */
};

struct sh_key_plan {
	unsigned bits, k; /* of the fingerprints */
	bool minhash;
	uint64_t lowest;  /* similarity of pairs that are wanted, in millionths */
	double documents; /* expected number of documents */
	bool only_keys;   /* the distance is not considered */

	/* The result. keys.keys 0: candidates are pairs within the distance. */
	struct sh_minkeys keys;
	double chance; /* candidates by chance that keys are expected to make */
};

/* Returns the similarity of the sets of n-grams of two texts of this edit similarity (sh_minkeys_edited()), but at
 * least 0.5. Both are in millionths. */
uint64_t sh_key_plan_lowest(uint64_t edit, unsigned n);

/* Returns the number of minwise values that keys need of a document: the values of a fingerprint of p->bits, if
 * they are enough. */
unsigned sh_key_plan_values(const struct sh_key_plan *p);

/* Returns whether keys may be cheaper than the distance, for p->documents. If not, they need no sample. */
bool sh_key_plan_is_worthwhile(const struct sh_key_plan *p);

/* Sets p->keys and p->chance. value: SH_KEY_PLAN_VALUES minwise values of each of n sampled documents, one document
 * after the other. */
int sh_key_plan_choose(
    struct sh_key_plan *p, const uint64_t *value, size_t n, struct sh_error *err);

#endif
