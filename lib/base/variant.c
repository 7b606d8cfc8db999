/* SPDX-License-Identifier: MIT */
#include "base/variant.h"

/* Returns the flags of enum sh_needs that this processor has. */
static unsigned available(void)
{
	unsigned has = 0;

#if defined(__x86_64__)
	if (__builtin_cpu_supports("popcnt"))
		has |= SH_NEEDS_POPCNT;
	if (__builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))
		has |= SH_NEEDS_BMI;
	if (__builtin_cpu_supports("avx2"))
		has |= SH_NEEDS_AVX2;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
		has |= SH_NEEDS_AVX512;
	if (__builtin_cpu_supports("avx512dq"))
		has |= SH_NEEDS_AVX512_DQ;
	if (__builtin_cpu_supports("avx512vl"))
		has |= SH_NEEDS_AVX512_VL;
	if (__builtin_cpu_supports("avx512vbmi"))
		has |= SH_NEEDS_AVX512_VBMI;
	if (__builtin_cpu_supports("avx512vbmi2"))
		has |= SH_NEEDS_AVX512_VBMI2;
	if (__builtin_cpu_supports("avx512vpopcntdq"))
		has |= SH_NEEDS_AVX512_VPOPCNTDQ;
#endif
	return has;
}

const struct sh_variant *sh_variant_at(const struct sh_variant *const *rows, size_t n, unsigned i)
{
	unsigned has = available();

	for (size_t row = 0; row < n; row++)
		if ((rows[row]->needs & ~has) == 0 && i-- == 0)
			return rows[row];
	return NULL;
}
