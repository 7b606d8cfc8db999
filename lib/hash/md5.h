/* MD5 (RFC 1321), for published fingerprints and even distribution, not for security. */
#ifndef SH_HASH_MD5_H
#define SH_HASH_MD5_H

#include <stdint.h>

#include "base/slice.h"

struct sh_md5_kernel;

#define SH_MD5_BYTES 16

/* A number of texts for which a call of sh_md5_many() is efficient. Any number is allowed. */
enum { SH_MD5_MANY = 128 };

/* Stores the digest of head followed by text. Either may be empty. */
void sh_md5(struct sh_slice head, struct sh_slice text, unsigned char digest[SH_MD5_BYTES]);

/* Sets state[i] to the digest of head followed by text[i]: four words, least significant byte
 * first. SH_MIX_PADDING bytes (mix.h) beyond each text must be readable. */
void sh_md5_many(const struct sh_md5_kernel *kernel, struct sh_slice head,
    const struct sh_slice *text, size_t n, uint32_t (*state)[4]);

/* Returns bytes 8i .. 8i + 7 of a digest as a big-endian number; i is 0 or 1. */
static inline uint64_t sh_md5_half(const uint32_t state[4], unsigned i)
{
	return (uint64_t)__builtin_bswap32(state[2 * i]) << 32 |
	       __builtin_bswap32(state[2 * i + 1]);
}

#endif
