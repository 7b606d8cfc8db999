/* SPDX-License-Identifier: MIT */
/* Offsets of tokens, for any text and any options: they are borders of characters and escapes, and
 * the tokens are the same as without offsets. */
#include "fuzz.h"
#include "published/published.h"

#include "../unit/test_places.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const methods[] = { NULL, "fields", "blanks", "alpha", "python",
		"go-words" };
	struct sh_token_opts opts = { 0 };
	struct sh_tokenizer *plain, *placed;
	const char *method;
	uint64_t flags;

	fuzz_begin(data, size);
	flags = fuzz_take(2);
	opts.unit = flags & 1 ? SH_UNIT_CHAR : SH_UNIT_WORD;
	opts.raw = flags & 2;
	opts.no_fold = flags & 4;
	opts.apart = flags & 8;
	opts.mask_digits = flags & 16;
	opts.stem = flags & 32 ? "english" : NULL;
	opts.fold_marks = flags >> 14 & 1;
	opts.join_hyphens = flags >> 15 & 1;
	method = methods[(flags >> 6 & 255) % (sizeof methods / sizeof *methods)];
	opts.method = method ? sh_token_method_find(method) : NULL;
	plain = tokenizer(&opts);
	opts.places = true;
	placed = tokenizer(&opts);
	check(all_hold(
	    placed, plain, &opts, sh_slice((const char *)fuzz_input.p, fuzz_input.n), false));
	sh_tokenizer_delete(plain);
	sh_tokenizer_delete(placed);
	return 0;
}
