/* SPDX-License-Identifier: MIT */
/* Kernels for the loops of mix.h over many hashes. All kernels give the hashes of sh_mix_token()
 * and sh_mix_ngram(): t/unit/test_variants.c compares them. */
#ifndef SH_HASH_MIX_KERNEL_H
#define SH_HASH_MIX_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

struct sh_mix_kernel {
	struct sh_variant variant;
	/* See sh_mix_tokens(). */
	void (*tokens)(const char *text, const uint32_t *start, const uint32_t *end, size_t n,
	    uint64_t mixed_seed, uint64_t *restrict h);
	/* Sets h[i] to the hash of the token text[i] .. text[i + width - 1], for n windows. width
	 * is 1 .. SH_MIX_WINDOW_MAX bytes. SH_PAD bytes beyond the last window must be readable. */
	void (*windows)(
	    const char *text, size_t n, size_t width, uint64_t mixed_seed, uint64_t *restrict h);
	/* See sh_mix_ngrams(). */
	size_t (*ngrams)(
	    const uint64_t *restrict h, size_t tokens, size_t n, uint64_t *restrict out);
	/* Sets out[i] to sh_mix_word(h[i], j), for n hashes; j >= 1. */
	void (*words)(const uint64_t *restrict h, size_t n, unsigned j, uint64_t *restrict out);
};

enum { SH_MIX_WINDOW_MAX = 16 };

/* Returns kernel i of the kernels that this machine can run, the fastest first;
 * NULL after the last. */
const struct sh_mix_kernel *sh_mix_kernel_at(unsigned i);

#endif
