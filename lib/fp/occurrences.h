/* How often each feature stands in a document, told at its first occurrence: for documents whose
 * features lie in memory as they were read, so that none is copied. The steps are those of
 * repeats.h, but texts are compared as well, so that no two count as one.
 *
 * Hashing is fast and not secret: hostile texts can be made to collide. Such documents are
 * refused, for weight/terms.h, whose hashing is keyed, to count. */
#ifndef SH_FP_OCCURRENCES_H
#define SH_FP_OCCURRENCES_H

#include <stdbool.h>

#include "base/error.h"
#include "fp/repeats_kernel.h"
#include "hash/mix_kernel.h"

enum {
	SH_OCCURRENCES_MAX = 8192,   /* features of a document */
	SH_OCCURRENCES_PADDING = 64, /* bytes that must be readable behind the text */
};

struct sh_occurrences {
	uint32_t *count; /* of each feature: of its text, or 0 if it stood before */

	/* The rest is the module's own. */
	const struct sh_mix_kernel *mix;
	const struct sh_repeats_kernel *repeats;
	uint64_t seed, key;
	uint64_t *hash, *last;
	uint32_t *cut, *from;
	uint16_t *slot, *guest, *host, *owner;
};

int sh_occurrences_init(struct sh_occurrences *o, struct sh_error *err);
void sh_occurrences_free(struct sh_occurrences *o);

/* Feature i of n <= SH_OCCURRENCES_MAX is the bytes start[i] .. end[i]-1 of the text. False: some
 * collide, and nothing is counted. */
bool sh_occurrences_find(struct sh_occurrences *o, const char *text, const uint32_t *start,
    const uint32_t *end, size_t n);

#endif
