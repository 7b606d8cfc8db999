/* SPDX-License-Identifier: MIT */
/* Reads the operands of a filter, one after the other, as chunks of whole lines. Decompresses
 * compressed operands.
 *
 * All lines of a chunk belong to one file, and no line is cut. So any thread can process any chunk.
 * The last line of a file may lack its LF. SH_PAD zero bytes follow each chunk.
 *
 * Where a document has several lines, chunks can have whole documents: see sh_source.border. */
#ifndef SH_IO_SOURCE_H
#define SH_IO_SOURCE_H

#include "io/header.h"
#include "io/reader.h"
#include "io/trailer.h"

/* Bytes of the longest line that is certainly read. Offsets within a record are 32 bits wide. */
#define SH_LINE_MAX (((size_t)1 << 31) - (1 << 20))

/* Fills *err for a longer line. Returns -1. */
int sh_line_too_long(struct sh_error *err);

/* Lines of a chunk that follow each other in one file. */
struct sh_stretch {
	const char *file; /* an operand, borrowed */
	uint64_t line;    /* number of the first line in the file, from 1 */
	uint64_t at;      /* bytes of all operands, decompressed, before the first line */
	size_t bytes;
};

/* Where the lines of a chunk came from. */
struct sh_origin {
	const char *file;   /* an operand, borrowed */
	uint64_t line;      /* number of the chunk's first line in the file, from 1 */
	uint64_t number;    /* number of this line in all chunks, from 1 */
	uint64_t lines;     /* lines in the chunk; a record of CSV may have several */
	uint64_t at;        /* bytes of all operands, decompressed, before the chunk */
	bool starts_file;   /* the chunk has the first record of the file */
	bool csv;           /* the records are CSV (io/newlines.h) */
	const char *blanks; /* lines of these bytes are no records; NULL: all lines are */
	bool header;        /* the file has a header before the chunk's first record */
	bool trailer;       /* trailers among the lines (io/trailer.h) were checked; skip them */
	/* With a border function: the stretches of the chunk, in the chunk's memory. `file`, `line`
	 * and `at` are of the first stretch; `lines` counts the lines of all stretches. cut: an
	 * error follows the chunk, whose last document may lack lines. */
	const struct sh_stretch *stretch;
	size_t stretches;
	bool cut;
};

/* Returns the offset of the last document of the whole lines p .. p + n - 1; 0 when they may all be
 * of one document. The first `one` bytes are known to be lines of one document. */
typedef size_t sh_border_fn(void *arg, const char *p, size_t n, size_t one);

struct sh_source {
	/* Set before the first read. */
	bool trailer;       /* each operand must have a trailer (io/trailer.h), which is checked at
			     * its end. Chunks contain trailers: see sh_origin. */
	bool crlf;          /* the checksum of a line leaves out its CR */
	const char *blanks; /* see struct sh_origin; borrowed */
	/* `wanted` and `csv` are set before the first read. No chunk contains a header. */
	struct sh_header header;
	/* NULL, or finds the last document of some lines. Its lines are left to the next chunk, so
	 * that no document is in two chunks. A document may go on in the next file: a chunk can
	 * have lines of several files. A chunk grows until a document ends. */
	sh_border_fn *border;
	void *border_arg;
	/* The reading end of a pipe, or -1. After another thread has closed the writing end, a read
	 * that would wait for input fails with SH_ERR_IO. */
	int cancel;

	char *const *names; /* borrowed operands; "-" is standard input */
	size_t n_names;

	/* Of the open operand, for the caller to read. */
	const char *name; /* for messages */
	uint64_t line;    /* number of the next line, from 1 */
	bool begun;       /* a record was passed over or returned in a chunk */

