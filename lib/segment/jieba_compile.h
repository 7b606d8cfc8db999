/* SPDX-License-Identifier: MIT */
/* Compiles jieba's data files into the file that sh_jieba_open() maps. */
#ifndef SH_SEGMENT_JIEBA_COMPILE_H
#define SH_SEGMENT_JIEBA_COMPILE_H

#include "base/buf.h"
#include "segment/jieba_dict.h"

/* Contents of the files of jieba 0.42.1. */
struct sh_jieba_source {
	struct sh_slice dict;  /* dict.txt: "word frequency [tag]" on each line */
	struct sh_slice start; /* finalseg/prob_start.py */
	struct sh_slice trans; /* finalseg/prob_trans.py */
	struct sh_slice emit;  /* finalseg/prob_emit.py */
};

/* Replaces the content of *image by the compiled image. When dict has a word more than once, the
 * last frequency is used, and the total includes all frequencies, as in jieba. */
int sh_jieba_compile(const struct sh_jieba_source *src, struct sh_buf *image, struct sh_error *err);

/* Replaces the content of *image by the image of an open dictionary, with the words added to it. */
int sh_jieba_save(const struct sh_jieba *j, struct sh_buf *image, struct sh_error *err);

/* Natural logs of probabilities. */
struct sh_jieba_prob {
	double start[SH_HMM_STATES];
	double trans[SH_HMM_STATES][SH_HMM_STATES]; /* [from][to] */
	double emit[SH_HAN_COUNT][SH_HMM_STATES];   /* by code point - SH_HAN_FIRST */
};

/* Parses the contents of the three files. Ignores characters that are not Han. A missing value is
 * SH_HMM_NEVER (segment/jieba_trie.h). */
int sh_jieba_prob_read(struct sh_jieba_prob *p, struct sh_slice start, struct sh_slice trans,
    struct sh_slice emit, struct sh_error *err);

#endif
