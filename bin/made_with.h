/* The options that an archive is made with, as its manifest keeps them: a run on it must have the
 * same.
 *
 * They are all that decides which features, fingerprints and keys a document has. Escapes, JSON
 * and the like are not: they are gone by then. */
#ifndef MADE_WITH_H
#define MADE_WITH_H

#include "dedup.h"

enum { MADE_WITH_VALUE_MAX = 64, MADE_WITH_SAID_MAX = 128 };

/* Rows point into `value`: it must not be moved. */
struct made_with {
	struct sh_setting row[SH_SETTINGS_MAX];
	char value[SH_SETTINGS_MAX][MADE_WITH_VALUE_MAX];
	size_t n;
};

/* Those of this run, once its options are settled; dies of errors. */
void made_with_list(struct cli *c, const struct dedup_settings *s, struct made_with *o);

/* One that no option says: digests are of texts with the escapes of records, whatever form these came
 * in. Archives of 0.1.0 have it not; their digests are of texts as they came, JSON's without escapes. */
struct sh_setting made_with_digest(void);

/* A setting's value as an option says it; `room` has MADE_WITH_SAID_MAX bytes, in which it may lie. */
struct sh_slice made_with_said(const struct sh_setting *s, char *room);

/* A usage message when an archive was made with others. */
void made_with_compare(struct cli *c, const struct dedup_settings *s, const struct sh_manifest *m);

#endif
