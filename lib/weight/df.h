/* Document frequencies: the number of documents that contain each feature.
 *
 * Counting is exact in bounded memory: when the counts fill it, they go to a temporary file as a sorted
 * run, and the runs are merged at the end. The resulting table is sorted bytewise. Its first line is the
 * empty feature with the number of documents, and the words of the widest feature. These words distinguish
 * tables of n-grams with different n. */
#ifndef SH_WEIGHT_DF_H
#define SH_WEIGHT_DF_H

#include "base/hmap.h"

/* Receives a table line by line. Returns 0 or -1. */
typedef int sh_df_emit(void *arg, struct sh_slice feature, uint64_t df, struct sh_error *err);

struct sh_df_counter;

/* memory: the most bytes to use, about; at least a few megabytes are used. dir: for temporary files; NULL:
 * the default. */
struct sh_df_counter *sh_df_counter_new(size_t memory, const char *dir, struct sh_error *err);
void sh_df_counter_delete(struct sh_df_counter *c);

/* Begins a document: the features that follow are its features. */
void sh_df_document(struct sh_df_counter *c);

/* Counts a feature of the document. Further occurrences in the document have no effect. */
int sh_df_feature(struct sh_df_counter *c, struct sh_slice feature, struct sh_error *err);

/* Returns the words of the widest feature so far; 0 before the first one. */
uint64_t sh_df_words(const struct sh_df_counter *c);

/* Emits the number of documents, then every feature in bytewise order. Call it once. */
int sh_df_finish(struct sh_df_counter *c, sh_df_emit *emit, void *arg, struct sh_error *err);

/* Receives the bytes and lines of the tables that were read since the last call. */
typedef void sh_df_read(void *arg, uint64_t bytes, uint64_t lines);

/* Adds up tables, which are read from files in table form, sorted bytewise; an error names the first line
 * out of order. trailer: each table has a trailer, which is checked (io/trailer.h). read may be NULL. Sets
 * *words before the first call of emit: the words of the widest feature, 0: not known. Tables with
 * different words are an error, unless words is NULL. */
int sh_df_merge(char *const *names, size_t n, bool trailer, sh_df_emit *emit, sh_df_read *read,
    void *arg, uint64_t *words, struct sh_error *err);

/* A bound on document frequencies: a number of documents, or a share of all documents. A share is counted
 * in parts of SH_DF_ALL: a percentage may have six decimals. */
enum { SH_DF_ALL = 100000000 };

struct sh_df_limit {
	bool given, share;
	uint64_t n; /* documents, or a share in parts of SH_DF_ALL */
};

/* Parses "12" (documents), "0.5" or "50%" (a share of them). */
int sh_df_limit_parse(const char *text, struct sh_df_limit *limit, struct sh_error *err);

/* Returns whether df is within both bounds. A missing bound allows all values. */
bool sh_df_within(
    const struct sh_df_limit *min, const struct sh_df_limit *max, uint64_t df, uint64_t documents);

/* A table in memory. */
struct sh_df_table {
	struct sh_hmap features;
	uint64_t *df;
	size_t cap;
	uint64_t documents;
	uint64_t words;   /* of the widest feature; 0: not known */
	const char *name; /* borrowed */
	bool whole;       /* the line with the number of documents was read */
};

/* Loads a table; its lines may be in any order. trailer: one line is a trailer, which is
 * checked. Free t also after a failure. */
int sh_df_table_load(struct sh_df_table *t, const char *name, bool trailer, struct sh_error *err);
void sh_df_table_free(struct sh_df_table *t);

/* Returns the document frequency of a feature; 0 when the table lacks it. */
uint64_t sh_df_lookup(const struct sh_df_table *t, struct sh_slice feature);

#endif
