/* Chooses how candidates are found: by the distance of fingerprints, or by keys (fp/minkeys.h).
 * Also chooses the numbers of keys and rows. The cost of the distance grows with the square of the
 * documents.
 *
 * Keys must find at least as many pairs as the distance, up to a share of 1e-4, at each similarity
 * from `lowest` on. The cheapest of these layouts is chosen. More rows make chance candidates
 * rarer, and need more keys. A sample of the documents gives the number of chance candidates: a
 * pair of similarity J shares one given key with probability J^rows.
 *
 * The sample has documents of several places of the input. Pairs of documents of different places
 * stand for all pairs, whose number grows with the square of the documents. Documents of one place
 * are often of one source, and more similar. Pairs within a place stand for pairs of one source,
 * whose number grows with the documents: a source has a limited number of documents. */
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
	bool minhash;     /* the fingerprints are MinHash */
	uint64_t lowest;  /* least Jaccard similarity of a wanted pair, in millionths */
	double documents; /* expected number of documents */
	bool only_keys;   /* the distance is not considered */
	unsigned jobs;    /* threads that look at a sample, at least 1 */

	/* The result. keys.keys 0: candidates are pairs within the distance, and `chance` is
	 * not set. */
	struct sh_minkeys keys;
	double chance; /* expected number of chance candidates: of all documents, over all keys */
};

/* Returns the average Jaccard similarity of the n-grams of two texts of this edit similarity
 * (sh_minkeys_edited()), but at least 0.5. Both are in millionths. n: tokens of an n-gram. */
uint64_t sh_key_plan_lowest(uint64_t edit, unsigned n);

/* Returns the number of minwise values to compute for each document, for p->keys: keys * rows. With
 * p->minhash at least p->bits, because the fingerprint needs p->bits values. */
unsigned sh_key_plan_values(const struct sh_key_plan *p);

/* Returns whether keys may be cheaper than the distance, for p->documents. If not, the caller needs
 * no sample. Returns true with p->only_keys. */
bool sh_key_plan_is_worthwhile(const struct sh_key_plan *p);

/* Sampled documents that follow each other in the input. */
struct sh_key_place {
	const uint64_t *value; /* SH_KEY_PLAN_VALUES minwise values of each document */
	size_t n;              /* documents */
};

/* Sets p->keys and p->chance. Sets p->keys.keys to 0 when the distance is cheaper. Returns 0, or -1
 * when memory is short. */
int sh_key_plan_choose(
    struct sh_key_plan *p, const struct sh_key_place *place, size_t n_places, struct sh_error *err);

#endif
