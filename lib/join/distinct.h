/* Fingerprints of one word, each value once.
 *
 * Ordered by their first bits, which a join by blocks would do anyway, equal ones lie within a
 * cache line or two of each other. */
#ifndef SH_JOIN_DISTINCT_H
#define SH_JOIN_DISTINCT_H

#include "join/order.h"

/* A fingerprint at this place of the side, which another record has as well. */
struct sh_twin {
	uint32_t at, record;
};

struct sh_twins {
	struct sh_twin *p; /* in order of `at`, then of record */
	size_t n, cap;
};

/* At the end. */
int sh_twins_add(struct sh_twins *t, uint32_t at, uint32_t record, struct sh_error *err);
/* Twins that are in order of records: those of one fingerprint together. */
int sh_twins_sort(struct sh_twin *p, size_t n, struct sh_error *err);

/* s->word[0 .. n-1] are of the records 0 .. n-1. On return s->n are distinct, in order of
 * their first bits and then of records, s->id[i] the first record of s->word[i]; the others
 * are added to *twins. room has space for n. key is odd and random. */
int sh_distinct(struct sh_side *s, struct sh_side *room, uint64_t key, struct sh_twins *twins,
    struct sh_error *err);

/* Stores in first[i] the lowest j with fp[j] equal to fp[i], for n < 2^32 - 64 fingerprints of `words`
 * words. key is odd and random. Takes 12 bytes a fingerprint while it works, and as many of scratch. */
int sh_distinct_wide(const uint64_t *fp, size_t n, unsigned words, uint64_t key,
    struct sh_side *room, uint32_t *first, struct sh_error *err);

#endif
