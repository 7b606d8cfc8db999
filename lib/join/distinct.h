/* Finds equal fingerprints.
 *
 * One-word fingerprints are ordered by their first bits, which the join does anyway. Equal ones
 * are then within a few cache lines of each other. */
#ifndef SH_JOIN_DISTINCT_H
#define SH_JOIN_DISTINCT_H

#include "join/order.h"

/* A record whose fingerprint equals that of element `at` of the side. */
struct sh_copy {
	uint32_t at, record;
};

struct sh_copies {
	struct sh_copy *p; /* ordered by `at`, then by record */
	size_t n, cap;
};

/* Appends a copy, in any order. */
int sh_copies_add(struct sh_copies *t, uint32_t at, uint32_t record, struct sh_error *err);
/* Orders n copies by `at`, then by record. The copies must be in the order of their records. */
int sh_copies_sort(struct sh_copy *p, size_t n, struct sh_error *err);

/* Drops equal words. On entry s->word[i] is the word of record i. On return s holds the distinct
 * words, ordered by their first bits, then by record; s->id[i] is the first record with the word
 * s->word[i]. *copies, empty on entry, gets all other records, in its order. room is reserved for n
 * elements. key is odd and random. The result does not depend on the number of threads. */
int sh_distinct(unsigned threads, struct sh_side *s, struct sh_side *room, uint64_t key,
    struct sh_copies *copies, struct sh_error *err);

/* Stores in first[i] the lowest j with fp[j] equal to fp[i], for n < 2^32 - 64 fingerprints of
 * `words` words. key is odd and random. Memory: 12 bytes a fingerprint, and 12 bytes of scratch
 * memory. */
int sh_distinct_wide(unsigned threads, const uint64_t *fp, size_t n, unsigned words, uint64_t key,
    struct sh_side *room, uint32_t *first, struct sh_error *err);

#endif
