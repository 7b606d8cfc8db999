/* SPDX-License-Identifier: MIT */
/* Hashes the features of many lines (record/feature_lines.h) with the default hash. */
#ifndef SH_HASH_MIX_LINES_H
#define SH_HASH_MIX_LINES_H

#include "hash/mix_kernel.h"
#include "record/feature_lines.h"

/* Sets hash[i] to the hash of the feature of line i, as sh_mix_feature() computes it, for the first
 * n >= 1 lines. The lines must be split into tokens. mixed_seed: from sh_mix_seed(). hash[] is also
 * scratch memory: it must have an element for each token, at most SH_FEATURE_LINES_MAX. */
void sh_mix_lines(const struct sh_mix_kernel *kernel, const struct sh_feature_lines *l, size_t n,
    uint64_t mixed_seed, uint64_t *hash);

#endif
