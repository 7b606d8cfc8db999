/* SPDX-License-Identifier: MIT */
#include "base/siphash.h"

#include <errno.h>
#include <sys/random.h>

#include "base/bytes.h"

struct sip_state {
	uint64_t a, b, c, d;
};

static inline struct sip_state sip_round(struct sip_state v)
{
	v.a += v.b;
	v.c += v.d;
	v.b = sh_rotl64(v.b, 13) ^ v.a;
	v.d = sh_rotl64(v.d, 16) ^ v.c;
	v.a = sh_rotl64(v.a, 32) + v.d;
	v.c += v.b;
	v.d = sh_rotl64(v.d, 21) ^ v.a;
	v.b = sh_rotl64(v.b, 17) ^ v.c;
	v.c = sh_rotl64(v.c, 32);
	return v;
}

static inline struct sip_state absorb(struct sip_state v, uint64_t word)
{
	v.d ^= word;
	v = sip_round(v);
	v.a ^= word;
	return v;
}

uint64_t sh_siphash(const uint64_t key[2], const void *p, size_t n)
{
	struct sip_state v = {
		key[0] ^ UINT64_C(0x736f6d6570736575),
		key[1] ^ UINT64_C(0x646f72616e646f6d),
		key[0] ^ UINT64_C(0x6c7967656e657261),
		key[1] ^ UINT64_C(0x7465646279746573),
	};
	const char *s = p;
	unsigned char tail[8] = { 0 };
	size_t left = n;

	for (; left >= 8; left -= 8, s += 8)
		v = absorb(v, sh_le64(s));
	if (left)
		memcpy(tail, s, left);
	tail[7] = (unsigned char)n;
	v = absorb(v, sh_le64(tail));
	v.c ^= 0xff;
	v = sip_round(sip_round(sip_round(v)));
	return v.a ^ v.b ^ v.c ^ v.d;
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
