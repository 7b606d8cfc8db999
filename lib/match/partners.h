/* SPDX-License-Identifier: MIT */
/* The buckets of two or more documents, and the places of each document in its buckets. A place
 * says which documents of the bucket the document meets.
 *
 * Pairs are not stored. A posting of a bucket takes 12 bytes: a member of the bucket, and the place
 * of its document. While places are made, a bucket takes 12 bytes more.
 *
 * Documents are ranks here. The first `prior` ranks are documents that were compared with each
 * other before: two documents of these ranks do not meet. */
#ifndef SH_MATCH_PARTNERS_H
#define SH_MATCH_PARTNERS_H

#include "io/sorter.h"
#include "io/tables.h"
#include "match/posting.h"

/* A document meets some of the `before` members from `start` on: sh_bucket_meets() says how many
 * members, and sh_bucket_place() which. */
struct sh_bucket_place {
	uint32_t start, before;
};

struct sh_partners {
	/* Set by the caller. */
	uint32_t documents; /* number of ranks */
	uint32_t prior;     /* number of the first ranks, which do not meet each other */
	/* By document; `documents` or more: the document is left out. NULL: the rank is the
	 * number. */
	const uint32_t *rank;
	struct sh_tables *tables; /* for all arrays; borrowed; NULL: in memory */
	unsigned jobs;            /* threads, at least 1 */

	/* Results. */
	uint32_t *member; /* ranks, bucket by bucket */
	uint32_t *first;  /* by rank: index of its first place; documents + 1 elements */
	struct sh_bucket_place *place;
	uint64_t cut; /* buckets in which the bound keeps documents from meeting */
};

/* Makes buckets and places of the sorted postings in the columns from .. to-1. Free p also after a
 * failure.
 * SH_ERR_RANGE: 2^32 or more postings share a key with another one. */
int sh_partners_make(struct sh_partners *p, const struct sh_sorter *postings, unsigned from,
    unsigned to, struct sh_error *err);
void sh_partners_free(struct sh_partners *p);

/* Scratch memory of a thread. Ready when zeroed. */
struct sh_partner_room {
	uint64_t *slot; /* hash table: rank and the number of the call */
	uint64_t *partner;
	size_t slots, slot_cap, cap;
	uint32_t call;
};
void sh_partner_room_free(struct sh_partner_room *r);

/* Finds the documents of lower rank that a document meets. Puts each of these ranks into
 * room->partner once, in any order; the array is valid until the next call. Returns the number of
 * ranks, or SIZE_MAX when memory runs out. */
size_t sh_partners_of(
    const struct sh_partners *p, uint32_t rank, struct sh_partner_room *room, struct sh_error *err);

static inline bool sh_partners_any(const struct sh_partners *p, uint32_t rank)
{
	return p->first[rank] < p->first[rank + 1];
}

#endif
