#include "record/feature_take.h"

static const struct sh_variant *const rows[] = {
#if defined(__x86_64__)
	&sh_feature_take_avx512.variant,
#endif
	&sh_feature_take_plain.variant,
};

const struct sh_feature_take_kernel *sh_feature_take_kernel_at(unsigned i)
{
	return (const struct sh_feature_take_kernel *)sh_variant_at(
	    rows, sizeof rows / sizeof *rows, i);
}

/* brief: the prefix has at most 16 bytes. */
static inline void take_lines(const char *base, const uint32_t *restrict mark, size_t most,
    const struct sh_feature_run *restrict run, struct sh_feature_lines *restrict of,
    struct sh_feature_taken *t, bool brief)
{
	const uint32_t n = (uint32_t)run->n;
	uint32_t begin = t->begin;
	size_t lines = t->lines, others = t->others;

	for (mark += 3 * lines; lines < most; mark += 3) {
		uint32_t start = begin + n, end = mark[1];

		/* Its TAB is where the prefix has it: so the prefix ends in the block. */
		if ((mark[0] + 1 != start) | (end == start) |
		    !sh_feature_run_begins(run, base + begin))
			break;
		if (!brief && !sh_feature_run_same(run, base + begin))
			break;
		of->line[lines] = begin;
		of->start[lines] = start;
		of->end[lines] = end;
		/* Which weight it has nobody can predict. */
		of->other[others] = (uint32_t)lines++;
		others += !sh_feature_weighs_one(base + end);
		begin = mark[2] + 1;
	}
	*t = (struct sh_feature_taken){ lines, others, begin };
}

static void take(const char *base, const uint32_t *mark, size_t most,
    const struct sh_feature_run *run, struct sh_feature_lines *of, struct sh_feature_taken *t)
{
	if (run->n <= 16)
		take_lines(base, mark, most, run, of, t, true);
	else
		take_lines(base, mark, most, run, of, t, false);
}

/* Without a branch for a token. */
static inline void take_even(const char *base, const uint32_t *restrict mark, size_t most,
    const struct sh_feature_run *restrict run, size_t head, size_t each,
    struct sh_feature_lines *restrict of, struct sh_feature_taken *t, bool brief)
{
	const uint32_t n = (uint32_t)run->n;
	size_t stride = head + each + 1, lines = t->lines, others = t->others;
	uint32_t begin = t->begin;

	for (mark += stride * lines + head - 1; lines < most; mark += stride) {
		uint32_t start = begin + n, *first = of->start + lines * each;
		uint32_t *end = of->end + lines * each;
		int other = base[mark[each]] ^ '\t';

		for (size_t k = 1; k < each; k++)
			other |= base[mark[k]] ^ ' ';
		if ((mark[0] + 1 != start) | (mark[1] == start) | other ||
		    !sh_feature_run_begins(run, base + begin))
			break;
		if (!brief && !sh_feature_run_same(run, base + begin))
			break;
		first[0] = start;
		for (size_t k = 1; k < each; k++) {
			end[k - 1] = mark[k];
			first[k] = mark[k] + 1;
		}
		end[each - 1] = mark[each];
		of->line[lines] = begin;
		of->token[lines] = (uint32_t)(lines * each);
		of->other[others] = (uint32_t)lines++;
		others += !sh_feature_weighs_one(base + mark[each]);
		begin = mark[each + 1] + 1;
	}
	*t = (struct sh_feature_taken){ lines, others, begin };
}

void sh_feature_take_even(const char *base, const uint32_t *mark, size_t most,
    const struct sh_feature_run *run, size_t head, size_t each, struct sh_feature_lines *of,
    struct sh_feature_taken *t)
{
	if (each == 2)
		take_even(base, mark, most, run, head, 2, of, t, false);
	else if (run->n <= 16)
		take_even(base, mark, most, run, head, 3, of, t, true);
	else
		take_even(base, mark, most, run, head, 3, of, t, false);
}

static void threes(const char *base, const uint32_t *mark, size_t most,
    const struct sh_feature_run *run, struct sh_feature_lines *of, struct sh_feature_taken *t)
{
	sh_feature_take_even(base, mark, most, run, 1, 3, of, t);
}

const struct sh_feature_take_kernel sh_feature_take_plain = { { "plain", SH_NEEDS_NOTHING }, take,
	threes };
