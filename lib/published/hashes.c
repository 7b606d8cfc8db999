/* SPDX-License-Identifier: MIT */
/* The hashes of published systems: see hash/hash.h. */
#include <string.h>

#include "base/bytes.h"
#include "base/wide.h"
#include "hash/digest.h"
#include "published/rules.h"

/* ---- angelo ---- */

/* Returns the first bit of each of the 16 hexadecimal digits of a number. */
static uint64_t first_bits(uint64_t half)
{
	uint64_t bits = 0;

	for (int i = 60; i >= 0; i -= 4)
		bits = bits << 1 | (half >> (i + 3) & 1);
	return bits;
}

void sh_hash_md5_nibbles(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	unsigned char d[SH_MD5_BYTES];

	(void)seed;
	(void)words;
	sh_md5(sh_slice(NULL, 0), text, d);
	*out = (first_bits(sh_be64(d)) << 16 | first_bits(sh_be64(d + 8))) << 32;
}

/* ---- datasketch ---- */

void sh_hash_sha1(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	uint32_t digest[5];

	(void)seed;
	(void)words;
	sh_sha1(text, digest);
	*out = (uint64_t)__builtin_bswap32(digest[1]) << 32 | __builtin_bswap32(digest[0]);
}

/* ---- gemantic ---- */

/* Computes x = (x * 1000003) ^ unit. x[0] is the least significant word. */
static void gemantic_step(uint64_t *x, unsigned words, uint32_t unit)
{
	uint64_t carry = 0;

	for (unsigned i = 0; i < words; i++) {
		struct sh_wide product = sh_wide_add(sh_wide_mul(x[i], 1000003), sh_wide(carry));

		x[i] = product.low;
		carry = product.high;
	}
	x[0] ^= unit;
}

/* Returns the end of the ill-formed sequence that begins at `from`; sh_utf8_next() returned p.
 * Java's decoder gives one U+FFFD for a whole encoded surrogate, complete or not. */
static const uint8_t *past_surrogate(const uint8_t *from, const uint8_t *p, const uint8_t *end)
{
	while (*from == 0xED && p < end && p - from < 3 && (*p & 0xC0) == 0x80)
		p++;
	return p;
}

void sh_hash_gemantic(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = p + text.n;
	uint64_t x[4] = { 0 };
	uint64_t units = 0;

	(void)seed;
	while (p < end) {
		const uint8_t *from = p;
		uint32_t c = sh_utf8_next(&p, end), unit[2] = { c, 0 };
		unsigned n = 1;

		if (c == SH_UTF8_ILL) {
			unit[0] = SH_UTF8_REPLACEMENT;
			p = past_surrogate(from, p, end);
		} else if (c >= 0x10000) {
			unit[0] = 0xD800 + ((c - 0x10000) >> 10);
			unit[1] = 0xDC00 + (c & 0x3FF);
			n = 2;
		}
		if (units == 0)
			x[0] = (uint64_t)unit[0] << 7;
		for (unsigned i = 0; i < n; i++)
			gemantic_step(x, words, unit[i]);
		units += n;
	}
	x[0] ^= units;
	for (unsigned i = 0; i < words; i++)
		out[i] = x[words - 1 - i];
}

/* ---- seomoz, before version 0.2 ---- */

static uint64_t reverse(uint64_t x)
{
	x = (x >> 1 & UINT64_C(0x5555555555555555)) | (x & UINT64_C(0x5555555555555555)) << 1;
	x = (x >> 2 & UINT64_C(0x3333333333333333)) | (x & UINT64_C(0x3333333333333333)) << 2;
	x = (x >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (x & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
	return __builtin_bswap64(x);
}

void sh_hash_seomoz(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	const char *p = text.p, *end = text.p + text.n, *space;
	uint64_t h = 0;

	(void)words;
	do {
		space = p < end ? memchr(p, ' ', (size_t)(end - p)) : NULL;
		h = sh_rotl64(h, 1) ^
		    sh_jenkins(sh_slice(p, (size_t)((space ? space : end) - p)), seed);
		p = space ? space + 1 : end;
	} while (space);
	*out = reverse(h);
}

/* ---- mfonda ---- */

void sh_hash_fnv1(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	(void)seed;
	(void)words;
	for (size_t i = 0; i < text.n; i++)
		h = h * UINT64_C(0x100000001b3) ^ (unsigned char)text.p[i];
	*out = h;
}

/* ---- ClickHouse ---- */

/* after[i]: the state i after four zero bits. */
static const uint32_t after[16] = { 0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc,
	0x5125dad3, 0x61c69362, 0x7198540d, 0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
	0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75 };

/* Returns the state after the bytes of the text: CRC-32C (Castagnoli; reflected polynomial
 * 0x82F63B78) as ClickHouse computes it. The state starts as UINT32_MAX and is not inverted at the
 * end. */
static uint32_t crc32c(uint32_t state, struct sh_slice text)
{
	for (size_t i = 0; i < text.n; i++) {
		state ^= (unsigned char)text.p[i];
		state = state >> 4 ^ after[state & 15];
		state = state >> 4 ^ after[state & 15];
	}
	return state;
}

void sh_hash_crc32c(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	(void)seed;
	(void)words;
	*out = crc32c(UINT32_MAX, text);
}

void sh_hash_crc32c_joined(struct sh_slice text, uint64_t seed, unsigned words, uint64_t *out)
{
	const char *p = text.p, *end = text.p + text.n, *space;
	uint32_t state = UINT32_MAX;

	(void)seed;
	(void)words;
	while (p < end) {
		space = memchr(p, ' ', (size_t)(end - p));
		state = crc32c(state, sh_slice(p, (size_t)((space ? space : end) - p)));
		p = space ? space + 1 : end;
	}
	*out = state;
}
