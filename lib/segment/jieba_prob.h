/* Reads jieba's model files prob_start.py, prob_trans.py and prob_emit.py.
 *
 * Each file assigns one Python dict literal to P: {'B': -0.26, ...}, or a dict of such dicts. Keys are
 * single characters ('B', '\u4e00'), values are floats. Only this form is read; nothing is executed. */
#ifndef SH_SEGMENT_JIEBA_PROB_H
#define SH_SEGMENT_JIEBA_PROB_H

#include "segment/jieba_dict.h"

struct sh_jieba_prob {
	double start[SH_HMM_STATES];
	double trans[SH_HMM_STATES][SH_HMM_STATES];
	double emit[SH_HAN_COUNT][SH_HMM_STATES]; /* by character, not by code */
};

/* Parses the contents of the three files. A value that they lack is SH_HMM_NEVER. */
int sh_jieba_prob_read(struct sh_jieba_prob *p, struct sh_slice start, struct sh_slice trans,
    struct sh_slice emit, struct sh_error *err);

#endif
