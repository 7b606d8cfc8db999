/* The ids of records, by the records' numbers.
 *
 * Most ids are decimal numbers, and most of these count up. Ids that count up need no memory; other
 * numbers need four bytes each. Both are printed on request. The form is chosen for each stride of
 * SH_NODE_IDS_STRIDE records: numbers that count up, numbers, or text. Text holds ids that would be
 * printed differently as numbers: with leading zeros, too large, or not numeric. */
#ifndef SH_JOIN_IDS_H
#define SH_JOIN_IDS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/num.h"

enum {
	SH_NODE_IDS_STRIDE = 4096,
	SH_NODE_IDS_PAD = 16, /* bytes that are readable beyond an id */
	SH_ID_ROOM = SH_NUM_CHARS + SH_NODE_IDS_PAD,
};

struct sh_node_ids {
	size_t n;
	/* By stride: SH_NODE_IDS_COUNTED plus the first id; or SH_NODE_IDS_NUMBERS; or the
	 * offset in `text` of the first id. */
	uint64_t *base;
	/* By record: the id as a number, or the end of the id as an offset from the first id of
	 * the stride. Not allocated for ids that count up. */
	uint32_t *at;
	struct sh_buf text;
	/* by record: the id as a word, see sh_id_word_length(); NULL before
	 * sh_node_ids_make_words() */
	uint64_t *word;
	bool roomy; /* set by the caller: there is memory for `word` */
	size_t base_cap, at_cap;
};

#define SH_NODE_IDS_NUMBERS (UINT64_C(1) << 62)
#define SH_NODE_IDS_COUNTED (UINT64_C(1) << 63)
#define SH_NODE_IDS_LIMIT   UINT64_C(1000000000000000) /* numbers that count up are below */

void sh_node_ids_free(struct sh_node_ids *s);

/* Forgets all ids. Keeps the memory, except that of `word`. */
void sh_node_ids_clear(struct sh_node_ids *s);

/* The ids of consecutive records, all in one form. The caller owns the arrays. */
struct sh_chunk_ids {
	size_t n;
	/* SH_NODE_IDS_COUNTED plus the first id; or SH_NODE_IDS_NUMBERS; or 0 when the ids are
	 * text. */
	uint64_t base;
	/* by record: the id as a number, or its end in `text`; unused for ids that count up */
	uint32_t *at;
	char *text;
};

/* Adds an id, and changes the form of the ids before it when that is necessary. The caller
 * provides room: an element of `at` for each id, and in `text` the bytes of all ids and
 * SH_NODE_IDS_PAD more. The ids must have less than 2^32 bytes together. SH_NODE_IDS_PAD bytes
 * from id.p on must be readable. */
void sh_chunk_ids_add(struct sh_chunk_ids *c, struct sh_slice id);

/* Adds the ids from .. from+n-1 of a chunk: the ids of the next records. The ids of a stride
 * must have less than 2^32 bytes together; this is not checked. */
int sh_node_ids_append(struct sh_node_ids *s, const struct sh_chunk_ids *c, size_t from, size_t n,
    struct sh_error *err);

/* Adds the id of the next record. */
int sh_node_ids_add(struct sh_node_ids *s, struct sh_slice id, struct sh_error *err);

/* Makes `word`, 8 bytes an id, for ids that will be read many times. Does nothing when s->roomy is
 * false, when an id is not a number below 10^8, or when memory runs out. No id may be added
 * afterwards. */
void sh_node_ids_make_words(struct sh_node_ids *s);

/* Returns the length of an id that is a word, in bytes. An id of 1 to 8 bytes, none of them 0, is a
 * word: its first byte is the highest, and zeros fill the end. Words order as ids do. */
static inline size_t sh_id_word_length(uint64_t word)
{
	return 8 - (size_t)__builtin_ctzll(word) / 8;
}

/* Returns where the id of a record begins, as an offset from the first id of its stride. The stride
 * holds text. */
static inline uint32_t sh_node_ids_from(const struct sh_node_ids *s, uint32_t record)
{
	return record % SH_NODE_IDS_STRIDE ? s->at[record - 1] : 0;
}

/* Returns the id of a record. It lies in room[SH_ID_ROOM]; or in s, until the next id is added. */
static inline struct sh_slice sh_node_ids_get(
    const struct sh_node_ids *s, uint32_t record, char *room)
{
	uint64_t base = s->base[record / SH_NODE_IDS_STRIDE], number;
	uint32_t from;

	if (base < SH_NODE_IDS_NUMBERS) {
		from = sh_node_ids_from(s, record);
		return sh_slice(s->text.p + base + from, s->at[record] - from);
	}
	number = base & SH_NODE_IDS_COUNTED
		     ? base - SH_NODE_IDS_COUNTED + record % SH_NODE_IDS_STRIDE
		     : s->at[record];
	return sh_slice(room, sh_print_u64(room, number));
}

/* Each of the two steps to an id is a cache miss. sh_node_ids_fetch() prefetches what the first
 * step reads, sh_node_ids_fetch_text() the text. GCC drops calls of functions that only
 * prefetch, unless they are inlined. */
static inline __attribute__((always_inline)) void sh_node_ids_fetch(
    const struct sh_node_ids *s, uint32_t record)
{
	if (s->base[record / SH_NODE_IDS_STRIDE] < SH_NODE_IDS_COUNTED)
		__builtin_prefetch(&s->at[record]);
}

static inline __attribute__((always_inline)) void sh_node_ids_fetch_text(
    const struct sh_node_ids *s, uint32_t record)
{
	uint64_t base = s->base[record / SH_NODE_IDS_STRIDE];

	if (base < SH_NODE_IDS_NUMBERS)
		__builtin_prefetch(s->text.p + base + sh_node_ids_from(s, record));
}

#endif
