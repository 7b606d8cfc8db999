/* SPDX-License-Identifier: MIT */
/* datasketch: the hash of a feature of MinHash signatures (fp/permutations.h). */
#include "hash/sha1.h"
#include "published/rules.h"

void sh_hash_sha1(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	uint32_t digest[5];

	(void)seed;
	(void)words;
	sh_sha1(text, digest);
	*out = (uint64_t)__builtin_bswap32(digest[1]) << 32 | __builtin_bswap32(digest[0]);
}
