/* The compiled dictionary of --segment jieba: where it is looked for. */
#ifndef DICTIONARY_H
#define DICTIONARY_H

#include "cli.h"
#include "segment/cppjieba.h"
#include "segment/jieba.h"

/* $SIMHASH_JIEBA; else jieba.dict beside the program; else in ../share/simhash-utils seen from
 * there. `words` are user dictionaries whose words are added, one after the other; *sum becomes their
 * cli_sum() from what it is. Dies of errors. */
struct sh_jieba *dictionary_open(struct cli *c, const struct cli_files *words, uint64_t *sum);

/* The directory of cppjieba's files: `directory`, or $SIMHASH_CPPJIEBA when that is NULL. */
struct sh_cppjieba *dictionary_open_cppjieba(struct cli *c, const char *directory);

/* Whether the file or directory that the above would open can be read. */
bool dictionary_jieba_is_there(void);
bool dictionary_cppjieba_is_there(const char *directory);

#endif
