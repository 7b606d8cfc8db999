/* Chinese text into words, exactly as jieba 0.42.1 (github.com/fxsjy/jieba) cuts it.
 *
 * The rules, for writing it again: text is cut into blocks of class K (Han characters
 * U+4E00..U+9FD5, ASCII letters and digits, and + # & . _ % -) and what lies between.
 * In a block every way of putting dictionary words together is weighed, the one with
 * the largest product of frequencies wins; runs of characters left single go to a
 * hidden Markov model, which knows no words but how characters stand in them.
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
	SH_JIEBA_CUT_ALL,   /* cut(cut_all=True): all words, they overlap */
	SH_JIEBA_SEARCH,    /* cut_for_search(): and the words of 2 and 3 within words */
	SH_JIEBA_SEARCH_NOHMM,
	SH_JIEBA_FINALSEG, /* finalseg.cut() of each block: the model alone */
};

/* "cut", "cut_nohmm", "cut_all", "search", "search_nohmm": 0, or -1 for another name. */
int sh_jieba_mode(struct sh_slice name, enum sh_jieba_mode *mode);

struct sh_segmenter *sh_segmenter_new(const struct sh_jieba *j, struct sh_error *err);
void sh_segmenter_delete(struct sh_segmenter *s);

/* The words of UTF-8 text, in jieba's order. They are views into the text, except
 * where jieba's cut_all joins what the text has not side by side (only user words of
 * one ASCII letter lead there). cut_all gives empty words too, as jieba does. Each
 * ill-formed sequence counts as one character U+FFFD. Words live until the segmenter's
 * next use. */
int sh_segment(struct sh_segmenter *s, enum sh_jieba_mode mode, struct sh_slice text,
    const struct sh_slice **words, size_t *n, struct sh_error *err);

/* The same some thousand words at a time, for texts of any length: memory then grows
 * with the longest block alone (9 bytes a character). *n is 0 after the last words. */
void sh_segment_begin(struct sh_segmenter *s, enum sh_jieba_mode mode, struct sh_slice text);
int sh_segment_next(
    struct sh_segmenter *s, const struct sh_slice **words, size_t *n, struct sh_error *err);

/* Add the words of a user dictionary in jieba's form, "word [frequency] [tag]" a line.
 * A word without frequency gets the one that makes it come out as a word. Not while
 * other threads use j; existing segmenters stay valid. On an error, which names the
 * line, the words before it have been added. */
int sh_jieba_add_user(struct sh_jieba *j, struct sh_slice text, struct sh_error *err);

/* Add one word with a frequency; 0 takes it out and splits it for good. */
int sh_jieba_add_word(
    struct sh_jieba *j, struct sh_slice word, uint64_t freq, struct sh_error *err);

#endif
