/* SPDX-License-Identifier: MIT */
/* Computes all n-gram hashes of a document for the hash mix. Hashes of word n-grams are composed of
 * word hashes. Hashes of character n-grams are computed in windows that move over the text.
 *
 * Order: the n-grams that range.lead adds; then all n-grams for n = min, then for n = min + 1, and
 * so on. The range must come from sh_ngrams_of() or sh_ngrams_in() (text/ngram.h). */
#ifndef SH_FP_COMPOSE_H
#define SH_FP_COMPOSE_H

#include "hash/mix_kernel.h"
#include "text/ngram.h"

/* For SH_UNIT_WORD. `token` has room for t->n hashes, `out` for sh_ngrams_count() hashes. */
void sh_compose_words(const struct sh_mix_kernel *mix, const struct sh_tokens *t,
    struct sh_ngrams range, uint64_t mixed_seed, uint64_t *token, uint64_t *out);

/* The same for SH_UNIT_CHAR. The characters of an n-gram are adjacent bytes, and
 * are hashed as one token. */
void sh_compose_chars(const struct sh_mix_kernel *mix, const struct sh_tokens *t,
    struct sh_ngrams range, uint64_t mixed_seed, uint64_t *out);

#endif
