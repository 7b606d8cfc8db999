/* The distinct features of one document with the sums of their weights, in order of first
 * occurrence.
 *
 * Made for many small documents, one after the other: clearing costs nothing, and no branch
 * depends on the data. Hashing is keyed and random, so nobody can write texts whose features
 * share one slot. */
#ifndef SH_WEIGHT_TERMS_H
#define SH_WEIGHT_TERMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"

/* Bytes beyond a text that must be readable. */
enum { SH_TERMS_PADDING = 16, SH_TERMS_KEYS = 12 };

struct sh_terms {
	int64_t *sum; /* by index */
	uint32_t n;

	/* The module's own. */
	struct sh_terms_entry *entry;
	uint32_t *slots; /* base + index; values below base are of earlier documents */
	unsigned bits;
	uint32_t base;
	size_t sum_cap, entry_cap, text_cap, used;
	char *text;
	uint64_t key[SH_TERMS_KEYS];
};

int sh_terms_init(struct sh_terms *t, struct sh_error *err);
void sh_terms_free(struct sh_terms *t);
void sh_terms_clear(struct sh_terms *t);

/* Adds the weight to the sum of the text. The sum must not overflow. */
int sh_terms_add(struct sh_terms *t, struct sh_slice text, int64_t weight, struct sh_error *err);

/* Returns the text of feature `index` < t->n. It is valid until the next call of sh_terms_add().
 * SH_TERMS_PADDING bytes beyond it are readable. */
struct sh_slice sh_terms_text(const struct sh_terms *t, uint32_t index);

#endif
