/* SPDX-License-Identifier: MIT */
/* The hash functions of features, as rows of one table (published/published.h).
 *
 * The hash of a feature has SH_FP_WORDS(bits) words of 64 bits, as a fingerprint has (see
 * record/fingerprint.h). A fingerprint uses the first `bits` bits of the words.
 *
 * No hash function fails, keeps state or reads bytes beyond the text. Threads may call them at the
 * same time. A hash depends only on the feature's text, the seed and the number of words. Hashes of
 * one word and of several words may be different functions. P_0 is the empty text, P_i is the
 * single byte i, and xy is x followed by y:
 *
 *   mix    lib/hash/mix.h. Word j is sh_mix_word(h, j); word 0 is the same at all widths.
 *   xxh3   one word: XXH3_64bits_withSeed(text). Several words: words 2i and 2i+1 are
 *          the high and low half of XXH3_128bits_withSeed(P_i text). With seed 0,
 *          `xxhsum -H2` prints words 0 and 1.
 *   md5    words 2i and 2i+1 are the digest of (P_i seed text) as `md5sum` prints
 *          it. The seed is 8 bytes, least significant first; seed 0 is no byte.
 *
 * xxh3, md5 and the hashes of published systems hash the text of an n-gram, with its single spaces.
 * Of the published hashes, jenkins and seomoz have a seed:
 *
 *   md5-last     the last bits of the digest, at most 128 (pysimhash)
 *   md5-nibbles  32 bits: the first bit of each hex digit of the digest (angelo)
 *   jenkins      64 bits: lookup3's hashlittle2 (yanyiwu)
 *   fnv1         64 bits: FNV-1, multiplication first (mfonda)
 *   gemantic     the last bits, at most 256, of x: x starts as the first UTF-16 unit << 7; for
 *                each unit u, the first too, x = (x * 1000003) ^ u; then x ^= number of units
 *   seomoz       64 bits: h starts as 0; for each part between single spaces
 *                h = rotl(h, 1) ^ jenkins(part); then the bits in reverse order
 *   sha1         64 bits: the first 8 bytes of SHA-1 as a little-endian number (datasketch)
 *   crc32c       64 bits, the first 32 bits 0: CRC-32C (ClickHouse)
 *   crc32c-joined  the crc32c of the text without its spaces */
#ifndef SH_HASH_HASH_H
#define SH_HASH_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "record/fingerprint.h"

struct sh_hash {
	const char *name;
	/* An n-gram's hash is composed from its tokens' hashes, and word 0 gives
	 * all words (mix.h). */
	bool composed;
	unsigned max_bits; /* of a fingerprint */
	/* Stores `words` words of the hash. */
	void (*feature)(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out);
	bool seedless; /* the seed is ignored */
	bool number;   /* feature() stores a number; a fingerprint uses its last `bits` bits */
	bool weak;     /* different features often have equal first words */
};

/* Stores the SH_FP_WORDS(bits) words of a feature's hash. bits: 1 to hash->max_bits. The first
 * `bits` bits count, also for hash->number. The other bits may be anything. */
void sh_hash_feature(
    const struct sh_hash *hash, struct sh_slice text, uint64_t seed, unsigned bits, uint64_t *out);

/* Functions for the table of hashes (published/published.h), which also has the functions of
 * published systems. */
void sh_hash_mix(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out);
void sh_hash_xxh3(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out);
void sh_hash_md5(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out);

#endif
