/* SPDX-License-Identifier: MIT */
/* The time at which documents are added to archives. */
#ifndef NOW_H
#define NOW_H

#include "cli.h"

/* Returns seconds since 1970. Tests and reproducible builds set them by SOURCE_DATE_EPOCH. Dies
 * when the clock or that variable is out of range. */
uint64_t now_seconds(struct cli *c);

#endif
