/* Proofs about the feature sets of two texts from the order of their tokens. They take a fraction
 * of the time that making and comparing the sets takes. No proof means nothing.
 *
 * An edit (align.h) changes at most `touched` n-grams of each text (Jokinen and Ukkonen 1991). So
 * texts at edit distance d have, with s = touched * d, and D features of one text,
 *
 *     at least D - s features in common, and at most D + s features together,
 *
 * and a Jaccard similarity of at least (D - s) / (D + s).
 *
 * N-grams are hashed into slots. A slot that only one text takes stands for at least one feature
 * that the other text lacks. */
#ifndef SH_GROUP_FORETELL_H
#define SH_GROUP_FORETELL_H

#include "match/align.h"
#include "text/ngram.h"

/* The slots of a text: a set of base/bits.h. */
struct sh_gram_slots {
	uint64_t *taken; /* owned by the caller */
	size_t words;    /* words of taken[] */
	unsigned size;   /* tokens of an n-gram */
	size_t distinct; /* slots taken: the text has at least this number of features */
};

/* Returns the words that the slots of a text need. */
size_t sh_gram_slots_words(size_t tokens);

/* Fills the slots of a text of at least one token. s->taken has sh_gram_slots_words() words. Only
 * the n-grams of the largest size have slots. Stops when `enough` slots are taken. */
void sh_gram_slots_fill(
    struct sh_gram_slots *s, struct sh_sequence text, struct sh_ngrams ngrams, size_t enough);

/* Returns the largest edit distance at which a text of at most n features can be proven to reach
 * the threshold, in millionths. touched >= 1. */
size_t sh_foretell_edits(size_t n, size_t touched, uint64_t threshold);

/* Returns the least number D of features with which a text reaches the threshold, in millionths,
 * when at most `changed` n-grams change. SIZE_MAX: none. */
size_t sh_foretell_features(size_t changed, uint64_t threshold);

/* Slots that only one of two texts takes. */
struct sh_slots_apart {
	size_t x, y; /* by the text that takes them */
};

/* Sets *apart. Returns false when the slots cannot be compared, because the n-grams have different
 * sizes. */
bool sh_gram_slots_apart(
    const struct sh_gram_slots *x, const struct sh_gram_slots *y, struct sh_slots_apart *apart);

/* Returns true when the texts, with at most n and m features, have a Jaccard similarity below the
 * threshold, in millionths. */
bool sh_foretell_dissimilar(struct sh_slots_apart apart, size_t n, size_t m, uint64_t threshold);

#endif
