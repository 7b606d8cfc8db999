/* SPDX-License-Identifier: MIT */
/* Splits Chinese text into words as cppjieba (github.com/yanyiwu/cppjieba) does.
 *
 * The most probable sequence of dictionary words is chosen first. A hidden Markov model then splits
 * each sequence of single characters. Three rules differ from segment/jieba.h:
 * - The dictionary is another one.
 * - Of equally probable words at one place, the shortest is chosen.
 * - The model also splits a sequence of single characters that is a word of the dictionary.
 *
 * A dictionary is a directory with cppjieba's files jieba.dict.utf8, hmm_model.utf8 and,
 * optionally, user.dict.utf8. Any number of threads may share a dictionary. */
#ifndef SH_SEGMENT_CPPJIEBA_H
#define SH_SEGMENT_CPPJIEBA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hmap.h"
#include "base/slice.h"

struct sh_cppjieba;

/* Reads the files, which needs some tenths of a second. */
struct sh_cppjieba *sh_cppjieba_open(const char *directory, struct sh_error *err);
void sh_cppjieba_delete(struct sh_cppjieba *d);

/* Returns a checksum of the lines read from all files. Empty lines and comments are not read. */
uint64_t sh_cppjieba_checksum(const struct sh_cppjieba *d);

/* One thread at a time may use a segmenter. d must outlive the segmenter. */
struct sh_cppsegmenter;
struct sh_cppsegmenter *sh_cppsegmenter_new(const struct sh_cppjieba *d, struct sh_error *err);
void sh_cppsegmenter_delete(struct sh_cppsegmenter *s);

/* The modes, by cppjieba's names. */
enum sh_cppjieba_mode {
	SH_CPPJIEBA_MIX,       /* the dictionary, then the model */
	SH_CPPJIEBA_MIX_NOHMM, /* the dictionary; single characters stay single */
	SH_CPPJIEBA_QUERY,     /* each word of MIX, after its inner words of 2, then 3 characters */
	SH_CPPJIEBA_FULL,      /* all words; they overlap; single characters where no word is */
	SH_CPPJIEBA_HMM,       /* the model alone */
};

/* Finds the words of UTF-8 text, with spaces and punctuation. *words is an array of *n views into
 * the text, valid until the next call. An ill-formed sequence counts as one character. */
int sh_cppsegment(struct sh_cppsegmenter *s, enum sh_cppjieba_mode mode, struct sh_slice text,
    const struct sh_slice **words, size_t *n, struct sh_error *err);

/* ---- the dictionary and the model in memory ---- */

/* Stands for the logarithm of 0. All logarithms are natural. */
#define SH_CPP_NEVER (-3.14e100)

/* The states of a character, in cppjieba's order. The odd numbers, E and S, end a word. */
enum { SH_CPP_B, SH_CPP_E, SH_CPP_M, SH_CPP_S, SH_CPP_STATES };

struct sh_cpp_word {
	double weight; /* log probability */
	bool is_word;  /* false: only a prefix of longer words */
	bool user;     /* from user.dict.utf8 */
};

struct sh_cppjieba {
	struct sh_hmap keys;      /* words and all their prefixes */
	struct sh_cpp_word *word; /* by index of keys */
	size_t word_cap;

	/* Of jieba.dict.utf8: */
	double total;         /* sum of the frequencies */
	double least, median; /* lowest and median weight */
	double *freq;         /* frequency of each line, ascending after sh_cppjieba_open() */
	size_t n_freq, freq_cap;

	/* Log probabilities of the model; trans: [from][to]. */
	double start[SH_CPP_STATES], trans[SH_CPP_STATES][SH_CPP_STATES];
	uint32_t *emit_row; /* by code point or SH_UTF8_ILL: 1 + a row of emit, 0: none */
	double (*emit)[SH_CPP_STATES];
	size_t n_emit, emit_cap;

	uint64_t checksum; /* see sh_cppjieba_checksum() */
};

#endif
