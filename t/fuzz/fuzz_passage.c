/* SPDX-License-Identifier: MIT */
/* Groups, hits, chains and extensions of any documents: spans have the stated properties, and every
 * common run of W + K - 1 tokens is within a span. */
#include "fuzz.h"

#include "../unit/test_passage_spans.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sh_texts t = { 0 };
	unsigned k;
	size_t window;
	bool first;

	fuzz_begin(data, size);
	k = 2 + (unsigned)fuzz_take(1) % 5;
	window = 1 + (size_t)fuzz_take(1) % 8;
	first = fuzz_take(1) & 1;
	add_random_documents(&t, 1 + (size_t)fuzz_take(1) % 6, 80, 1 + (uint32_t)fuzz_take(1));
	check(groups_are_right(&t, 1));
	check(spans_are_right(&t, k, window, first));
	sh_texts_free(&t);
	return 0;
}
