/* SPDX-License-Identifier: MIT */
/* A sample of pairs at each level of similarity, drawn by a seed. The order in which pairs are
 * added does not change the sample. Level i begins at i * SH_SAMPLE_STEP; the last level has the
 * similarity 1 only. */
#ifndef SH_MATCH_SAMPLE_H
#define SH_MATCH_SAMPLE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { SH_SAMPLE_STEP = 500 /* ten thousandths */, SH_SAMPLE_LEVELS = 10000 / SH_SAMPLE_STEP + 1 };

struct sh_sampled {
	uint64_t key; /* the pairs of least key are kept */
	uint32_t a, b;
	unsigned measure, similarity; /* similarity: in ten thousandths, by this SH_VERDICT_ */
};

struct sh_sample {
	uint64_t seed;
	size_t per_level;
	struct sh_sampled *pair; /* pairs of level i begin at i * per_level */
	size_t n[SH_SAMPLE_LEVELS];
};

/* Makes a sample of at most per_level pairs at each level. Returns -1 when memory runs out. */
int sh_sample_init(struct sh_sample *s, uint64_t seed, size_t per_level, struct sh_error *err);
void sh_sample_free(struct sh_sample *s);

/* Adds a pair of documents. similarity: in ten thousandths, by the measure. */
void sh_sample_add(
    struct sh_sample *s, uint32_t a, uint32_t b, unsigned measure, unsigned similarity);

/* Orders the pairs of each level by descending similarity, then by a, then by b. Call it after the
 * last pair. */
void sh_sample_sort(struct sh_sample *s);

#endif
