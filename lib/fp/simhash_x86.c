/* The variants for AVX2 and AVX-512. */
#if defined(__x86_64__)

#define NAME(f) f##_avx2
#define TARGET  __attribute__((target("avx2")))
#define BYTES   32
#include "fp/simhash_body.h"

const struct sh_simhash_kernel sh_simhash_avx2 = { { "avx2", SH_NEEDS_AVX2 }, units_avx2,
	weights_avx2 };

#define NAME(f) f##_avx512
#define TARGET  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define BYTES   64
#include "fp/simhash_body.h"

const struct sh_simhash_kernel sh_simhash_avx512 = {
	{ "avx512", SH_NEEDS_AVX512 | SH_NEEDS_AVX512_DQ | SH_NEEDS_AVX512_VL }, units_avx512,
	weights_avx512
};

#endif
