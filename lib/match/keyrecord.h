/* SPDX-License-Identifier: MIT */
/* Key records: the keys of documents (keys.h), or the bands of signatures, as lines.
 *
 *     key TAB id      key: head (3 characters), hash (8 digits), last digit
 *
 * The digits are those of base32 with the extended hex alphabet (RFC 4648, section 7) in lower
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

#include "base/error.h"
#include "base/slice.h"
#include "match/keys.h"

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

/* Compares the settings of two keys that follow each other. Returns 0, or -1 with SH_ERR_PARAM:
 * they have one column and different bits of the tag, or only one is of a signature. */
int sh_key_same_settings(const char *a, const char *b, struct sh_error *err);

#endif
