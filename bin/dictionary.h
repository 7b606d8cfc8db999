/* SPDX-License-Identifier: MIT */
/* Opens the dictionaries of --segment. */
#ifndef DICTIONARY_H
#define DICTIONARY_H

#include "cli.h"
#include "published/cppjieba.h"
#include "segment/jieba.h"

/* Opens jieba's compiled dictionary: $SIMHASH_JIEBA, or jieba.dict in the folder of the program, or
 * in ../share/simhash-utils relative to this folder. Adds the words of the user dictionaries
 * `words` in their order, and their cli_sum() to *sum. Ends the program on an error. */
struct sh_jieba *dictionary_open(struct cli *c, const struct cli_files *words, uint64_t *sum);

/* Opens cppjieba's dictionary: the folder `directory`, or $SIMHASH_CPPJIEBA when it is NULL. */
struct sh_cppjieba *dictionary_open_cppjieba(struct cli *c, const char *directory);

/* Return whether the functions above would find a readable file or folder. */
bool dictionary_jieba_is_there(void);
bool dictionary_cppjieba_is_there(const char *directory);

#endif
