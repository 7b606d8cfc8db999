/* Passages of at least L tokens that occur again, word for word, in any document or in the same one.
 *
 * Each window of L tokens has one anchor: the rightmost least hash of its k-grams. Equal windows have equal
 * anchors, so a window whose anchor occurs once cannot occur again. All others are looked up in a table of the
 * windows before them, and compared token by token. Time and memory are linear whatever the text, and the result
 * does not depend on k. */
#ifndef SH_PASSAGE_EXACT_H
#define SH_PASSAGE_EXACT_H

#include "passage/texts.h"

#define SH_EXACT_MAX ((uint32_t)1 << 20) /* tokens of the shortest passage */

/* Set a bit of `marked`, of all tokens of the texts, for each token of a passage of at least `length` tokens that
 * stands before: or of every such passage that stands anywhere else too. k from 1 to length; 0 chooses. */
int sh_exact_find(const struct sh_texts *t, uint32_t length, uint32_t k, bool every,
    uint64_t *marked, struct sh_error *err);

#endif
