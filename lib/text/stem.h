/* Stems of words, by libstemmer (Snowball): "english", "porter", "german", ... in any of
 * the spellings that library knows. It expects folded words. One stemmer serves one
 * thread. */
#ifndef SH_TEXT_STEM_H
#define SH_TEXT_STEM_H

#include "base/error.h"
#include "base/slice.h"

struct sh_stemmer;

/* SH_ERR_PARAM names the algorithms when there is none of that name. */
struct sh_stemmer *sh_stemmer_new(const char *algorithm, struct sh_error *err);
void sh_stemmer_delete(struct sh_stemmer *s);

/* Replace *word by its stem, which lives until the next call; false when memory ran out. A word of 2 GiB
 * stays as it is. */
bool sh_stem(struct sh_stemmer *s, struct sh_slice *word);

#endif