	/* Private. */
	size_t next;             /* index of the next operand to open */
	bool open;               /* an operand is open */
	struct sh_reader reader; /* of the open operand: its ready bytes are the next lines */
	bool headed;             /* header and byte order mark are passed over */
	size_t whole;            /* ready bytes that are whole records */
	size_t scanned;          /* ready bytes that were searched for ends of records */
	bool quoted;             /* CSV: they end within quotes */
	size_t first;            /* bytes of the record that was peeked at, with its LF */
	uint64_t number;         /* number of the next line in all chunks, from 1 */
	uint64_t at;             /* bytes of all operands, decompressed, before the next line */
	struct sh_trailer_check check;
	/* With `border`: lines that wait for the end of their document. */
	struct sh_buf waiting;
	struct sh_stretch *stretch; /* of all waiting lines, in order */
	size_t stretches, stretch_cap;
	uint64_t first_waiting;  /* number of the first of them in all chunks, from 1 */
	struct sh_buf fresh;     /* the lines that were read last */
	struct sh_error failure; /* the error of the next read; code SH_OK: none */
};

/* Reads standard input when n_names is 0. The names must outlive the source. */
void sh_source_init(struct sh_source *s, char *const *names, size_t n_names);
void sh_source_free(struct sh_source *s);

/* Replaces the content of *b by the next whole lines. Returns 1, 0 at the end of the last operand,
 * or -1. Returns as soon as one read brought a whole line. */
int sh_source_read(
    struct sh_source *s, struct sh_buf *b, struct sh_origin *from, struct sh_error *err);

/* Sets *line to the next line or record of CSV that is no trailer, without its LF, and leaves it to
 * be read. It is valid until the next read. Returns 1, 0 at the end of the last operand, or -1. */
int sh_source_peek(struct sh_source *s, struct sh_slice *line, struct sh_error *err);

/* Reads more lines of the same operand behind the lines that were peeked at. The result of
 * sh_source_peek() becomes invalid. Returns 1 or -1; or 0 at the end of the operand. Without
 * `wait`, also returns 0 when no line is ready. */
int sh_source_peek_more(struct sh_source *s, bool wait, struct sh_error *err);

/* Returns the peeked line and all lines behind it that are ready. */
static inline struct sh_slice sh_source_peeked(const struct sh_source *s)
{
	return sh_slice(sh_reader_ready(&s->reader).p, s->whole);
}

/* Passes over the line that sh_source_peek() returned. */
void sh_source_pass(struct sh_source *s);

/* Returns whether the line behind the one that was peeked at can be read without waiting for a slow
 * writer. */
bool sh_source_ready(const struct sh_source *s);

/* Appends all lines of an operand to *all, without its byte order mark. */
int sh_source_all(const char *name, struct sh_buf *all, struct sh_error *err);

/* Reads one line after the other, for programs that process records in order. A record of CSV
 * counts as one line. The current line is the last result of sh_lines_next(). */
struct sh_lines {
	struct sh_source source;
	bool held;             /* there is a current line, which the source has not passed */
	struct sh_slice chunk; /* the lines that the last read brought */
	struct sh_origin from; /* file, and number of the current line; lines: of the chunk */
	bool starts_file;      /* the current line is the first of its file, without a header */
};

void sh_lines_init(struct sh_lines *l, char *const *names, size_t n_names);
void sh_lines_free(struct sh_lines *l);

/* Sets *line to the next line, without its LF. The line is valid until the next call. Returns 1, 0
 * at the end, or -1. */
int sh_lines_next(struct sh_lines *l, struct sh_slice *line, struct sh_error *err);

/* Returns whether no line is ready behind the current one. Then sh_lines_next() reads. */
static inline bool sh_lines_at_end(const struct sh_lines *l)
{
	return !l->held || l->source.first == l->source.whole;
}

/* Adds file and number of the current line to the error, unless its code is SH_ERR_IO or
 * SH_ERR_NOMEM: no line causes such an error. Returns -1. */
int sh_lines_blame(const struct sh_lines *l, struct sh_error *err);

#endif
