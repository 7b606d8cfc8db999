/* SPDX-License-Identifier: MIT */
/* Functions for the tests of passages: texts of random words, without a corpus. */
#ifndef PASSAGE_UTIL_H
#define PASSAGE_UTIL_H

#include <stdlib.h>

#include "base/buf.h"
#include "passage/texts.h"
#include "rng.h"
#include "tap.h"

/* Adds a document of these tokens. */
static inline void add_document(struct sh_texts *t, const uint32_t *token, size_t n)
{
	struct sh_error err;

	must(t->n + 2 <= t->at_cap ||
	     sh_grow((void **)&t->at, &t->at_cap, t->n + 2, sizeof *t->at, &err) == 0);
	if (t->n == 0)
		t->at[0] = 0;
	must(t->at[t->n] + n + 1 <= t->token_cap ||
	     sh_grow((void **)&t->token, &t->token_cap, (size_t)t->at[t->n] + n + 1,
		 sizeof *t->token, &err) == 0);
	if (n)
		memcpy(t->token + t->at[t->n], token, n * sizeof *token);
	t->at[t->n + 1] = t->at[t->n] + n;
	t->n++;
}

/* Adds documents of random tokens with passages of earlier documents. There are `alphabet`
 * different tokens. */
static inline void add_random_documents(
    struct sh_texts *t, size_t documents, size_t longest, uint32_t alphabet)
{
	uint32_t *token = malloc((longest + 1) * sizeof *token);

	must(token != NULL);
	for (size_t d = 0; d < documents; d++) {
		size_t n = rng_below(longest + 1), i = 0;

		while (i < n) {
			size_t all = t->n ? (size_t)t->at[t->n] : 0, run = 1 + rng_below(longest);
			size_t from = all ? rng_below(all) : 0;

			if (run > n - i)
				run = n - i;
			if (run > all - from || rng() & 1) {
				token[i++] = (uint32_t)rng_below(alphabet);
				continue;
			}
			memcpy(token + i, t->token + from, run * sizeof *token);
			i += run;
		}
		add_document(t, token, n);
	}
	free(token);
}

/* Returns whether hash i is the rightmost least one of the window. */
static inline bool is_minimum(const uint64_t *hash, size_t n, size_t from, size_t window, size_t i)
{
	bool least = from <= i && i < from + window;

	for (size_t j = from; least && j < from + window && j < n; j++)
		least = j > i ? hash[j] > hash[i] : hash[j] >= hash[i];
	return least;
}

/* Adds the seeds of k tokens as postings: all of them, or minimizers. Finds the windows of a
 * posting by looking at each window. */
static inline void add_postings(
    const struct sh_texts *t, unsigned k, size_t window, struct sh_sorter *postings)
{
	struct sh_error err;

	for (uint32_t d = 0; d < t->n; d++) {
		struct sh_token_hashes side = sh_texts_tokens(t, d);
		size_t n = side.n < k ? 0 : side.n - k + 1, picked;
		uint64_t *hash = malloc((n + 1) * sizeof *hash);
		uint32_t *first = malloc((n + 1) * sizeof *first);

		must(hash && first);
		for (size_t i = 0; i < n; i++) {
			hash[i] = 0;
			for (unsigned j = 0; j < k; j++)
				hash[i] =
				    (hash[i] ^ side.token[i + j]) * UINT64_C(0x9E3779B97F4A7C15) +
				    1;
			hash[i] ^= hash[i] >> 29;
			hash[i] *= UINT64_C(0xBF58476D1CE4E5B9);
		}
		picked = sh_minimizers(hash, n, window, first);
		for (size_t i = 0; i < picked; i++) {
			struct sh_posting p = { hash[first[i]], d, first[i], 0 };
			size_t at = first[i] < window ? 0 : first[i] + 1 - window;

			/* The windows that have the k-gram as their minimum follow each other. */
			for (; postings->size == SH_POSTING_WINDOWS && at <= first[i] &&
			       at + window <= n;
			     at++)
				if (is_minimum(hash, n, at, window, first[i])) {
					p.token = p.windows ? p.token : (uint32_t)at;
					p.windows++;
				}
			must(sh_postings_add(postings, &p, &err) == 0);
		}
		free(hash);
		free(first);
	}
}

#endif
