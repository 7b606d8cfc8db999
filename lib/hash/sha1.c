/* SPDX-License-Identifier: MIT */
#include "hash/sha1.h"

#include <string.h>

#include "base/bytes.h"

enum { BLOCK = 64, LENGTH_BYTES = 8 };

static inline uint32_t rotl(uint32_t x, unsigned n)
{
	return x << n | x >> (32 - n);
}

static inline uint32_t big_endian(const unsigned char *p)
{
	return __builtin_bswap32(sh_le32(p));
}

/* Returns the sum of the round's function and constant. */
static inline uint32_t mixed(unsigned round, uint32_t b, uint32_t c, uint32_t d)
{
	if (round < 20)
		return ((b & c) | (~b & d)) + 0x5a827999;
	if (round < 40)
		return (b ^ c ^ d) + 0x6ed9eba1;
	if (round < 60)
		return ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
	return (b ^ c ^ d) + 0xca62c1d6;
}

static void add_block(uint32_t h[5], const unsigned char *p)
{
	uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];

	for (unsigned i = 0; i < 16; i++)
		w[i] = big_endian(p + 4 * i);
	for (unsigned i = 16; i < 80; i++)
		w[i] = rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
	for (unsigned i = 0; i < 80; i++) {
		uint32_t next = rotl(a, 5) + mixed(i, b, c, d) + e + w[i];

		e = d;
		d = c;
		c = rotl(b, 30);
		b = a;
		a = next;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
}

void sh_sha1(struct sh_slice text, uint32_t digest[5])
{
	static const uint32_t start[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
		0xc3d2e1f0 };
	const unsigned char *p = (const unsigned char *)text.p;
	unsigned char last[2 * BLOCK] = { 0 };
	size_t rest = text.n % BLOCK, end;

	memcpy(digest, start, sizeof start);
	for (size_t at = 0; at + BLOCK <= text.n; at += BLOCK)
		add_block(digest, p + at);
	if (rest)
		memcpy(last, p + text.n - rest, rest);
	last[rest] = 0x80;
	end = rest + 1 + LENGTH_BYTES <= BLOCK ? BLOCK : 2 * BLOCK;
	sh_put_be64(last + end - LENGTH_BYTES, (uint64_t)text.n * 8);
	add_block(digest, last);
	if (end > BLOCK)
		add_block(digest, last + BLOCK);
}
