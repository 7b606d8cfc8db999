/* Pairs of documents that share a key.
 *
 * Each document has the same number of keys, of 40 bits. Key i of a document is compared only with
 * key i of the other documents: column i holds the keys i of all documents. The documents with one
 * key of a column are a bucket.
 *
 * Columns that exceed the memory lie in a temporary file without a name, which is written and read
 * in large pieces. A column is joined in partitions that fit in memory: ranges of the first byte of
 * a key. A partition reads only its own keys. Partitions are the tasks of the threads.
 *
 * Memory, in bytes: 6 for each key of each document, in memory or file; 8 a document of a
 * partition; 8 a pair, in the tables, and 8 more while pairs are sorted. */
#ifndef SH_JOIN_BUCKETS_H
#define SH_JOIN_BUCKETS_H

#include "io/tables.h"
#include "join/keycolumns.h"

#include <stdbool.h>

enum { SH_BUCKET_KEY_BITS = 40 };

#define SH_BUCKETS_NONE UINT32_MAX

struct sh_buckets;

struct sh_bucket_opts {
	unsigned keys; /* of a document */
	size_t memory; /* bytes, for the columns and for the partitions of all threads */
	unsigned jobs; /* threads */
	/* The pairs lie in the tables. The file of columns lies in the folder tables->dir. NULL:
	 * pairs in memory, the file in the default folder. Borrowed. */
	struct sh_tables *tables;
};

/* Copies the options. Returns NULL when memory runs out. */
struct sh_buckets *sh_buckets_new(const struct sh_bucket_opts *opts, struct sh_error *err);
void sh_buckets_delete(struct sh_buckets *b);

/* Sets document i of a block from its opts.keys keys. key NULL: the document has no keys, and its
 * number must be SH_BUCKETS_NONE in each join. */
void sh_buckets_pack(
    const struct sh_buckets *b, const uint64_t *key, const struct sh_key_block *to, size_t i);

/* Adds the next n documents: copies the first n of the block. */
int sh_buckets_add(
    struct sh_buckets *b, const struct sh_key_block *from, size_t n, struct sh_error *err);

/* Does a part of the work of adding, if there is any: see sh_key_columns_help(). */
int sh_buckets_help(struct sh_buckets *b, struct sh_error *err);

/* Which pairs to find. */
struct sh_bucket_join {
	/* by document: its number in the pairs, distinct; or SH_BUCKETS_NONE: it is in no pair */
	const uint32_t *number;
	/* a pair has one number below `split` and one not below it; 0: any two numbers */
	uint32_t split;
	size_t limit; /* largest number of distinct pairs */
	/* Used when split is 0. A document meets at most 2 * near documents of its bucket: the
	 * `near` of least number, and the `near` of next lower number. So time is linear in the
	 * documents for any size of buckets. 0: no limit. */
	unsigned near;
};

/* Finds all pairs, greater number << 32 | lesser number, ascending and distinct. Returns 1; 0 when
 * there are more than `limit`; or -1. *pair and *n are valid after 1, until the next call of this
 * function. The pairs depend on the keys and *join alone. */
int sh_buckets_pairs(struct sh_buckets *b, const struct sh_bucket_join *join, const uint64_t **pair,
    size_t *n, struct sh_error *err);

/* Returns whether the last sh_buckets_pairs() found the pair of two numbers. */
bool sh_buckets_found(const struct sh_buckets *b, uint32_t x, uint32_t y);

#endif
