/* SPDX-License-Identifier: MIT */
/* Counts the pairs at each distance, similarity or coverage, and the groups of each size, over a
 * stream of pairs or of groups. The groups of a stream of pairs are its connected components. */
#ifndef SH_GROUP_COUNTS_H
#define SH_GROUP_COUNTS_H

#include "group/group.h"
#include "record/fields.h"

/* Distances are 0 to 1024. Similarities and coverages are by tenths; 1.0 has its own row. of_size[]
 * has a row for each of the sizes 1, 2, 3, 4, then rows for the sizes 5 to 8, 9 to 16, and so
 * on. */
enum { SH_COUNTS_DISTANCES = 1025, SH_COUNTS_TENTHS = 11, SH_COUNTS_SIZES = 4 + 30 };

/* What all pairs of an input have. */
enum sh_counts_by { SH_COUNTS_BY_DISTANCE, SH_COUNTS_BY_SIMILARITY, SH_COUNTS_BY_COVERAGE };

/* A zeroed struct is empty. */
struct sh_counts {
	uint64_t pairs;
	uint64_t at[SH_COUNTS_DISTANCES];    /* pairs at this distance */
	uint64_t known[SH_COUNTS_DISTANCES]; /* pairs at this distance that have a similarity */
	/* sum of these similarities, in ten thousandths */
	uint64_t similarity[SH_COUNTS_DISTANCES];
	/* pairs without a distance, by the tenths of their similarity or of their greater coverage;
	 * a pair of unknown similarity is not counted here */
	uint64_t tenth[SH_COUNTS_TENTHS];
	enum sh_counts_by by; /* set before the first pair */

	/* members: records of groups; keepers: records whose document is its own keeper */
	uint64_t members, keepers;
	/* Filled by sh_counts_groups(), for the groups of at least two documents. */
	uint64_t groups, documents;        /* documents: in all these groups together */
	uint64_t of_size[SH_COUNTS_SIZES]; /* number of groups, by sh_counts_row() */
	uint32_t largest;                  /* documents of the largest group */
};

/* Returns by what the pair is counted: its coverages; without them its distance; without both its
 * similarity. */
enum sh_counts_by sh_counts_by(const struct sh_pair_record *r);

/* Counts a pair. c->by says what all pairs have. SH_ERR_RECORD: the distance is SH_COUNTS_DISTANCES
 * or more, or the pair has something else. */
int sh_counts_pair(struct sh_counts *c, const struct sh_pair_record *r, struct sh_error *err);
/* Counts a record of groups: a document and the keeper of its group. */
void sh_counts_group(struct sh_counts *c, struct sh_slice id, struct sh_slice keeper);

/* Adds the pairs, members and keepers of other records, which another thread has counted. */
void sh_counts_add(struct sh_counts *c, const struct sh_counts *other);

/* Counts the groups of at least two documents: the components of the nodes. Returns -1 when memory
 * runs out. */
int sh_counts_groups(struct sh_counts *c, struct sh_union *components, struct sh_error *err);

/* Returns the row of of_size[] for a size of 1 or more. */
unsigned sh_counts_row(uint32_t size);
/* Sets *from and *to to the smallest and the largest size of a row. */
void sh_counts_sizes(unsigned row, uint32_t *from, uint32_t *to);

#endif
