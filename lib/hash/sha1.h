/* SPDX-License-Identifier: MIT */
/* SHA-1 (FIPS 180-4), for published signatures and even distribution, not for security. */
#ifndef SH_HASH_SHA1_H
#define SH_HASH_SHA1_H

#include <stdint.h>

#include "base/slice.h"

/* Stores the digest as five words, each with four bytes in big-endian order. */
void sh_sha1(struct sh_slice text, uint32_t digest[5]);

#endif
