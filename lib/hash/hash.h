/* The hash functions of features, as rows of one table.
 *
 * The hash of a feature has SH_FP_WORDS(bits) words, as a fingerprint has (see record/fingerprint.h). A
 * narrower fingerprint uses the first bits.
 *
 * Every function depends only on the feature's text, the seed and the number of words. The hash of one word
 * (up to 64 bits) and of several words may be different functions. With P_0 = nothing and P_i = the single
 * byte i:
 *
 *   mix    lib/hash/mix.h. Word j is sh_mix_word(h, j); word 0 is the same at all widths.
 *   xxh3   one word: XXH3_64bits_withSeed(text). More: words 2i and 2i+1 are the
 *          high and low half of XXH3_128bits_withSeed(P_i text). Without a seed
 *          `xxhsum -H2` prints words 0 and 1.
 *   md5    words 2i and 2i+1 are the digest of (P_i seed text) as `md5sum` prints
 *          it, where seed is 8 bytes, least significant first, or nothing if 0.
 *
 * xxh3 and md5 hash the text of an n-gram, with its single spaces. So do the hashes of published systems.
 * Most of them have no seed:
 *
 *   md5-last     the last bits of the digest, at most 128 (pysimhash)
 *   md5-nibbles  32 bits: the first bit of each hex digit of the digest (angelo)
 *   jenkins      64 bits: lookup3's hashlittle2, jenkins.h (yanyiwu)
 *   fnv1         64 bits: FNV-1, multiplication first (mfonda)
 *   gemantic     the last bits, at most 256, of x = u0 << 7; x = x * 1000003 ^ u for each
 *                UTF-16 unit u; x ^ their number
 *   seomoz       64 bits: h = rotl(h, 1) ^ jenkins(part) for each part between single
 *                spaces, the bits then in reverse order
 *   sha1         64 bits: the first 8 bytes of SHA-1 as a little-endian number (datasketch)
 *   crc32c       64 bits, the first 32 of them 0: CRC-32C that starts with all bits 1 and is not
 *                inverted at the end (ClickHouse)
 *   crc32c-joined  the crc32c of the text without its spaces */
#ifndef SH_HASH_HASH_H
#define SH_HASH_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "record/fingerprint.h"

struct sh_hash {
	const char *name;
	/* The hash of an n-gram is composed from the hashes of its tokens, and all words follow
	 * from the first word: the batch functions of mix.h apply. */
	bool composed;
	unsigned max_bits; /* widest fingerprint of this hash, in bits */
	void (*feature)(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out);
	/* Hashes n texts at once, faster than feature() and with the same results. SH_MIX_PADDING bytes
	 * beyond each text must be readable. NULL: there is no faster way. */
	void (*features)(
	    const struct sh_slice *text, size_t n, uint64_t seed, unsigned words, uint64_t *out);
	bool seedless; /* the seed is ignored */
	/* The hash is a number: a narrower fingerprint uses its last bits, not its first.
	 * feature() stores the last 64 * words bits. */
	bool number;
	/* Different features often share the first word. The high bits of gemantic are 0 for short texts; a
	 * CRC has 32 bits. */
	bool weak;
};

/* Stores the hash of a feature, for fingerprints of `bits` bits. */
void sh_hash_feature(
    const struct sh_hash *hash, struct sh_slice text, uint64_t seed, unsigned bits, uint64_t *out);

/* Stores the hashes of n features, one after the other. SH_MIX_PADDING bytes (mix.h) beyond each
 * text must be readable. */
void sh_hash_features(const struct sh_hash *hash, const struct sh_slice *text, size_t n,
    uint64_t seed, unsigned bits, uint64_t *out);

/* Returns the hash of this name, or NULL. */
const struct sh_hash *sh_hash_find(const char *name);

/* Returns row i, for lists of names; NULL after the last. */
const struct sh_hash *sh_hash_at(unsigned i);

#endif
