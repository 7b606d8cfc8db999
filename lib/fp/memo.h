/* Hashes that were made before: for hash functions that cost more than looking them up.
 *
 * A direct-mapped table of short texts, compared in full, so that what comes out is always
 * what the function gives. One serves one thread, hash, seed and width. */
#ifndef SH_FP_MEMO_H
#define SH_FP_MEMO_H

#include "base/error.h"
#include "fp/hash.h"

struct sh_memo;

struct sh_memo *sh_memo_new(struct sh_error *err);
void sh_memo_delete(struct sh_memo *m);

/* sh_hash_feature(), remembered. m may be NULL. */
void sh_memo_feature(struct sh_memo *m, const struct sh_hash *hash, struct sh_slice text,
    uint64_t seed, unsigned bits, uint64_t *out);

#endif
