/* SPDX-License-Identifier: MIT */
/* Postings: which document has which key (match/keys.h).
 *
 * Most documents have one key in each of the first columns. These keys lie by column, in the order
 * of the documents, 5 bytes a key. All other postings take 12 bytes each. What exceeds the memory
 * lies in a temporary file without a name, which is written and read in large pieces.
 *
 * Threads read the postings sorted, one part at a time. A part is a range of the hashes of a
 * column: so many documents need no more memory, but more parts.
 *
 *     sh_posting_pack() in any thread, sh_key_postings_add() in document order
 *     sh_key_postings_divide() after the last document
 *     sh_key_postings_sort() for each part, by any thread */
#ifndef SH_MATCH_POSTING_H
#define SH_MATCH_POSTING_H

#include "base/buf.h"
#include "match/keys.h"

#define SH_NO_DOCUMENT UINT32_MAX

enum {
	SH_POSTING_BYTES = 5, /* of a packed key */
	SH_DOCUMENTS_BITS = 31,
};

/* A posting outside of the packed columns. */
struct sh_key_posting {
	uint64_t hash;     /* below 2^SH_KEYS_BITS */
	uint32_t document; /* its number */
	uint8_t column;    /* below SH_COLUMNS */
	bool is_short;     /* see struct sh_doc_key */
};

struct sh_key_postings;

/* packed: the number of columns, from 0 on, in which most documents have a key; SH_COLUMN_TEXT is
 * packed, too. memory: bytes. dir: the folder of the file, as for sh_spill_folder(); borrowed.
 * Returns NULL when memory runs out. */
struct sh_key_postings *sh_key_postings_new(
    unsigned packed, size_t memory, const char *dir, struct sh_error *err);
/* NULL: does nothing. */
void sh_key_postings_delete(struct sh_key_postings *p);

/* Packs the keys of a document, by column, into row, sh_key_postings_row() bytes. Appends the
 * postings that do not fit there to *more, as struct sh_key_posting of this document number. Any
 * thread may call it. */
int sh_posting_pack(const struct sh_key_postings *p, const struct sh_doc_key *key, size_t n,
    uint32_t document, uint8_t *row, struct sh_buf *more, struct sh_error *err);
size_t sh_key_postings_row(const struct sh_key_postings *p);

/* Adds the next n documents. Row i begins at rows + i * stride. */
int sh_key_postings_add(
    struct sh_key_postings *p, const uint8_t *rows, size_t stride, size_t n, struct sh_error *err);
/* Adds n further postings, of documents in any order. Their numbers grow by `first`. */
int sh_key_postings_add_more(struct sh_key_postings *p, const struct sh_key_posting *more, size_t n,
    uint32_t first, struct sh_error *err);

/* The part of a column, sorted: one word a posting, ascending. The hash, without the bits that all
 * postings of the part share, is in the upper bits: equal hashes are a bucket. Then follow the rank
 * and the bit is_short. */
struct sh_sorted {
	const uint64_t *word;
	size_t n;
	unsigned shift; /* bits below the hash */
	unsigned column;
	uint64_t above; /* the shared bits of the hashes: hash = above | word >> shift */
};

static inline uint32_t sh_sorted_rank(uint64_t word, unsigned shift)
{
	return (uint32_t)(word >> 1 & ((UINT64_C(1) << (shift - 1)) - 1));
}

/* Scratch memory of a thread. Ready when zeroed. */
struct sh_sort_room {
	uint64_t *word, *room;
	uint8_t *high;
	size_t word_cap, room_cap, high_cap;
};
void sh_sort_room_free(struct sh_sort_room *r);

/* Divides the columns from .. to-1 into parts of at most `memory` bytes each, with two exceptions:
 * a bucket is in one part, and a part of 2 MiB is small enough. documents: all ranks are below it,
 * at most 2^SH_DOCUMENTS_BITS. Returns the number of parts. */
size_t sh_key_postings_divide(
    struct sh_key_postings *p, unsigned from, unsigned to, uint32_t documents, size_t memory);

/* Sorts part `part` of the last sh_key_postings_divide(). rank: by document number; SH_NO_DOCUMENT:
 * the document is left out; NULL: the rank is the number. *sorted is valid until the next call with
 * this room. */
int sh_key_postings_sort(const struct sh_key_postings *p, size_t part, const uint32_t *rank,
    struct sh_sort_room *room, struct sh_sorted *sorted, struct sh_error *err);

#endif
