/* SPDX-License-Identifier: MIT */
/* Postings: which document has which key (match/keys.h).
 *
 * A posting is a record of the sorter (io/sorter.h). Its bytes order postings by column, then by
 * hash, then by document: those that agree in the first SH_POSTING_KEY bytes are a bucket. */
#ifndef SH_MATCH_POSTING_H
#define SH_MATCH_POSTING_H

#include "base/bytes.h"
#include "match/keys.h"

#define SH_NO_DOCUMENT UINT32_MAX

enum {
	SH_DOCUMENTS_BITS = 31,
	SH_POSTING_KEY = 6,   /* bytes: the column, and 5 of the hash */
	SH_POSTING_SIZE = 10, /* then the document and is_short, 4 bytes */
};

struct sh_key_posting {
	uint64_t hash;     /* below 2^SH_KEYS_BITS */
	uint32_t document; /* its number, below 2^SH_DOCUMENTS_BITS */
	uint8_t column;    /* below SH_COLUMNS */
	bool is_short;     /* see struct sh_doc_key */
};

/* Stores a posting as a record of SH_POSTING_SIZE bytes. */
static inline void sh_posting_pack(const struct sh_key_posting *p, char *record)
{
	uint64_t key = (uint64_t)p->column << SH_KEYS_BITS | p->hash;

	sh_put_be64(record, key << 16);
	sh_put_be32(record + SH_POSTING_KEY, p->document << 1 | p->is_short);
}

static inline struct sh_key_posting sh_posting_unpack(const char *record)
{
	uint64_t key = sh_be64(record) >> 16;
	uint32_t document = sh_be32(record + SH_POSTING_KEY);

	return (struct sh_key_posting){ key & ((UINT64_C(1) << SH_KEYS_BITS) - 1), document >> 1,
		(uint8_t)(key >> SH_KEYS_BITS), document & 1 };
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
