/* SPDX-License-Identifier: MIT */
/* Computes spans from hits: the passages that one document shares with others.
 *
 * Hits are extended to maximal exact matches. Matches of one pair of documents that follow each
 * other on nearby diagonals form a chain (as in minimap2: Li 2018). The tokens between its matches
 * are compared. Its ends are extended over differences until these outweigh the matches
 * (x-drop). */
#ifndef SH_PASSAGE_MATCH_H
#define SH_PASSAGE_MATCH_H

#include "passage/texts.h"

struct sh_span {
	uint32_t document; /* the other document */
	uint32_t from, to; /* tokens from .. to-1 of this document */
	uint32_t at, end;  /* tokens at .. end-1 of the other document */
	/* Tokens in common, in the same order: at most the longest common subsequence. */
	uint32_t matched;
};

/* Returns matched tokens / tokens of the longer side, in millionths. */
uint64_t sh_span_identity(const struct sh_span *s);

/* Default of `merge` where spans are not cut out of documents. */
enum { SH_MATCH_MERGE = 60 };

struct sh_match_opts {
	/* hits that match fewer tokens are dropped: only their hashes are equal */
	unsigned shortest;
	uint32_t least;    /* least number of matched tokens of a span */
	uint64_t identity; /* least identity of a span, in millionths */
	/* spans of a pair at most this number of tokens apart in both documents are merged; 0: none
	 * are */
	uint32_t merge;
	bool drop_covered; /* drop a span when better spans cover all its tokens of this document */
};

struct sh_matcher;

struct sh_matcher *sh_matcher_new(const struct sh_match_opts *opts, struct sh_error *err);
void sh_matcher_delete(struct sh_matcher *m);

/* Returns the tokens of a document. */
typedef struct sh_token_hashes sh_tokens_fn(const void *arg, uint32_t document);

/* Begins a document with these tokens, which are borrowed, and forgets all hits. */
void sh_matcher_begin(
    struct sh_matcher *m, struct sh_token_hashes side, sh_tokens_fn *other, const void *arg);

struct sh_match {
	uint32_t from, n; /* tokens of this document */
};

/* Adds a hit: token `token` of this document and token `at` of the other one begin the same seed.
 * Sets *match to the exact match around it; it has 0 tokens when only the hashes are equal. */
int sh_matcher_hit(struct sh_matcher *m, uint32_t document, uint32_t token, uint32_t at,
    struct sh_match *match, struct sh_error *err);

/* Computes the spans of all hits, ordered by document, from, at. They are valid until the next
 * begin, and the caller may change them. */
int sh_matcher_spans(struct sh_matcher *m, struct sh_span **spans, size_t *n, struct sh_error *err);

/* Returns how many tokens from a[i] and b[j] on are equal. */
uint32_t sh_match_forward(
    struct sh_token_hashes a, uint32_t i, struct sh_token_hashes b, uint32_t j);
/* Returns how many tokens before a[i] and b[j] are equal, from the last one backwards. */
uint32_t sh_match_backward(
    struct sh_token_hashes a, uint32_t i, struct sh_token_hashes b, uint32_t j);

#endif
