/* The trailer of a stream: one line that tells how many lines the stream has and what they add
 * up to, so that a stream that was cut short is never taken for a whole one.
 *
 *     <TAB><TAB>simhash-trailer<TAB>COUNT<TAB>SUM
 *
 * COUNT is decimal, SUM 16 hex digits: the sum, modulo 2^64, of XXH3_64bits_withSeed(line without
 * its LF, SH_TRAILER_SEED) over all other lines. No order changes it, so a stream may be sorted; and
 * the trailers of streams that were put together add up. Both first fields are empty, which no
 * record has. A trailer that is made by hand may have "-" for SUM: the count alone is compared. */
#ifndef SH_IO_TRAILER_H
#define SH_IO_TRAILER_H

#include "base/buf.h"

#define SH_TRAILER_HEAD "\t\tsimhash-trailer\t"
#define SH_TRAILER_SEED UINT64_C(0x73686c696e657331) /* "shlines1" */

enum { SH_TRAILER_MAX = 64 }; /* bytes of a trailer, LF included */

/* Lines, and the sum of their hashes. */
struct sh_sum {
	uint64_t lines, hash;
};

/* Add n bytes of whole lines up to the first trailer: the number of bytes before it, or n. The last
 * line may lack its LF. crlf: a CR that ends a line is no part of it. */
size_t sh_sum_lines(struct sh_sum *sum, const char *p, size_t n, bool crlf);

/* Add one line, which may be empty, without its LF. */
void sh_sum_line(struct sh_sum *sum, struct sh_slice line, bool crlf);

/* Add another stream's. */
static inline void sh_sum_join(struct sh_sum *sum, const struct sh_sum *other)
{
	sum->lines += other->lines;
	sum->hash += other->hash;
}

/* A sum of what comes in pieces that cut lines. Zeroed: of nothing. */
struct sh_summer {
	struct sh_sum sum;
	bool crlf;          /* as of sh_sum_lines() */
	struct sh_buf part; /* of the line that is not whole yet */
};

int sh_summer_add(struct sh_summer *s, const char *p, size_t n, struct sh_error *err);
void sh_summer_free(struct sh_summer *s);

/* Write the trailer with its LF to `to`: the number of bytes. */
size_t sh_trailer_print(char to[SH_TRAILER_MAX], const struct sh_sum *sum);

/* Whether a line, with or without its LF, is a trailer or the beginning of one that was cut. */
static inline bool sh_is_trailer(const char *p, size_t n)
{
	size_t head = sizeof SH_TRAILER_HEAD - 1;

	return n >= head && p[0] == '\t' && memcmp(p, SH_TRAILER_HEAD, head) == 0;
}

/* SH_ERR_PARAM, with the way out, for a line that is a trailer where none was asked for. */
int sh_trailer_unasked(struct sh_error *err);

static inline int sh_trailer_refuse(struct sh_slice line, struct sh_error *err)
{
	return sh_is_trailer(line.p, line.n) ? sh_trailer_unasked(err) : 0;
}

/* What the trailers of one input said, and whether the lines are so. */
struct sh_trailer_check {
	struct sh_sum found, said;
	bool any;       /* a trailer was met */
	bool uncertain; /* one told no sum */
};

/* Take a trailer in, without its LF: 0, or -1 when it is malformed. */
int sh_trailer_take(struct sh_trailer_check *c, struct sh_slice line, struct sh_error *err);

/* At the end of the input: 0, or -1 with what is wrong. */
int sh_trailer_settle(const struct sh_trailer_check *c, struct sh_error *err);

#endif
