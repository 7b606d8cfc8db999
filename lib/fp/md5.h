/* MD5 (RFC 1321), as a plain function of bytes. It serves published fingerprints
 * and spread, not security. */
#ifndef SH_FP_MD5_H
#define SH_FP_MD5_H

#include "base/slice.h"

#define SH_MD5_BYTES 16

/* The digest of head and text as if they were one string; either may be empty. */
void sh_md5(struct sh_slice head, struct sh_slice text, unsigned char digest[SH_MD5_BYTES]);

#endif
