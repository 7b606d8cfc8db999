/* SPDX-License-Identifier: MIT */
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
#include "hash/keyed.h"

enum { SH_TERMS_SHORT = 32 }; /* bytes of the longest text that its entry holds */

struct sh_terms_entry {
	/* Private. */
	uint64_t w[SH_TERMS_SHORT / 8]; /* a short text, padded with zeros; else hash, offset in
					   sh_terms.text, 0, 0 */
	uint32_t n;                     /* bytes of text */

	int64_t sum; /* of the weights of the feature */
};

struct sh_terms {
	struct sh_terms_entry *entry; /* by index of the feature */
	uint32_t n;                   /* features */

	/* Private. */
	uint32_t *slots; /* base + index; a value below base belongs to an earlier document */
	unsigned shift;  /* 2^(64 - shift) slots */
	uint32_t base;
	size_t entry_cap, text_cap; /* elements allocated */
	size_t used;                /* bytes of `text` */
	char *text;                 /* the long texts */
	struct sh_keyed keyed;      /* with a random key */
};

/* Initialises *t, whatever it holds. Returns 0; or -1 with SH_ERR_NOMEM, or with SH_ERR_IO when the
 * system gives no random key. Free t also after a failure. */
int sh_terms_init(struct sh_terms *t, struct sh_error *err);
/* t: initialised or zeroed, not NULL. Initialise t again before another use. */
void sh_terms_free(struct sh_terms *t);
/* Removes all features, and keeps the memory. */
void sh_terms_clear(struct sh_terms *t);

/* Adds weight[i], in any unit and of any sign, to the sum of the feature text[i], for n features.
 * Copies the texts. Each must have less than 2 GiB, and SH_TERMS_SHORT readable bytes must follow
 * it. Does not check the sums: the caller must prevent overflow. Returns 0; or -1, and the features
 * are as before. SH_ERR_RANGE: the document would have about 2^30 features. */
int sh_terms_add(struct sh_terms *t, const struct sh_slice *text, const int64_t *weight, size_t n,
    struct sh_error *err);

/* Returns the text of feature `index` < t->n. It is valid until a feature is added, also after
 * sh_terms_clear(). SH_TERMS_SHORT bytes from its beginning on are readable. */
static inline struct sh_slice sh_terms_text(const struct sh_terms *t, uint32_t index)
{
	const struct sh_terms_entry *e = &t->entry[index];

	return sh_slice(e->n <= SH_TERMS_SHORT ? (const char *)e->w : t->text + e->w[1], e->n);
}

#endif
