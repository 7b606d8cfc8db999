/* SPDX-License-Identifier: MIT */
#include "hash/md5.h"

#include "base/bytes.h"

/* ---- the steps ---- */

/* The initial state of MD5. */
#define START_A UINT32_C(0x67452301)
#define START_B UINT32_C(0xefcdab89)
#define START_C UINT32_C(0x98badcfe)
#define START_D UINT32_C(0x10325476)

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

/* Step i of 64 (RFC 1321). f: the round function F1 .. F4 of the state. word: index in the caller's
 * m[] of the message word. turn: bits of the rotation. Callers exchange the arguments a .. d
 * instead of the variables. */
#define STEP(f, a, b, c, d, word, i, turn)                                                         \
	do {                                                                                       \
		a += (f) + m[word] + sines[i];                                                     \
		a = (a << (turn) | a >> (32 - (turn))) + b;                                        \
	} while (0)

/* Steps i .. i + 3 of the round with function F: message words w0 .. w3, rotations t0 .. t3. */
#define FOUR(F, i, w0, w1, w2, w3, t0, t1, t2, t3)                                                 \
	do {                                                                                       \
		STEP(F(b, c, d), a, b, c, d, w0, i, t0);                                           \
		STEP(F(a, b, c), d, a, b, c, w1, i + 1, t1);                                       \
		STEP(F(d, a, b), c, d, a, b, w2, i + 2, t2);                                       \
		STEP(F(c, d, a), b, c, d, a, w3, i + 3, t3);                                       \
	} while (0)

#define F1(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define F2(x, y, z) ((y) ^ ((z) & ((x) ^ (y))))
#define F3(x, y, z) ((x) ^ (y) ^ (z))
#define F4(x, y, z) ((y) ^ ((x) | ~(z)))

/* All 64 steps on the variables a, b, c, d and m[16]. */
#define ROUNDS                                                                                     \
	do {                                                                                       \
		_Pragma("GCC unroll 4") for (unsigned i = 0; i < 16; i += 4)                       \
		    FOUR(F1, i, i, i + 1, i + 2, i + 3, 7, 12, 17, 22);                            \
		_Pragma("GCC unroll 4") for (unsigned i = 16; i < 32; i += 4)                      \
		    FOUR(F2, i, (5 * i + 1) % 16, (5 * i + 6) % 16, (5 * i + 11) % 16, 5 * i % 16, \
			5, 9, 14, 20);                                                             \
		_Pragma("GCC unroll 4") for (unsigned i = 32; i < 48; i += 4)                      \
		    FOUR(F3, i, (3 * i + 5) % 16, (3 * i + 8) % 16, (3 * i + 11) % 16,             \
			(3 * i + 14) % 16, 4, 11, 16, 23);                                         \
		_Pragma("GCC unroll 4") for (unsigned i = 48; i < 64; i += 4)                      \
		    FOUR(F4, i, 7 * i % 16, (7 * i + 7) % 16, (7 * i + 14) % 16, (7 * i + 5) % 16, \
			6, 10, 15, 21);                                                            \
	} while (0)

/* ---- texts ---- */

enum { BLOCK = 64, LENGTH_AT = 56 };

static void compress(uint32_t s[4], const unsigned char *p)
{
	uint32_t m[16], a = s[0], b = s[1], c = s[2], d = s[3];

	for (unsigned i = 0; i < 16; i++)
		m[i] = sh_le32(p + 4 * i);
	ROUNDS;
	s[0] += a;
	s[1] += b;
	s[2] += c;
	s[3] += d;
}

/* Hashes the `held` bytes of block[] followed by the text, in whole blocks. Keeps the bytes after
 * the last whole block in block[]. Returns their number. */
static size_t add_blocks(
    uint32_t s[4], unsigned char block[BLOCK], size_t held, struct sh_slice text)
{
	size_t n;

	while (text.n) {
		if (!held && text.n >= BLOCK) {
			compress(s, (const unsigned char *)text.p);
			n = BLOCK;
		} else {
			n = text.n < BLOCK - held ? text.n : BLOCK - held;
			memcpy(block + held, text.p, n);
			held += n;
			if (held == BLOCK) {
				compress(s, block);
				held = 0;
			}
		}
		text.p += n;
		text.n -= n;
	}
	return held;
}

void sh_md5(struct sh_slice head, struct sh_slice text, unsigned char digest[SH_MD5_BYTES])
{
	uint32_t s[4] = { START_A, START_B, START_C, START_D };
	unsigned char block[BLOCK];
	size_t held;
	unsigned i;

	held = add_blocks(s, block, 0, head);
	held = add_blocks(s, block, held, text);
	block[held++] = 0x80;
	if (held > LENGTH_AT) {
		memset(block + held, 0, BLOCK - held);
		compress(s, block);
		held = 0;
	}
	memset(block + held, 0, LENGTH_AT - held);
	sh_put_le64(block + LENGTH_AT, ((uint64_t)head.n + text.n) * 8);
	compress(s, block);
	for (i = 0; i < 4; i++)
		sh_put_le32(digest + 4 * i, s[i]);
}
