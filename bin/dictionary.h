/* The compiled dictionary of --segment jieba: where it is looked for. */
#ifndef DICTIONARY_H
#define DICTIONARY_H

#include "cli.h"
#include "text/jieba.h"

/* $SIMHASH_JIEBA; else jieba.dict beside the program; else in ../share/simhash-utils seen from
 * there. `words`, when not NULL, is a user dictionary whose words are added. Dies of errors. */
struct sh_jieba *dictionary_open(struct cli *c, const char *words);

#endif
