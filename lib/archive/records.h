/* The lines of a segment's files; segment.h has their forms. */
#ifndef SH_ARCHIVE_RECORDS_H
#define SH_ARCHIVE_RECORDS_H

#include "base/buf.h"

#include <stdint.h>

enum {
	SH_NUMBER_DIGITS = 8,
	SH_KEY_DIGITS = 12,
	SH_KEY_LINE = SH_KEY_DIGITS + 1 + SH_NUMBER_DIGITS + 1,
	SH_TIME_DIGITS = 10,
};

/* the largest number of SH_TIME_DIGITS digits: the year 2286 */
#define SH_TIME_MAX UINT64_C(9999999999)

/* A line of .doc. Its slices are views into the line. */
struct sh_doc_record {
	uint32_t number, keeper;
	uint64_t time;
	struct sh_slice distance, similarity, fp, id;
	uint64_t digest;
};

/* Parsing expects a line without its LF. Printing appends a line with its LF. SH_ERR_RECORD: the
 * line is bad. SH_ERR_RANGE: the time to print is above SH_TIME_MAX. */
int sh_doc_parse(struct sh_slice line, struct sh_doc_record *r, struct sh_error *err);
int sh_doc_print(const struct sh_doc_record *r, struct sh_buf *out, struct sh_error *err);

/* Reads the number at the beginning of a line of .doc or of the store. sh_line_rest() returns the
 * bytes behind the number and its TAB. */
int sh_line_number(struct sh_slice line, uint32_t *number, struct sh_error *err);

static inline struct sh_slice sh_line_rest(struct sh_slice line)
{
	return sh_slice(line.p + SH_NUMBER_DIGITS + 1, line.n - SH_NUMBER_DIGITS - 1);
}

/* Appends a number and its TAB. */
int sh_line_begin(struct sh_buf *line, uint32_t number, struct sh_error *err);

/* Parses or prints SH_KEY_LINE bytes of .key, LF included. Parsing returns -1 when the bytes are no
 * line of .key. */
int sh_key_parse(const char *line, uint64_t *key, uint32_t *number);
void sh_key_print(char *out, uint64_t key, uint32_t number);

#endif
