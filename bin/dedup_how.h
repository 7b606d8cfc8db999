/* The options that decide which documents are near-duplicates: those of shdedup, and of sharchive for the
 * archive that it makes. */
#ifndef DEDUP_HOW_H
#define DEDUP_HOW_H

#include "dedup.h"

/* For struct cli_program.options: the options of this module, and those of docopts.h under the names
 * that they have in these programs. dedup_how_init() fills the second one. */
extern const struct cli_option dedup_how_table[];
extern struct cli_option dedup_docs_table[];

/* Sets the defaults. */
void dedup_how_init(struct dedup_settings *s);

/* Takes an option; false when it is none of the two tables'. */
bool dedup_how_take(struct dedup_settings *s, struct cli *c, int opt);

/* After the last option: loads files, and sets what follows from the options. */
void dedup_how_settle(struct cli *c, struct dedup_settings *s);
void dedup_how_free(struct dedup_settings *s);

#endif
