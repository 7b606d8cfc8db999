/* SPDX-License-Identifier: MIT */
/* Postings: which document has which key (match/keys.h).
 *
 * A posting is a record of the sorter (io/sorter.h). Its bytes order postings by column, then by
 * hash. A bucket is the documents that share a key: their postings agree in the first
 * SH_POSTING_KEY bytes. In a bucket the documents that meet all come first, and both kinds of
 * documents are ordered by number.
 *
 * The bound decides which documents of a bucket meet, in the order of their ranks. A document meets
 * at most SH_BUCKET_FIRST + SH_BUCKET_NEAREST of the documents before it: the first of the bucket,
 * which stay, and the nearest before it. So a bucket of n documents makes at most 32 n pairs,
 * whatever the texts look like. The bound counts places: copies and dropped documents have a place,
 * too.
 *
 * In the columns SH_COLUMN_FEATURE and SH_COLUMN_GRAM (keys.h) two documents that are not short do
 * not meet. The short documents come first in the bucket, because sorted key records begin with
 * them (keyrecord.h). Both kinds of documents are in the order of their ranks. A short document
 * meets the short documents before it, within the bound. A document that is not short meets the
 * first SH_BUCKET_MOST short documents, whether their ranks are lower or higher than its own.
 *
 * All programs that pair documents by keys have the bound from here. */
#ifndef SH_MATCH_POSTING_H
#define SH_MATCH_POSTING_H

#include "base/bytes.h"
#include "match/keys.h"

enum {
	SH_DOCUMENTS_BITS = 31, /* document numbers are below 2^SH_DOCUMENTS_BITS */
	SH_POSTING_KEY = 6,     /* bytes: the column, and 5 of the hash */
	SH_POSTING_SIZE = 10,   /* then !meets_all in 1 bit, and the document */
};

/* Stores a posting as a record of SH_POSTING_SIZE bytes. */
static inline void sh_posting_pack(const struct sh_doc_key *p, char *record)
{
	uint64_t key = (uint64_t)p->column << SH_KEYS_BITS | p->hash;

	sh_put_be64(record, key << 16);
	sh_put_be32(
	    record + SH_POSTING_KEY, (uint32_t)!p->meets_all << SH_DOCUMENTS_BITS | p->document);
}

static inline struct sh_doc_key sh_posting_unpack(const char *record)
{
	uint64_t key = sh_be64(record) >> 16;
	uint32_t document = sh_be32(record + SH_POSTING_KEY);

	return (struct sh_doc_key){ key & ((UINT64_C(1) << SH_KEYS_BITS) - 1),
		document & ((UINT32_C(1) << SH_DOCUMENTS_BITS) - 1), (uint8_t)(key >> SH_KEYS_BITS),
		!(document >> SH_DOCUMENTS_BITS) };
}

/* Returns the number of postings of the bucket that begins at `record`, of n that follow there. */
static inline size_t sh_posting_bucket(const char *record, size_t n)
{
	uint64_t key = sh_be64(record) >> 16;
	size_t i = 1;

	while (i < n && sh_be64(record + i * SH_POSTING_SIZE) >> 16 == key)
		i++;
	return i;
}

/* ---- the bound ---- */

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

/* Returns the place, 0 to before - 1, of the document that a document meets as number i. */
static inline size_t sh_bucket_place(size_t before, size_t i)
{
	return i < SH_BUCKET_FIRST || before <= SH_BUCKET_MOST
		   ? i
		   : before - SH_BUCKET_NEAREST + (i - SH_BUCKET_FIRST);
}

#endif
