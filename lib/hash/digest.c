/* SPDX-License-Identifier: MIT */
#include "hash/digest.h"

#include "base/bytes.h"

enum { BLOCK = 64, LENGTH_BYTES = 8 };

static inline uint32_t rotl(uint32_t x, unsigned n)
{
	return x << n | x >> (32 - n);
}

/* Hashes head and text, block by block: then a bit 1, zeros, and the number of bits. */
static void add_blocks(void (*add_block)(uint32_t *state, const unsigned char *p),
    void (*put_length)(void *p, uint64_t bits), uint32_t *state, struct sh_slice head,
    struct sh_slice text)
{
	uint64_t bits = ((uint64_t)head.n + text.n) * 8;
	unsigned char last[2 * BLOCK];
	size_t held = 0, n, end;

	for (unsigned part = 0; part < 2; part++, head = text)
		for (; head.n; head.p += n, head.n -= n) {
			n = head.n < BLOCK - held ? head.n : BLOCK - held;
			memcpy(last + held, head.p, n);
			held = (held + n) % BLOCK;
			if (held == 0)
				add_block(state, last);
		}
	end = held + 1 + LENGTH_BYTES <= BLOCK ? BLOCK : 2 * BLOCK;
	memset(last + held, 0, end - held);
	last[held] = 0x80;
	put_length(last + end - LENGTH_BYTES, bits);
	for (size_t at = 0; at < end; at += BLOCK)
		add_block(state, last + at);
}

/* ---- MD5 ---- */

/* floor(2^32 * abs(sin(i + 1))) */
static const uint32_t sines[64] = { 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf,
	0x4787c62a, 0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
	0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51,
	0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6,
	0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942,
	0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8,
	0xc4ac5665, 0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
	0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82,
	0xbd3af235, 0x2ad7d2bb, 0xeb86d391 };

static void add_block_md5(uint32_t *state, const unsigned char *p)
{
	static const uint8_t turns[4][4] = { { 7, 12, 17, 22 }, { 5, 9, 14, 20 }, { 4, 11, 16, 23 },
		{ 6, 10, 15, 21 } };
	uint32_t m[16], a = state[0], b = state[1], c = state[2], d = state[3], next;

	for (unsigned i = 0; i < 16; i++)
		m[i] = sh_le32(p + 4 * i);
#pragma GCC unroll 64
	for (unsigned i = 0; i < 64; i++) {
		if (i < 16)
			a += (d ^ (b & (c ^ d))) + m[i];
		else if (i < 32)
			a += (c ^ (d & (b ^ c))) + m[(5 * i + 1) % 16];
		else if (i < 48)
			a += (b ^ c ^ d) + m[(3 * i + 5) % 16];
		else
			a += (c ^ (b | ~d)) + m[7 * i % 16];
		next = b + rotl(a + sines[i], turns[i / 16][i % 4]);
		a = d;
		d = c;
		c = b;
		b = next;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

void sh_md5(struct sh_slice head, struct sh_slice text, unsigned char digest[SH_MD5_BYTES])
{
	uint32_t state[4] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476 };

	add_blocks(add_block_md5, sh_put_le64, state, head, text);
	for (unsigned i = 0; i < 4; i++)
		sh_put_le32(digest + 4 * i, state[i]);
}

/* ---- SHA-1 ---- */

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

static void add_block_sha1(uint32_t *state, const unsigned char *p)
{
	uint32_t w[80], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];

	for (unsigned i = 0; i < 16; i++)
		w[i] = sh_be32(p + 4 * i);
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
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
}

void sh_sha1(struct sh_slice text, uint32_t digest[5])
{
	static const uint32_t start[5] = { 0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
		0xc3d2e1f0 };

	memcpy(digest, start, sizeof start);
	add_blocks(add_block_sha1, sh_put_be64, digest, sh_slice(NULL, 0), text);
}
