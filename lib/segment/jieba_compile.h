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

#endif
