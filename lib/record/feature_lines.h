/* Reads the feature records of one document, many lines in one call.
 *
 * All TABs and LFs of a chunk are found first (record/marks.h). Lines are then split at these positions, so
 * that the processor can work on several lines at once.
 *
 *     sh_feature_lines_init(&l, false, err);
 *     for each place p in a chunk where a line of the document begins:
 *             sh_feature_lines_chunk(&l, number, p, end, err);
 *             next = sh_feature_lines_read(&l, &prefix, p);
 *
 * sh_record_feature() gives the same result for each line that is read. A line that is not read may still
 * be valid: sh_record_feature() decides. SH_PAD bytes after the chunk must be readable. */
#ifndef SH_RECORD_FEATURE_LINES_H
#define SH_RECORD_FEATURE_LINES_H

#include "record/id_prefix.h"
#include "record/marks.h"

/* The most lines, and the most tokens, of one call. */
enum { SH_FEATURE_LINES_MAX = 8192 };

struct sh_feature_lines {
	const char *base; /* of all offsets below */

	/* The lines of the last call. Line i has the tokens token[i] .. token[i + 1] - 1; token t is
	 * the bytes start[t] .. end[t] - 1. */
	size_t lines, tokens;
	uint32_t *token, *start, *end;
	int64_t *weight; /* of each line, in millionths */

	/* Private. */
	const struct sh_marks_kernel *kernel;
	bool split;        /* features are split into tokens at single blanks */
	bool blanks;       /* blanks and backslashes of this chunk are among its marks */
	uint64_t number;   /* of the chunk */
	uint32_t *mark;    /* offset of each mark of the chunk */
	size_t marks, cap; /* number of marks; elements allocated */
	size_t next;       /* first mark of the next line */
};

/* split: splits a feature into tokens at single blanks, and does not read a feature with a backslash.
 * Otherwise a feature is one token. */
int sh_feature_lines_init(struct sh_feature_lines *l, bool split, struct sh_error *err);
void sh_feature_lines_free(struct sh_feature_lines *l);

/* Finds the marks of the chunk p .. end - 1, unless the last call had the same chunk number. */
int sh_feature_lines_chunk(struct sh_feature_lines *l, uint64_t number, const char *p,
    const char *end, struct sh_error *err);

/* Reads successive lines from p on that begin with the prefix. Returns the beginning of the first
 * line that was not read: p when none was. */
const char *sh_feature_lines_read(
    struct sh_feature_lines *l, const struct sh_id_prefix *prefix, const char *p);

#endif
