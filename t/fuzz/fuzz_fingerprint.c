/* A fingerprint in one go against the definition, feature by feature, on texts made from the
 * input and on the input itself; and against the long way's end, fed with features and weights. */
#include "fuzz.h"

#include "../unit/test_props_fp.c"
#include "fp/accumulator.h"

enum { TEXT_LONGEST = 1500 }; /* bytes: all n-grams of n to n + 5 stay below FEATURES_MAX */

/* What shtok and shweight would hand over, in whatever order, through either door. */
static void by_accumulator(const struct oracle *o, const struct sh_fingerprint_opts *opts,
    const struct sh_fingerprint *want)
{
	struct sh_accumulator a;
	struct sh_fingerprint got;
	struct sh_error err;

	check(sh_accumulator_init(&a, opts, &err) == 0);
	sh_accumulator_clear(&a);
	for (size_t i = o->n; i-- > 0;) {
		struct sh_slice text = o->feature[i].text;
		bool word = text.n && text.n <= 16 && !memchr(text.p, ' ', text.n) &&
			    !memchr(text.p, '\\', text.n);
		char *copy = fuzz_copy(text.p, text.n, 64);

		/* A feature with a backslash would be taken for an escape: not from words. */
		check(!memchr(text.p, '\\', text.n));
		check(sh_accumulator_add_padded(&a, sh_slice(copy, text.n), word,
			  weight(opts->scheme->name, &o->feature[i], o->all), &err) == 0);
		free(copy);
	}
	sh_accumulator_finish(&a, &got);
	check(got.empty == want->empty);
	check(got.empty || memcmp(got.w, want->w, SH_FP_WORDS(opts->bits) * 8) == 0);
	sh_accumulator_free(&a);
}

static void minwise(const struct oracle *o, struct sh_fingerprint_opts opts, struct sh_slice text)
{
	struct sh_fingerprint one;
	struct sh_fingerprinter *f;
	struct sh_error err;

	opts.minhash = true;
	opts.bits = 64 * (1 + opts.bits / 64 % 4);
	f = sh_fingerprinter_new(&opts, &err);
	check(f && sh_fingerprint(f, text, &one, &err) == 0);
	check(one.empty == (o->n == 0));
	by_accumulator(o, &opts, &one);
	sh_fingerprinter_delete(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct oracle o;
	struct sh_fingerprint_opts opts;
	struct sh_fingerprinter *f;
	struct sh_fingerprint one;
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
	f = sh_fingerprinter_new(&opts, &err);
	check(f && sh_fingerprint(f, sh_buf_slice(&b), &one, &err) == 0);
	by_accumulator(&o, &opts, &one);
	sh_fingerprinter_delete(f);
	minwise(&o, opts, sh_buf_slice(&b));
	sh_buf_free(&b);
	return 0;
}
