/* The distinct features of one document with the sums of their weights, in order of first
 * occurrence. Made for many small documents one after the other: to clear it costs
 * nothing, and neither finding nor adding has a branch that a processor would have to
 * guess. Hashing is keyed and random, so hostile texts cannot pile up. */
#ifndef SH_WEIGHT_TERMS_H
#define SH_WEIGHT_TERMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"

/* Bytes that must be readable behind a text that is put in. */
enum { SH_TERMS_PADDING = 16, SH_TERMS_KEYS = 12 };

struct sh_terms {
	int64_t *sum; /* by index */
	uint32_t n;

	/* The rest is the module's own. */
	struct sh_terms_entry *entry;
	uint32_t *slots; /* base + index; what is below base was another document's */
	unsigned bits;
	uint32_t base;
	size_t sum_cap, entry_cap, text_cap, used;
	char *text;
	uint64_t key[SH_TERMS_KEYS];
};

int sh_terms_init(struct sh_terms *t, struct sh_error *err);
void sh_terms_free(struct sh_terms *t);
void sh_terms_clear(struct sh_terms *t);

/* Add the weight to the text's sum, which must not overflow. */
int sh_terms_add(struct sh_terms *t, struct sh_slice text, int64_t weight, struct sh_error *err);

/* index < t->n; SH_TERMS_PADDING bytes behind it may be read. Valid until the next add. */
struct sh_slice sh_terms_text(const struct sh_terms *t, uint32_t index);

#endif
