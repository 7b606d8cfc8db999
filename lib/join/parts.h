/* The records of one bucket. They are in memory, or in a temporary file from which they are read
 * partition by partition.
 *
 * Records from the file are ordered by fingerprint and id, and repeated records occur once. A
 * fingerprint with more ids than a partition holds is a node of several partitions. */
#ifndef SH_JOIN_PARTS_H
#define SH_JOIN_PARTS_H

#include "io/runs.h"
#include "join/emit.h"

/* Where a partition begins: a chunk of the file, and a record of this chunk. */
struct sh_part {
	size_t chunk, record;
};

struct sh_parts {
	unsigned words;        /* words of 64 bits of a fingerprint */
	struct sh_nodes nodes; /* of the partition in memory */
	size_t memory;         /* bytes of a partition, about; beyond them records go to the file */
	struct sh_runs runs;   /* sorted runs of records that did not fit */
	struct sh_runs sorted; /* after close: the same records as one run of chunks */
	struct sh_part *part;  /* after close: n beginnings of partitions, and the end */
	size_t n, part_cap;    /* after close: number of partitions */
	size_t loaded;         /* the partition in `nodes`; n: none */
	struct sh_nodes later; /* a second partition, while it is joined with the first */
	uint64_t repeated; /* records left out: another record has the same id and fingerprint */

	/* Set by the caller after sh_parts_init(), for records that went to the file. first_only:
	 * partitions have only the smallest id of each fingerprint. copy() gets the smallest id and
	 * each other id, with distance 0; NULL: the other ids are dropped. */
	bool first_only;
	sh_pair_fn *copy;
	struct sh_job *out; /* its pool writes the pairs of copy() */
};

/* Initialises a bucket of fingerprints of `words` words of 64 bits. Borrows tmpdir, and the scratch
 * memory `room`, which the nodes and their joins share. Free p also after a failure. */
int sh_parts_init(struct sh_parts *p, unsigned words, size_t memory, struct sh_side *room,
    const char *tmpdir, struct sh_error *err);
void sh_parts_free(struct sh_parts *p);
/* Makes the functions below use n >= 1 threads; sh_parts_init() sets 1. */
void sh_parts_set_threads(struct sh_parts *p, unsigned n);
/* Forgets all records, for the next bucket. */
void sh_parts_clear(struct sh_parts *p);

/* Adds a record, whose fingerprint and id are copied. When memory is full, first writes the records
 * in memory to the file. After a failure of this or the following functions, p can only be cleared
 * or freed. */
int sh_parts_add(struct sh_parts *p, const uint64_t *fp, struct sh_slice id, struct sh_error *err);

/* Adds all records of a chunk, in the same way. */
int sh_parts_append(struct sh_parts *p, const struct sh_fp_chunk *c, struct sh_error *err);

/* Makes the partitions, and sets n and repeated. Call it once, after the last record. */
int sh_parts_close(struct sh_parts *p, struct sh_error *err);

/* Joins one partition with itself, or two partitions. Both functions return 0 or -1. The calling
 * thread of sh_parts_join_self() or sh_parts_join_cross() calls them. */
struct sh_parts_join {
	int (*self)(void *arg, struct sh_nodes *part, struct sh_error *err);
	int (*cross)(void *arg, struct sh_nodes *a, struct sh_nodes *b, struct sh_error *err);
	void *arg;
};

/* Joins every partition with itself and with every later one. Call it after close. */
int sh_parts_join_self(struct sh_parts *p, const struct sh_parts_join *join, struct sh_error *err);

/* Joins every partition of a with every partition of b, another bucket. Call it after close. */
int sh_parts_join_cross(
    struct sh_parts *a, struct sh_parts *b, const struct sh_parts_join *join, struct sh_error *err);

#endif
