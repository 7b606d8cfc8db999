/* SPDX-License-Identifier: MIT */
/* Mixes eight words at once as sh_mix_moremur() does, for the AVX-512 kernels. */
#ifndef SH_HASH_MIX_X86_H
#define SH_HASH_MIX_X86_H

#include "hash/words_x86.h"

static AVX512 inline __m512i mul8(__m512i x, uint64_t k)
{
	return _mm512_mullo_epi64(x, _mm512_set1_epi64((long long)k));
}

static AVX512 inline __m512i shift_xor8(__m512i x, unsigned bits)
{
	return _mm512_xor_si512(x, _mm512_srli_epi64(x, bits));
}

static AVX512 inline __m512i moremur8(__m512i x)
{
	x = mul8(shift_xor8(x, 27), UINT64_C(0x3C79AC492BA7B653));
	x = mul8(shift_xor8(x, 33), UINT64_C(0x1C69B3F74AC4AE35));
	return shift_xor8(x, 27);
}

#endif
