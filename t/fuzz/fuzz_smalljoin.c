/* Compares the join of small feature sets with the comparison of all sets. */
#include "fuzz.h"

#include "../unit/test_smalljoin.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const uint64_t thresholds[] = { 800000, 500000, 1000000, 333333, 1, 666667, 900000 };
	struct sh_small_sets s = { 0 };
	struct sh_error err;
	uint64_t threshold;
	size_t few;

	fuzz_begin(data, bytes);
	threshold = thresholds[rng_below(7)];
	few = 1 + rng_below(40);
	random_sets(1 + rng_below(256) * (rng_below(2) ? 1 : 50));
	memset(found, 0, sizeof found);
	for (size_t i = 0; i < SETS; i++)
		check(sh_small_add(&s, set[i], size[i], &err) == 0);
	check(join_drawn(&s, threshold, few) == 0);
	for (size_t b = 0; b < SETS; b++)
		for (size_t a = 0; a < SETS; a++)
			check(found[a][b] == (is_asked(a, b) && (size[a] < few || size[b] < few) &&
						 similar(a, b, threshold)));
	sh_small_free(&s);
	return 0;
}
