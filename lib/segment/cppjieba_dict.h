/* The inside of cppjieba: its dictionary and model in memory. */
#ifndef SH_SEGMENT_CPPJIEBA_DICT_H
#define SH_SEGMENT_CPPJIEBA_DICT_H

#include <stdbool.h>

#include "base/hmap.h"
#include "segment/cppjieba.h"

/* Replaces log 0. States are in cppjieba's order: odd ones end a word. */
#define SH_CPP_NEVER (-3.14e100)
enum { SH_CPP_B, SH_CPP_E, SH_CPP_M, SH_CPP_S, SH_CPP_STATES };

struct sh_cpp_word {
	double weight; /* log probability */
	bool is_word;  /* false: only a prefix of words */
	bool user;     /* from user.dict.utf8 */
};

struct sh_cppjieba {
	struct sh_hmap keys; /* words and all their prefixes */
	struct sh_cpp_word *word;
	size_t word_cap;
	double sum;           /* of the frequencies in jieba.dict.utf8 */
	double least, median; /* lowest and median weight of this file */
	double *freq;         /* of each line of this file */
	size_t n_freq, freq_cap;

	double start[SH_CPP_STATES], trans[SH_CPP_STATES][SH_CPP_STATES];
	uint32_t *emit_row; /* by code point below 0x110000: 1 + a row of emit, 0: none */
	double (*emit)[SH_CPP_STATES];
	size_t n_emit, emit_cap;

	uint64_t checksum; /* of the lines of all files read */
};

#endif
