/* Counts the pairs at each distance or coverage, and the groups of each size, over a stream of pairs or of
 * groups. The groups of a stream of pairs are its connected components. */
#ifndef SH_GROUP_COUNTS_H
#define SH_GROUP_COUNTS_H

#include "base/hmap.h"
#include "group/group.h"
#include "record/fields.h"

/* Rows are for the sizes 1, 2, 3, 4, then 5 to 8, 9 to 16, and so on. */
enum { SH_COUNTS_DISTANCES = 1025, SH_COUNTS_COVERAGES = 11, SH_COUNTS_SIZES = 4 + 30 };

struct sh_counts {
	uint64_t pairs;
	uint64_t at[SH_COUNTS_DISTANCES];
	uint64_t known[SH_COUNTS_DISTANCES]; /* pairs at this distance that have a similarity */
	/* sum of these similarities, in ten thousandths */
	uint64_t similarity[SH_COUNTS_DISTANCES];
	/* pairs of coverage records, by the tenths of their greater coverage */
	uint64_t covered[SH_COUNTS_COVERAGES];
	bool coverage; /* all pairs are coverage records; none is in the three arrays before */

	/* members: records of groups; keepers: records whose document is its own keeper */
	uint64_t members, keepers;
	uint64_t groups, documents; /* filled by sh_counts_groups() */
	uint64_t of_size[SH_COUNTS_SIZES];
	uint32_t largest;

	struct sh_hmap ids;
	struct sh_union components;
};

int sh_counts_init(struct sh_counts *c, struct sh_error *err);
void sh_counts_free(struct sh_counts *c);

/* Counts a pair. SH_ERR_RECORD: the distance is SH_COUNTS_DISTANCES or more, or only one of this pair and the pairs
 * before has coverages. */
int sh_counts_pair(struct sh_counts *c, const struct sh_pair_record *r, struct sh_error *err);
int sh_counts_group(
    struct sh_counts *c, struct sh_slice id, struct sh_slice keeper, struct sh_error *err);

/* Counts the groups of at least two documents. Call it after the last record. */
int sh_counts_groups(struct sh_counts *c, struct sh_error *err);

/* Return the row of a size in of_size[], and the sizes from *from to *to of a row. */
unsigned sh_counts_row(uint32_t size);
void sh_counts_sizes(unsigned row, uint32_t *from, uint32_t *to);

#endif
