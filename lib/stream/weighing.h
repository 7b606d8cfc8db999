/* SPDX-License-Identifier: MIT */
/* Counts, weighs and writes the features of documents, for shweight: one record for each distinct
 * feature. A document without features, or whose features are all dropped, gets one record with the
 * empty feature.
 *
 *     sh_weighing_init() for each state of a struct sh_feature_docs
 *     sh_feature_docs_init() with &sh_weighing_calls */
#ifndef SH_STREAM_WEIGHING_H
#define SH_STREAM_WEIGHING_H

#include "published/published.h"
#include "published/sums.h"
#include "stream/df_watch.h"
#include "stream/feature_docs.h"
#include "weight/terms.h"
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

/* The state for one document at a time. */
struct sh_weighing {
	const struct sh_weigher *weigher;
	struct sh_df_watch *watch; /* of weigher->df, shared by all states */

	/* Private. */
	bool watched; /* the watch takes no more documents */
	/* distinct features of the document with their counts in millionths */
	struct sh_terms features;
	int64_t tokens;            /* sum of the counts, in millionths */
	struct sh_heavy *distinct; /* the features that are not dropped, with their weights */
	size_t cap;
};

/* Borrows weigher and watch. Free w also after a failure. */
int sh_weighing_init(struct sh_weighing *w, const struct sh_weigher *weigher,
    struct sh_df_watch *watch, struct sh_error *err);
void sh_weighing_free(struct sh_weighing *w);

/* sh_feature_doc.own is a struct sh_weighing. */
extern const struct sh_feature_calls sh_weighing_calls;

#endif
