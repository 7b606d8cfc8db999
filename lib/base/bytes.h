/* SPDX-License-Identifier: MIT */
/* Reads and writes words of 32 and 64 bits, little-endian (le) or big-endian (be), not aligned. */
#ifndef SH_BASE_BYTES_H
#define SH_BASE_BYTES_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t sh_le64(const void *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof x);
	return le64toh(x);
}

static inline uint64_t sh_be64(const void *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof x);
	return be64toh(x);
}

static inline uint32_t sh_le32(const void *p)
{
	uint32_t x;

	memcpy(&x, p, sizeof x);
	return le32toh(x);
}

static inline uint32_t sh_be32(const void *p)
{
	uint32_t x;

	memcpy(&x, p, sizeof x);
	return be32toh(x);
}

static inline void sh_put_le64(void *p, uint64_t x)
{
	x = htole64(x);
	memcpy(p, &x, sizeof x);
}

static inline void sh_put_be64(void *p, uint64_t x)
{
	x = htobe64(x);
	memcpy(p, &x, sizeof x);
}

static inline void sh_put_be32(void *p, uint32_t x)
{
	x = htobe32(x);
	memcpy(p, &x, sizeof x);
}

static inline void sh_put_le32(void *p, uint32_t x)
{
	x = htole32(x);
	memcpy(p, &x, sizeof x);
}

/* Rotates x left by r bits, 0 < r < 64. */
static inline uint64_t sh_rotl64(uint64_t x, int r)
{
	return x << r | x >> (64 - r);
}

#endif
