/* SPDX-License-Identifier: MIT */
/* cppjieba's dictionary and model in memory. */
#ifndef SH_SEGMENT_CPPJIEBA_DICT_H
#define SH_SEGMENT_CPPJIEBA_DICT_H

#include <stdbool.h>

#include "base/hmap.h"
#include "published/cppjieba.h"

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
