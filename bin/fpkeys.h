/* SPDX-License-Identifier: MIT */
/* shfp --keys: the keys of documents. */
#ifndef FPKEYS_H
#define FPKEYS_H

#include "docopts.h"
#include "match/keys.h"
#include "measures.h"

struct fpkeys {
	struct measures measures;
	struct sh_key_rules rules; /* keys and rows: as given; 0: of the table */
	bool fail_empty;           /* a document without features is an error */
};

/* Takes the argument of --keys: KxR, or NULL for the table's keys. */
void fpkeys_set_layout(struct fpkeys *k, struct cli *c, const char *layout);

/* Reads -T and --measure, whose code is `measure`, and completes the rules. docs: complete. */
void fpkeys_complete(
    struct fpkeys *k, struct cli *c, const struct docopts *docs, int measure, uint64_t seed);

/* Writes the keys of all documents. tokens: see sh_key_rules_tag(); 0: keys have no tag. */
void fpkeys_run(struct fpkeys *k, struct cli *c, const struct docopts *docs, unsigned tokens,
    struct sh_source *source);

#endif
