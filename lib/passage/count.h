/* SPDX-License-Identifier: MIT */
/* Finds passages that occur in many documents (boilerplate), without forming pairs. */
#ifndef SH_PASSAGE_COUNT_H
#define SH_PASSAGE_COUNT_H

#include "passage/links.h"

enum { SH_COUNT_SAMPLE = 64 };

/* A passage: tokens from .. to-1. min, max: the least and greatest number of documents that contain
 * one of its seeds. */
struct sh_counted {
	uint32_t from, to, min, max;
};

/* Returns an array by posting: at the first posting of each group, the number of documents in the
 * group; other elements have no meaning. Free it with sh_tables_put() of g->tables. NULL: memory
 * ran out. */
uint32_t *sh_count_documents(const struct sh_groups *g, struct sh_error *err);

struct sh_counter;

/* Makes an object that finds passages of at least `least` tokens in at least `documents` documents.
 * size: from sh_count_documents(). Borrows l and size. The borders of a passage are exact when each
 * of its seeds is in at most SH_COUNT_SAMPLE documents. Otherwise SH_COUNT_SAMPLE documents decide
 * about the borders. */
struct sh_counter *sh_counter_new(const struct sh_links *l, const uint32_t *size,
    uint32_t documents, uint32_t least, struct sh_error *err);
void sh_counter_delete(struct sh_counter *c);

/* Finds the passages of a document, ordered by first token. They are valid until the next call. */
int sh_counter_run(struct sh_counter *c, uint32_t document, const struct sh_counted **passages,
    size_t *n, struct sh_error *err);

#endif
