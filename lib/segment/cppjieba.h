/* Splits Chinese text into words as cppjieba (github.com/yanyiwu/cppjieba) does: mixed segmentation with
 * its hidden Markov model. It differs from jieba: in the dictionary; of equally probable routes the one
 * with shorter words is chosen; each sequence of single characters is split by the model.
 *
 * The dictionary is a directory with cppjieba's files jieba.dict.utf8, hmm_model.utf8 and, optionally,
 * user.dict.utf8. They are read when it is opened, in some tenths of a second. All threads share it. */
#ifndef SH_SEGMENT_CPPJIEBA_H
#define SH_SEGMENT_CPPJIEBA_H

#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"

struct sh_cppjieba;

struct sh_cppjieba *sh_cppjieba_open(const char *directory, struct sh_error *err);
void sh_cppjieba_delete(struct sh_cppjieba *d);

/* Returns a checksum of the contents of the files. */
uint64_t sh_cppjieba_sum(const struct sh_cppjieba *d);

/* One thread uses a segmenter. */
struct sh_cppsegmenter;
struct sh_cppsegmenter *sh_cppsegmenter_new(const struct sh_cppjieba *d, struct sh_error *err);
void sh_cppsegmenter_delete(struct sh_cppsegmenter *s);

/* The modes, by cppjieba's names. */
enum sh_cppjieba_mode {
	SH_CPPJIEBA_MIX,       /* the dictionary, then the model */
	SH_CPPJIEBA_MIX_NOHMM, /* the dictionary alone */
	SH_CPPJIEBA_QUERY,     /* mix, and words of 2 and 3 characters within words */
	SH_CPPJIEBA_FULL,      /* all words, which overlap */
	SH_CPPJIEBA_HMM,       /* the model alone */
};

/* Finds the words of UTF-8 text. They are views into the text, valid until the next call. An ill-formed
 * sequence counts as one character. */
int sh_cppsegment(struct sh_cppsegmenter *s, enum sh_cppjieba_mode mode, struct sh_slice text,
    const struct sh_slice **words, size_t *n, struct sh_error *err);

#endif
