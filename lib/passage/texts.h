/* SPDX-License-Identifier: MIT */
/* The tokens of all documents of a corpus, as hashes of 32 bits, and the postings of their
 * seeds. */
#ifndef SH_PASSAGE_TEXTS_H
#define SH_PASSAGE_TEXTS_H

#include "base/bytes.h"
#include "io/sorter.h"
#include "passage/seeds.h"
#include "stream/corpus.h"

/* A seed occurs in this document, at this token. */
struct sh_posting {
	uint64_t key;
	uint32_t document, token;
	/* The token is the beginning of a window of k-grams whose minimum is the seed, and this is
	 * the number of successive windows for which this is true. In SH_POSTING_WINDOWS only. */
	uint32_t windows;
};

/* Sizes of the records of a sorter: of postings, and of postings with windows. Records are in the
 * order of key, document and token. */
enum { SH_POSTING_KEY_SIZE = 8, SH_POSTING_PLAIN = 16, SH_POSTING_WINDOWS = 20 };

/* Prepares a sorter for postings, see struct sh_sorter. size: of its records. */
void sh_postings_init(
    struct sh_sorter *s, size_t size, size_t memory, unsigned jobs, const char *dir);
int sh_postings_add(struct sh_sorter *s, const struct sh_posting *p, struct sh_error *err);

static inline struct sh_posting sh_posting_at(const struct sh_sorter *s, const char *record)
{
	return (struct sh_posting){ sh_be64(record), sh_be32(record + SH_POSTING_KEY_SIZE),
		sh_be32(record + SH_POSTING_KEY_SIZE + 4),
		s->size == SH_POSTING_WINDOWS ? sh_be32(record + SH_POSTING_PLAIN) : 0 };
}

/* Returns the number of the n records from `record` on that have its key. */
size_t sh_postings_group(const struct sh_sorter *s, const char *record, size_t n);

struct sh_texts {
	size_t n;     /* documents */
	uint64_t *at; /* by document: its first token; at[n]: the end */
	uint32_t *token;
	size_t at_cap, token_cap;
	uint64_t ill_formed;      /* ill-formed UTF-8 sequences, in all texts */
	struct sh_tables *tables; /* storage of the arrays; NULL: memory */
};

/* Called for the line of a document that breaks a rule, with the reason. Returns 0 to go on as if
 * it had no tokens, or -1. */
typedef int sh_texts_bad(void *arg, struct sh_slice line, const struct sh_error *err);

struct sh_texts_opts {
	struct sh_token_opts token;
	struct sh_seed_opts seed;
	struct sh_sorter *postings; /* gets the postings of the seeds; NULL: tokens only */
	const uint64_t *wanted; /* documents without a bit get no tokens; NULL: all have a bit */
	sh_texts_bad *bad;      /* gets the documents with ill-formed UTF-8; NULL: they are good */
	void *arg;
	unsigned jobs;
};

/* t is zeroed but for `tables`. The texts are the same for any number of jobs. */
int sh_texts_load(struct sh_texts *t, const struct sh_corpus *corpus,
    const struct sh_texts_opts *opts, struct sh_error *err);
void sh_texts_free(struct sh_texts *t);

/* The tokens of a document, as hashes of 32 bits; borrowed. */
struct sh_token_hashes {
	const uint32_t *token;
	size_t n;
};

static inline struct sh_token_hashes sh_texts_tokens(const struct sh_texts *t, uint32_t document)
{
	return (struct sh_token_hashes){ t->token + t->at[document],
		(size_t)(t->at[document + 1] - t->at[document]) };
}

#endif
