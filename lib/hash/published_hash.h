/* The hashes of published systems, for the table of hash.c. hash.h defines the hashes. The
 * functions are the members feature and features of struct sh_hash. */
#ifndef SH_HASH_PUBLISHED_HASH_H
#define SH_HASH_PUBLISHED_HASH_H

#include <stdint.h>

#include "base/slice.h"

typedef void sh_hash_fn(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out);

typedef void sh_hashes_fn(
    const struct sh_slice *text, size_t n, uint64_t seed, unsigned words, uint64_t *out);

sh_hashes_fn sh_hash_md5_last_many, sh_hash_md5_nibbles_many;
sh_hash_fn sh_hash_md5_last, sh_hash_md5_nibbles, sh_hash_jenkins, sh_hash_seomoz, sh_hash_fnv1,
    sh_hash_gemantic, sh_hash_crc32c, sh_hash_crc32c_joined, sh_hash_sha1;

#endif
