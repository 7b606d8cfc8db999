/* SPDX-License-Identifier: MIT */
/* Computes the weight of a feature from its count in the document, and from a table of document
 * frequencies or IDF values. */
#ifndef SH_STREAM_WEIGHER_H
#define SH_STREAM_WEIGHER_H

#include "base/slice.h"
#include "published/published.h"
#include "weight/df.h"
#include "weight/idf.h"
#include "weight/weight.h"

enum {
	SH_WEIGHER_COUNTS = 256, /* weights of smaller counts are printed in advance */
	SH_WEIGHER_SHOWN = 16,   /* most bytes of a printed weight, with TAB and LF */
};

/* TAB, weight, LF. */
struct sh_weight_text {
	uint8_t n; /* bytes; 0: not in the table */
	char text[SH_WEIGHER_SHOWN];
};

struct sh_weigher {
	const struct sh_scheme *scheme;
	const struct sh_df_table *df;   /* NULL: no table */
	const struct sh_idf_table *idf; /* NULL: no table; otherwise df is not read */
	bool drop_absent;               /* drop features that df lacks; otherwise their df is 1 */
	struct sh_df_limit min, max;    /* drop features whose df is not within both bounds */
	uint64_t top; /* for sh_weighing: keep this number of heaviest features; 0: all */
	const struct sh_profile *profile; /* decides where published systems differ */

	/* Set by sh_weigher_prepare(). */
	bool real; /* weights are doubles (weight/doubles.h), by the profile's rule */
	/* The printed weight of each count from 1 up, when the count alone decides it;
	 * otherwise n is 0 in all. */
	struct sh_weight_text by_count[SH_WEIGHER_COUNTS];
};

/* Sets the last two members. The other members must be set. Tables, scheme and
 * profile are borrowed. */
void sh_weigher_prepare(struct sh_weigher *w);

/* Replaces *weight, the count of a feature in millionths, by the weight. tokens: the sum of the
 * counts of all features of the document, in millionths. id: for messages. Returns 1, 0 to drop the
 * feature, or -1. Not for w->real. */
int sh_weigh(const struct sh_weigher *w, struct sh_slice id, struct sh_slice feature,
    int64_t tokens, int64_t *weight, struct sh_error *err);

/* The same for w->real: replaces the count by the sort key of a double (weight/doubles.h). */
int sh_weigh_real(const struct sh_weigher *w, struct sh_slice id, struct sh_slice feature,
    int64_t *weight, struct sh_error *err);

#endif
