/* The default hash's n-gram hashes of a whole document, without a look at any n-gram's
 * text: words' are composed from the words' hashes, characters' are windows over text.
 *
 * Order: the leading n-grams of a range that has them, then n from min to max, each from
 * the first token on. The range fits the tokens (sh_ngrams_of). */
#ifndef SH_FP_COMPOSE_H
#define SH_FP_COMPOSE_H

#include "hash/mix_kernel.h"
#include "text/ngram.h"

/* SH_UNIT_WORD. `token` has room for t->n hashes, out for sh_ngrams_count(). */
void sh_compose_words(const struct sh_mix_kernel *mix, const struct sh_tokens *t,
    struct sh_ngrams range, uint64_t mixed_seed, uint64_t *token, uint64_t *out);

/* SH_UNIT_CHAR: an n-gram's characters stand side by side and are one token to the hash. */
void sh_compose_chars(const struct sh_mix_kernel *mix, const struct sh_tokens *t,
    struct sh_ngrams range, uint64_t mixed_seed, uint64_t *out);

#endif
