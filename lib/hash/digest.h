/* SPDX-License-Identifier: MIT */
/* MD5 (RFC 1321) and SHA-1 (FIPS 180-4), for published fingerprints and even distribution, not for
 * security. */
#ifndef SH_HASH_DIGEST_H
#define SH_HASH_DIGEST_H

#include <stdint.h>

#include "base/slice.h"

#define SH_MD5_BYTES 16

/* Stores the digest of head followed by text. Either may be empty. */
void sh_md5(struct sh_slice head, struct sh_slice text, unsigned char digest[SH_MD5_BYTES]);

/* Stores the digest as five words, each with four bytes in big-endian order. */
void sh_sha1(struct sh_slice text, uint32_t digest[5]);

#endif
