/* Lines of a document taken by their marks, as feature_block.h has them, where each has three: a TAB
 * behind the id, one behind the feature, and an LF.
 *
 * A row may take fewer lines than there are, for the plain one takes the rest; of those that it
 * takes, all rows tell the same, and t/unit/test_variants.c holds them to it. */
#ifndef SH_RECORD_FEATURE_TAKE_H
#define SH_RECORD_FEATURE_TAKE_H

#include "base/variant.h"
#include "record/feature_block.h"

/* Of four bytes behind a feature, those that tell whether it weighs 1. */
enum { SH_WEIGHS_ONE = '\t' | '1' << 8 | '\n' << 16, SH_WEIGHT_BYTES = 0xffffff };

/* Whether "TAB 1 LF" stands at p. */
static inline bool sh_feature_weighs_one(const char *p)
{
	return (sh_le32(p) & SH_WEIGHT_BYTES) == SH_WEIGHS_ONE;
}

struct sh_feature_taken {
	size_t lines, others;
	uint32_t begin; /* of the line behind them */
};

typedef void sh_feature_take_fn(const char *base, const uint32_t *mark, size_t most,
    const struct sh_feature_run *run, struct sh_feature_lines *of, struct sh_feature_taken *t);

struct sh_feature_take_kernel {
	struct sh_variant variant;
	/* Lines behind those of *t, until there are `most`: `line`, `start`, `end` and `other` of
	 * `of`, and *t. Their marks are those from the first line's, `mark`, on; SH_PAD bytes behind the
	 * last mark can be read. */
	sh_feature_take_fn *take;
	/* The same for lines of three tokens that single blanks part, which have five marks each: `token`
	 * as well. most is at most SH_FEATURE_BLOCK_MAX / 3. */
	sh_feature_take_fn *threes;
};

extern const struct sh_feature_take_kernel sh_feature_take_plain;
#if defined(__x86_64__)
extern const struct sh_feature_take_kernel sh_feature_take_avx512;
#endif

/* As the plain row's `threes` does, which is this for a head of 1 and three tokens: lines of `each`
 * tokens, 2 or 3, whose prefix has `head` marks. */
void sh_feature_take_even(const char *base, const uint32_t *mark, size_t most,
    const struct sh_feature_run *run, size_t head, size_t each, struct sh_feature_lines *of,
    struct sh_feature_taken *t);

/* The rows that this machine can run, fastest first; NULL after the last. */
const struct sh_feature_take_kernel *sh_feature_take_kernel_at(unsigned i);

#endif
