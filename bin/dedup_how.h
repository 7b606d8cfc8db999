/* SPDX-License-Identifier: MIT */
/* The options that decide which documents are near-duplicates, shared by shdedup and `sharchive
 * init`. */
#ifndef DEDUP_HOW_H
#define DEDUP_HOW_H

#include "dedup.h"

/* For struct cli_program.options, with docopts_table. */
extern const struct cli_option dedup_how_table[];

/* Sets the defaults. */
void dedup_how_init(struct dedup_settings *s);

/* Handles an option. Returns false when it is in neither of the two tables. */
bool dedup_how_set(struct dedup_settings *s, struct cli *c, int opt);

/* After the last option: loads files, and sets the values that depend on the options. */
void dedup_how_complete(struct cli *c, struct dedup_settings *s);
void dedup_how_free(struct dedup_settings *s);

#endif
