/* How often each feature stands in a document, told at its first occurrence: for documents whose
 * features lie in memory as they were read, so that none is copied. terms.h is for all others.
 *
 * Finding has no branch on the features but where one is repeated, and nothing to clear. Hashing
 * is keyed and random, so hostile texts cannot pile up. */
#ifndef SH_FP_OCCURRENCES_H
#define SH_FP_OCCURRENCES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
	SH_OCCURRENCES_MAX = 8192,   /* features of a document */
	SH_OCCURRENCES_PADDING = 32, /* bytes that must be readable behind where one begins */
};

struct sh_occurrences {
	uint32_t *count; /* of each feature: of its text, or 0 if it stood before */

	/* The rest is the module's own. */
	uint64_t key[8];
	uint64_t *hash;
	uint16_t *slot, *index, *owner;
};

int sh_occurrences_init(struct sh_occurrences *o, struct sh_error *err);
void sh_occurrences_free(struct sh_occurrences *o);

/* Feature i of n <= SH_OCCURRENCES_MAX is the bytes start[i] .. end[i]-1 of the text. */
void sh_occurrences_find(struct sh_occurrences *o, const char *text, const uint32_t *start,
    const uint32_t *end, size_t n);

#endif
