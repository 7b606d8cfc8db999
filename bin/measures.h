/* The options --measure and -T of shverify and shdedup. */
#ifndef MEASURES_H
#define MEASURES_H

#include "cli.h"
#include "group/measure.h"

struct measures {
	const struct sh_measure *measure;
	uint64_t threshold; /* in millionths; under --measure any that of jaccard */
	uint64_t edit;      /* under --measure any */
	bool two;           /* -T gave two thresholds */
};

/* The values of --measure: all measures, or those that tell duplicates. */
const char *measure_names(unsigned i);
const char *duplicate_measure_names(unsigned i);

/* Takes the argument of -T: X, or J,E. least: the smallest threshold, in millionths; expected: the
 * text of the message for others. */
void measures_take_threshold(
    struct measures *m, struct cli *c, uint64_t least, const char *expected);

/* After the last option. */
void measures_settle(struct measures *m, struct cli *c);

#endif
