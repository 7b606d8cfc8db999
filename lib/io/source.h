/* The input of a filter: its operands one after the other, as blocks of whole lines.
 *
 * A compressed operand is decompressed (io/decompress.h).
 *
 * A block is a stretch of one file and never cuts a line, so blocks can be worked on
 * in any order by any thread. The last line of a file may lack its LF. Behind a block are SH_PAD bytes of 0. */
#ifndef SH_IO_SOURCE_H
#define SH_IO_SOURCE_H

#include "io/decompress.h"
#include "io/newlines.h"
#include "io/trailer.h"

/* Longest line, in bytes. Offsets within a record are 32 bits wide. */
#define SH_LINE_MAX (((size_t)1 << 31) - (1 << 20))

/* Where the lines of a block came from. */
struct sh_origin {
	const char *file;
	uint64_t line;    /* of the block's first line, from 1 */
	uint64_t number;  /* the same, counted over all operands, without trailers */
	uint64_t lines;   /* how many lines the block holds */
	uint64_t at;      /* bytes before it, trailers too, counted over all operands */
	bool starts_file; /* the file's first record is in it */
};

struct sh_source {
	char *const *names; /* borrowed operands; "-" is standard input */
	size_t n_names;
	const int *fds;   /* of operands that are open already and stay so, or NULL */
	size_t next;      /* the operand to open next */
	int fd;           /* of the open one, -1 when none */
	const char *name; /* of the open one, as messages say it */
	uint64_t line;    /* number of the next line in it, from 1 */
	uint64_t number;  /* the same, counted over all operands, without trailers */
	uint64_t at;      /* bytes that were returned or were trailers, of all operands */
	bool begun;       /* a block of it was returned */
	bool eof;
	bool looked;                 /* its first bytes were read, so that its form is known */
	struct sh_decompress packed; /* the decoders behind fd, if any */
	struct sh_buf tail;          /* the line that the last block would have cut */
	bool tail_has_lines;         /* and whole lines before it, which stood after a trailer */
	const struct sh_newlines_kernel *newlines;
	struct sh_buf peeked; /* a block read ahead, and its origin */
	struct sh_origin peeked_from;
	size_t passed; /* bytes of it that sh_source_pass() took */

	/* Set before the first read: each operand has a trailer (see trailer.h), which is
	 * checked at the operand's end and is in no block. */
	bool trailer;
	bool crlf; /* lines are summed without their CR */
	struct sh_trailer_check check;

	/* The reading end of a pipe, or -1. Once the other end is closed, a read that would wait for a slow
	 * writer, even amid a line, fails instead: another thread calls its reader off. */
	int call_off;
};

/* No operand stands for standard input. The names must outlive the source. */
void sh_source_init(struct sh_source *s, char *const *names, size_t n_names);
void sh_source_free(struct sh_source *s);

/* Fill *b with the next whole lines, replacing what it held: 1, or 0 at the end of
 * the last operand, or -1. Returns as soon as one read brought a whole line. */
int sh_source_read(
    struct sh_source *s, struct sh_buf *b, struct sh_origin *from, struct sh_error *err);

/* The first line of what is still to be read, without its LF, valid until the next read:
 * 1, 0 at the end, -1. Nothing is taken. */
int sh_source_peek(struct sh_source *s, struct sh_slice *line, struct sh_error *err);

/* Take the line that sh_source_peek() has shown: it comes in no block. */
void sh_source_pass(struct sh_source *s);

/* Whether the next read would not wait for a slow writer. */
bool sh_source_ready(const struct sh_source *s);

#endif
