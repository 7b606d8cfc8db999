/* SPDX-License-Identifier: MIT */
/* Prints pairs of documents side by side, from shortly before their first difference. */
#ifndef SIDEBYSIDE_H
#define SIDEBYSIDE_H

#include "cli.h"
#include "match/sample.h"
#include "stream/corpus.h"

/* Prints a sorted sample of pairs to the output, the most similar first. raw: the texts have no
 * escapes. Dies of errors. */
void side_by_side(
    struct cli *c, const struct sh_corpus *corpus, const struct sh_sample *sample, bool raw);

#endif
