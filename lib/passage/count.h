/* SPDX-License-Identifier: MIT */
/* Finds passages that occur in many documents (boilerplate), without forming pairs. */
#ifndef SH_PASSAGE_COUNT_H
#define SH_PASSAGE_COUNT_H

#include "passage/groups.h"

enum { SH_COUNT_SAMPLE = 64 };

/* A passage: tokens from .. to-1. min, max: the least and greatest number of documents that contain
 * one of its seeds. */
struct sh_counted {
	uint32_t from, to, min, max;
};

/* Returns an array: by group, the number of documents in it. Free it with sh_tables_put() of
 * g->tables. NULL: memory ran out. */
uint32_t *sh_count_documents(const struct sh_groups *g, struct sh_error *err);

/* Finds passages of at least `least` tokens in at least `documents` documents. The borders of a
 * passage are exact when each of its seeds is in at most SH_COUNT_SAMPLE documents. Otherwise
 * SH_COUNT_SAMPLE documents decide about the borders. */
struct sh_counter {
	const struct sh_texts *texts;
	const struct sh_groups *groups;
	const uint32_t *size; /* from sh_count_documents() */
	uint32_t documents, least;
	uint32_t longest; /* tokens of the longest seed */
	uint32_t enough;  /* tokens of a common run that surely have a seed */

	/* Private; zeroed at first. */
	struct sh_counted *passage;
	size_t n, cap;
	uint32_t skip; /* seeds before this token lie inside the last passage */
};

void sh_counter_free(struct sh_counter *c);

/* Finds the passages of a document, ordered by first token. They are valid until the next call. */
int sh_counter_run(struct sh_counter *c, uint32_t document, const struct sh_counted **passages,
    size_t *n, struct sh_error *err);

#endif
