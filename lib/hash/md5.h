/* SPDX-License-Identifier: MIT */
/* MD5 (RFC 1321), for published fingerprints and even distribution, not for security. */
#ifndef SH_HASH_MD5_H
#define SH_HASH_MD5_H

#include <stdint.h>

#include "base/slice.h"

#define SH_MD5_BYTES 16

/* Stores the digest of head followed by text. Either may be empty. */
void sh_md5(struct sh_slice head, struct sh_slice text, unsigned char digest[SH_MD5_BYTES]);

#endif
