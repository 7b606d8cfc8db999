/* Pairs of the documents that share a key (fp/minkeys.h), from a stream of key records in bytewise
 * order.
 *
 *     key TAB id      key: head (1 or 2 digits), hash (8 digits)
 *
 * The digits are the digits of base32 with the extended hex alphabet (RFC 4648, section 7) in lower
 * case: keys have the same order as numbers, as bytes and in every locale. The hash has 40 bits.
 * The head is the number of the column and some bits of the tag of the settings. Records with 8 to
 * 16 columns have a head of 1 digit, with 1 bit of the tag. Other records, with at most 64 columns,
 * have a head of 2 digits, with 4 bits of the tag. Successive columns have successive bits of the
 * tag. Records of two settings differ in the head of some column, unless all these bits agree.
 *
 * Each document is paired with the first SH_KEY_RECORDS_NEAR documents of its bucket, and with the
 * SH_KEY_RECORDS_NEAR documents just before it, if their ids differ. So time is linear in the
 * records for any size of buckets. The distance of each pair is 1. Two documents that share several
 * keys are paired in several buckets. The ids of at most 2 * SH_KEY_RECORDS_NEAR documents are in
 * memory. */
#ifndef SH_JOIN_KEYRECORDS_H
#define SH_JOIN_KEYRECORDS_H

#include "base/buf.h"
#include "join/pairs.h"

#include <stdbool.h>

enum {
	SH_KEY_RECORDS_NEAR = 32,
	SH_KEY_RECORD_MAX = 10, /* most digits of a key */
};

/* The last key. A zeroed struct is ready. */
struct sh_key_last {
	char key[SH_KEY_RECORD_MAX];
	size_t n; /* digits; 0 before the first key */
};

/* Compares a key with the last key, and stores it as the last key. Returns 1 when it differs, 0
 * when it is equal, or -1. SH_ERR_PARAM: the key is below the last key, or of other settings. */
int sh_key_next(struct sh_key_last *last, struct sh_slice key, struct sh_error *err);

/* Returns the key of a record, as bytes of `line`, which has no LF. Returns an empty slice with
 * *err (SH_ERR_RECORD) when the line is no key record. */
struct sh_slice sh_key_of_record(struct sh_slice line, struct sh_error *err);

/* Ready when the caller has set pair and out, and zeroed everything else. */
/* Adds the record of a pair to job->out, as sh_pair_write() does. */
typedef int sh_pair_fn(struct sh_job *job, struct sh_slice id1, struct sh_slice id2,
    unsigned distance, struct sh_error *err);

struct sh_key_records {
	sh_pair_fn *pair;   /* gets the ids of a pair in the order of their records */
	struct sh_job *out; /* receives the pairs */
	struct sh_key_last last;
	struct sh_slice last_read; /* the last key, as bytes of the line that was added last */

	/* Private. */
	size_t n; /* documents of the bucket so far, also those whose ids are forgotten */
	struct sh_buf id[2 * SH_KEY_RECORDS_NEAR];
};

/* Writes a key to to[SH_KEY_RECORD_MAX], without a NUL. column: below `columns`, which is at most
 * 64. key: below 2^40. tag: 16 bits; 0 for records without a tag. Returns the number of digits. */
size_t sh_key_record_print(char *to, unsigned columns, unsigned column, uint64_t key, unsigned tag);

/* Adds the next record, a line without its LF. SH_ERR_RECORD: the line is no key record.
 * SH_ERR_PARAM: the records are not in order, or not of the same settings. */
int sh_key_records_add(struct sh_key_records *k, struct sh_slice line, struct sh_error *err);
/* Adds the records from p on, up to the first line that sh_key_records_add() must read: a bad
 * record, or a line that has no LF before `end`. Returns the beginning of this
 * line, `end` when there is none, or NULL with *err. Sets *lines to the number of added records. */
const char *sh_key_records_add_lines(struct sh_key_records *k, const char *p, const char *end,
    uint64_t *lines, struct sh_error *err);
/* Forgets all records. The next key may be any key. */
void sh_key_records_clear(struct sh_key_records *k);
void sh_key_records_free(struct sh_key_records *k);

#endif
