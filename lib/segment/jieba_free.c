/* SPDX-License-Identifier: MIT */
#include "segment/jieba_free.h"

#include <stdlib.h>

#include "base/buf.h"
#include "segment/jieba_dict.h"

/* Node numbers are below NODES_MAX: a trie of 16 bytes a node then has at most 2 GiB. */
#define NODES_MAX (UINT32_C(1) << 27)

void sh_free_nodes_free(struct sh_free_nodes *f)
{
	free(f->bits);
	*f = (struct sh_free_nodes){ 0 };
}

/* Adds one word of bits more than `at` needs, because window() reads two words. */
int sh_free_nodes_extend(struct sh_free_nodes *f, uint64_t at, struct sh_error *err)
{
	size_t want = (size_t)(at / 64 + 2);

	if (at >= NODES_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "dictionary too large");
	if (SH_RESERVE(f->bits, f->cap, want, err) < 0)
		return -1;
	while (f->n < want)
		f->bits[f->n++] = UINT64_MAX;
	return 0;
}

void sh_free_nodes_remove(struct sh_free_nodes *f, uint32_t at)
{
	f->bits[at / 64] &= ~(UINT64_C(1) << at % 64);
}

void sh_free_nodes_add(struct sh_free_nodes *f, uint32_t at)
{
	f->bits[at / 64] |= UINT64_C(1) << at % 64;
	if (at < f->first)
		f->first = at;
}

/* Returns the bits of nodes at .. at + 63. */
static inline uint64_t window(const struct sh_free_nodes *f, uint32_t at)
{
	const uint64_t *w = f->bits + at / 64;

	return w[0] >> at % 64 | w[1] << 1 << (63 - at % 64);
}

int sh_free_nodes_fit(
    struct sh_free_nodes *f, const uint32_t *codes, size_t n, uint32_t *base, struct sh_error *err)
{
	uint32_t at;
	uint64_t fit;

	if (f->first < SH_CODE_END)
		f->first = SH_CODE_END;
	/* Tries 64 bases in one step. Bit i of `fit` is 1 when base at + i - codes[0] fits: the
	 * nodes of all codes are in the set. */
	for (at = f->first;; at += 64) {
		if (sh_free_nodes_extend(f, (uint64_t)at + codes[n - 1] - codes[0] + 64, err) < 0)
			return -1;
		fit = window(f, at);
		if (fit == 0 && at == f->first)
			f->first += 64;
		for (size_t i = 1; i < n && fit; i++)
			fit &= window(f, at + codes[i] - codes[0]);
		if (fit)
			break;
	}
	*base = at + (uint32_t)__builtin_ctzll(fit) - codes[0];
	return 0;
}
