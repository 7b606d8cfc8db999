/* SPDX-License-Identifier: MIT */
/* Feature records, which stand together by documents. */
#ifndef SH_RECORD_FEATURE_LINES_H
#define SH_RECORD_FEATURE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/slice.h"
#include "record/fields.h"

/* The prefix that all feature records of one document share: the id and a TAB. */
struct sh_id_prefix {
	size_t n;                      /* bytes of the id and its TAB; 0: no document yet */
	char text[SH_ID_MAX + 17];     /* 16 bytes after the prefix may be read */
	uint64_t a, b, mask_a, mask_b; /* first 16 bytes of the prefix; masks clear unused bytes */
};

/* Copies the id, which must come from a valid record. */
void sh_id_prefix_set(struct sh_id_prefix *prefix, struct sh_slice id);

/* Returns whether the text at p begins with the prefix, which must be set. prefix->n + 16 bytes
 * from p on must be readable. Does not call memcmp(): most prefixes are short. */
static inline bool sh_id_prefix_at(const struct sh_id_prefix *prefix, const char *p)
{
	uint64_t differ = ((sh_le64(p) ^ prefix->a) & prefix->mask_a) |
			  ((sh_le64(p + 8) ^ prefix->b) & prefix->mask_b);

	for (size_t i = 16; i + 8 < prefix->n; i += 8)
		differ |= sh_le64(p + i) ^ sh_le64(prefix->text + i);
	if (prefix->n > 16)
		differ |= sh_le64(p + prefix->n - 8) ^ sh_le64(prefix->text + prefix->n - 8);
	return differ == 0;
}

/* Finds marks: TABs and LFs of records, and on request blanks and backslashes. Lines can then be
 * split independently of each other. */

enum { SH_MARKS_SLACK = 16 }; /* bytes that sh_marks_find() may read behind the text */

/* Writes the offsets of all marks among n < 2^32 bytes to mark[], ascending. Returns the number of
 * marks. When *blanks is true, blanks and backslashes are marks, too, and the call sets *blanks to
 * false when the text has none. */
size_t sh_marks_find(const char *p, size_t n, bool *blanks, uint32_t *mark);

/* Counts ids that occur again after other ids, in records grouped by id.
 *
 * A repeated id begins another document. Usually this is a mistake: the lines were sorted by
 * another field, or two documents have one id. A program warns with the count. The struct remembers
 * 2^14 ids, as hashes of 64 bits. An id that occurs again much later may be missed. An id is
 * counted wrongly with probability 2^-50, unless ids are constructed to have equal hashes. */

enum { SH_PAST_IDS = 1 << 14, SH_PAST_IDS_SHOWN = 80 };

/* Ready when zeroed. */
struct sh_past_ids {
	uint64_t slot[SH_PAST_IDS]; /* by the top bits of hashes: the last hash; 0: none */
	uint64_t again;             /* documents whose id occurred before */
	/* The first repeated id, perhaps cut, and where it occurred again. */
	char id[SH_PAST_IDS_SHOWN];
	size_t id_n;
	const char *file;
	uint64_t line;
};

/* Counts a document that begins at this line. Two successive calls must have different ids. Borrows
 * the file name. */
void sh_past_ids_begin(struct sh_past_ids *p, struct sh_slice id, const char *file, uint64_t line);

/* Reads the feature records of one document, many lines in one call.
 *
 * All TABs and LFs of a chunk are found first by sh_marks_find(). Lines are then split at these
 * positions, so that the processor can work on several lines at once.
 *
 *     sh_feature_lines_init(&l, false, err);
 *     for each unread line of a document, at p in a chunk:
 *             sh_feature_lines_chunk(&l, chunk, p, end, err);
 *             next = sh_feature_lines_read(&l, &prefix, p);
 *
 * sh_record_feature() gives the same result for each line that is read, and also reads valid lines
 * that are not read here. SH_PAD bytes after the chunk must be readable. */

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
