/* SPDX-License-Identifier: MIT */
#include "fp/compose.h"

#include "hash/mix.h"

void sh_compose_words(const struct sh_mix_kernel *mix, const struct sh_tokens *t,
    struct sh_ngrams range, uint64_t mixed_seed, uint64_t *token, uint64_t *out)
{
	if (range.max == 1) { /* each word is an n-gram */
		mix->tokens(t->text, t->start, t->end, t->n, mixed_seed, out);
		return;
	}
	mix->tokens(t->text, t->start, t->end, t->n, mixed_seed, token);
	for (unsigned n = 1; n <= sh_ngrams_lead(range); n++)
		*out++ = sh_mix_ngram(token, n);
	for (unsigned n = range.min; n <= range.max; n++)
		out += mix->ngrams(token, t->n, n, out);
}

static uint64_t hash_one(const struct sh_tokens *t, size_t i, unsigned n, uint64_t mixed_seed)
{
	return sh_mix_token_padded(
	    t->text + t->start[i], t->end[i + n - 1] - t->start[i], mixed_seed);
}

/* Returns the first token from i on that is longer than one byte. */
static size_t end_of_bytes(const struct sh_tokens *t, size_t i)
{
	if (t->end[t->n - 1] - t->start[i] == t->n - i)
		return t->n;
	while (i < t->n && t->end[i] - t->start[i] == 1)
		i++;
	return i;
}

/* Hashes all n-grams of n characters: in windows over characters of one byte,
 * and one by one elsewhere. */
static void hash_chars(const struct sh_mix_kernel *mix, const struct sh_tokens *t, unsigned n,
    uint64_t mixed_seed, uint64_t *out)
{
	size_t count = t->n - n + 1;

	for (size_t i = 0; i < count;) {
		size_t stop = end_of_bytes(t, i);

		if (stop - i >= n) {
			mix->windows(
			    t->text + t->start[i], stop - i - n + 1, n, mixed_seed, out + i);
			i = stop - n + 1;
		}
		for (; i < count && i <= stop; i++)
			out[i] = hash_one(t, i, n, mixed_seed);
	}
}

void sh_compose_chars(const struct sh_mix_kernel *mix, const struct sh_tokens *t,
    struct sh_ngrams range, uint64_t mixed_seed, uint64_t *out)
{
	for (unsigned n = 1; n <= sh_ngrams_lead(range); n++)
		*out++ = hash_one(t, 0, n, mixed_seed);
	for (unsigned n = range.min; n <= range.max; n++) {
		if (n <= SH_MIX_WINDOW_MAX)
			hash_chars(mix, t, n, mixed_seed, out);
		else
			for (size_t i = 0; i + n <= t->n; i++)
				out[i] = hash_one(t, i, n, mixed_seed);
		out += t->n - n + 1;
	}
}
