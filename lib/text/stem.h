/* SPDX-License-Identifier: MIT */
/* Stems of words, by libstemmer (Snowball). The algorithms have the library's names: "english",
 * "porter", "german" and others. Words must be folded. One thread at a time may use a stemmer. */
#ifndef SH_TEXT_STEM_H
#define SH_TEXT_STEM_H

#include <stdint.h>

#include "base/error.h"
#include "base/slice.h"

enum { SH_STEM_MAX = 200 }; /* code points; a longer word is its own stem */

struct sh_stemmer;

/* Returns NULL with SH_ERR_PARAM when the library has no such algorithm; the
 * message lists the algorithms. */
struct sh_stemmer *sh_stemmer_new(const char *algorithm, struct sh_error *err);
void sh_stemmer_delete(struct sh_stemmer *s);

/* Replaces *word by its stem, which is valid until the next call. Returns false
 * when memory ran out. */
bool sh_stem(struct sh_stemmer *s, struct sh_slice *word);

/* Sets *sum to a checksum of the stems of a fixed list of words. The checksum identifies the
 * version of Snowball. Versions that give equal stems for the list have equal checksums. */
int sh_stem_checksum(const char *algorithm, uint64_t *sum, struct sh_error *err);

#endif
