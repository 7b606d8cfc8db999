#include "fp/hash.h"

/* Compiled in: one call a feature is dear, and no library version can differ. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "fp/md5.h"
#include "fp/mix.h"
#include "fp/published_hash.h"

static void mix(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	uint64_t h = sh_mix_feature(text, seed);
	unsigned j;

	for (j = 0; j < words; j++)
		out[j] = sh_mix_word(h, j);
}

/* XXH3_128bits of the byte i and the text. */
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

static void md5(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	unsigned char d[SH_MD5_BYTES];
	char head[9];
	size_t n;
	unsigned j;

	for (j = 0; j < words; j += 2) {
		n = 0;
		if (j)
			head[n++] = (char)(j / 2);
		if (seed) {
			sh_put_le64(head + n, seed);
			n += 8;
		}
		sh_md5(sh_slice(head, n), text, d);
		out[j] = sh_be64(d);
		if (j + 1 < words)
			out[j + 1] = sh_be64(d + 8);
	}
}

static const struct sh_hash rows[] = {
	{ "mix", true, SH_FP_MAX_BITS, mix, .slow = false },
	{ "xxh3", false, SH_FP_MAX_BITS, xxh3, .slow = false },
	{ "md5", false, SH_FP_MAX_BITS, md5, .slow = true },
	{ "md5-last", false, 128, sh_hash_md5_last, .slow = true, .seedless = true,
	    .number = true },
	{ "md5-nibbles", false, 32, sh_hash_md5_nibbles, .slow = true, .seedless = true,
	    .weak = true },
	{ "jenkins", false, 64, sh_hash_jenkins, .slow = false },
	{ "fnv1", false, 64, sh_hash_fnv1, .seedless = true },
	{ "gemantic", false, 256, sh_hash_gemantic, .seedless = true, .number = true,
	    .weak = true },
	{ "seomoz", false, 64, sh_hash_seomoz, .slow = false },
};

void sh_hash_feature(
    const struct sh_hash *hash, struct sh_slice text, uint64_t seed, unsigned bits, uint64_t *out)
{
	unsigned words = SH_FP_WORDS(bits), shift = words * 64 - bits;

	hash->feature(text, seed, words, out);
	for (unsigned i = 0; hash->number && shift && i < words; i++)
		out[i] = out[i] << shift | (i + 1 < words ? out[i + 1] >> (64 - shift) : 0);
}

const struct sh_hash *sh_hash_at(unsigned i)
{
	return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

const struct sh_hash *sh_hash_find(const char *name)
{
	const struct sh_hash *row;
	unsigned i;

	for (i = 0; (row = sh_hash_at(i)); i++)
		if (strcmp(row->name, name) == 0)
			return row;
	return NULL;
}
