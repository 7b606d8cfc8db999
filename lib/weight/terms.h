/* The distinct features of one document with the sums of their weights, in order
 * of first occurrence.
 *
 * Suits many small documents, one after the other: clearing costs nothing. The hash has a random
 * key, so that nobody can write texts whose features share one slot. */
#ifndef SH_WEIGHT_TERMS_H
#define SH_WEIGHT_TERMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"

enum {
	SH_TERMS_PADDING = 16, /* bytes beyond a text that must be readable */
	SH_TERMS_KEYS = 10,    /* words of 64 bits of the random key */
};

struct sh_terms_entry {
	int64_t sum; /* of the weights of the feature */

	/* Private. */
	uint64_t a, b; /* at most 16 bytes of text, padded with zeros; else the hash and 0 */
	size_t at;     /* offset in sh_terms.text */
	uint32_t n;    /* bytes of text */
};

struct sh_terms {
	struct sh_terms_entry *entry; /* by index of the feature */
	uint32_t n;                   /* features */

	/* Private. */
	uint32_t room;   /* entries that need no more memory and no more slots */
	uint32_t *slots; /* base + index; a value below base belongs to an earlier document */
	unsigned shift;  /* 2^(64 - shift) slots */
	uint32_t base;
	size_t entry_cap, text_cap; /* elements allocated */
	size_t used;                /* bytes of `text` */
	char *text;
	uint64_t key[SH_TERMS_KEYS];
};

/* Free t also after a failure. */
int sh_terms_init(struct sh_terms *t, struct sh_error *err);
void sh_terms_free(struct sh_terms *t);
/* Removes all features. */
void sh_terms_clear(struct sh_terms *t);

/* Adds the weight to the sum of the feature `text`, which must have less than 2 GiB and be followed
 * by SH_TERMS_PADDING readable bytes. Does not check the sum: the caller must prevent overflow.
 * SH_ERR_RANGE: the document would have about 2^30 features. */
int sh_terms_add(struct sh_terms *t, struct sh_slice text, int64_t weight, struct sh_error *err);

/* Returns the text of feature `index` < t->n, valid until the next call of sh_terms_add().
 * SH_TERMS_PADDING bytes beyond the text are readable. */
static inline struct sh_slice sh_terms_text(const struct sh_terms *t, uint32_t index)
{
	return sh_slice(t->text + t->entry[index].at, t->entry[index].n);
}

#endif
