/* SPDX-License-Identifier: MIT */
/* The bound on buckets: which documents of a bucket meet.
 *
 * A bucket is the documents that share a key, in the order of their ranks. A document meets at most
 * SH_BUCKET_FIRST + SH_BUCKET_NEAREST of the documents before it: the first of the bucket, which
 * stay, and the nearest before it. So a bucket of n documents makes at most 32 n pairs, whatever
 * the texts look like. The bound counts places: copies and dropped documents have a place, too.
 *
 * In the columns SH_COLUMN_FEATURE and SH_COLUMN_GRAM (keys.h) two documents that are not short do
 * not meet. The short documents come first in the bucket, because sorted key records have them
 * first (keyrecord.h). Both kinds are in the order of their ranks. A short document meets the short
 * documents before it, as above. A document that is not short meets the first SH_BUCKET_MOST short
 * ones, whether their ranks are lower or higher than its own.
 *
 * All programs that pair documents by keys have the bound from here. */
#ifndef SH_MATCH_BUCKET_H
#define SH_MATCH_BUCKET_H

#include <stddef.h>

enum {
	SH_BUCKET_FIRST = 16,
	SH_BUCKET_NEAREST = 16,
	SH_BUCKET_MOST = SH_BUCKET_FIRST + SH_BUCKET_NEAREST,
};

/* Returns how many of the `before` documents before it a document meets. */
static inline size_t sh_bucket_meets(size_t before)
{
	return before < SH_BUCKET_MOST ? before : SH_BUCKET_MOST;
}

/* Returns the place, 0 to before - 1, of document i of those that it meets. */
static inline size_t sh_bucket_place(size_t before, size_t i)
{
	return i < SH_BUCKET_FIRST || before <= SH_BUCKET_MOST
		   ? i
		   : before - SH_BUCKET_NEAREST + (i - SH_BUCKET_FIRST);
}

#endif
