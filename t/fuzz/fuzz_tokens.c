/* SPDX-License-Identifier: MIT */
/* Tokens of any text: compares every kernel for ASCII and Han with the code for single bytes, and
 * checks the stated properties of all other methods with any filter. */
#include "fuzz.h"
#include "published/published.h"
#include "text/stopwords.h"

#include "../unit/test_variants_words.c"
#include "text/method.h"

static void kernels(const char *text, size_t n)
{
	static struct pair pair[8][COMBINATIONS];
	const struct sh_ascii_kernel *kernel;

	for (unsigned i = 0; (kernel = sh_ascii_kernel_at(i)); i++) {
		if (!pair[i][0].plain)
			make_pairs(pair[i], kernel);
		check(differ(pair[i], text, n) == 0);
	}
}

/* Checks that tokens are in order, within the text and not empty, with a blank between words. */
static void in_order(const struct sh_tokens *t, const struct sh_token_opts *opts)
{
	for (size_t i = 0; i < t->n; i++) {
		check(t->end[i] > t->start[i]);
		check(i == 0 || t->start[i] >= t->end[i - 1]);
		if (opts->unit == SH_UNIT_WORD && !opts->apart && !opts->method && i)
			check(t->start[i] == t->end[i - 1] + 1 && t->text[t->end[i - 1]] == ' ');
	}
}

static void other_ways(const char *text, size_t n, const struct sh_stoplist *stop)
{
	static const char *const stems[] = { "english", "porter", "german", "russian" };
	unsigned i = (unsigned)fuzz_take(1) % 16;
	const struct sh_token_method *method = NULL;
	uint64_t flags = fuzz_take(4);
	struct sh_token_opts opts;
	struct sh_tokenizer *t;
	struct sh_tokens tokens, again;

	for (unsigned at = 0; at <= i && sh_token_method_at(at); at++)
		method = sh_token_method_at(at);
	if (method->needs_jieba || method->needs_cppjieba)
		method = NULL;
	opts = (struct sh_token_opts){
		.unit = flags & 1 ? SH_UNIT_CHAR : SH_UNIT_WORD,
		.no_fold = flags & 2,
		.raw = flags & 4,
		.mask_digits = flags & 8,
		.min_chars = flags >> 4 & 3,
		.keep = flags & 64 ? (unsigned)(flags >> 8 & 1023) : 0,
		.stop = flags & 128 ? stop : NULL,
		.apart = flags >> 18 & 1,
		.fold_marks = flags >> 22 & 1,
		.join_hyphens = flags >> 23 & 1,
		.stem = flags >> 19 & 1 ? stems[flags >> 20 & 3] : NULL,
		.method = method,
	};
	t = sh_tokenizer_new(&opts, &err);
	check(t != NULL);
	check(sh_tokenize(t, sh_slice(text, n), &tokens, &err) == 0);
	in_order(&tokens, &opts);
	{
		size_t count = tokens.n;
		uint64_t ill = tokens.bad_utf8;

		/* The result does not depend on the text before. */
		check(sh_tokenize(t, sh_slice(text, n), &again, &err) == 0);
		check(again.n == count && again.bad_utf8 == ill);
	}
	sh_tokenizer_delete(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sh_stoplist *stop;
	struct sh_token_opts plain = { 0 };
	char *text;
	size_t n;

	fuzz_begin(data, size < 5 ? size : 5);
	data += size < 5 ? size : 5;
	size -= size < 5 ? size : 5;
	text = fuzz_copy(data, size, 0);
	n = size;
	kernels(text, n);
	/* The first lines of the text are stop words. */
	stop = sh_stopwords_read(sh_slice(text, n < 64 ? n : 64), &plain, &err);
	check(stop != NULL);
	other_ways(text, n, stop);
	sh_stoplist_delete(stop);
	free(text);
	return 0;
}
