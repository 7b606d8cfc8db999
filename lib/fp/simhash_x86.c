/* SPDX-License-Identifier: MIT */
/* The variant for AVX2. */
#if defined(__x86_64__)

#define NAME(f) f##_avx2
#define TARGET  __attribute__((target("avx2")))
#define BYTES   32
#include "fp/simhash_body.h"

const struct sh_simhash_kernel sh_simhash_avx2 = { { "avx2", SH_NEEDS_AVX2 }, units_avx2,
	weights_avx2 };

#endif
