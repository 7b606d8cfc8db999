/* SPDX-License-Identifier: MIT */
/* Finds passages that occur in many documents (boilerplate), without forming pairs. */
#ifndef SH_PASSAGE_COUNT_H
#define SH_PASSAGE_COUNT_H

#include "passage/index.h"

enum { SH_COUNT_SAMPLE = 64 };

/* A passage: tokens from .. to-1. min, max: the least and greatest number of documents that contain
 * one of its seeds. */
struct sh_counted {
	uint32_t from, to, min, max;
};

/* Finds passages of at least `least` tokens in at least `documents` documents. The borders of a
 * passage are exact when each of its seeds is in at most SH_COUNT_SAMPLE documents. Otherwise
 * SH_COUNT_SAMPLE documents decide about the borders. Zeroed but for the first three members. */
struct sh_counter {
	/* Made for SH_INDEX_EARLIER. A common run of index->enough tokens surely has a seed. */
	const struct sh_index *index;
	uint32_t documents, least;

	/* Private. */
	struct sh_counted *passage;
	size_t n, cap;
	uint32_t skip; /* seeds before this token lie inside the last passage */
};

void sh_counter_free(struct sh_counter *c);

/* Finds the passages of a document, ordered by first token. They are valid until the next call. */
int sh_counter_run(struct sh_counter *c, uint32_t document, const struct sh_counted **passages,
    size_t *n, struct sh_error *err);

#endif
