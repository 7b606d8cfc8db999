/* SPDX-License-Identifier: MIT */
/* shfp --explain: prints the settings with which the records of a file were made. */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "cli.h"
#include "fp/tag.h"

/* Reads the operands (fingerprints, bands or tables of document frequencies) and prints a line for
 * each tag of a file. Compares the tag with the settings of this run first, then with common
 * settings. */
void explain(struct cli *c, const struct sh_settings *mine);

#endif
