/* SPDX-License-Identifier: MIT */
/* Counts, weighs and writes the features of documents, for shweight: one record for each distinct
 * feature. A document without features, or whose features are all dropped, gets one record with the
 * empty feature.
 *
 *     sh_weigher_init()
 *     sh_feature_docs_init() with &sh_weighing_calls and the weigher
 *     sh_weigher_doubt() at the end */
#ifndef SH_STREAM_WEIGHING_H
#define SH_STREAM_WEIGHING_H

#include "published/published.h"
#include "stream/feature_docs.h"
#include "weight/df.h"
#include "weight/weight.h"

enum {
	SH_WEIGHER_COUNTS = 256, /* weights of smaller counts are printed in advance */
	SH_WEIGHER_SHOWN = 16,   /* most bytes of a printed weight, with TAB and LF */
};

struct sh_weigher {
	/* Set before sh_weigher_init(). Tables, scheme and profile are borrowed. */
	const struct sh_scheme *scheme;
	const struct sh_df_table *df;     /* NULL: no table */
	const struct sh_idf_table *idf;   /* NULL: no table; otherwise df is not read */
	bool drop_absent;                 /* drop features that df lacks; otherwise their df is 1 */
	struct sh_df_limit min, max;      /* drop features whose df is not within both bounds */
	uint64_t top;                     /* keep this number of heaviest features; 0: all */
	const struct sh_profile *profile; /* decides where published systems differ */

	/* Private. */
	bool real; /* weights are doubles (published/sums.h), by the profile's rule */
	/* The printed weight of each count from 1 up, when the count alone decides it: TAB, weight,
	 * LF. Otherwise the number of bytes is 0 in all. */
	char shown[SH_WEIGHER_COUNTS][SH_WEIGHER_SHOWN];
	uint8_t shown_n[SH_WEIGHER_COUNTS];
	/* With df, of the first documents, in their order: */
	uint64_t watched;      /* their number */
	unsigned char *seen;   /* by index of the table's features: 1 when it occurred */
	struct sh_hmap absent; /* features that the table lacks */
	uint32_t *count;       /* by index of absent: documents with the feature */
	size_t count_cap;
};

/* Free w also after a failure. */
int sh_weigher_init(struct sh_weigher *w, struct sh_error *err);
void sh_weigher_free(struct sh_weigher *w);

/* Returns whether the table seems to be of features of another kind: it does not say which options
 * of shtok made its features. `absent`: a feature that is common in the first documents is not in
 * the table; otherwise a feature that is common in the table is in none of the first documents. If
 * the documents of both sides came from one collection, this would happen in at most 1 of 10^9
 * cases. Sets the most frequent of these features, valid as long as w, and the number of its
 * documents. */
bool sh_weigher_doubt(
    const struct sh_weigher *w, bool absent, struct sh_slice *feature, uint64_t *n);

/* Their `arg` is the struct sh_weigher, which is borrowed. */
extern const struct sh_feature_calls sh_weighing_calls;

#endif
