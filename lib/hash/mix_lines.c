/* SPDX-License-Identifier: MIT */
#include "hash/mix_lines.h"

#include "hash/mix.h"

void sh_mix_lines(const struct sh_mix_kernel *kernel, const struct sh_feature_lines *l, size_t n,
    uint64_t mixed_seed, uint64_t *hash)
{
	kernel->tokens(l->base, l->start, l->end, l->token[n], mixed_seed, hash);
	/* The hash of line i is stored at or before the hashes of its tokens, so it overwrites no
	 * hash that is still needed. */
	for (size_t i = 0; i < n; i++)
		hash[i] = sh_mix_ngram(hash + l->token[i], l->token[i + 1] - l->token[i]);
}
