/* SPDX-License-Identifier: MIT */
/* A sample of pairs at each level of similarity, drawn by a seed, and printed side by side. The
 * order in which pairs are added does not change the sample. */
#ifndef SIDEBYSIDE_H
#define SIDEBYSIDE_H

#include "cli.h"
#include "match/engine.h"

enum { SAMPLE_STEP = 500 /* ten thousandths */, SAMPLE_LEVELS = 10000 / SAMPLE_STEP + 1 };

struct sample {
	size_t per_level;
	uint64_t seed;
	/* Pairs of level i, with similarities from i * SAMPLE_STEP on, begin at i * per_level. */
	struct sampled *pair;
	size_t n[SAMPLE_LEVELS];
};

/* Makes a sample of at most per_level pairs at each level. The last level has the similarity 1
 * only. Dies of errors. */
void sample_init(struct sample *s, struct cli *c, uint64_t seed, size_t per_level);

/* Adds a pair, unless the level has enough pairs that come before it. */
void sample_add(struct sample *s, const struct sh_engine_pair *pair);

/* Prints the pairs to the output, the most similar first, each from shortly before the first
 * difference. raw: the texts have no escapes. Frees the sample. Dies of errors. */
void sample_print(struct sample *s, struct cli *c, const struct sh_corpus *corpus, bool raw);

#endif
