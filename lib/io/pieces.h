/* SPDX-License-Identifier: MIT */
/* Random access to the text of inputs that cannot be mapped: compressed files and pipes.
 *
 * The beginning of the text is in memory, up to a limit. The rest is in one temporary file without
 * a name, in pieces of whole lines, or of whole records of CSV. A piece has lines of one input,
 * usually some 16 KiB. Pieces are compressed by LZ4. A build without liblz4 writes them
 * uncompressed.
 *
 * One thread at a time may add inputs. Afterwards any thread may read. */
#ifndef SH_IO_PIECES_H
#define SH_IO_PIECES_H

#include "base/buf.h"

#include <stdbool.h>

/* A piece in the file. It ends where the next piece begins; the last piece ends at sh_pieces.n and
 * sh_pieces.written. */
struct sh_piece {
	uint64_t at;    /* offset of its first byte in the text */
	uint64_t place; /* offset of its first byte in the file */
};

/* The caller sets memory and dir, and zeroes everything else. */
struct sh_pieces {
	size_t memory;      /* limit of the text in memory, in bytes */
	const char *dir;    /* folder of the temporary file, as for sh_spill_folder() */
	uint64_t n;         /* bytes of text */
	struct sh_buf held; /* the beginning of the text, in memory */
	struct sh_piece *piece;
	size_t n_pieces, cap; /* pieces in the file; elements allocated */
	uint64_t written;     /* bytes of the file */
	int fd;               /* the file; unused while n_pieces is 0 */
};

/* Memory for the piece that a thread read last. Ready when zeroed. */
struct sh_piece_room {
	struct sh_buf text, packed;
	const struct sh_pieces *of; /* the piece is of->piece[number]; NULL: there is none */
	size_t number;
};

struct sh_pieces_inputs {
	char *const *names; /* "-" is standard input */
	size_t n;
	const int *fds; /* open descriptors, which are not closed; NULL: opens `names` */
	bool csv;       /* the records are CSV */
	unsigned jobs;  /* threads that decompress inputs and compress pieces; 0: one */
};

/* The text of an input. */
struct sh_pieces_text {
	uint64_t n;                   /* bytes, decompressed */
	const struct sh_codec *codec; /* that was decompressed; NULL: none, or no text */
};

/* Appends the texts of the inputs. Sets text[i] for input i. Returns 0; or -1, and then p can only
 * be freed. */
int sh_pieces_add(struct sh_pieces *p, const struct sh_pieces_inputs *in,
    struct sh_pieces_text *text, struct sh_error *err);
void sh_pieces_free(struct sh_pieces *p);

/* Sets *bytes to the bytes from offset `at` to the end of the piece, or to the end of the text in
 * memory, which may have several inputs. `at` must be below p->n. *bytes is valid until `room` is
 * used again. SH_PAD readable bytes follow. Returns 0 or -1. */
int sh_pieces_at(const struct sh_pieces *p, uint64_t at, struct sh_piece_room *room,
    struct sh_slice *bytes, struct sh_error *err);
void sh_piece_room_free(struct sh_piece_room *room);

/* Returns the offset of the first piece in the file that begins at offset `at` or behind it; p->n
 * when there is none. */
uint64_t sh_pieces_next(const struct sh_pieces *p, uint64_t at);

/* Returns whether the byte at offset `at` is in memory. Then sh_pieces_at() does not use its room,
 * and *bytes is valid until sh_pieces_add() or sh_pieces_free(). */
static inline bool sh_pieces_held(const struct sh_pieces *p, uint64_t at)
{
	return at < p->held.n;
}

#endif
