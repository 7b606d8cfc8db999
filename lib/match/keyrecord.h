/* SPDX-License-Identifier: MIT */
/* Key records: the keys of documents (keys.h), or the bands of signatures, as lines.
 *
 *     key TAB id      key: head (3 characters), hash (8 digits), last digit
 *
 * The digits are base32 with the extended hex alphabet (RFC 4648, section 7) in lower
 * case. Keys have the same order as bytes and in every locale. The first character is a letter from
 * w to z, which no fingerprint has: it holds the first bit of the head, and tells keys of documents
 * (w, x) from bands of signatures (y, z). The head has 11 bits:
 *
 *     document     column (7 bits), 4 bits of the tag of the settings. Successive columns have
 *                  successive bits of the tag, so four columns have the whole tag.
 *     signature    number of the band
 *
 * The last digit is 1 in the columns of short documents when the document is not short, else 0. A
 * bucket is the records whose keys are equal without the last digit. */
#ifndef SH_MATCH_KEYRECORD_H
#define SH_MATCH_KEYRECORD_H

#include "base/buf.h"
#include "match/posting.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	SH_KEY_CHARS = 12,
	SH_KEY_BUCKET_CHARS = SH_KEY_CHARS - 1,
	SH_KEY_SIGNATURE_BANDS = 2048, /* most bands of a signature */
};

/* Write a key to to[SH_KEY_CHARS], without a NUL. tag: 16 bits; 0 for records without a tag. band:
 * below SH_KEY_SIGNATURE_BANDS. hash: its lower SH_KEYS_BITS bits are used. */
void sh_key_record_print(char *to, const struct sh_doc_key *key, unsigned tag);
void sh_key_record_print_band(char *to, unsigned band, uint64_t hash);

/* Returns whether a line may be a key record: by its first letter. */
static inline bool sh_is_like_key(struct sh_slice line)
{
	return line.n && line.p[0] >= 'w' && line.p[0] <= 'z';
}

struct sh_key_record {
	struct sh_slice key, id; /* in the line; key: SH_KEY_CHARS bytes */
	bool meets_all;          /* not a record of a column where it meets short documents only */
};

/* Reads a line without its LF. Returns 0, or -1 with SH_ERR_RECORD. */
int sh_record_key(struct sh_slice line, struct sh_key_record *r, struct sh_error *err);

/* ---- the join of key records ---- */

/* Pairs the documents that share a key. The key records come in bytewise order of their keys, and
 * records of one key in the order of the documents' ranks, the best first.
 *
 * match/posting.h says which documents of a bucket meet. So time is linear in the records for any
 * size of buckets. Two documents that share several keys are paired in several buckets. Memory
 * holds the ids of at most 48 documents. */

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
	/* The first SH_BUCKET_MOST documents stay in place. The nearest documents take turns in the
	 * elements behind. */
	struct {
		struct sh_buf id;
		unsigned side;
	} member[SH_BUCKET_MOST + SH_BUCKET_NEAREST];
};

/* Adds the next record, which is of this side, 0 or 1. With two sides, the records of both sides
 * are in one order; with equal keys side 1 comes first. SH_ERR_PARAM: the key is below the last
 * one, or of other settings. */
int sh_key_join_add(
    struct sh_key_join *j, const struct sh_key_record *r, unsigned side, struct sh_error *err);
void sh_key_join_free(struct sh_key_join *j);

#endif
