#include "hash/jenkins.h"

#include "base/bytes.h"

static uint32_t rot(uint32_t x, int k)
{
	return x << k | x >> (32 - k);
}

static void mix(uint32_t s[3])
{
	static const int by[] = { 4, 6, 8, 16, 19, 4 };

	/* Six steps. The variables rotate after each step. */
	for (unsigned i = 0; i < 6; i++) {
		uint32_t *a = &s[i % 3], *b = &s[(i + 1) % 3], *c = &s[(i + 2) % 3];

		*a -= *c;
		*a ^= rot(*c, by[i]);
		*c += *b;
	}
}

static void final(uint32_t s[3])
{
	static const int by[] = { 14, 11, 25, 16, 4, 14, 24 };

	for (unsigned i = 0; i < 7; i++) {
		uint32_t *to = &s[(i + 2) % 3], from = s[(i + 1) % 3];

		*to ^= from;
		*to -= rot(from, by[i]);
	}
}

uint64_t sh_jenkins(struct sh_slice text, uint64_t seed)
{
	uint32_t start = 0xdeadbeef + (uint32_t)text.n + (uint32_t)(seed >> 32);
	uint32_t s[3] = { start, start, start + (uint32_t)seed };
	unsigned char last[12] = { 0 };
	const char *p = text.p;
	size_t n = text.n;

	for (; n > 12; n -= 12, p += 12) {
		for (unsigned i = 0; i < 3; i++)
			s[i] += sh_le32(p + 4 * i);
		mix(s);
	}
	if (n > 0) {
		memcpy(last, p, n);
		for (unsigned i = 0; i < 3; i++)
			s[i] += sh_le32(last + 4 * i);
		final(s);
	}
	return (uint64_t)s[2] << 32 | s[1];
}
