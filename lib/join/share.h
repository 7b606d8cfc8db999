/* Documents that share sampled features: candidates for any measure, however far apart the
 * fingerprints are.
 *
 * A bucket holds the documents of one feature. Each document meets the documents before it in its
 * buckets: the SH_SHARE_NEAR nearest, and the first SH_SHARE_NEAR. So buckets of up to
 * 2 * SH_SHARE_NEAR documents are joined whole, and time is linear in the documents whatever the
 * buckets. In larger buckets the number of common features is a lower bound.
 *
 * Memory: 8 bytes a feature; 24 more while they are sorted; then 8 a feature that two documents
 * share. All of it lies in the tables. */
#ifndef SH_JOIN_SHARE_H
#define SH_JOIN_SHARE_H

#include "io/tables.h"

enum { SH_SHARE_NEAR = 32 };

#define SH_SHARE_NONE UINT32_MAX

struct sh_share {
	struct sh_tables *tables; /* where all lies; NULL: in memory */
	uint64_t *hash;           /* features of all documents, one document after the other */
	uint64_t *start;          /* start[i] .. start[i + 1] - 1: those of document i */
	size_t n, n_hashes, hash_cap, start_cap;

	/* After sh_share_order(). */
	uint32_t *at;     /* by feature: its place in member[], or SH_SHARE_NONE: no other has it */
	uint32_t *member; /* numbers of documents, bucket after bucket, ascending in each */
	uint32_t *begin;  /* by place in member[]: where the bucket begins */
	uint32_t *owner;  /* by number: the document, or SH_SHARE_NONE */
	uint32_t numbers;
	size_t n_members;
};

/* The features of the next document, distinct. */
int sh_share_add(struct sh_share *s, const uint64_t *hash, size_t n, struct sh_error *err);
void sh_share_free(struct sh_share *s);

/* After the last document: builds the buckets. number[i] is the number of document i, at which it
 * stands in the order of the buckets, below `numbers`; SH_SHARE_NONE leaves it out. NULL: document i has the
 * number i. SH_ERR_RANGE: 2^32 features or more. */
int sh_share_order(
    struct sh_share *s, const uint32_t *number, uint32_t numbers, struct sh_error *err);

/* The number of features of a document, by its number. */
static inline size_t sh_share_size(const struct sh_share *s, uint32_t number)
{
	uint32_t i = s->owner[number];

	return i == SH_SHARE_NONE ? 0 : (size_t)(s->start[i + 1] - s->start[i]);
}

/* A document, by its number, and how many sampled features it shares with another. */
struct sh_shared {
	uint32_t number, common;
};

/* Room for sh_share_find(). A zeroed one is empty. One serves one thread. */
struct sh_share_room {
	uint32_t *common; /* by number; zero between calls */
	struct sh_shared *found;
	size_t found_cap, common_cap;
};

void sh_share_room_free(struct sh_share_room *r);

/* All numbers below this one whose documents share at least `least` features with it, ascending.
 * They are valid until the next call. */
int sh_share_find(const struct sh_share *s, uint32_t number, unsigned least,
    struct sh_share_room *room, const struct sh_shared **found, size_t *n, struct sh_error *err);

#endif
