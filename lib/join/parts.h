/* SPDX-License-Identifier: MIT */
/* The records of one input of a join: in memory, or in partitions; and the pairs of two inputs as
 * records: id1 TAB id2 TAB distance LF.
 *
 * Records that exceed the memory go to a sorter (io/sorter.h). Partitions are its ranges of
 * fingerprints, as many at a time as fit in memory. All records of a fingerprint are in one
 * partition. Each partition is joined with itself and with each other partition. */
#ifndef SH_JOIN_PARTS_H
#define SH_JOIN_PARTS_H

#include "io/sorter.h"
#include "join/fpset.h"
#include "join/join.h"

/* The distance of pairs that keys made. */
enum { SH_NO_DISTANCE = 1 << 16 };

/* Appends the record of a pair to job->out; `-` stands for SH_NO_DISTANCE. */
int sh_pair_write(struct sh_job *job, struct sh_slice id1, struct sh_slice id2, unsigned distance,
    struct sh_error *err);

struct sh_parts {
	size_t memory; /* bytes of a partition; more when there would be more than about 256 */
	struct sh_fpset set; /* the records while they fit in memory; a partition after the close */
	bool spilled;        /* the records are in the sorter: fingerprint, big-endian, and id */
	struct sh_sorter sorter;
	uint64_t bytes;    /* of all records, in a set */
	size_t n;          /* partitions, after sh_parts_close() */
	size_t ranges;     /* of the sorter, in a partition */
	size_t loaded;     /* the partition in `set`; n: none */
	uint64_t repeated; /* records left out: they repeat a fingerprint and its id */
};

/* Makes an empty input of fingerprints of `words` words. room: scratch memory, which inputs may
 * share. tmpdir: as for sh_spill_folder(); borrowed. */
void sh_parts_init(struct sh_parts *p, unsigned words, size_t memory, unsigned threads,
    struct sh_join_side *room, const char *tmpdir);
void sh_parts_free(struct sh_parts *p);
/* Forgets all records. Keeps the memory. */
void sh_parts_clear(struct sh_parts *p);

/* Adds a record. id: at most SH_ID_MAX bytes. */
int sh_parts_add(struct sh_parts *p, const uint64_t *fp, struct sh_slice id, struct sh_error *err);
/* Makes the partitions. Call it after the last record, once. */
int sh_parts_close(struct sh_parts *p, struct sh_error *err);

/* Loads a partition into p->set, unless it is there. Call it in the order of the partitions. */
int sh_parts_load(struct sh_parts *p, size_t part, struct sh_error *err);

/* Which pairs are written. */
struct sh_pairs {
	/* Only the smallest id of a fingerprint is paired with others; with two inputs this holds
	 * for the second one alone, so that every id of the first one is paired. */
	bool collapse;
	bool identical; /* the pairs at distance 0 within one input, too */
};

/* Joins two closed inputs, or one with itself when b is NULL, and writes the pairs to the job: see
 * sh_join_sides(). With one input, id1 < id2 by bytes, and two records with one id are no pair.
 * Otherwise id1 is from a and id2 from b. */
int sh_parts_join(struct sh_parts *a, struct sh_parts *b, struct sh_pairs how, struct sh_join *j,
    struct sh_job *out, struct sh_error *err);

#endif
