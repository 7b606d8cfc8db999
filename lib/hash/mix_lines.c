#include "hash/mix_lines.h"

#include "hash/mix.h"

/* Composes the hashes of lines of n tokens each. Inlined with a constant n, which unrolls
 * sh_mix_ngram(). */
static inline void compose_even(uint64_t *h, size_t lines, size_t n)
{
	for (size_t i = 0; i < lines; i++)
		h[i] = sh_mix_ngram(h + i * n, n);
}

/* Replaces token hashes by line hashes. The hash of line i is stored at or before the hashes of its
 * tokens, so it overwrites no hash that is still needed. */
static void compose_lines(uint64_t *h, const uint32_t *token, size_t lines)
{
	uint32_t unequal = 0;

	for (size_t i = 0; i < lines; i++)
		unequal |= (token[i + 1] - token[i]) ^ token[1];
	if (unequal)
		for (size_t i = 0; i < lines; i++)
			h[i] = sh_mix_ngram(h + token[i], token[i + 1] - token[i]);
	else if (token[1] == 3)
		compose_even(h, lines, 3);
	else if (token[1] > 1)
		compose_even(h, lines, token[1]);
}

void sh_mix_lines(const struct sh_mix_kernel *kernel, const struct sh_feature_lines *l, size_t n,
    uint64_t mixed_seed, uint64_t *hash)
{
	kernel->tokens(l->base, l->start, l->end, l->token[n], mixed_seed, hash);
	compose_lines(hash, l->token, n);
}
