/* Ids of records, by the records' numbers.
 *
 * Most ids of pipelines are decimal numbers, and most of those count up: then nothing is kept of each, or
 * four bytes, and its text is printed when it is asked for. What it is made of is settled for every
 * SH_NODE_IDS_STRIDE records by themselves: numbers that count up, numbers, or text. Text is everything that
 * would not be printed as it came: with leading zeros, too large, or no number. */
#ifndef SH_JOIN_IDS_H
#define SH_JOIN_IDS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/decimal.h"

enum {
	SH_NODE_IDS_STRIDE = 4096,
	SH_NODE_IDS_PAD = 16, /* bytes that may be read behind an id */
	SH_ID_ROOM = SH_DECIMAL_ROOM + SH_NODE_IDS_PAD,
};

struct sh_node_ids {
	size_t n;
	/* By stride: SH_NODE_IDS_COUNTED and the first id, or SH_NODE_IDS_NUMBERS, or where the first begins in
	 * `text`. */
	uint64_t *base;
	/* By record: its id, or where it ends, counted from there; not there as far as they count up. */
	uint32_t *at;
	struct sh_buf text;
	uint64_t *word; /* by record, once they are spelled, or NULL: the id as sh_id_of_word() */
	bool roomy;     /* the caller's: there is memory to spell them */
	size_t base_cap, at_cap;
};

#define SH_NODE_IDS_NUMBERS (UINT64_C(1) << 62)
#define SH_NODE_IDS_COUNTED (UINT64_C(1) << 63)
#define SH_NODE_IDS_LIMIT   UINT64_C(1000000000000000) /* of numbers that count up */

void sh_node_ids_free(struct sh_node_ids *s);

/* Forget all ids; memory is kept, but not that of spelled ones. */
void sh_node_ids_clear(struct sh_node_ids *s);

/* The id of the next record. */
int sh_node_ids_add(struct sh_node_ids *s, struct sh_slice id, struct sh_error *err);

/* Many ids will be asked for many times: keep the text of each, 8 bytes, if all are numbers below 10^8 and
 * there is memory. None may be added then. */
void sh_node_ids_spell(struct sh_node_ids *s);

/* Have room in `base` for that many ids more. */
int sh_node_ids_reserve(struct sh_node_ids *s, size_t more, struct sh_error *err);

/* The length of an id of 1 to 8 bytes, none of them 0, that is a word: the first is its highest byte, zeros
 * are behind the last, so that words are ordered as ids are. */
static inline size_t sh_id_of_word(uint64_t word)
{
	return 8 - (size_t)__builtin_ctzll(word) / 8;
}

/* What the last stride is made of, or the one before where none has begun. */
static inline uint64_t sh_node_ids_last(const struct sh_node_ids *s)
{
	return s->n ? s->base[(s->n - 1) / SH_NODE_IDS_STRIDE] : 0;
}

/* Where the record's id begins, counted from its stride's. */
static inline uint32_t sh_node_ids_from(const struct sh_node_ids *s, uint32_t record)
{
	return record % SH_NODE_IDS_STRIDE ? s->at[record - 1] : 0;
}

/* The id of a record, as it came: it lies in room[SH_ID_ROOM], or in s until the next one is added. */
static inline struct sh_slice sh_node_ids_get(
    const struct sh_node_ids *s, uint32_t record, char *room)
{
	uint64_t base, number;
	uint32_t from;

	if (s->word) {
		sh_put_be64(room, s->word[record]);
		return sh_slice(room, sh_id_of_word(s->word[record]));
	}
	base = s->base[record / SH_NODE_IDS_STRIDE];
	if (base < SH_NODE_IDS_NUMBERS) {
		from = sh_node_ids_from(s, record);
		return sh_slice(s->text.p + base + from, s->at[record] - from);
	}
	number = base & SH_NODE_IDS_COUNTED
		     ? base - SH_NODE_IDS_COUNTED + record % SH_NODE_IDS_STRIDE
		     : s->at[record];
	return sh_slice(room, sh_put_decimal(room, number));
}

/* Each step of the way to an id is a cache miss: ask for what the first one reads, and then the second. GCC
 * takes a function that only prefetches for one without effect, unless it is inlined first. */
static inline __attribute__((always_inline)) void sh_node_ids_fetch(
    const struct sh_node_ids *s, uint32_t record)
{
	if (s->word)
		__builtin_prefetch(&s->word[record]);
	else if (s->base[record / SH_NODE_IDS_STRIDE] < SH_NODE_IDS_COUNTED)
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
