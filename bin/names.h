/* SPDX-License-Identifier: MIT */
/* Names of table rows that are values of options in several programs (cli_names of cli.h). */
#ifndef NAMES_H
#define NAMES_H

/* Values of -p: profiles. */
const char *profile_names(unsigned i);

/* Values of -w: all weights. */
const char *weight_names(unsigned i);

/* Values of -w: weights that need no document frequencies. */
const char *document_weight_names(unsigned i);

/* Values of -w: weights that need document frequencies. */
const char *table_weight_names(unsigned i);

/* Values of -w: weights that need only the count of a feature. */
const char *count_weight_names(unsigned i);

/* Values of --link: single, then star. */
const char *link_names(unsigned i);

#endif
