/* Pairs of the documents that share a key (fp/minkeys.h), from a stream of key records in bytewise
 * order.
 *
 *     key TAB id      key: head (1 or 2 digits), hash (8 digits)
 *
 * The digits are those of base32 with the extended hex alphabet (RFC 4648, section 7) in lower
 * case: keys have the same order as numbers, as bytes and in every locale. The hash has 40 bits.
 * The head is the number of the column and some bits of the tag of the settings. Records with 8 to
 * 16 columns have a head of 1 digit, with 1 bit of the tag. Other records have a head of 2 digits,
 * with 4 bits of the tag. Each column has other bits, so two mixed settings differ in the head of
 * some column.
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

enum { SH_KEY_RECORDS_NEAR = 32, SH_KEY_RECORD_MAX = 10 };

/* The last key. A zeroed struct is ready. */
struct sh_key_last {
	char key[SH_KEY_RECORD_MAX];
	size_t n; /* digits; 0 before the first key */
};

/* Checks the next key. Returns 1 when it is a new one, 0 when it is the last one, or -1.
 * SH_ERR_PARAM: the keys are not in order, or not of the same settings. */
int sh_key_next(struct sh_key_last *last, struct sh_slice key, struct sh_error *err);

/* Returns the key of a record, a line without its LF. Returns an empty slice with *err when the
 * line is no key record. */
struct sh_slice sh_key_of_record(struct sh_slice line, struct sh_error *err);

struct sh_key_records {
	sh_pair_fn *pair;
	struct sh_job *out; /* receives the pairs */
	struct sh_key_last last;
	struct sh_slice last_read; /* the same key, in the text of its record */
	size_t n;                  /* documents of the bucket */
	struct sh_buf id[2 * SH_KEY_RECORDS_NEAR];
};

/* Writes the key of a column, one of `columns`. tag: 16 bits; 0 for records without a tag. Returns
 * the number of digits, at most SH_KEY_RECORD_MAX. */
size_t sh_key_record_print(char *to, unsigned columns, unsigned column, uint64_t key, unsigned tag);

/* Adds the next record, a line without its LF. SH_ERR_RECORD: the line is no key record.
 * SH_ERR_PARAM: the records are not in order, or not of the same settings. */
int sh_key_records_add(struct sh_key_records *k, struct sh_slice line, struct sh_error *err);
/* Adds records from p on. Stops before the first line that sh_key_records_add() must read, and
 * returns its beginning. Returns NULL when a record cannot be added. Sets *lines to the number of
 * added records. */
const char *sh_key_records_add_lines(struct sh_key_records *k, const char *p, const char *end,
    uint64_t *lines, struct sh_error *err);
/* Forgets all records. */
void sh_key_records_clear(struct sh_key_records *k);
void sh_key_records_free(struct sh_key_records *k);

#endif
