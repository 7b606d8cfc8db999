/* Hashes the features of many lines (record/feature_lines.h) with the default hash. */
#ifndef SH_HASH_MIX_LINES_H
#define SH_HASH_MIX_LINES_H

#include "hash/mix_kernel.h"
#include "record/feature_lines.h"

/* Stores the hashes of the first n >= 1 lines, which are split into tokens: those of
 * sh_mix_feature(). mixed_seed: of sh_mix_seed(). hash has room for the hashes of all their tokens,
 * at most SH_FEATURE_LINES_MAX. */
void sh_mix_lines(const struct sh_mix_kernel *kernel, const struct sh_feature_lines *l, size_t n,
    uint64_t mixed_seed, uint64_t *hash);

#endif
