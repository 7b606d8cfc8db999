/* MD5 (RFC 1321), as a plain function of bytes. It serves published fingerprints
 * and spread, not security. */
#ifndef SH_HASH_MD5_H
#define SH_HASH_MD5_H

#include <stdint.h>

#include "base/slice.h"

struct sh_md5_kernel;

#define SH_MD5_BYTES 16

/* Texts that are well hashed at once. */
enum { SH_MD5_MANY = 128 };

/* The digest of head and text as if they were one string; either may be empty. */
void sh_md5(struct sh_slice head, struct sh_slice text, unsigned char digest[SH_MD5_BYTES]);

/* The digests of head and each of n texts, as four words least significant byte first. Bytes behind
 * each text must be readable, as many as SH_MIX_PADDING (mix.h). */
void sh_md5_many(const struct sh_md5_kernel *kernel, struct sh_slice head,
    const struct sh_slice *text, size_t n, uint32_t (*state)[4]);

/* Half i of a digest, 0 or 1, as a number whose first digits are the digest's. */
static inline uint64_t sh_md5_half(const uint32_t state[4], unsigned i)
{
	return (uint64_t)__builtin_bswap32(state[2 * i]) << 32 |
	       __builtin_bswap32(state[2 * i + 1]);
}

#endif
