/* SPDX-License-Identifier: MIT */
/* A fingerprint in one call equals the definition, feature by feature: random documents and options
 * against an oracle that uses only tokens and the hash of a text from the library.
 *
 *     test_props_fp --documents N    prints N such documents as records instead */
#include "base/compare.h"
#include "fp/count.h"
#include "fp/fingerprinter.h"
#include "published/published.h"

#include <math.h>

#include "tap.h"
#include "text_util.h"

enum { CASES = 12000, FEATURES_MAX = 20000 };

/* ---- documents ---- */

static const char *const PIECES[] = { "the ", "of", " to be or not to be ", "\\t", "\\n", "\\r",
	"\\\\", "\\x", "10,5 ", "2026", "_", "-", "中文", "の", "テスト ", "한국어 ", "é",
	"e\xCC\x81", "\xFF", "\xC3", "\xE4\xB8", "\xF0\x9F\x91\xA9\xE2\x80\x8D", "ﬁ", "İ", "ß",
	"  " };
enum { PIECE_COUNT = sizeof PIECES / sizeof *PIECES };

/* Real words repeat, some of them more often than counts have known weights; random characters of a
 * few scripts hardly do. No TAB, LF, CR. */
static void document(struct sh_buf *b)
{
	size_t parts = rng_below(rng_below(8) ? 12 : 120);
	size_t often = parts < 12 && rng_below(12) == 0 ? 200 + rng_below(200) : 0;

	b->n = 0;
	for (size_t i = 0; i < often; i++)
		append(b, "a ", 2);
	for (size_t i = 0; i < parts; i++) {
		if (rng_below(3))
			for (const char *p = PIECES[rng_below(PIECE_COUNT)]; *p; p++)
				append(b, p, 1);
		else
			random_text(b, rng_below(20), rng_below(4) ? 0 : 10);
	}
	for (size_t i = 0; i < b->n; i++)
		if (memchr("\t\n\r", b->p[i], 3))
			b->p[i] = ' ';
}

static int print_documents(unsigned long n)
{
	struct sh_buf b = { 0 };

	rng_state = getenv("SEED") ? strtoull(getenv("SEED"), NULL, 0) : 20261121;
	for (unsigned long i = 0; i < n; i++) {
		document(&b);
		printf("d%lu\t", i);
		fwrite(b.p ? b.p : "", 1, b.n, stdout);
		putchar('\n');
	}
	sh_buf_free(&b);
	return fflush(stdout) == EOF;
}

/* ---- the oracle ---- */

struct feature {
	struct sh_slice text;
	uint64_t count;
};

struct oracle {
	struct feature *feature;
	size_t n;
	uint64_t all;
	struct sh_buf texts;
};

static int by_text(const void *a, const void *b)
{
	return sh_slice_cmp(((const struct feature *)a)->text, ((const struct feature *)b)->text);
}

/* Makes the texts of all n-grams: words with a space between, characters without. */
static void collect(struct oracle *o, const struct sh_tokens *t, struct sh_ngrams range, bool chars)
{
	size_t at = 0;

	if (t->n < range.min)
		range = (struct sh_ngrams){ .min = (unsigned)t->n, .max = (unsigned)t->n };
	o->n = 0;
	o->texts.n = 0;
	for (size_t size = range.min; t->n && size <= range.max && size <= t->n; size++) {
		for (size_t i = 0; i + size <= t->n; i++) {
			struct sh_slice *text = &o->feature[o->n].text;

			must(o->n < FEATURES_MAX);
			text->n = o->texts.n;
			for (size_t j = i; j < i + size; j++) {
				if (j > i && !chars)
					append(&o->texts, " ", 1);
				append(&o->texts, t->text + t->start[j], t->end[j] - t->start[j]);
			}
			text->n = o->texts.n - text->n;
			o->feature[o->n++].count = 1;
		}
	}
	for (size_t i = 0; i < o->n; i++) {
		o->feature[i].text.p = o->texts.p + at;
		at += o->feature[i].text.n;
	}
	o->all = o->n;
}

