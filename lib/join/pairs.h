/* SPDX-License-Identifier: MIT */
/* Writes the pairs of a join as records: id1 TAB id2 TAB distance LF. */
#ifndef SH_JOIN_PAIRS_H
#define SH_JOIN_PAIRS_H

#include "join/fpset.h"
#include "join/join.h"

/* The distance of pairs that keys made. */
enum { SH_NO_DISTANCE = 1 << 16 };

/* Appends the record of a pair to job->out; `-` stands for SH_NO_DISTANCE. */
int sh_pair_write(struct sh_job *job, struct sh_slice id1, struct sh_slice id2, unsigned distance,
    struct sh_error *err);

/* What is joined: two closed sets, or one with itself. */
struct sh_pairs {
	struct sh_fpset *a, *b; /* b NULL: a with itself */
	/* a and b hold different records of one input, or b is NULL. Then id1 < id2 by bytes, and
	 * two records with one id are no pair. Otherwise id1 is from a and id2 from b. */
	bool one_input;
	/* Only the smallest id of a fingerprint is paired with others; with two inputs this holds
	 * for b alone, so that every id of a is paired. */
	bool collapse;
	bool identical; /* write the pairs at distance 0 within a, too, when b is NULL */
};

/* Writes the pairs to the job; see sh_join_sides(). Reorders the sides of the sets. */
int sh_pairs_join(
    const struct sh_pairs *p, struct sh_join *j, struct sh_job *out, struct sh_error *err);

#endif
