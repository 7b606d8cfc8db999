/* SPDX-License-Identifier: MIT */
/* The scan in plain C, and the table of kernels. */
#include "join/scan.h"

#include <string.h>

#define NAME(f) f##_plain
#define TARGET
#define TILE  struct tile_plain
#define LIMIT uint64_t

/* Two words: the compiler uses the registers of 128 bits that most processors have. */
typedef uint64_t two __attribute__((vector_size(16)));

struct tile_plain {
	two v[SH_SCAN_TILE / 2];
};

static uint64_t limit_plain(unsigned k)
{
	return k;
}

static inline void load_plain(struct tile_plain *t, const uint64_t *p, unsigned n)
{
	memcpy(t->v, p, n * 64);
}

static inline two both(uint64_t x)
{
	return (two){ x, x };
}

static inline two count_plain(two x)
{
	x -= (x >> 1) & both(0x5555555555555555ULL);
	x = (x & both(0x3333333333333333ULL)) + ((x >> 2) & both(0x3333333333333333ULL));
	x = (x + (x >> 4)) & both(0x0F0F0F0F0F0F0F0FULL);
	x += x >> 32;
	x += x >> 16;
	x += x >> 8;
	return x & both(0x7F);
}

static inline uint32_t compare_plain(const struct tile_plain *t, uint64_t y, uint64_t k, unsigned n)
{
	two any = both(0), all = both(y), above = both(k + 1);
	uint32_t hit = 0;

	/* The top bit of count - (k + 1) is set when the count is at most k. */
	for (unsigned i = 0; i < 4 * n; i++)
		any |= count_plain(t->v[i] ^ all) - above;
	if ((any[0] | any[1]) >> 63 == 0)
		return 0;
	for (unsigned i = 0; i < 4 * n; i++) {
		two within = (count_plain(t->v[i] ^ all) - above) >> 63;

		hit |= (uint32_t)(within[0] | within[1] << 1) << (2 * i);
	}
	return hit;
}

#include "join/scan_body.h"

static const struct sh_kernel plain = { { "plain", SH_NEEDS_NOTHING }, scan_plain };

/* ---- kernels ------------------------------------------------------------------- */

#if defined(__x86_64__) && defined(__GNUC__)
extern const struct sh_kernel sh_kernel_avx2, sh_kernel_avx512;
#endif

static const struct sh_variant *const rows[] = {
#if defined(__x86_64__) && defined(__GNUC__)
	&sh_kernel_avx512.variant,
	&sh_kernel_avx2.variant,
#endif
	&plain.variant,
};

const struct sh_kernel *sh_kernel_at(unsigned i)
{
	return (const struct sh_kernel *)sh_variant_at(rows, sizeof rows / sizeof *rows, i);
}
