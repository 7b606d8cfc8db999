/* From jieba's own data files to the file that sh_jieba_open() maps. */
#ifndef SH_SEGMENT_JIEBA_COMPILE_H
#define SH_SEGMENT_JIEBA_COMPILE_H

#include "base/buf.h"
#include "segment/jieba_dict.h"

/* Contents of files of jieba 0.42.1. */
struct sh_jieba_source {
	struct sh_slice dict;  /* dict.txt: "word frequency [tag]" a line */
	struct sh_slice start; /* finalseg/prob_start.py */
	struct sh_slice trans; /* finalseg/prob_trans.py */
	struct sh_slice emit;  /* finalseg/prob_emit.py */
};

/* The compiled image into *image, which must be empty. Of a word that dict has more
 * than once the last frequency counts, as in jieba, and all count in the total. */
int sh_jieba_compile(const struct sh_jieba_source *src, struct sh_buf *image, struct sh_error *err);

/* The image of an open dictionary, with the user words it was given. */
int sh_jieba_save(const struct sh_jieba *j, struct sh_buf *image, struct sh_error *err);

#endif
