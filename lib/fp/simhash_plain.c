/* SPDX-License-Identifier: MIT */
/* The variant for any processor: SSE2 and NEON have registers of 16 bytes. */
#define NAME(f) f##_plain
#define TARGET
#define BYTES 16
#include "fp/simhash_body.h"

const struct sh_simhash_kernel sh_simhash_plain = { { "plain", SH_NEEDS_NOTHING }, units_plain,
	weights_plain };
