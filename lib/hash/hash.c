/* SPDX-License-Identifier: MIT */
#include "hash/hash.h"

/* Inlined: a call for each feature is expensive. The hash cannot change with the
 * installed library. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "hash/digest.h"
#include "hash/mix.h"

void sh_hash_mix(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	uint64_t h = sh_mix_feature(text, seed);
	unsigned j;

	for (j = 0; j < words; j++)
		out[j] = sh_mix_word(h, j);
}

/* Returns XXH3_128bits of the byte i followed by the text. */
static XXH128_hash_t xxh3_wide(unsigned char i, struct sh_slice text, uint64_t seed)
{
	XXH3_state_t state;

	XXH3_INITSTATE(&state);
	XXH3_128bits_reset_withSeed(&state, seed);
	XXH3_128bits_update(&state, &i, 1);
	XXH3_128bits_update(&state, text.p, text.n);
	return XXH3_128bits_digest(&state);
}

void sh_hash_xxh3(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	XXH128_hash_t h;
	unsigned j;

	if (words == 1) {
		out[0] = XXH3_64bits_withSeed(text.p, text.n, seed);
		return;
	}
	h = XXH3_128bits_withSeed(text.p, text.n, seed);
	for (j = 0; j < words; j += 2) {
		if (j)
			h = xxh3_wide((unsigned char)(j / 2), text, seed);
		out[j] = h.high64;
		if (j + 1 < words)
			out[j + 1] = h.low64;
	}
}

/* Stores the bytes before the text for words 2i and 2i + 1: P_i and the seed.
 * Returns their number. */
static size_t md5_head(unsigned i, uint64_t seed, char head[9])
{
	size_t n = 0;

	if (i)
		head[n++] = (char)i;
	if (seed) {
		sh_put_le64(head + n, seed);
		n += 8;
	}
	return n;
}

void sh_hash_md5(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	unsigned char d[SH_MD5_BYTES];
	char head[9];

	for (unsigned j = 0; j < words; j += 2) {
		sh_md5(sh_slice(head, md5_head(j / 2, seed, head)), text, d);
		out[j] = sh_be64(d);
		if (j + 1 < words)
			out[j + 1] = sh_be64(d + 8);
	}
}

/* Shifts the number in the words left by `shift` bits, so that its last bits become the first. */
static void shift_left(uint64_t *out, unsigned words, unsigned shift)
{
	for (unsigned i = 0; i < words; i++)
		out[i] = out[i] << shift | (i + 1 < words ? out[i + 1] >> (64 - shift) : 0);
}

void sh_hash_feature(
    const struct sh_hash *hash, struct sh_slice text, uint64_t seed, unsigned bits, uint64_t *out)
{
	unsigned words = SH_FP_WORDS(bits), shift = words * 64 - bits;

	hash->feature(text, seed, words, out);
	if (hash->number && shift)
		shift_left(out, words, shift);
}
