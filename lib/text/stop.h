/* SPDX-License-Identifier: MIT */
/* A set of stop words, which a tokenizer drops. text/stopwords.h reads a set from a list. */
#ifndef SH_TEXT_STOP_H
#define SH_TEXT_STOP_H

#include <stdbool.h>

#include "base/error.h"
#include "base/slice.h"

/* Threads may share a set while no thread adds words. */
struct sh_stoplist;

/* Returns an empty set, or NULL with *err. */
struct sh_stoplist *sh_stoplist_empty(struct sh_error *err);
void sh_stoplist_delete(struct sh_stoplist *s);

/* Adds a copy of the token, which may be in the set already. */
int sh_stoplist_put(struct sh_stoplist *s, struct sh_slice token, struct sh_error *err);

/* Returns whether the token is a stop word. */
bool sh_stoplist_has(const struct sh_stoplist *s, struct sh_slice token);

#endif
