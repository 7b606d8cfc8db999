/* SPDX-License-Identifier: MIT */
/* The default hash: fast for tokens of at most 16 bytes. An n-gram's hash is one multiplication per
 * token on the hashes of its tokens, so the n-gram's text is never built.
 *
 * The hash never changes: t/vectors/mix.tsv has its values, t/vectors/mix.py its definition in
 * another language. All arithmetic is modulo 2^64, all loads are little-endian.
 *
 *   mixed seed         seed ? moremur(seed) : 0
 *   token of n bytes   acc = 0; while more than 16 bytes are left, take the next 16:
 *                      acc = moremur(acc ^ fold(a, b)), a and b are the two halves of the 16;
 *                      then a and b are the last 0..16 bytes, padded with zeros:
 *                      h = moremur(acc ^ fold(a, b) ^ n * GOLDEN ^ mixed seed)
 *   fold(a, b)         a ^ rotl(b * 0x9FB21C651E98DF25, 32)
 *   n-gram, n >= 2     c = h1; c = c * 0xD6E8FEB86659FD93 + h(i) for i = 2..n;
 *                      g = (c ^ c >> 32) * 0xAEF17502108EF2D9; h = g ^ g >> 29
 *   feature text       split at each single space into tokens, which may be empty;
 *                      one token: its hash; several: the hash of their n-gram
 *   word j of a hash   j ? moremur(h + j * GOLDEN) : h
 *
 * moremur is Pelle Evensen's mixer (2018), GOLDEN is 0x9E3779B97F4A7C15. The other factors are odd
 * numbers whose ones and zeros look random. The hash does not resist
 * an adversary: two texts with one hash are easy to construct. */
#ifndef SH_HASH_MIX_H
#define SH_HASH_MIX_H

#include "base/bytes.h"
#include "base/slice.h"
#include "base/variant.h"

/* Bytes beyond a token that must be readable, where a function says so. Their
 * values are ignored. */
#define SH_MIX_PADDING 16

/* 2^64 divided by the golden ratio. */
#define SH_MIX_GOLDEN UINT64_C(0x9E3779B97F4A7C15)

static inline uint64_t sh_mix_moremur(uint64_t x)
{
	x ^= x >> 27;
	x *= UINT64_C(0x3C79AC492BA7B653);
	x ^= x >> 33;
	x *= UINT64_C(0x1C69B3F74AC4AE35);
	return x ^ x >> 27;
}

static inline uint64_t sh_mix_fold(uint64_t a, uint64_t b)
{
	return a ^ sh_rotl64(b * UINT64_C(0x9FB21C651E98DF25), 32);
}

/* Returns the mixed seed. Compute it once. */
static inline uint64_t sh_mix_seed(uint64_t seed)
{
	return seed ? sh_mix_moremur(seed) : 0;
}

/* Returns the hash of a token of `total` bytes. a and b are its last 0..16
 * bytes, padded with zeros. */
static inline uint64_t sh_mix_last(
    uint64_t acc, uint64_t a, uint64_t b, size_t total, uint64_t mixed_seed)
{
	return sh_mix_moremur(acc ^ sh_mix_fold(a, b) ^ total * SH_MIX_GOLDEN ^ mixed_seed);
}

/* Stores the n <= 16 bytes at p as two words of 64 bits, padded with zeros, without a
 * branch. Reads 16 bytes. */
static inline void sh_mix_words(const char *p, size_t n, uint64_t *a, uint64_t *b)
{
	/* keep[i]: the first i - 8 bytes of a word */
	static const uint64_t keep[25] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xffff, 0xffffff,
		0xffffffff, UINT64_MAX >> 24, UINT64_MAX >> 16, UINT64_MAX >> 8, UINT64_MAX,
		UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX,
		UINT64_MAX };

	*a = sh_le64(p) & keep[n + 8];
	*b = sh_le64(p + 8) & keep[n];
}

/* Returns the hash of a token of n bytes. SH_MIX_PADDING bytes beyond the token must be readable.
 * Has no branch for tokens of at most 16 bytes. */
