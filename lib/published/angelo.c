/* SPDX-License-Identifier: MIT */
/* angelo: angelo_tools. Its words are words of jieba (jieba.c) that begin with Han. */
#include "base/bytes.h"
#include "hash/md5.h"
#include "published/rules.h"

/* Returns the first bit of each of the 16 hexadecimal digits of a number. */
static uint64_t first_bits(uint64_t half)
{
	uint64_t bits = 0;

	for (int i = 60; i >= 0; i -= 4)
		bits = bits << 1 | (half >> (i + 3) & 1);
	return bits;
}

static uint64_t nibbles(uint64_t first, uint64_t second)
{
	return (first_bits(first) << 16 | first_bits(second)) << 32;
}

void sh_hash_md5_nibbles(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	unsigned char d[SH_MD5_BYTES];

	(void)seed;
	(void)words;
	sh_md5(sh_slice(NULL, 0), text, d);
	*out = nibbles(sh_be64(d), sh_be64(d + 8));
}
