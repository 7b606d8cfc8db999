/* SPDX-License-Identifier: MIT */
/* Fingerprints with ids, in memory.
 *
 * Records are added in any order. sh_fpset_close() sorts them and leaves each fingerprint once in
 * `side`, for the join. Its number there is that of its record with the smallest id. The records
 * with the other ids are its copies. A record that repeats both the fingerprint and the id of
 * another one is left out.
 *
 * Memory of a record of one word: 8 bytes, 4 for its number, 12 of the scratch memory, its id and 1
 * to 3 bytes more. A wider record has its words besides. A copy takes 4 bytes, and the first copy
 * of a record 12 more. */
#ifndef SH_JOIN_FPSET_H
#define SH_JOIN_FPSET_H

#include "base/bits.h"
#include "base/buf.h"
#include "join/side.h"
#include "record/fields.h"

enum {
	SH_FPSET_STRIDE = 8,              /* ids between two known places */
	SH_FPSET_ID_ROOM = SH_ID_MAX + 2, /* bytes of an id with its length */
};

/* The copies of record `first`: n elements of `copy`, from `from` on. */
struct sh_copies {
	uint32_t first, from, n;
};

struct sh_fpset {
	unsigned words; /* of a fingerprint */
	unsigned threads;
	struct sh_join_side *room; /* scratch memory, borrowed; shared by sets */
	size_t n;                  /* records */
	uint64_t *fp;              /* by record; NULL for one word: then side.word is used */
	size_t fp_cap;
	struct sh_buf ids; /* by record: length, in one byte below 128 or two, and bytes */
	uint32_t *id_at;   /* where the ids of records 0, SH_FPSET_STRIDE, ... begin in `ids` */
	size_t id_at_cap;

	/* After sh_fpset_close(). */
	struct sh_join_side side; /* the distinct fingerprints, ascending until a join */
	uint32_t *copy; /* records; the copies of one record together, in the order of their ids */
	size_t n_copy, copy_cap;
	struct sh_copies *copies; /* ascending by `first` */
	size_t n_copies, copies_cap;
	uint64_t *has_copies; /* the set of all `first`; valid when n_copies is not 0 */
	size_t has_copies_cap;
	uint64_t repeated; /* records left out */
};

/* Makes an empty set. */
void sh_fpset_init(struct sh_fpset *s, unsigned words, struct sh_join_side *room, unsigned threads);
void sh_fpset_free(struct sh_fpset *s);
/* Forgets all records. Keeps the memory. */
void sh_fpset_clear(struct sh_fpset *s);

/* Returns the memory that a record with an id of n bytes takes, in bytes, with the scratch memory:
 * a quarter more than its bytes, because arrays grow by half. */
static inline size_t sh_fpset_record_bytes(const struct sh_fpset *s, size_t n)
{
	return (8 * (s->words > 1 ? s->words : 0) + 2 * (8 + 4) + 1 + n) * 5 / 4;
}

/* Returns whether the set can take no further record: numbers and places of ids have 32 bits. */
static inline bool sh_fpset_full(const struct sh_fpset *s)
{
	return s->n >= UINT32_MAX - 128 || s->ids.n > UINT32_MAX - SH_FPSET_ID_ROOM;
}

/* Adds a record. id: at most SH_ID_MAX bytes. */
int sh_fpset_add(struct sh_fpset *s, const uint64_t *fp, struct sh_slice id, struct sh_error *err);

/* Sorts the records. Call it after the last record, once. */
int sh_fpset_close(struct sh_fpset *s, struct sh_error *err);

/* Returns the fingerprint of a record. For one word only until sh_fpset_close(). */
static inline const uint64_t *sh_fpset_fp(const struct sh_fpset *s, uint32_t record)
{
	return s->words == 1 ? &s->side.word[record] : s->fp + (size_t)record * s->words;
}

/* Returns the id of a record. It lies in the set until the next record is added. */
static inline struct sh_slice sh_fpset_id(const struct sh_fpset *s, uint32_t record)
{
	const unsigned char *p =
	    (const unsigned char *)s->ids.p + s->id_at[record / SH_FPSET_STRIDE];

	for (unsigned left = record % SH_FPSET_STRIDE;; left--) {
		size_t n = *p++;

		if (n >= 128)
			n = (n - 128) << 8 | *p++;
		if (left == 0)
			return sh_slice((const char *)p, n);
		p += n;
	}
}

/* Returns the copies of a record of `side`, and sets *n to their number, often 0. */
const uint32_t *sh_fpset_copies(const struct sh_fpset *s, uint32_t record, size_t *n);

#endif
