/* SPDX-License-Identifier: MIT */
/* Compares the fingerprint of a text with its definition, feature by feature, on the input and on
 * texts made from the input. Also compares it with the accumulator of feature records. */
#include "fuzz.h"

#include "../unit/test_props_fp.c"
#include "fp/accumulator.h"

enum { TEXT_LONGEST = 1500 }; /* bytes; gives fewer than FEATURES_MAX n-grams of n to n + 5 */

/* Adds the features of shtok and shweight in any order, one or several in a call. */
static void by_accumulator(const struct oracle *o, const struct sh_fingerprint_opts *opts,
    const struct sh_fingerprint *want)
{
	struct sh_slice *text = calloc(o->n + 1, sizeof *text);
	int64_t *weights = calloc(o->n + 1, sizeof *weights);
	struct sh_accumulator a;
	struct sh_fingerprint got;
	struct sh_error err;
	size_t n = 0;

	check(text && weights && sh_accumulator_init(&a, opts, &err) == 0);
	for (size_t i = o->n; i-- > 0;) {
		struct sh_slice t = o->feature[i].text;

		/* Words have no backslash, which would begin an escape. */
		check(!memchr(t.p, '\\', t.n));
		text[n] = sh_slice(fuzz_copy(t.p, t.n, SH_PAD), t.n);
		weights[n++] = weight(opts->scheme->name, &o->feature[i], o->all);
	}
	for (size_t i = 0, some; i < n; i += some) {
		some = rng_below(4) ? n - i : 1;
		check(sh_accumulator_add(&a, text + i, weights + i, some, &err) == some);
	}
	for (size_t i = 0; i < n; i++)
		free((char *)(uintptr_t)text[i].p);
	free(text);
	free(weights);
	sh_accumulator_finish(&a, &got);
	check(got.empty == want->empty);
	check(got.empty || memcmp(got.w, want->w, SH_FP_WORDS(opts->bits) * 8) == 0);
	sh_accumulator_free(&a);
}

static void hashes_only(
    const struct oracle *o, struct sh_fingerprint_opts opts, struct sh_slice text)
{
	struct sh_fingerprinter *f;
	struct sh_fingerprint x;
	struct sh_error err;

	opts.scheme = NULL;
	opts.bits = 64;
	check((f = sh_fingerprinter_new(&opts, &err)) && sh_fingerprint(f, text, &x, &err) == 0);
	check(x.empty == (o->n == 0));
	check(x.features >= o->n);
	sh_fingerprinter_delete(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct oracle o;
	struct sh_fingerprint_opts opts;
	struct sh_fingerprinter *f;
	struct sh_fingerprint x;
	struct sh_buf b = { 0 };
	struct sh_error err;
	unsigned empty = 0;

	if (!o.feature)
		o.feature = calloc(FEATURES_MAX, sizeof *o.feature);
	check(o.feature != NULL);
	fuzz_begin(data, size);
	opts = random_options();
	opts.tie = (unsigned)rng_below(2);
	if (rng_below(4))
		append(&b, fuzz_input.p, fuzz_input.n < TEXT_LONGEST ? fuzz_input.n : TEXT_LONGEST);
	else
		document(&b);
	if (b.n > TEXT_LONGEST)
		b.n = TEXT_LONGEST;
	if (!b.p)
		append(&b, "", 0), b.p = b.p ? b.p : calloc(1, 1);
	opts.tie = 0;
	check(agrees(&o, &opts, &b, &empty));
	check((f = sh_fingerprinter_new(&opts, &err)) &&
	      sh_fingerprint(f, sh_buf_slice(&b), &x, &err) == 0);
	by_accumulator(&o, &opts, &x);
	sh_fingerprinter_delete(f);
	hashes_only(&o, opts, sh_buf_slice(&b));
	sh_buf_free(&b);
	return 0;
}
