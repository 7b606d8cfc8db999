/* Pairs of documents for people: side by side, from where they begin to differ. */
#ifndef SIDEBYSIDE_H
#define SIDEBYSIDE_H

#include "cli.h"
#include "group/sample.h"
#include "stream/corpus.h"

/* Print a sample. raw: the texts hold no escapes. */
void side_by_side(
    struct cli *c, const struct sh_corpus *corpus, const struct sh_sample *sample, bool raw);

#endif
