/* SPDX-License-Identifier: MIT */
/* Compares the fingerprint of a text with its definition, feature by feature, on the input and on
 * texts made from the input. Also compares it with the accumulator of feature records. */
#include "fuzz.h"

#include "../unit/test_props_fp.c"
#include "fp/accumulator.h"

enum { TEXT_LONGEST = 1500 }; /* bytes; gives fewer than FEATURES_MAX n-grams of n to n + 5 */

/* Adds the features of shtok and shweight in any order, with each of the two functions. */
static void by_accumulator(const struct oracle *o, const struct sh_fingerprint_opts *opts,
    const struct sh_fingerprint *want)
{
	struct sh_accumulator a;
	struct sh_fingerprint got;
	struct sh_error err;
	struct sh_feature_lines many;
	struct sh_id_prefix prefix;
	struct sh_feature left;
	struct sh_buf lines = { 0 };
	char number[SH_NUM_CHARS + 2], *copy;
	const char *p, *end;
	size_t n;

	check(sh_accumulator_init(&a, opts, &err) == 0);
	sh_accumulator_clear(&a);
	check(sh_feature_lines_init(&many, true, &err) == 0);
	sh_id_prefix_set(&prefix, sh_slice("id", 2));
	for (size_t i = o->n; i-- > 0;) {
		struct sh_slice text = o->feature[i].text;

		/* Words have no backslash, which would begin an escape. */
		check(!memchr(text.p, '\\', text.n));
		check(sh_buf_add(&lines, "id\t", 3, &err) == 0);
		check(sh_buf_add(&lines, text.p, text.n, &err) == 0);
		number[0] = '\t';
		n = 1 +
		    sh_print_weight(number + 1, weight(opts->scheme->name, &o->feature[i], o->all));
		number[n++] = '\n';
		check(sh_buf_add(&lines, number, n, &err) == 0);
	}
	p = copy = fuzz_copy(lines.p, lines.n, 64);
	end = p + lines.n;
	check(sh_feature_lines_chunk(&many, 0, p, end, &err) == 0);
	while (p < end) {
		const char *next = p;

		if (sh_accumulator_accepts_lines(&a)) {
			next = sh_feature_lines_read(&many, &prefix, p);
			check(sh_accumulator_add_lines(&a, &many, many.lines));
		}
		if (next != p) {
			p = next;
			continue;
		}
		/* sh_record_feature() must read this line. */
		n = (size_t)((const char *)memchr(p, '\n', (size_t)(end - p)) - p);
		check(sh_record_feature(sh_slice(p, n), &left, &err) == 0);
		check(sh_accumulator_add(&a, left.text, left.weight, &err) == 0);
		p += n + 1;
	}
	free(copy);
	sh_buf_free(&lines);
	sh_feature_lines_free(&many);
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
