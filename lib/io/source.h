/* Reads the operands of a filter, one after the other, as chunks of whole lines.
 *
 * A compressed operand is decompressed (io/decompress.h).
 *
 * All lines of a chunk are of one file, and no line is cut. So any thread can process any chunk. The last
 * line of a file may lack its LF. SH_PAD zero bytes follow each chunk. */
#ifndef SH_IO_SOURCE_H
#define SH_IO_SOURCE_H

#include "io/decompress.h"
#include "io/header.h"
#include "io/trailer.h"

/* Longest line, in bytes. Offsets within a record are 32 bits wide. */
#define SH_LINE_MAX (((size_t)1 << 31) - (1 << 20))

/* Where the lines of a chunk came from. */
struct sh_origin {
	const char *file;
	uint64_t line;    /* number of the chunk's first line in the file, from 1 */
	uint64_t number;  /* its number in all operands, without trailers, from 1 */
	uint64_t lines;   /* number of lines in the chunk */
	uint64_t at;      /* bytes of all operands before the chunk, with trailers */
	bool starts_file; /* the chunk has the first record of the file */
	bool csv;         /* the records are CSV (io/csv.h) */
};

struct sh_source {
	char *const *names; /* borrowed operands; "-" is standard input */
	size_t n_names;
	/* descriptors of the operands, which are not closed; or NULL: open the names */
	const int *fds;
	size_t next;      /* index of the next operand to open */
	int fd;           /* of the open operand; -1 when none is open */
	const char *name; /* of the open operand, for messages */
	uint64_t line;    /* number of the next line in the open operand, from 1 */
	uint64_t number;  /* number of the next line in all operands, without trailers, from 1 */
	uint64_t at;      /* bytes of all operands that were returned or belonged to trailers */
	bool begun;       /* a chunk of the open operand was returned */
	bool eof;
	bool looked;                 /* the first bytes were checked for a compressed format */
	struct sh_decompress packed; /* the decoders of the open operand, if it is compressed */
	struct sh_buf tail;          /* the unfinished line after the last chunk */
	/* `tail` begins with whole lines, which followed a trailer */
	bool tail_has_lines;
	struct sh_buf peeked;         /* the chunk of the next sh_source_read(), or empty */
	struct sh_origin peeked_from; /* its origin */
	size_t passed;                /* bytes of its beginning that sh_source_pass() skipped */

	/* Set before the first read: each operand must have a trailer (io/trailer.h). The trailer is
	 * checked at the end of the operand, and no chunk contains it. */
	bool trailer;
	bool crlf; /* the checksum of a line leaves out its CR */
	struct sh_trailer_check check;

	/* `wanted` and `csv` are set before the first read. A header is in no chunk. */
	struct sh_header header;

	/* The reading end of a pipe, or -1. When another thread closes the other end, a read that would wait
	 * for a slow writer fails instead, even within a line. */
	int cancel;
};

/* Without operands, standard input is read. The names must outlive the source. */
void sh_source_init(struct sh_source *s, char *const *names, size_t n_names);
void sh_source_free(struct sh_source *s);

/* Replaces the content of *b by the next whole lines. Returns 1, 0 at the end of the last operand, or -1.
 * Returns as soon as one read brought a whole line. */
int sh_source_read(
    struct sh_source *s, struct sh_buf *b, struct sh_origin *from, struct sh_error *err);

/* Sets *line to the next line, without its LF. The next read or peek gives it again. The line is valid until the next
 * read. Returns 1, 0 at the end of the last operand, or -1. */
int sh_source_peek(struct sh_source *s, struct sh_slice *line, struct sh_error *err);

/* Appends the next chunk of the same operand to `peeked`. The line that sh_source_peek() returned is no longer valid.
 * wait: wait for a slow writer. Returns 1; 0 when the operand has no more, when none are ready without waiting, or when
 * a trailer precedes them; or -1. */
int sh_source_peek_more(struct sh_source *s, bool wait, struct sh_error *err);

/* Returns the line that sh_source_peek() returned and all lines of `peeked` behind it. */
static inline struct sh_slice sh_source_peeked(const struct sh_source *s)
{
	return sh_slice(s->peeked.p + s->passed, s->peeked.n - s->passed);
}

/* Skips the line that sh_source_peek() returned. */
void sh_source_pass(struct sh_source *s);

/* Returns whether the next read would return at once, without waiting for a slow writer. */
bool sh_source_ready(const struct sh_source *s);

#endif