static inline uint64_t sh_mix_token_padded(const char *p, size_t n, uint64_t mixed_seed)
{
	uint64_t acc = 0, a, b;
	size_t left = n;

	for (; left > 16; left -= 16, p += 16)
		acc = sh_mix_moremur(acc ^ sh_mix_fold(sh_le64(p), sh_le64(p + 8)));
	sh_mix_words(p, left, &a, &b);
	return sh_mix_last(acc, a, b, n, mixed_seed);
}

/* Returns the hash of a token. Reads no byte beyond the token. */
uint64_t sh_mix_token(struct sh_slice token, uint64_t mixed_seed);

/* Sets h[i] to the hash of the bytes start[i] .. end[i] - 1 of text, for n ranges. Ranges may
 * overlap. SH_MIX_PADDING bytes beyond each range must be readable. */
void sh_mix_tokens(const char *text, const uint32_t *start, const uint32_t *end, size_t n,
    uint64_t mixed_seed, uint64_t *restrict h);

/* Adds the hash h of one more token to the state c of an n-gram. */
static inline uint64_t sh_mix_step(uint64_t c, uint64_t h)
{
	return c * UINT64_C(0xD6E8FEB86659FD93) + h;
}

/* Returns the hash of an n-gram of n >= 2 tokens from its state. */
static inline uint64_t sh_mix_finish(uint64_t c)
{
	c = (c ^ c >> 32) * UINT64_C(0xAEF17502108EF2D9);
	return c ^ c >> 29;
}

/* Returns the hash of one n-gram from n >= 1 token hashes. */
static inline uint64_t sh_mix_ngram(const uint64_t *h, size_t n)
{
	uint64_t c = h[0];
	size_t i;

	for (i = 1; i < n; i++)
		c = sh_mix_step(c, h[i]);
	return n > 1 ? sh_mix_finish(c) : c;
}

/* Stores the hashes of all n-grams of n >= 1 tokens, in order. h has `tokens` token hashes. Returns
 * the number of n-grams: tokens - n + 1, or 0 when tokens < n. */
size_t sh_mix_ngrams(const uint64_t *restrict h, size_t tokens, size_t n, uint64_t *restrict out);

/* Returns word j, from 0, of the hash whose word 0 is h. */
static inline uint64_t sh_mix_word(uint64_t h, unsigned j)
{
	return j ? sh_mix_moremur(h + j * SH_MIX_GOLDEN) : h;
}

/* Returns word 0 of a feature's hash from its text and the seed, not the mixed seed. */
uint64_t sh_mix_feature(struct sh_slice text, uint64_t seed);

/* Kernels for loops over many hashes. All kernels give the hashes of sh_mix_token() and
 * sh_mix_ngram(): t/unit/test_variants.c compares them. */
struct sh_mix_kernel {
	struct sh_variant variant;
	/* See sh_mix_tokens(). */
	void (*tokens)(const char *text, const uint32_t *start, const uint32_t *end, size_t n,
	    uint64_t mixed_seed, uint64_t *restrict h);
	/* Sets h[i] to the hash of the token text[i] .. text[i + width - 1], for n windows. width
	 * is 1 .. SH_MIX_WINDOW_MAX bytes. SH_PAD bytes beyond the last window must be readable. */
	void (*windows)(
	    const char *text, size_t n, size_t width, uint64_t mixed_seed, uint64_t *restrict h);
	/* See sh_mix_ngrams(). */
	size_t (*ngrams)(
	    const uint64_t *restrict h, size_t tokens, size_t n, uint64_t *restrict out);
	/* Sets out[i] to sh_mix_word(h[i], j), for n hashes; j >= 1. */
	void (*words)(const uint64_t *restrict h, size_t n, unsigned j, uint64_t *restrict out);
};

enum { SH_MIX_WINDOW_MAX = 16 };

/* Returns kernel i of the kernels that this machine can run, the fastest first;
 * NULL after the last. */
const struct sh_mix_kernel *sh_mix_kernel_at(unsigned i);

#endif
