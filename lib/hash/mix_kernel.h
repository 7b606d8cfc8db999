/* The loops of mix.h over many hashes, as rows of kernels.
 *
 * All kernels give the hashes of sh_mix_token() and sh_mix_ngram(); t/unit/test_variants.c
 * checks it. */
#ifndef SH_HASH_MIX_KERNEL_H
#define SH_HASH_MIX_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/variant.h"

/* Bytes beyond the text that a kernel may read. */
#define SH_MIX_SLACK 64

struct sh_mix_kernel {
	struct sh_variant variant;
	/* See sh_mix_tokens(). */
	void (*tokens)(const char *text, const uint32_t *start, const uint32_t *end, size_t n,
	    uint64_t mixed_seed, uint64_t *restrict h);
	/* Hashes n windows of `width` bytes, 1 .. 16. Each window begins one byte after the one
	 * before. */
	void (*windows)(
	    const char *text, size_t n, size_t width, uint64_t mixed_seed, uint64_t *restrict h);
	/* See sh_mix_ngrams(). */
	size_t (*ngrams)(
	    const uint64_t *restrict h, size_t tokens, size_t n, uint64_t *restrict out);
	/* Stores sh_mix_word() of each of n hashes, j >= 1. */
	void (*words)(const uint64_t *restrict h, size_t n, unsigned j, uint64_t *restrict out);
};

enum { SH_MIX_WINDOW_MAX = 16 };

/* Returns row i of the kernels that this machine can run, fastest first; NULL after the last. */
const struct sh_mix_kernel *sh_mix_kernel_at(unsigned i);

#endif
