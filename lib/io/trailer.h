/* SPDX-License-Identifier: MIT */
/* The trailer of a stream: a line with the number of the stream's lines and a checksum. A reader
 * that checks it finds a stream that was cut short.
 *
 *     <TAB><TAB>simhash-trailer<TAB>COUNT<TAB>SUM
 *
 * COUNT is decimal. SUM is 16 hex digits: the sum, modulo 2^64, of XXH3_64bits_withSeed(line
 * without its LF, SH_TRAILER_SEED) over all lines that are not trailers. The sum does not depend on
 * the order of lines, so a stream may be sorted. A concatenation of streams has several trailers;
 * their counts and sums are added. No record looks like a trailer, because no record begins with
 * two empty fields. SUM may be "-" in a trailer made by hand: then only the count is compared. */
#ifndef SH_IO_TRAILER_H
#define SH_IO_TRAILER_H

#include "base/buf.h"

#define SH_TRAILER_HEAD "\t\tsimhash-trailer\t"
#define SH_TRAILER_SEED UINT64_C(0x73686c696e657331) /* "shlines1" */

enum { SH_TRAILER_MAX = 64 }; /* maximum size of a trailer with its LF, in bytes */

/* The number of lines, and the sum of their hashes. */
struct sh_sum {
	uint64_t lines, hash;
};

/* Adds the lines in n bytes before the first trailer. Returns the number of bytes of these lines.
 * The last line may lack its LF. crlf: leaves out a CR at the end of a line. */
size_t sh_sum_lines(struct sh_sum *sum, const char *p, size_t n, bool crlf);

/* Writes a trailer with its LF to `to`. Returns the number of bytes. */
size_t sh_trailer_print(char to[SH_TRAILER_MAX], const struct sh_sum *sum);

/* Returns whether a line, with or without its LF, begins as a trailer does. The line may be a
 * trailer that was cut short. */
static inline bool sh_is_trailer(const char *p, size_t n)
{
	size_t head = sizeof SH_TRAILER_HEAD - 1;

	return n >= head && p[0] == '\t' && memcmp(p, SH_TRAILER_HEAD, head) == 0;
}

/* Fills *err with SH_ERR_PARAM for a trailer in an input without --trailer. Returns -1. */
int sh_trailer_unexpected(struct sh_error *err);

/* Returns 0; or -1 with the error of sh_trailer_unexpected() when the line is a trailer. */
static inline int sh_trailer_refuse(struct sh_slice line, struct sh_error *err)
{
	return sh_is_trailer(line.p, line.n) ? sh_trailer_unexpected(err) : 0;
}

/* Compares the lines of one input with its trailers. */
struct sh_trailer_check {
	struct sh_sum found;    /* of the lines; the caller adds them */
	struct sh_sum expected; /* of all trailers */
	bool any;               /* the input has a trailer */
	bool no_sum;            /* a trailer has "-" for its sum */
};

/* Adds all lines, trailers among them. crlf: see sh_sum_lines(). Sets *trailers to their number.
 * Returns 0; or -1 with SH_ERR_PARAM for a malformed trailer, and err->line counts the lines up to
 * it. */
int sh_trailer_add_lines(struct sh_trailer_check *c, struct sh_slice lines, bool crlf,
    uint64_t *trailers, struct sh_error *err);

/* Returns 0 when the trailers match all lines of the input. Returns -1 with SH_ERR_PARAM when they
 * differ or the input has no trailer. */
int sh_trailer_verify(const struct sh_trailer_check *c, struct sh_error *err);

#endif
