/* SPDX-License-Identifier: MIT */
/* The tokens of all documents of a corpus, as hashes of 32 bits, and the postings of their
 * seeds. */
#ifndef SH_PASSAGE_TEXTS_H
#define SH_PASSAGE_TEXTS_H

#include "passage/groups.h"
#include "passage/seeds.h"
#include "stream/corpus.h"

struct sh_texts {
	size_t n;     /* documents */
	uint64_t *at; /* by document: its first token; at[n]: the end */
	uint32_t *token;
	size_t at_cap, token_cap;
	uint64_t ill_formed;      /* ill-formed UTF-8 sequences, in all texts */
	struct sh_tables *tables; /* storage of the arrays; NULL: memory */
};

/* Called for a document that breaks a rule, with the reason in *err. Returns 0 to go on as if it
 * had no tokens. */
typedef int sh_texts_bad(void *arg, uint32_t document, struct sh_error *err);

struct sh_texts_opts {
	struct sh_token_opts token;
	struct sh_seed_opts seed;
	struct sh_sorter *seeds; /* gets the postings; NULL: tokens only */
	/* The token of a posting is the beginning of the first window whose minimum the k-gram is.
	 * The windows up to the next posting have this minimum. false: it is the k-gram's. */
	bool windows;
	bool strict;            /* a document with ill-formed UTF-8 goes to bad() */
	const uint64_t *wanted; /* documents without a bit get no tokens; NULL: all have a bit */
	unsigned jobs;
	sh_texts_bad *bad; /* NULL: goes on */
	void *arg;
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
