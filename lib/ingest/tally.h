/* SPDX-License-Identifier: MIT */
/* Counts how often each of a few names occurs, in the order of their first occurrence. */
#ifndef SH_INGEST_TALLY_H
#define SH_INGEST_TALLY_H

#include "base/buf.h"
#include "base/hmap.h"

enum { SH_TALLY_NAMES = 1000 }; /* most names; further names count as one more, "others" */

struct sh_tally {
	struct sh_hmap names; /* by index in count */
	uint64_t *count;
	size_t cap;
};

int sh_tally_init(struct sh_tally *t, struct sh_error *err);
void sh_tally_free(struct sh_tally *t);
/* Add n occurrences, or one. */
int sh_tally_add_many(struct sh_tally *t, struct sh_slice name, uint64_t n, struct sh_error *err);
static inline int sh_tally_add(struct sh_tally *t, struct sh_slice name, struct sh_error *err)
{
	return sh_tally_add_many(t, name, 1, err);
}

#endif
