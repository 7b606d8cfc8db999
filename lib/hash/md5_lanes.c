/* MD5 of 16 messages in parallel, in vectors of 4, 8 or 16 words. */
#include <string.h>

#include "hash/md5_kernel.h"

/* Defines the function of a kernel, on vectors of `bytes` bytes. The compiler splits vectors that
 * are wider than the processor's. */
#define BLOCK_OF(name, bytes, target)                                                              \
	typedef uint32_t name##_lanes __attribute__((vector_size(bytes)));                         \
	target static void name(uint32_t word[16][SH_MD5_LANES], uint32_t state[4][SH_MD5_LANES])  \
	{                                                                                          \
		const name##_lanes zero = { 0 };                                                   \
                                                                                                   \
		for (unsigned at = 0; at < SH_MD5_LANES; at += sizeof zero / sizeof **word) {      \
			name##_lanes m[16], a = zero + SH_MD5_A, b = zero + SH_MD5_B,              \
					    c = zero + SH_MD5_C, d = zero + SH_MD5_D;              \
                                                                                                   \
			for (unsigned i = 0; i < 16; i++)                                          \
				memcpy(&m[i], &word[i][at], sizeof zero);                          \
			SH_MD5_ROUNDS;                                                             \
			a += SH_MD5_A;                                                             \
			b += SH_MD5_B;                                                             \
			c += SH_MD5_C;                                                             \
			d += SH_MD5_D;                                                             \
			memcpy(&state[0][at], &a, sizeof a);                                       \
			memcpy(&state[1][at], &b, sizeof b);                                       \
			memcpy(&state[2][at], &c, sizeof c);                                       \
			memcpy(&state[3][at], &d, sizeof d);                                       \
		}                                                                                  \
	}

BLOCK_OF(plain, 16, )

const struct sh_md5_kernel sh_md5_plain = { { "plain", SH_NEEDS_NOTHING }, plain };

#if defined(__x86_64__)

BLOCK_OF(avx2, 32, __attribute__((target("avx2"))))
BLOCK_OF(avx512, 64, __attribute__((target("avx512f,avx512bw"))))

const struct sh_md5_kernel sh_md5_avx2 = { { "avx2", SH_NEEDS_AVX2 }, avx2 };
const struct sh_md5_kernel sh_md5_avx512 = { { "avx512", SH_NEEDS_AVX512 }, avx512 };

#endif
