/* Reading jieba's model files prob_start.py, prob_trans.py and prob_emit.py.
 *
 * Each assigns one Python dict literal to P: {'B': -0.26, ...} or one level deeper,
 * with keys of one character ('B', '\u4e00') and floats. Only that is understood,
 * as data: nothing is executed. */
#ifndef SH_SEGMENT_JIEBA_PROB_H
#define SH_SEGMENT_JIEBA_PROB_H

#include "segment/jieba_dict.h"

struct sh_jieba_prob {
	double start[SH_HMM_STATES];
	double trans[SH_HMM_STATES][SH_HMM_STATES];
	double emit[SH_HAN_COUNT][SH_HMM_STATES]; /* by character, not by code */
};

/* The three files' contents. What they do not mention has probability SH_HMM_NEVER. */
int sh_jieba_prob_read(struct sh_jieba_prob *p, struct sh_slice start, struct sh_slice trans,
    struct sh_slice emit, struct sh_error *err);

#endif
