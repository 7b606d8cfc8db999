/* Passages that stand in many documents: boilerplate. No pairs are formed. */
#ifndef SH_PASSAGE_COUNT_H
#define SH_PASSAGE_COUNT_H

#include "passage/links.h"

enum { SH_COUNT_SAMPLE = 64 };

/* A passage, and in how many documents its seeds stand: the fewest and the most of any seed. */
struct sh_counted {
	uint32_t from, to, min, max;
};

struct sh_counter;

/* A passage stands in at least `documents` documents, and has at least `least` tokens. Its borders are exact
 * where a seed stands in at most SH_COUNT_SAMPLE documents; beyond, so many documents stand for all. */
struct sh_counter *sh_counter_new(
    const struct sh_links *l, uint32_t documents, uint32_t least, struct sh_error *err);
void sh_counter_delete(struct sh_counter *c);

/* The passages of a document, by their first token; valid until the next call. */
int sh_counter_run(struct sh_counter *c, uint32_t document, const struct sh_counted **passages,
    size_t *n, struct sh_error *err);

#endif
