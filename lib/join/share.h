/* Documents that share sampled features: candidates for any measure, at any distance of the
 * fingerprints.
 *
 * A bucket holds the documents that have one feature, ordered by number. In each of its buckets a
 * document meets the first SH_SHARE_NEAR documents and the SH_SHARE_NEAR documents just before it.
 * So buckets of up to 2 * SH_SHARE_NEAR documents are joined completely. Time is linear in the
 * documents for any size of buckets. In larger buckets the number of common features is a lower
 * bound.
 *
 * Memory, in the tables: 8 bytes a feature until sh_share_order(). For each feature that two
 * documents share, 40 bytes during sh_share_order() and 12 bytes after it. */
#ifndef SH_JOIN_SHARE_H
#define SH_JOIN_SHARE_H

#include "io/tables.h"

enum { SH_SHARE_NEAR = 32 };

#define SH_SHARE_NONE UINT32_MAX

/* Indexes of member[]: of a document, and of the first document of its bucket. */
struct sh_share_place {
	uint32_t at, begin;
};

struct sh_share {
	struct sh_tables *tables; /* owner of all arrays; NULL: memory without a limit */
	uint64_t *hash;  /* features of all documents, by document; NULL after sh_share_order() */
	uint64_t *start; /* features of document i: start[i] .. start[i + 1] - 1 */
	size_t n, n_hashes, hash_cap, start_cap; /* n: documents; n_hashes: features */

	/* After sh_share_order(). */
	uint32_t *member; /* numbers of documents, bucket after bucket, ascending in each */
	/* places of number i: place[first[i]] .. place[first[i + 1] - 1] */
	struct sh_share_place *place;
	uint32_t *first;
	uint32_t *owner; /* by number: the document, or SH_SHARE_NONE */
	uint32_t numbers;
};

/* Adds the n distinct features of the next document, which are copied. */
int sh_share_add(struct sh_share *s, const uint64_t *hash, size_t n, struct sh_error *err);
void sh_share_free(struct sh_share *s);

/* Builds the buckets. Call it once, after the last document. number[i] < numbers is the number of
 * document i, distinct; SH_SHARE_NONE leaves the document out. number NULL: document i has the
 * number i, and `numbers` is ignored. The result does not depend on the number of threads.
 * SH_ERR_RANGE: 2^32 features or more. */
int sh_share_order(struct sh_share *s, const uint32_t *number, uint32_t numbers, unsigned threads,
    struct sh_error *err);

/* Returns how many features the document of this number has; 0 when there is none. */
static inline size_t sh_share_size(const struct sh_share *s, uint32_t number)
{
	uint32_t i = s->owner[number];

	return i == SH_SHARE_NONE ? 0 : (size_t)(s->start[i + 1] - s->start[i]);
}

/* A document, by its number, and the number of sampled features that it shares with another one. */
struct sh_shared {
	uint32_t number, common;
};

/* Scratch memory for sh_share_find(), of one thread. A zeroed struct is empty. */
struct sh_share_room {
	uint32_t *common; /* by number; zero between calls */
	struct sh_shared *found;
	size_t found_cap, common_cap;
};

void sh_share_room_free(struct sh_share_room *r);

/* Finds the lower numbers that this number meets in its buckets and shares enough features with,
 * ascending. Enough: common >= least, and common * one_in >= the features of the document that has
 * fewer. one_in 0: the first condition alone. *found is valid until the next call with this
 * room. */
int sh_share_find(const struct sh_share *s, uint32_t number, unsigned least, unsigned one_in,
    struct sh_share_room *room, const struct sh_shared **found, size_t *n, struct sh_error *err);

#endif
