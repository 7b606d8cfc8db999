/* The keys of documents, column by column. The first pieces are in memory, and the later ones in a
 * temporary file without a name.
 *
 * Each document has the same number of keys, of 40 bits. Column c holds key c of all documents.
 * SH_PIECE consecutive documents are a piece, which has a stretch of each column. The records of a
 * stretch are ordered by the first byte of the key, then by document. So the keys of some first
 * bytes are consecutive, and a partition of a column reads only its own keys.
 *
 * One thread adds documents. The threads that make keys may help from time to time: they order the
 * columns of a complete piece, and write the columns that go to the file. Without help, the thread
 * that adds documents does it all. */
#ifndef SH_JOIN_KEYCOLUMNS_H
#define SH_JOIN_KEYCOLUMNS_H

#include "io/spill.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SH_PIECE = (1 << 16) - 1, /* documents of a piece: a count of them has 16 bits */
	SH_FIRSTS = 256,          /* values of the first byte of a key */
};

/* The keys of documents: key c of document i is
 * first[c * cap + i] << 32 | low[c * cap + i]. */
struct sh_key_block {
	uint32_t *low;
	uint8_t *first; /* the first byte of a key */
	size_t cap;     /* elements between two columns: the largest number of documents */
};

/* A key without its first byte. */
struct sh_key_record {
	uint16_t low, high; /* bits 0-15 and 16-31 of the key */
	uint16_t document;  /* its number within the piece */
};

/* One column of a piece. The file has it in whole blocks. */
struct sh_stretch {
	_Alignas(SH_SPILL_BLOCK) struct sh_key_record record[SH_PIECE];
};

struct sh_key_piece {
	uint16_t (*start)[SH_FIRSTS]; /* by column: the first record of a first byte */
	struct sh_stretch *stretch;   /* by column; NULL: in the file */
};

struct sh_key_columns {
	unsigned keys;   /* columns */
	const char *dir; /* folder of the temporary file, as for sh_spill_open() */
	size_t most;     /* largest number of pieces that stay in memory */

	/* Private. */
	size_t n;                   /* documents */
	struct sh_key_added *last;  /* by column: documents that are in no piece yet */
	struct sh_key_added *full;  /* by column: documents of the last piece */
	size_t n_full;              /* number of documents in `full` */
	struct sh_stretch *ordered; /* scratch memory: columns of a piece that goes to the file */
	struct sh_key_piece *piece;
	size_t n_pieces, cap; /* number of pieces; elements allocated */
	int fd;               /* -1: no file */
	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t ended_all;
	unsigned begun, ended; /* columns of the last piece that are or were being ordered */
};

/* keys: columns, at least 1. memory: bytes for pieces. dir: borrowed. */
void sh_key_columns_init(struct sh_key_columns *c, unsigned keys, size_t memory, const char *dir);
/* Call it only after sh_key_columns_init(). */
void sh_key_columns_free(struct sh_key_columns *c);

/* Adds the next n <= from->cap documents: copies the first n of `from`. */
int sh_key_columns_add(
    struct sh_key_columns *c, const struct sh_key_block *from, size_t n, struct sh_error *err);
/* Orders a column of a complete piece, if there is any left. Any thread may call it, also while
 * another thread adds documents. Returns 0 or -1. */
int sh_key_columns_help(struct sh_key_columns *c, struct sh_error *err);
/* Call it after the last document and before columns are read, when no thread helps any more. Does
 * nothing when called again. */
int sh_key_columns_finish(struct sh_key_columns *c, struct sh_error *err);

/* ---- after sh_key_columns_finish(), by any thread ---- */

/* Returns the number of keys of a column in a piece whose first byte is `first`. */
size_t sh_key_columns_count(
    const struct sh_key_columns *c, size_t piece, unsigned column, unsigned first);

/* Returns the keys of a column in a piece whose first bytes are from .. to-1, ordered by first byte
 * and then by document. Reads keys in the file into *room. Returns NULL on failure. */
const struct sh_key_record *sh_key_columns_read(const struct sh_key_columns *c, size_t piece,
    unsigned column, unsigned from, unsigned to, struct sh_stretch *room, struct sh_error *err);

#endif
