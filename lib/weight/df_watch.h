/* Watches documents for signs that a table of document frequencies was counted on features of another kind.
 *
 * A table does not say with which options of shtok its features were made. Features that are common on one
 * side and never occur on the other side show a difference. Chance would explain it in at most 1 of 10^9
 * cases if the documents of both sides came from one collection. */
#ifndef SH_WEIGHT_DF_WATCH_H
#define SH_WEIGHT_DF_WATCH_H

#include "weight/df.h"

/* The first SH_DF_WATCH_DOCUMENTS documents are watched. Of the first SH_DF_WATCH_FIRST, features that the table lacks
 * are remembered. A feature is common when at least one document in SH_DF_WATCH_COMMON, and at least
 * SH_DF_WATCH_LEAST documents, have it. */
enum {
	SH_DF_WATCH_DOCUMENTS = 2000,
	SH_DF_WATCH_FIRST = 32,
	SH_DF_WATCH_COMMON = 5,
	SH_DF_WATCH_LEAST = 10,
};

struct sh_df_watch {
	const struct sh_df_table *table; /* NULL: nothing is watched */
	unsigned char *seen;             /* 1 for each feature of the table that occurred */
	struct sh_hmap absent;           /* features that the table lacks */
	uint32_t *count;                 /* documents with each of them */
	size_t cap;
	uint64_t documents; /* documents watched */
};

/* Borrows the table. Free w also after a failure. */
int sh_df_watch_init(struct sh_df_watch *w, const struct sh_df_table *table, struct sh_error *err);
void sh_df_watch_free(struct sh_df_watch *w);

/* Begins a document. Returns whether its features are watched. */
bool sh_df_watch_document(struct sh_df_watch *w);

/* Watches a feature of the document; each feature once. */
int sh_df_watch_feature(struct sh_df_watch *w, struct sh_slice feature, struct sh_error *err);

/* Returns whether a common feature of the table occurred in no document. Sets the feature and its df. */
bool sh_df_watch_missing(const struct sh_df_watch *w, struct sh_slice *feature, uint64_t *df);

/* Returns whether a common feature of the documents is not in the table. Sets the feature and the number
 * of documents that have it. */
bool sh_df_watch_absent(const struct sh_df_watch *w, struct sh_slice *feature, uint64_t *count);

#endif
