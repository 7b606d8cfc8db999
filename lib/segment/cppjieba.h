/* Chinese text into words as cppjieba (github.com/yanyiwu/cppjieba) cuts it, mixed
 * segmentation with its hidden Markov model. It is not jieba: the dictionary differs, of
 * equal ways the one with shorter words wins, and every run of single characters goes to
 * the model.
 *
 * The dictionary is a directory with cppjieba's own files: jieba.dict.utf8 and
 * hmm_model.utf8, and user.dict.utf8 if there is one. They are read when it is opened (some
 * tenths of a second), then shared by all threads. */
#ifndef SH_SEGMENT_CPPJIEBA_H
#define SH_SEGMENT_CPPJIEBA_H

#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"

struct sh_cppjieba;

struct sh_cppjieba *sh_cppjieba_open(const char *directory, struct sh_error *err);
void sh_cppjieba_delete(struct sh_cppjieba *d);

/* A checksum of what was read: other files have another one, wherever they are. */
uint64_t sh_cppjieba_sum(const struct sh_cppjieba *d);

/* What one thread needs beside it. */
struct sh_cppsegmenter;
struct sh_cppsegmenter *sh_cppsegmenter_new(const struct sh_cppjieba *d, struct sh_error *err);
void sh_cppsegmenter_delete(struct sh_cppsegmenter *s);

/* By cppjieba's own names. */
enum sh_cppjieba_mode {
	SH_CPPJIEBA_MIX,       /* the dictionary, then the model */
	SH_CPPJIEBA_MIX_NOHMM, /* the dictionary alone */
	SH_CPPJIEBA_QUERY,     /* mix, and the words of 2 and 3 characters within words */
	SH_CPPJIEBA_FULL,      /* all words, they overlap */
	SH_CPPJIEBA_HMM,       /* the model alone */
};

/* The words of UTF-8 text, views into it, until the next call. Ill-formed sequences count as
 * one character each. */
int sh_cppsegment(struct sh_cppsegmenter *s, enum sh_cppjieba_mode mode, struct sh_slice text,
    const struct sh_slice **words, size_t *n, struct sh_error *err);

#endif
