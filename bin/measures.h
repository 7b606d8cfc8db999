/* SPDX-License-Identifier: MIT */
/* The options --measure and -T of shverify, shdedup and shfp --keys. */
#ifndef MEASURES_H
#define MEASURES_H

#include "docopts.h"
#include "match/keys.h"
#include "match/measure.h"

struct measures {
	uint64_t least; /* the smallest allowed threshold, in millionths; set by the program */
	const struct sh_measure *measure;
	uint64_t threshold; /* in millionths; under --measure any the threshold of jaccard */
	uint64_t edit;      /* threshold of edit, in millionths, under --measure any */
};

/* Both return the i-th value of --measure, NULL after the last one. The second function has only
 * the measures that suit duplicates. */
const char *measure_names(unsigned i);
const char *duplicate_measure_names(unsigned i);

/* Reads -T, X or J,E, and --measure, whose code is given. Without --measure the measure is jaccard
 * when -T has one threshold, otherwise SH_DEFAULT_MEASURE. Without -T the measure any has its
 * default thresholds, and another measure has SH_DEFAULT_JACCARD. */
void measures_complete(struct measures *m, struct cli *c, int code);

/* Sets the rules of the keys that find the pairs of these thresholds. m and docs: complete. The
 * caller sets r->keys and r->rows, or 0 for the table's. */
void measures_key_rules(
    const struct measures *m, const struct docopts *docs, uint64_t seed, struct sh_key_rules *r);

#endif
