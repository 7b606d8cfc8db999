/* SPDX-License-Identifier: MIT */
/* Watches documents for signs that a table of document frequencies was counted
 * on features of another kind.
 *
 * A table does not say which options of shtok made its features. A feature that is common on one
 * side, table or documents, and never occurs on the other side shows a difference. If the documents
 * of both sides came from one collection, this would happen in at most 1 of 10^9 cases. */
#ifndef SH_STREAM_DF_WATCH_H
#define SH_STREAM_DF_WATCH_H

#include "weight/df.h"

enum {
	SH_DF_WATCH_DOCUMENTS = 2000, /* documents that are watched, the first ones */
	SH_DF_WATCH_FIRST = 32, /* documents whose features are counted when the table lacks them */
	SH_DF_WATCH_COMMON = 5, /* a common feature is in at least 1 of 5 documents of its side, */
	SH_DF_WATCH_LEAST = 10, /* and in at least 10 documents */
};

struct sh_df_watch {
	const struct sh_df_table *table; /* borrowed; NULL: nothing is watched */
	unsigned char *seen;             /* by index of the table's features: 1 when it occurred */
	struct sh_hmap absent;           /* features of the first documents that the table lacks */
	uint32_t *count; /* by index of absent: watched documents with the feature */
	size_t cap;
	uint64_t documents; /* documents watched */
};

/* table may be NULL. Free w also after a failure. */
int sh_df_watch_init(struct sh_df_watch *w, const struct sh_df_table *table, struct sh_error *err);
void sh_df_watch_free(struct sh_df_watch *w);

/* Begins a document. Returns whether its features are to be given to sh_df_watch_feature(). */
bool sh_df_watch_document(struct sh_df_watch *w);

/* Counts a feature of the document. The caller must not repeat a feature of one document. */
int sh_df_watch_feature(struct sh_df_watch *w, struct sh_slice feature, struct sh_error *err);

/* Returns whether a common feature of the table is in no watched document. If so, sets the most
 * frequent of these features and its df. The feature is valid as long as the table. */
bool sh_df_watch_missing(const struct sh_df_watch *w, struct sh_slice *feature, uint64_t *df);

/* Returns whether a common feature of the documents is not in the table. If so, sets the most
 * frequent of these features and the number of its documents. The feature is valid as long as w. */
bool sh_df_watch_absent(const struct sh_df_watch *w, struct sh_slice *feature, uint64_t *count);

#endif
