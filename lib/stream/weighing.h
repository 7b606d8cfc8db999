/* SPDX-License-Identifier: MIT */
/* Counts, weighs and writes the features of documents, for shweight: one record for each distinct
 * feature. A document without features, or whose features are all dropped, gets one record with the
 * empty feature.
 *
 *     sh_weighing_init() for each state of a struct sh_feature_docs
 *     sh_feature_docs_init() with &sh_weighing_calls */
#ifndef SH_STREAM_WEIGHING_H
#define SH_STREAM_WEIGHING_H

#include "published/sums.h"
#include "stream/df_watch.h"
#include "stream/feature_docs.h"
#include "stream/weigher.h"
#include "weight/terms.h"

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