/* Joins equal texts to one feature with their number. */
static void count(struct oracle *o)
{
	size_t n = 0;

	qsort(o->feature, o->n, sizeof *o->feature, by_text);
	for (size_t i = 0; i < o->n; i++) {
		if (n && sh_slice_eq(o->feature[n - 1].text, o->feature[i].text))
			o->feature[n - 1].count++;
		else
			o->feature[n++] = o->feature[i];
	}
	o->n = n;
}

static int64_t weight(const char *scheme, const struct feature *f, uint64_t all)
{
	switch (*scheme) {
	case 's':
		return 1000000;
	case 't':
		return 1000000 * (int64_t)f->count;
	case 'f': /* half a millionth is rounded up */
		return (int64_t)((2000000 * f->count + all) / (2 * all));
	default:
		return llroundl(1000000 * (1 + logl((long double)f->count)));
	}
}

static bool sums(const struct oracle *o, const struct sh_fingerprint_opts *opts, uint64_t *out)
{
	static int64_t sum[SH_FP_MAX_BITS];
	uint64_t words[SH_FP_MAX_WORDS];
	bool any = false;

	memset(sum, 0, sizeof sum);
	memset(out, 0, SH_FP_WORDS(opts->bits) * sizeof *out);
	for (size_t i = 0; i < o->n; i++) {
		int64_t w = weight(opts->scheme->name, &o->feature[i], o->all);

		sh_hash_feature(opts->hash, o->feature[i].text, opts->seed, opts->bits, words);
		for (unsigned bit = 0; bit < opts->bits; bit++)
			sum[bit] += words[bit / 64] >> (63 - bit % 64) & 1 ? w : -w;
		any |= w > 0;
	}
	for (unsigned bit = 0; bit < opts->bits; bit++)
		if (sum[bit] > 0)
			out[bit / 64] |= UINT64_C(1) << (63 - bit % 64);
	return any;
}

/* ---- the property ---- */

static struct sh_fingerprint_opts random_options(void)
{
	static const char *const hashes[] = { "mix", "mix", "xxh3", "md5" };
	static const char *const schemes[] = { "set", "tf", "freq", "log" };
	static const unsigned bits[] = { 32, 64, 64, 128, 256 };
	struct sh_fingerprint_opts o = {
		.hash = sh_hash_find(hashes[rng_below(4)]),
		.scheme = sh_scheme_find(schemes[rng_below(4)]),
		.bits = bits[rng_below(5)],
		.seed = rng_below(3) ? 0 : rng(),
	};

	o.token.unit = rng() & 1 ? SH_UNIT_CHAR : SH_UNIT_WORD;
	o.token.no_fold = rng_below(4) == 0;
	o.token.raw = rng_below(4) == 0;
	o.token.mask_digits = rng_below(4) == 0;
	o.token.min_chars = rng_below(4) ? 0 : (unsigned)rng_below(4);
	o.token.keep = rng_below(4) ? 0 : 1 + (unsigned)rng_below(1023);
	o.ngrams.min = 1 + (unsigned)rng_below(rng_below(4) ? 4 : 40);
	o.ngrams.max = o.ngrams.min + (unsigned)(rng_below(3) ? 0 : rng_below(6));
	return o;
}

static bool agrees(struct oracle *o, const struct sh_fingerprint_opts *opts, const struct sh_buf *b,
    unsigned *empty)
{
	struct sh_error err;
	struct sh_fingerprinter *f = sh_fingerprinter_new(opts, &err);
	struct sh_tokenizer *t = sh_tokenizer_new(&opts->token, &err);
	char *text = exact_copy(b->p, b->n);
	struct sh_fingerprint got;
	struct sh_tokens tokens;
	uint64_t want[SH_FP_MAX_WORDS];
	bool any, good;

	must(t && f && sh_tokenize(t, sh_slice(text, b->n), &tokens, &err) == 0);
	collect(o, &tokens, opts->ngrams, opts->token.unit == SH_UNIT_CHAR);
	count(o);
	any = sums(o, opts, want);
	good = sh_fingerprint(f, sh_slice(text, b->n), &got, &err) == 0 && got.empty == !any &&
	       got.bad_utf8 == tokens.bad_utf8 &&
	       (!any || memcmp(got.w, want, SH_FP_WORDS(opts->bits) * 8) == 0);
	*empty += !any;
	sh_fingerprinter_delete(f);
	sh_tokenizer_delete(t);
	free(text);
	return good;
}

