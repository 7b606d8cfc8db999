/* Splits Chinese text into words, exactly as jieba 0.42.1 (github.com/fxsjy/jieba).
 *
 * A stretch is a maximal sequence of characters of class K: Han characters U+4E00..U+9FD5, ASCII
 * letters and digits, and + # & . _ % -. Other characters are gaps. Of all sequences of dictionary
 * words that make up a stretch, the one with the largest product of frequencies is chosen. Sequences
 * of single characters in it are then split by a hidden Markov model, which knows how often a
 * character begins, continues or ends a word.
 *
 *     struct sh_jieba *j = sh_jieba_open(path, &err);        (segment/jieba_dict.h)
 *     struct sh_segmenter *s = sh_segmenter_new(j, &err);
 *     sh_segment(s, SH_JIEBA_CUT, text, &words, &n, &err);
 *
 * One dictionary serves any number of threads, each with its own segmenter. */
#ifndef SH_SEGMENT_JIEBA_H
#define SH_SEGMENT_JIEBA_H

#include "base/error.h"
#include "base/slice.h"
#include "segment/jieba_dict.h"

enum sh_jieba_mode {
	SH_JIEBA_CUT,       /* cut(): the most probable words, each character once */
	SH_JIEBA_CUT_NOHMM, /* cut(HMM=False): dictionary words only */
	SH_JIEBA_CUT_ALL,   /* cut(cut_all=True): all words, which overlap */
	SH_JIEBA_SEARCH,    /* cut_for_search(): also words of 2 and 3 characters within words */
	SH_JIEBA_SEARCH_NOHMM,
	SH_JIEBA_FINALSEG, /* finalseg.cut() of each stretch: the model alone */
};

/* Parses "cut", "cut_nohmm", "cut_all", "search" or "search_nohmm". Returns -1 for another name. */
int sh_jieba_mode(struct sh_slice name, enum sh_jieba_mode *mode);

struct sh_segmenter *sh_segmenter_new(const struct sh_jieba *j, struct sh_error *err);
void sh_segmenter_delete(struct sh_segmenter *s);

/* Finds the words of UTF-8 text, in jieba's order. They are views into the text. A word is a copy where
 * cut_all joins letters that are not adjacent (user words of one ASCII letter). cut_all also gives empty
 * words, as jieba does. An ill-formed sequence counts as one character U+FFFD. The words are valid until
 * the next call. */
int sh_segment(struct sh_segmenter *s, enum sh_jieba_mode mode, struct sh_slice text,
    const struct sh_slice **words, size_t *n, struct sh_error *err);

/* Does the same about a thousand words at a time, for texts of any length: memory grows only with the
 * longest stretch, 9 bytes a character. *n is 0 after the last words. */
void sh_segment_begin(struct sh_segmenter *s, enum sh_jieba_mode mode, struct sh_slice text);
int sh_segment_next(
    struct sh_segmenter *s, const struct sh_slice **words, size_t *n, struct sh_error *err);

/* Adds the words of a user dictionary in jieba's form: "word [frequency] [tag]" on each line. A word
 * without frequency gets the least frequency with which it is found as a word. No other thread may use j.
 * Existing segmenters stay valid. An error names the line; the words before it have been added. */
int sh_jieba_add_user(struct sh_jieba *j, struct sh_slice text, struct sh_error *err);

/* Adds one word with a frequency. Frequency 0 removes the word, and the model may not make it either. */
int sh_jieba_add_word(
    struct sh_jieba *j, struct sh_slice word, uint64_t freq, struct sh_error *err);

#endif
