/* The keys of documents, column by column. The first pieces are in memory, and the later ones in a
 * temporary file without a name. The last piece is in memory.
 *
 * Each document has the same number of keys, of 40 bits. Column c holds key c of all documents.
 * SH_PIECE consecutive documents are a piece, which has a stretch of each column.
 *
 * One thread adds documents. The threads that make keys may help from time to time: they touch the
 * memory of the next piece for the first time, and write complete pieces to the file. Without help,
 * the thread that adds documents does it all. */
#ifndef SH_JOIN_KEYCOLUMNS_H
#define SH_JOIN_KEYCOLUMNS_H

#include "base/error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SH_PIECE = 1 << 16 }; /* documents of a piece */

/* The keys of some documents: key c of document i is
 * first[c * cap + i] << 32 | low[c * cap + i]. */
struct sh_key_block {
	uint32_t *low;
	uint8_t *first; /* the first byte of a key */
	size_t cap;     /* elements between two columns: the largest number of documents */
};

/* One column of a piece. */
struct sh_stretch {
	uint32_t low[SH_PIECE];
	uint8_t first[SH_PIECE];
};

struct sh_key_columns {
	unsigned keys;   /* columns */
	const char *dir; /* folder of the temporary file, as for sh_spill_open() */
	size_t most;     /* largest number of complete pieces that stay in memory */

	/* Private. */
	size_t n;                  /* documents */
	struct sh_stretch *last;   /* the last piece: a stretch for each key */
	struct sh_stretch **piece; /* the first pieces */
	size_t in_memory, cap;     /* number of elements of `piece`; elements allocated */
	size_t in_file;            /* pieces that are in the file or will be */
	int fd;                    /* -1: no file */
	pthread_mutex_t lock;      /* protects the fields below */
	struct sh_stretch *full;   /* a piece to be written; NULL: none */
	size_t full_at;            /* its number in the file */
	struct sh_stretch *next;   /* memory for the next piece, touched; NULL: none */
	bool wants_next;           /* a helper shall make `next` */
	struct sh_stretch *begun;  /* a part of its memory is touched; NULL: none */
	size_t touched;            /* the bytes of that part */
};

/* keys: columns, at least 1. memory: bytes for complete pieces. dir: borrowed. */
void sh_key_columns_init(struct sh_key_columns *c, unsigned keys, size_t memory, const char *dir);
/* Call it only after sh_key_columns_init(). */
void sh_key_columns_free(struct sh_key_columns *c);

/* Adds the next n <= from->cap documents: copies the first n of `from`. */
int sh_key_columns_add(
    struct sh_key_columns *c, const struct sh_key_block *from, size_t n, struct sh_error *err);
/* Writes a complete piece, if one waits for it; or else touches a part of the memory of the next
 * piece, if that is wanted. Any thread may call it, also while another thread adds documents.
 * Returns 0 or -1. */
int sh_key_columns_help(struct sh_key_columns *c, struct sh_error *err);
/* Call it after the last document and before columns are read, when no thread helps any more. Does
 * nothing when called again. */
int sh_key_columns_finish(struct sh_key_columns *c, struct sh_error *err);

/* Returns the stretch of a column in a piece. When it is in the file, reads it into *room. Returns
 * NULL on failure. The last stretch has keys of the documents of the piece only; its other elements
 * are undefined. Any thread may call it and sh_key_columns_key(). */
const struct sh_stretch *sh_key_columns_stretch(const struct sh_key_columns *c, size_t piece,
    unsigned column, struct sh_stretch *room, struct sh_error *err);

/* Sets *key to one key of a document, of 40 bits. Returns 0 or -1. */
int sh_key_columns_key(const struct sh_key_columns *c, uint32_t document, unsigned column,
    uint64_t *key, struct sh_error *err);

#endif
