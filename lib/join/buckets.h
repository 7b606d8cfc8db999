/* Pairs of documents that share a key.
 *
 * Each document has the same number of keys, of 40 bits. Key i of one document is compared with key i of the others
 * only: column i holds the keys i of all documents. The documents with one key of a column are a bucket.
 *
 * Columns that exceed the memory lie in a temporary file without a name. It is written and read in large pieces. A
 * column is joined in partitions that fit in memory: ranges of the first byte of a key. Partitions are the tasks of
 * the threads.
 *
 * Memory, in bytes: 5 a key and document, in memory or file; 8 a document of a partition; 8 a pair, in the tables,
 * and 8 more while pairs are sorted. */
#ifndef SH_JOIN_BUCKETS_H
#define SH_JOIN_BUCKETS_H

#include "io/tables.h"

#include <stdbool.h>

enum { SH_BUCKET_KEY_BITS = 40 };

#define SH_BUCKETS_NONE UINT32_MAX

struct sh_buckets;

struct sh_bucket_opts {
	unsigned keys;            /* of a document */
	size_t memory;            /* bytes, for the columns and for the partitions of all threads */
	unsigned jobs;            /* threads */
	struct sh_tables *tables; /* of the pairs, and the folder of the file; NULL: memory */
};

/* Copies the options. The caller owns opts->tables. Returns NULL when memory runs out. */
struct sh_buckets *sh_buckets_new(const struct sh_bucket_opts *opts, struct sh_error *err);
void sh_buckets_delete(struct sh_buckets *b);

/* Adds the keys of the next document, opts.keys of them, which are copied. key NULL: the document has no keys, and its
 * number must be SH_BUCKETS_NONE in each join. */
int sh_buckets_add(struct sh_buckets *b, const uint64_t *key, struct sh_error *err);

/* Sets *share to whether two documents, counted from 0 in the order that they were added, share a key. Both must have
 * keys. */
int sh_buckets_share(
    const struct sh_buckets *b, uint32_t x, uint32_t y, bool *share, struct sh_error *err);

/* Which pairs to find. */
struct sh_bucket_join {
	/* By document: its number in the pairs; no two documents have the same. SH_BUCKETS_NONE: it is in no pair. */
	const uint32_t *number;
	uint32_t split; /* pairs have a number below it and one not below it; 0: any two numbers */
	size_t limit;   /* at most so many distinct pairs */
	/* Where split is 0, and `near` is not: a document meets only the `near` documents of the least numbers in its
	 * bucket, and the `near` documents before it. So time is linear in the documents whatever the buckets. */
	unsigned near;
};

/* Finds all pairs, greater number << 32 | lesser number, ascending and distinct. Returns 1; 0 when they exceed the
 * limit; or -1. Only after 1, *pair and *n are the pairs. *pair belongs to b and is valid until the next call. The pairs
 * depend on the keys and *join alone. */
int sh_buckets_pairs(struct sh_buckets *b, const struct sh_bucket_join *join, const uint64_t **pair,
    size_t *n, struct sh_error *err);

#endif
