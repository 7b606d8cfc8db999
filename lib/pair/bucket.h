/* The pairs of one band bucket: fingerprints that share a key in a table.
 *
 * A pair is given when it is within the join's distance and the table is the lowest
 * in which the two meet (see band.h), so that over all buckets of all tables each
 * pair comes once. The fingerprints must be distinct and have the table's key. */
#ifndef SH_PAIR_BUCKET_H
#define SH_PAIR_BUCKET_H

#include "pair/band.h"
#include "pair/join.h"

int sh_bucket_self(struct sh_join *j, const struct sh_band_table *t, const uint64_t *fp, size_t n,
    sh_hits_fn *fn, void *ctx, struct sh_error *err);

/* One from each of two buckets with the same key: new fingerprints and the archive's, or two
 * parts of a bucket that is too large to be held at once. */
int sh_bucket_cross(struct sh_join *j, const struct sh_band_table *t, const uint64_t *fpa,
    size_t na, const uint64_t *fpb, size_t nb, sh_hits_fn *fn, void *ctx, struct sh_error *err);

#endif
