/* SPDX-License-Identifier: MIT */
/* Postings: which document has which key (match/keys.h).
 *
 * A posting is a record of the sorter (io/sorter.h). Its bytes order postings by column, then by
 * hash: those that agree in the first SH_POSTING_KEY bytes are a bucket. In a bucket the documents
 * that meet all come first, and both kinds are ordered by number: see bucket.h. */
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

#endif
