/* The feature records of a block, many at once: its marks are found first, then the lines of one
 * document are taken together, none of them waiting for where the one before ends.
 *
 *     sh_feature_block_init(&b, false, err);
 *     for each stretch of a document's lines, at p in a block that ends at `end`:
 *             sh_feature_block_enter(&b, number, p, end, err);
 *             next = sh_feature_block_take(&b, &run, p);
 *
 * As in feature_run.h, whatever it takes, sh_record_feature() would take with the same result;
 * what it leaves may be anything. SH_PAD bytes behind the block must be readable. */
#ifndef SH_RECORD_FEATURE_BLOCK_H
#define SH_RECORD_FEATURE_BLOCK_H

#include "record/feature_run.h"
#include "record/marks.h"

/* Lines, and tokens, that are taken at once. */
enum { SH_FEATURE_BLOCK_MAX = 8192 };

/* Of the lines that were taken last. All places are offsets from `base`. */
struct sh_feature_lines {
	uint32_t line[SH_FEATURE_BLOCK_MAX + 1]; /* where each begins */
	/* Of each token: a feature, or what single blanks part in it. */
	uint32_t start[SH_FEATURE_BLOCK_MAX], end[SH_FEATURE_BLOCK_MAX];
	uint32_t
	    token[SH_FEATURE_BLOCK_MAX + 1];  /* the first of each line, and one behind the last */
	uint32_t other[SH_FEATURE_BLOCK_MAX]; /* the lines whose weight is not 1 */
	int64_t weight[SH_FEATURE_BLOCK_MAX]; /* of these, in millionths */
};

struct sh_feature_block {
	const char *base;
	size_t lines, tokens, others;
	struct sh_feature_lines *of;

	/* The rest is the module's own. */
	const struct sh_marks_kernel *kernel;
	const struct sh_feature_take_kernel *take;
	bool words, blanks; /* features are cut; those of this block may have to be */
	uint64_t number;
	uint32_t *mark;
	size_t marks, cap, next, after, most;
	size_t counted; /* elements from the first on of of->token that are 0, 1, 2 ... */
};

/* words: features are cut into tokens, and those with a backslash are left. */
int sh_feature_block_init(struct sh_feature_block *b, bool words, struct sh_error *err);
void sh_feature_block_free(struct sh_feature_block *b);

/* The block of this number, of which p .. end-1 is still to be read, is at hand: looked through
 * when it was not the last one that was entered. */
int sh_feature_block_enter(struct sh_feature_block *b, uint64_t number, const char *p,
    const char *end, struct sh_error *err);

/* Take lines from p on that begin as the run's and are written the usual way: where the next one
 * begins, which is p when none was taken. */
const char *sh_feature_block_take(
    struct sh_feature_block *b, const struct sh_feature_run *run, const char *p);

/* The lines that were taken last are taken another way: so fewer will be at once for a while. */
void sh_feature_block_refuse(struct sh_feature_block *b);

#endif
