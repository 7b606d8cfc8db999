/* SPDX-License-Identifier: MIT */
/* Splits Chinese text into words, exactly as jieba 0.42.1 (github.com/fxsjy/jieba) does.
 *
 * Class K is Han characters U+4E00..U+9FD5, ASCII letters and digits, and + # & . _ % -. A stretch
 * is a maximal sequence of characters of class K. Any other character is a gap.
 *
 * A stretch is split into dictionary words. The split with the largest product of probabilities is
 * chosen. The probability of a word is its frequency divided by the sum of all frequencies. A
 * character that is no word counts as a word of frequency 1.
 *
 * A hidden Markov model then splits each sequence of single characters, unless the sequence is a
 * word of the dictionary. The model knows how often a character begins, continues or ends a word.
 *
 *     struct sh_jieba *j = sh_jieba_open(path, &err);        (segment/jieba_dict.h)
 *     struct sh_segmenter *s = sh_segmenter_new(j, &err);
 *     sh_segment(s, SH_JIEBA_CUT, text, &words, &n, &err);
 *
 * One dictionary serves any number of threads. Each thread has its own segmenter. */
#ifndef SH_SEGMENT_JIEBA_H
#define SH_SEGMENT_JIEBA_H

#include "base/error.h"
#include "base/slice.h"
#include "segment/jieba_dict.h"

/* Each mode gives every gap as a word, except SH_JIEBA_CUT_ALL. Inner words have
 * 2 or 3 characters. */
enum sh_jieba_mode {
	SH_JIEBA_CUT,       /* cut(): the most probable words, then the model */
	SH_JIEBA_CUT_NOHMM, /* cut(HMM=False): no model; adjacent letters and digits are one word */
	SH_JIEBA_CUT_ALL,   /* cut(cut_all=True): all words; they overlap */
	SH_JIEBA_SEARCH,    /* cut_for_search(): each word after its inner words */
	SH_JIEBA_SEARCH_NOHMM,
	SH_JIEBA_FINALSEG, /* finalseg.cut() of each stretch: the model alone */
};

/* j must outlive the segmenter. */
struct sh_segmenter *sh_segmenter_new(const struct sh_jieba *j, struct sh_error *err);
void sh_segmenter_delete(struct sh_segmenter *s);

/* Finds the words of UTF-8 text, in jieba's order. *words is an array of *n slices, valid
 * until the next call with s. A slice is a view into the text. SH_JIEBA_CUT_ALL also gives
 * empty words, and copies where jieba joins letters that are not adjacent. An ill-formed
 * sequence counts as one U+FFFD. */
int sh_segment(struct sh_segmenter *s, enum sh_jieba_mode mode, struct sh_slice text,
    const struct sh_slice **words, size_t *n, struct sh_error *err);

/* The same for texts of any length. sh_segment_next() gives the words of a few hundred characters.
 * *n is 0 only after the last word. The text must stay valid until then. Memory grows only with the
 * longest stretch, about 9 bytes per character and 16 per word. */
void sh_segment_begin(struct sh_segmenter *s, enum sh_jieba_mode mode, struct sh_slice text);
int sh_segment_next(
    struct sh_segmenter *s, const struct sh_slice **words, size_t *n, struct sh_error *err);

/* Adds the words of a user dictionary in jieba's form: "word [frequency] [tag]" on each line. A
 * word without frequency gets the least frequency at which SH_JIEBA_CUT_NOHMM does not split the
 * word. No other thread may use j during the call. Existing segmenters stay valid. An error names
 * the line. The words before that line have been added. */
int sh_jieba_add_user(struct sh_jieba *j, struct sh_slice text, struct sh_error *err);

/* Adds one word, under the same conditions. Frequency 0 removes the word, and the model cannot make
 * it again. The total of all frequencies is at most SH_FREQ_MAX; beyond: SH_ERR_RANGE. */
int sh_jieba_add_word(
    struct sh_jieba *j, struct sh_slice word, uint64_t freq, struct sh_error *err);

#endif
