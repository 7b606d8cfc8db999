/* SPDX-License-Identifier: MIT */
/* What dedup_archive.c, which looks documents up, and dedup_archive_add.c share. */
#ifndef DEDUP_ARCHIVE_STATE_H
#define DEDUP_ARCHIVE_STATE_H

#include "dedup.h"
#include "fp/analysis.h"

/* Reads documents of the archive, and tokenises new ones, in one thread. */
struct archive_reader {
	struct sh_analyser archived, new; /* empty until they are needed */
	uint64_t *token;
	size_t token_cap;
	struct sh_buf text, line;
	struct sh_document_room room;
};

/* Analyses a text for its tokens in their order. raw: the text has no escapes. */
int dedup_archive_analyse(struct dedup_state *s, struct sh_analyser *a, bool raw,
    struct sh_slice text, struct sh_feature_set *set, struct sh_error *err);

/* Sets *text to the text in the form of sh_escape(): then a text has one digest, and one line, in
 * all forms of input. raw: it has no escapes. It is valid until the next call. */
int dedup_archive_escaped(
    struct archive_reader *w, bool raw, struct sh_slice *text, struct sh_error *err);

/* Returns the documents of the run by key of the id, digest of the text, and number, in s->tables;
 * or NULL. */
uint32_t *dedup_archive_order(struct dedup_state *s, struct sh_error *err);

#endif
