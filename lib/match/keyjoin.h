/* SPDX-License-Identifier: MIT */
/* Pairs of the documents that share a key, from key records (keyrecord.h) in bytewise order of
 * their keys. Records of one key are in the order of the documents' ranks, the best first.
 *
 * match/bucket.h says which documents of a bucket meet. So time is linear in the records for any
 * size of buckets. Two documents that share several keys are paired in several buckets. Memory
 * holds the ids of at most 48 documents. */
#ifndef SH_MATCH_KEYJOIN_H
#define SH_MATCH_KEYJOIN_H

#include "base/buf.h"
#include "match/bucket.h"
#include "match/keyrecord.h"

/* Receives a pair. Returns 0, or -1 to stop. */
typedef int sh_key_pair_fn(
    void *arg, struct sh_slice id1, struct sh_slice id2, struct sh_error *err);

/* Ready when the caller has set pair and arg, and zeroed everything else. */
struct sh_key_join {
	/* Gets id1 < id2 by bytes; or with two sides id1 of side 0 and id2 of side 1. */
	sh_key_pair_fn *pair;
	void *arg;
	bool two_sides; /* only documents of different sides are paired */
	uint64_t cut;   /* result: buckets in which a document did not meet all others */

	/* Private. */
	char last[SH_KEY_CHARS];
	bool began;  /* `last` is set */
	bool is_cut; /* the bucket is counted in `cut` */
	size_t n;    /* documents of the bucket so far that meet all */
	/* The first SH_BUCKET_MOST of them stay in place. The nearest take turns behind. */
	struct {
		struct sh_buf id;
		unsigned side;
	} member[SH_BUCKET_MOST + SH_BUCKET_NEAREST];
};

/* Adds the next record, which is of this side, 0 or 1. With two sides, the records of both are in
 * one order; with equal keys side 1 comes first. SH_ERR_PARAM: the key is below the last one, or of
 * other settings. */
int sh_key_join_add(
    struct sh_key_join *j, const struct sh_key_record *r, unsigned side, struct sh_error *err);
void sh_key_join_free(struct sh_key_join *j);

#endif
