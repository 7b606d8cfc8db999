/* SPDX-License-Identifier: MIT */
#include "base/siphash.h"

#include <errno.h>
#include <sys/random.h>

#include "base/bytes.h"

static inline void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = sh_rotl64(v[1], 13) ^ v[0];
	v[3] = sh_rotl64(v[3], 16) ^ v[2];
	v[0] = sh_rotl64(v[0], 32) + v[3];
	v[2] += v[1];
	v[3] = sh_rotl64(v[3], 21) ^ v[0];
	v[1] = sh_rotl64(v[1], 17) ^ v[2];
	v[2] = sh_rotl64(v[2], 32);
}

static inline void absorb(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
}

uint64_t sh_siphash(const uint64_t key[2], const void *p, size_t n)
{
	uint64_t v[4] = {
		key[0] ^ UINT64_C(0x736f6d6570736575),
		key[1] ^ UINT64_C(0x646f72616e646f6d),
		key[0] ^ UINT64_C(0x6c7967656e657261),
		key[1] ^ UINT64_C(0x7465646279746573),
	};
	const char *s = p;
	unsigned char tail[8] = { 0 };
	size_t left = n;

	for (; left >= 8; left -= 8, s += 8)
		absorb(v, sh_le64(s));
	if (left)
		memcpy(tail, s, left);
	tail[7] = (unsigned char)n;
	absorb(v, sh_le64(tail));
	v[2] ^= 0xff;
	for (unsigned i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

int sh_random_key(uint64_t key[2], struct sh_error *err)
{
	ssize_t n;

	do
		n = getrandom(key, 2 * sizeof *key, 0);
	while (n < 0 && errno == EINTR);
	if (n != 2 * (ssize_t)sizeof *key)
		return sh_error_sys(err, "getrandom");
	return 0;
}
