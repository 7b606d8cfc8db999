/* SPDX-License-Identifier: MIT */
/* Reads jieba's model files prob_start.py, prob_trans.py and prob_emit.py.
 *
 * Each file assigns one Python dict literal to P: {'B': -0.26, ...}, or a dict of dicts. Keys are
 * single characters ('B', '\u4e00'). Values are floats. Only this form is read. */
#ifndef SH_SEGMENT_JIEBA_PROB_H
#define SH_SEGMENT_JIEBA_PROB_H

#include "segment/jieba_dict.h"

/* Natural logs of probabilities. */
struct sh_jieba_prob {
	double start[SH_HMM_STATES];
	double trans[SH_HMM_STATES][SH_HMM_STATES]; /* [from][to] */
	double emit[SH_HAN_COUNT][SH_HMM_STATES];   /* by code point - SH_HAN_FIRST */
};

/* Parses the contents of the three files. Ignores characters that are not Han. A missing value is
 * SH_HMM_NEVER (segment/jieba_route.h). */
int sh_jieba_prob_read(struct sh_jieba_prob *p, struct sh_slice start, struct sh_slice trans,
    struct sh_slice emit, struct sh_error *err);

#endif
