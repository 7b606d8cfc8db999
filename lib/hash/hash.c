#include "hash/hash.h"

/* Inlined: a call for each feature is expensive. The hash cannot change with the
 * installed library. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "base/rows.h"
#include "hash/md5.h"
#include "hash/md5_kernel.h"
#include "hash/mix.h"
#include "hash/published_hash.h"

static void mix(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
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

static void xxh3(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
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

static void md5(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
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

static void md5_many(
    const struct sh_slice *text, size_t n, uint64_t seed, unsigned words, uint64_t *out)
{
	const struct sh_md5_kernel *kernel = sh_md5_kernel_at(0);
	uint32_t state[SH_MD5_MANY][4];
	char head[9];
	size_t part;

	for (; n; n -= part, text += part, out += part * words) {
		part = n < SH_MD5_MANY ? n : SH_MD5_MANY;
		for (unsigned j = 0; j < words; j++) {
			if (j % 2 == 0)
				sh_md5_many(kernel, sh_slice(head, md5_head(j / 2, seed, head)),
				    text, part, state);
			for (size_t i = 0; i < part; i++)
				out[i * words + j] = sh_md5_half(state[i], j % 2);
		}
	}
}

static const struct sh_hash rows[] = {
	{ .name = "mix", .feature = mix, .max_bits = SH_FP_MAX_BITS, .composed = true },
	{ .name = "xxh3", .feature = xxh3, .max_bits = SH_FP_MAX_BITS },
	{ .name = "md5", .feature = md5, .features = md5_many, .max_bits = SH_FP_MAX_BITS },
	{ .name = "md5-last",
	    .feature = sh_hash_md5_last,
	    .features = sh_hash_md5_last_many,
	    .max_bits = 128,
	    .seedless = true,
	    .number = true },
	{ .name = "md5-nibbles",
	    .feature = sh_hash_md5_nibbles,
	    .features = sh_hash_md5_nibbles_many,
	    .max_bits = 32,
	    .seedless = true,
	    .weak = true },
	{ .name = "jenkins", .feature = sh_hash_jenkins, .max_bits = 64 },
	{ .name = "fnv1", .feature = sh_hash_fnv1, .max_bits = 64, .seedless = true },
	{ .name = "gemantic",
	    .feature = sh_hash_gemantic,
	    .max_bits = 256,
	    .seedless = true,
	    .number = true,
	    .weak = true },
	{ .name = "seomoz", .feature = sh_hash_seomoz, .max_bits = 64 },
	{ .name = "sha1",
	    .feature = sh_hash_sha1,
	    .max_bits = 64,
	    .seedless = true,
	    .number = true },
	{ .name = "crc32c",
	    .feature = sh_hash_crc32c,
	    .max_bits = 64,
	    .seedless = true,
	    .number = true,
	    .weak = true },
	{ .name = "crc32c-joined",
	    .feature = sh_hash_crc32c_joined,
	    .max_bits = 64,
	    .seedless = true,
	    .number = true,
	    .weak = true },
};

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

void sh_hash_features(const struct sh_hash *hash, const struct sh_slice *text, size_t n,
    uint64_t seed, unsigned bits, uint64_t *out)
{
	unsigned words = SH_FP_WORDS(bits), shift = words * 64 - bits;

	if (hash->features)
		hash->features(text, n, seed, words, out);
	for (size_t i = 0; i < n; i++) {
		if (!hash->features)
			hash->feature(text[i], seed, words, out + i * words);
		if (hash->number && shift)
			shift_left(out + i * words, words, shift);
	}
}

const struct sh_hash *sh_hash_at(unsigned i)
{
	return sh_row_at(SH_ROWS(rows), i);
}

const struct sh_hash *sh_hash_find(const char *name)
{
	return sh_row_find(SH_ROWS(rows), name);
}
