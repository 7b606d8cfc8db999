/* SPDX-License-Identifier: MIT */
/* shjoin: the join of keys. */
#ifndef JOINKEYS_H
#define JOINKEYS_H

#include "cli.h"

/* Joins the key records of one file, or of a new and an archived file, and writes their pairs.
 * Returns the number of pairs. Bad records go to the rejects. Dies of errors. */
uint64_t join_keys(struct cli *c, struct sh_lines *lines, unsigned sides);

#endif
