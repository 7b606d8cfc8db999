/* SPDX-License-Identifier: MIT */
/* Reads the feature records of one document, many lines in one call.
 *
 * All TABs and LFs of a chunk are found first (record/marks.h). Lines are then split at these
 * positions, so that the processor can work on several lines at once.
 *
 *     sh_feature_lines_init(&l, false, err);
 *     for each unread line of a document, at p in a chunk:
 *             sh_feature_lines_chunk(&l, chunk, p, end, err);
 *             next = sh_feature_lines_read(&l, &prefix, p);
 *
 * sh_record_feature() gives the same result for each line that is read, and also reads valid lines
 * that are not read here. SH_PAD bytes after the chunk must be readable. */
#ifndef SH_RECORD_FEATURE_LINES_H
#define SH_RECORD_FEATURE_LINES_H

#include "record/id_prefix.h"
#include "record/marks.h"

/* The most lines, and the most tokens, that one call reads. */
enum { SH_FEATURE_LINES_MAX = 8192 };

struct sh_feature_lines {
	const char *base; /* start[] and end[] are offsets from here */

	/* The lines of the last call. Line i has the tokens token[i] .. token[i + 1] - 1. Token t
	 * is the bytes start[t] .. end[t] - 1. */
	size_t lines, tokens;
	uint32_t *token, *start, *end;
	int64_t *weight; /* of each line, in millionths */

	/* Private. */
	bool split;        /* features are split into tokens at each blank */
	bool blanks;       /* blanks and backslashes of this chunk are among its marks */
	uint64_t chunk;    /* see sh_feature_lines_chunk() */
	uint32_t *mark;    /* offset of each mark of the chunk */
	size_t marks, cap; /* number of marks; elements allocated */
	size_t next;       /* index of the first mark of the next line */
};

/* split: splits a feature into tokens at each blank, and does not read a feature with a backslash.
 * Otherwise a feature, with its escapes, is one token. */
int sh_feature_lines_init(struct sh_feature_lines *l, bool split, struct sh_error *err);
void sh_feature_lines_free(struct sh_feature_lines *l);

/* Finds the marks of p .. end - 1. Does nothing when the last call had the same `chunk`: any number
 * that identifies the chunk, such as sh_origin.at. In more than 4 MiB no line is read. */
int sh_feature_lines_chunk(struct sh_feature_lines *l, uint64_t chunk, const char *p,
    const char *end, struct sh_error *err);

/* Reads successive lines that begin with the prefix, from p on. p must not decrease within a chunk.
 * Returns the beginning of the first line that was not read: p when no line was read. */
const char *sh_feature_lines_read(
    struct sh_feature_lines *l, const struct sh_id_prefix *prefix, const char *p);

#endif
