/* SPDX-License-Identifier: MIT */
/* Document frequencies: the number of documents that contain each feature.
 *
 * Counting is exact. Counts that fill the memory go to a sorter (io/sorter.h), between two
 * documents. The table is sorted bytewise. Its first line has the empty feature, the number of
 * documents, and the greatest number of words of a feature. The number of words distinguishes
 * tables of n-grams with different n. */
#ifndef SH_WEIGHT_DF_H
#define SH_WEIGHT_DF_H

#include "base/hmap.h"

/* Receives a table line by line. Returns 0 or -1. */
typedef int sh_df_emit(void *arg, struct sh_slice feature, uint64_t df, struct sh_error *err);

/* Counts documents by several threads:
 *
 *     sh_df_count_new(): each thread gets counters of its own
 *     sh_df_document(), sh_df_features()
 *     sh_df_count_finish()
 *     sh_df_count_emit() for each range, by any thread */
struct sh_df_count;
struct sh_df_counter;

/* memory: about the most bytes that all counters use together. Each counter uses at least 4 MiB,
 * and as much as its largest document needs. dir: the folder of temporary files, borrowed; NULL:
 * the default. */
struct sh_df_count *sh_df_count_new(
    unsigned counters, size_t memory, const char *dir, struct sh_error *err);
void sh_df_count_delete(struct sh_df_count *c);

/* Returns another counter; call it at most `counters` times. One thread at a time may use it. */
struct sh_df_counter *sh_df_counter(struct sh_df_count *c);

/* Begins a document. */
void sh_df_document(struct sh_df_counter *c);

/* Counts features of the document that was begun last. Repeated features of a document have no
 * effect. After a failure all further calls fail. */
int sh_df_features(
    struct sh_df_counter *c, const struct sh_slice *feature, size_t n, struct sh_error *err);

/* Sorts the counts of all counters, by as many threads. Call it after the last document. Sets the
 * number of documents; the words of the widest feature, 0 without features; and the number of
 * ranges of features. */
int sh_df_count_finish(struct sh_df_count *c, uint64_t *documents, uint64_t *words, size_t *ranges,
    struct sh_error *err);

/* Emits the features of one range in bytewise order. All features of a range are below the
 * features of the next range. Any thread may call it, once for each range. */
int sh_df_count_emit(
    const struct sh_df_count *c, size_t range, sh_df_emit *emit, void *arg, struct sh_error *err);

/* Receives the numbers of bytes and lines that were read from tables since the last call. */
typedef void sh_df_read(void *arg, uint64_t bytes, uint64_t lines);

/* Emits the sum of n tables, files that are sorted bytewise. An error names the first line out of
 * order. trailer: each table must have a trailer, which is checked (io/trailer.h). arg: for emit
 * and read. read may be NULL. Sets *words, before the first call of emit, to the greatest number of
 * words of a feature; 0: unknown. Tables with different numbers of words are an error, unless words
 * is NULL. */
int sh_df_merge(char *const *names, size_t n, bool trailer, sh_df_emit *emit, sh_df_read *read,
    void *arg, uint64_t *words, struct sh_error *err);

/* A bound on document frequencies: a number of documents, or a share of all documents in units of 1
 * / SH_DF_ALL, so that a percentage may have six decimals. */
enum { SH_DF_ALL = 100000000 };

struct sh_df_limit {
	bool given; /* false: no bound */
	bool share;
	uint64_t n; /* documents, or a share in units of 1 / SH_DF_ALL */
};

/* Parses a whole number, as "12", as documents; "0.5" or "50%", at most 1 or 100%, as a share.
 * SH_ERR_PARAM: another form. */
int sh_df_limit_parse(const char *text, struct sh_df_limit *limit, struct sh_error *err);

/* Returns false when *min is above *max, and both are documents or both are shares. */
bool sh_df_limits_agree(const struct sh_df_limit *min, const struct sh_df_limit *max);

/* Returns whether df is at least *min and at most *max. Shares are shares of `documents`, compared
 * exactly. */
bool sh_df_within(
    const struct sh_df_limit *min, const struct sh_df_limit *max, uint64_t df, uint64_t documents);

/* A table in memory. */
struct sh_df_table {
	struct sh_hmap features;
	uint64_t *df; /* by index of features */
	size_t cap;
	uint64_t documents;
	uint64_t words;   /* greatest number of words of a feature; 0: unknown */
	const char *name; /* of the file; borrowed */
	bool whole;       /* the line with the number of documents was read */
};

/* Initialises t from a file, whose lines may be in any order. trailer: the file must have a
 * trailer, which is checked. Free t also after a failure. */
int sh_df_table_load(struct sh_df_table *t, const char *name, bool trailer, struct sh_error *err);
void sh_df_table_free(struct sh_df_table *t);

/* Returns the document frequency of a feature; 0 when the table lacks it. */
uint64_t sh_df_lookup(const struct sh_df_table *t, struct sh_slice feature);

/* A table of inverse document frequencies made by another program. A line is a feature, one TAB or
 * space, and a decimal number, as in jieba's idf.txt; or the line is empty. */

struct sh_idf_table {
	struct sh_hmap features;
	int64_t *idf; /* millionths, by index of features */
	size_t cap;
	int64_t median; /* element n/2 of the n sorted values, for features that the table lacks */

	/* For systems whose fingerprints depend on doubles: */
	double *real;     /* the nearest double of each value, by index of features */
	double real_mean; /* their sum over all lines, in order, / lines: replaces the median */
	size_t real_cap;
	uint64_t lines;  /* with repeated features and empty lines */
	bool ill_formed; /* a feature is not UTF-8: most texts cannot have it */
};

/* Initialises t from a file. Rounds values to millionths, halves up. The last line of a repeated
 * feature is used. Free t also after a failure. */
int sh_idf_table_load(struct sh_idf_table *t, const char *name, struct sh_error *err);
void sh_idf_table_free(struct sh_idf_table *t);

/* Returns the value of a feature, or `absent`. */
int64_t sh_idf_lookup(const struct sh_idf_table *t, struct sh_slice feature, int64_t absent);
double sh_idf_real(const struct sh_idf_table *t, struct sh_slice feature, double absent);

#endif
