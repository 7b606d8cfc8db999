/* SPDX-License-Identifier: MIT */
/* Compares the repeated passages of any documents with those found by comparing all windows. */
#include "fuzz.h"

#include "../unit/test_passage_exact.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sh_texts t = { 0 };
	uint32_t length, k;
	bool every;

	fuzz_begin(data, size);
	length = 1 + (uint32_t)fuzz_take(1) % 40;
	k = (uint32_t)fuzz_take(1) % (length + 1);
	every = fuzz_take(1) & 1;
	add_random_documents(&t, 1 + (size_t)fuzz_take(1) % 6, 80, 1 + (uint32_t)fuzz_take(1));
	check(is_exact(&t, length, k, every));
	sh_texts_free(&t);
	return 0;
}
