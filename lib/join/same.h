/* Which fingerprints are identical: for each the first one like it.
 *
 * Partitioned by a keyed hash into parts that stay in the cache, each with a small
 * table of its own: a few sequential passes instead of a cache miss a fingerprint. */
#ifndef SH_JOIN_SAME_H
#define SH_JOIN_SAME_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* first[i] = the lowest j with fp[j] equal to fp[i], for n < 2^32 fingerprints of `words`
 * words. key is odd and random. Takes 8 bytes a fingerprint while it works. */
int sh_same_first(const uint64_t *fp, size_t n, unsigned words, uint64_t key, uint32_t *first,
    struct sh_error *err);

#endif
