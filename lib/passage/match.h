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

/* others: the documents that hits name; borrowed. */
struct sh_matcher *sh_matcher_new(
    const struct sh_match_opts *opts, const struct sh_texts *others, struct sh_error *err);
void sh_matcher_delete(struct sh_matcher *m);

/* Begins a document with these tokens, which are borrowed, and forgets all hits. */
void sh_matcher_begin(struct sh_matcher *m, struct sh_token_hashes side);

/* Adds a hit: token `token` of this document and token `at` of the other one begin the same seed.
 * The exact match around it has the tokens *from .. *to-1 of this document; none when only the
 * hashes are equal. */
int sh_matcher_hit(struct sh_matcher *m, uint32_t document, uint32_t token, uint32_t at,
    uint32_t *from, uint32_t *to, struct sh_error *err);

/* Computes the spans of all hits, ordered by document, from, at. They are valid until the next
 * begin, and the caller may change them. */
int sh_matcher_spans(struct sh_matcher *m, struct sh_span **spans, size_t *n, struct sh_error *err);

/* Compares spans for qsort(): those that match more tokens come first; of equal ones by document,
 * from, at, and the longer ones first. */
int sh_span_by_matched(const void *x, const void *y);

/* Returns how many tokens from a[i] and b[j] on are equal. */
uint32_t sh_match_forward(
    struct sh_token_hashes a, uint32_t i, struct sh_token_hashes b, uint32_t j);
/* Returns how many tokens before a[i] and b[j] are equal, from the last one backwards. */
uint32_t sh_match_backward(
    struct sh_token_hashes a, uint32_t i, struct sh_token_hashes b, uint32_t j);

/* ---- the parts of an alignment between and beyond the exact matches ---- */

enum {
	/* the most tokens by which the two sides may shift against each other */
	SH_EXTEND_BAND = 5,
	/* an extension ends when its score is at least this much below its best score */
	SH_EXTEND_DROP = 10,
	/* The most tokens of an extension: FEW, and four for each matched token of the span, but at
	 * most MAX. Without a limit, text of few distinct tokens would be extended without end. */
	SH_EXTEND_FEW = 24,
	SH_EXTEND_MAX = 128,
	SH_COMMON_MAX = 64, /* most tokens on a side for which sh_common() aligns */
};

/* Returns the number of tokens that both stretches have in common, in order. This is the number of
 * matches on the diagonal when it is at least half of the tokens; otherwise the length of the
 * longest common subsequence. Stretches of more than SH_COMMON_MAX tokens are compared on the
 * diagonal only. */
uint32_t sh_common(const uint32_t *a, size_t n, const uint32_t *b, size_t m);

/* Extends the span at both ends, and adds to span->matched. a: tokens of this document, b: of the
 * other one. A match scores 1, a difference -1. */
void sh_extend(struct sh_span *span, struct sh_token_hashes a, struct sh_token_hashes b);

#endif
