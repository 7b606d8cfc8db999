/* The names of rows that several programs take as values of options (values.h). */
#ifndef NAMES_H
#define NAMES_H

/* -p: profiles. */
const char *profile_names(unsigned i);

/* -w: all weights. */
const char *weight_names(unsigned i);

/* -w: weights that follow from the document alone, without document frequencies. */
const char *document_weight_names(unsigned i);

/* -w: weights that need document frequencies. */
const char *table_weight_names(unsigned i);

/* -w: weights that follow from the count of a feature alone. */
const char *count_weight_names(unsigned i);

#endif
