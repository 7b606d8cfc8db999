/* Pairs of the documents that share a key (fp/minkeys.h), from a stream of key records in bytewise
 * order.
 *
 *     key TAB id      key: column (2 digits), key (10 digits), tag of the settings (0 or 2 digits)
 *
 * A pair is written once for each key that its two documents share, with the distance 1. A document
 * meets the first SH_KEY_RECORDS_NEAR documents of its bucket, and the SH_KEY_RECORDS_NEAR
 * documents just before it. So time is linear in the records for any size of buckets. The ids of at
 * most 2 * SH_KEY_RECORDS_NEAR documents are in memory. */
#ifndef SH_JOIN_KEYRECORDS_H
#define SH_JOIN_KEYRECORDS_H

#include "base/buf.h"
#include "join/emit.h"

#include <stdbool.h>

enum { SH_KEY_RECORDS_NEAR = 32, SH_KEY_RECORD_DIGITS = 12, SH_KEY_RECORD_TAG = 2 };

struct sh_key_records {
	sh_pair_fn *pair;
	struct sh_job *out; /* receives the pairs */
	char key[SH_KEY_RECORD_DIGITS + SH_KEY_RECORD_TAG];
	size_t digits; /* of the keys; 0 before the first record */
	size_t n;      /* documents of the bucket */
	struct sh_buf id[2 * SH_KEY_RECORDS_NEAR];
};

/* Writes the key of a column, followed by the tag unless it is SH_NO_TAG. Returns the number of
 * digits. */
size_t sh_key_record_print(char *to, unsigned column, uint64_t key, int tag);

/* Adds the next record, a line without its LF. SH_ERR_RECORD: the line is no key record.
 * SH_ERR_PARAM: the records are not in order, or not of the same settings. */
int sh_key_records_add(struct sh_key_records *k, struct sh_slice line, struct sh_error *err);
void sh_key_records_free(struct sh_key_records *k);

#endif
