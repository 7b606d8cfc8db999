/* SPDX-License-Identifier: MIT */
/* Compares edit distances of any two sequences with the distances of the full matrix. */
#include "fuzz.h"

#include "../unit/test_align.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct text x, y;
	static struct sh_aligner *a;
	struct sh_error err;
	uint64_t alphabet;
	size_t longest;

	fuzz_begin(data, size);
	if (!a)
		a = sh_aligner_new(&err);
	check(a != NULL);
	alphabet = 1 + rng_below(rng_below(2) ? 8 : 5000);
	longest = 1 + rng_below(LONGEST);
	write_text(&x, longest, alphabet);
	if (rng_below(2))
		edit_text(&y, &x, longest, alphabet);
	else
		write_text(&y, longest, alphabet);
	check(wrong_limits(a, &x, &y) == 0);
	check(wrong_limits(a, &y, &x) == 0);
	return 0;
}
