/* The pairs of one band bucket: fingerprints that share a key in a table.
 *
 * A pair is given when it is within the join's distance and the table is the lowest
 * in which the two meet (see band/band.h), so that over all buckets of all tables each
 * pair comes once. The fingerprints must be distinct and have the table's key. */
#ifndef SH_JOIN_BUCKET_H
#define SH_JOIN_BUCKET_H

#include "band/band.h"
#include "join/join.h"

/* From now on j joins buckets of this table, which must stay where it is; NULL: of none. */
void sh_bucket_of(struct sh_join *j, const struct sh_band_table *t);

#endif
