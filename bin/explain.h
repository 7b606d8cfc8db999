/* shfp --explain: which settings the records of a file were made with. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "cli.h"
#include "fp/tag.h"

/* Reads the operands, which are fingerprints, bands or tables of document frequencies, and writes a
 * line for each tag of a file. The settings of this run are tried first, then common settings. */
void explain(struct cli *c, const struct sh_settings *mine);

#endif