/* Prints the options and the seed of a case, which repeat it. */
static void show(unsigned i, const struct sh_fingerprint_opts *o)
{
	printf(
	    "# case %u: %s, %u bits, seed %llx, -w %s, %s, n %u-%u, no_fold %d, raw %d, mask %d, "
	    "min %u, keep %x\n",
	    i, o->hash->name, o->bits, (unsigned long long)o->seed, o->scheme->name,
	    o->token.unit == SH_UNIT_CHAR ? "char" : "word", o->ngrams.min, o->ngrams.max,
	    o->token.no_fold, o->token.raw, o->token.mask_digits, o->token.min_chars,
	    o->token.keep);
}

/* ---- distinct hashes ---- */

/* Returns whether the lists have each hash of `sorted` once, with its count and first place. */
static bool counts_right(
    const struct sh_hash_count *c, const uint64_t *hash, const uint64_t *sorted, size_t n)
{
	size_t distinct = 0, all = 0;

	for (size_t i = 0; i < n; i++)
		distinct += i == 0 || sorted[i] != sorted[i - 1];
	for (size_t i = 0; i < c->n; i++) {
		const uint64_t *at =
		    bsearch(&c->hash[i], sorted, n, sizeof *sorted, sh_compare_u64);
		size_t first = 0, same = 0;

		while (at && at > sorted && at[-1] == *at)
			at--;
		for (; at && at + same < sorted + n && at[same] == *at;)
			same++;
		while (first < n && hash[first] != c->hash[i])
			first++;
		if (same != c->count[i] || first != c->first[i] ||
		    (i && c->first[i - 1] >= c->first[i]))
			return false;
		all += same;
	}
	return distinct == c->n && all == n;
}

static void test_counts(void)
{
	enum { MOST = 3000 };
	static uint64_t hash[MOST], sorted[MOST];
	struct sh_hash_count c;
	struct sh_error err;
	unsigned rounds = rng_rounds(800), bad = 0;

	must(sh_hash_count_init(&c, &err) == 0);
	for (unsigned round = 0; round < rounds; round++) {
		size_t n = rng_below(round % 10 ? 300 : MOST);
		uint64_t kinds = 1 + rng_below(n + 1);

		/* Few kinds that differ in the upper or the lower half, and hashes met once. */
		for (size_t i = 0; i < n; i++)
			hash[i] = rng_below(3) == 0 ? rng()
				  : round % 2       ? rng_below(kinds)
						    : (uint64_t)rng_below(kinds) << 32;
		memcpy(sorted, hash, n * sizeof *hash);
		qsort(sorted, n, sizeof *sorted, sh_compare_u64);
		must(sh_hash_count(&c, hash, n, &err) == 0);
		bad += !counts_right(&c, hash, sorted, n);
	}
	ok(!bad, "distinct hashes of %u documents are counted, in order of first occurrence",
	    rounds);
	sh_hash_count_free(&c);
}

int main(int argc, char **argv)
{
	struct oracle o = { 0 };
	struct sh_buf b = { 0 };
	unsigned cases = rng_rounds(CASES), bad = 0, empty = 0;

	if (argc == 3 && strcmp(argv[1], "--documents") == 0)
		return print_documents(strtoul(argv[2], NULL, 10));
	o.feature = calloc(FEATURES_MAX, sizeof *o.feature);
	must(o.feature != NULL);
	rng_init(20261121);
	for (unsigned i = 0; i < cases; i++) {
		struct sh_fingerprint_opts opts = random_options();

		document(&b);
		if (!agrees(&o, &opts, &b, &empty) && bad++ < 5)
			show(i, &opts);
	}
	ok(bad == 0,
	    "%u random documents: one call gives the fingerprint of the definition (%u differ)",
	    cases, bad);
	ok(empty > cases / 120 && empty < cases / 3, "%u random documents have no features", empty);
	test_counts();
	free(o.feature);
	sh_buf_free(&o.texts);
	sh_buf_free(&b);
	return done_testing();
}
