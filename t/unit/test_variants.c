/* Every row of a table of variants gives what the plain way gives. */
#include "tap.h"
#include "text/ascii.h"
#include "text/token.h"
#include "text_util.h"

static struct sh_error err;

/* ---- words of ASCII ------------------------------------------------------------------ */

/* unit, raw and no_fold in every combination. */
enum { COMBINATIONS = 8 };

static struct sh_token_opts combination(unsigned i)
{
	return (struct sh_token_opts){
		.unit = i & 1 ? SH_UNIT_CHAR : SH_UNIT_WORD,
		.raw = i & 2,
		.no_fold = i & 4,
		.apart = true,
	};
}

/* One tokenizer a combination: without a kernel, and with the one to be tested. */
struct pair {
	struct sh_tokenizer *plain, *fast;
};

static void make_pairs(struct pair *pair, const struct sh_ascii_kernel *kernel)
{
	for (unsigned i = 0; i < COMBINATIONS; i++) {
		struct sh_token_opts opts = combination(i);

		pair[i].plain = sh_tokenizer_new(&opts, &err);
		pair[i].fast = sh_tokenizer_new(&opts, &err);
		must(pair[i].plain && pair[i].fast);
		sh_tokenizer_force(pair[i].plain, NULL);
		sh_tokenizer_force(pair[i].fast, kernel);
	}
}

static void delete_pairs(struct pair *pair)
{
	for (unsigned i = 0; i < COMBINATIONS; i++) {
		sh_tokenizer_delete(pair[i].plain);
		sh_tokenizer_delete(pair[i].fast);
	}
}

static bool same_tokens(const struct sh_tokens *a, const struct sh_tokens *b)
{
	if (a->n != b->n || a->bad_utf8 != b->bad_utf8)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!sh_slice_eq(sh_slice(a->text + a->start[i], a->end[i] - a->start[i]),
			sh_slice(b->text + b->start[i], b->end[i] - b->start[i])))
			return false;
	return true;
}

/* The number of combinations in which the two differ. */
static unsigned differ(struct pair *pair, const char *text, size_t n)
{
	char *copy = exact_copy(text, n);
	struct sh_tokens want, got;
	unsigned bad = 0;

	for (unsigned i = 0; i < COMBINATIONS; i++) {
		must(sh_tokenize(pair[i].plain, sh_slice(copy, n), &want, &err) == 0);
		must(sh_tokenize(pair[i].fast, sh_slice(copy, n), &got, &err) == 0);
		bad += !same_tokens(&want, &got);
	}
	free(copy);
	return bad;
}

/* Mostly ASCII; escapes, rows of backslashes, words across blocks; marks and others that
 * take an ASCII letter with them. */
static void random_ascii(struct sh_buf *b, size_t pieces)
{
	static const char *const common[] = { "a", "B", "z", "Z", "0", "9", " ", ".", "_", "\\",
		"\\n", "\\t", "\\r", "\\\\", "n", "t", "r", "words", "Another, ",
		"@[`{/:", "a-long-one-of-more-than-sixteen-bytes",
		"abcdefghijklmnopqrstuvwxyz0123456789", "\x7f", "        " };
	static const char *const rare[] = { "\xC3\xA9", "\xCC\x81", "\xE4\xBD\xA0", "\xE2\x80\x8D",
		"\xEF\xAC\x81", "\xFF", "\xE4\xBD", "\xF0\x9D\x94\xB8", "\xC2\xA0" };
	unsigned others = (unsigned)rng_below(3), slashes = (unsigned)rng_below(2);

	b->n = 0;
	append(b, "", 0);
	for (size_t i = 0; i < pieces; i++) {
		const char *s = common[rng_below(sizeof common / sizeof *common)];

		if (slashes && rng_below(2))
			s = common[9 + rng_below(8)];
		if (others && rng_below(others == 1 ? 50 : 4) == 0)
			s = rare[rng_below(sizeof rare / sizeof *rare)];
		append(b, s, strlen(s));
	}
}

static void test_random(struct pair *pair, const char *name)
{
	enum { DOCUMENTS = 3000 };
	struct sh_buf b = { 0 };
	unsigned bad = 0;

	for (unsigned i = 0; i < DOCUMENTS; i++) {
		random_ascii(&b, rng_below(i % 2 ? 12 : 160));
		bad += differ(pair, b.p, b.n);
	}
	ok(!bad, "%s: words and characters of %u random texts", name, (unsigned)DOCUMENTS);
	/* Longer than one step of the tokenizer, and more than 65535 words. */
	for (bad = 0; b.n < 400000;) {
		struct sh_buf part = { 0 };

		random_ascii(&part, 20000);
		append(&b, part.p, part.n);
		sh_buf_free(&part);
		bad += differ(pair, b.p, b.n);
	}
	ok(!bad, "%s: of texts of up to %zu bytes", name, b.n);
	sh_buf_free(&b);
}

/* Whole files as one text, and line by line. */
static void test_file(struct pair *pair, const char *name, const char *dir, const char *file)
{
	struct sh_buf b = slurp_file(dir, file);
	unsigned bad = differ(pair, b.p ? b.p : "", b.n);

	for (size_t at = 0, n; at < b.n; at += n + 1) {
		const char *lf = memchr(b.p + at, '\n', b.n - at);

		n = lf ? (size_t)(lf - b.p) - at : b.n - at;
		bad += differ(pair, b.p + at, n);
	}
	ok(!bad, "%s: of %s", name, file);
	sh_buf_free(&b);
}

/* Every length and every place of a block's end, at every byte. */
static void test_lengths(struct pair *pair, const char *name)
{
	static const char *const around[] = { "ab cd ", "\\n", "\\\\", "\\n\xC3\xA9 x",
		"a\xCC\x81z" };
	struct sh_buf b = { 0 };
	unsigned bad = 0;

	for (unsigned k = 0; k < sizeof around / sizeof *around; k++)
		for (size_t before = 0; before < 140; before++) {
			b.n = 0;
			for (size_t i = 0; i < before; i++)
				append(&b, before % 3 ? "x" : i % 5 ? "y" : "-", 1);
			append(&b, around[k], strlen(around[k]));
			for (size_t i = 0; i < before % 70; i++)
				append(&b, "t", 1);
			bad += differ(pair, b.p, b.n);
		}
	ok(!bad, "%s: of escapes and others at every place of a block", name);
	sh_buf_free(&b);
}

static void test_ascii(const struct sh_ascii_kernel *kernel)
{
	static const char *const files[] = { "en_dev.tsv", "zh_dev.tsv", "bad/UTF-8-test.txt",
		"bad/blns.txt", "bad/combining.txt", "bad/fullwidth.txt", "bad/utf8_nul.txt",
		"bad/utf8_crlf.txt", "bad/gb18030.txt", "bad/zwj_bidi.txt", "bad/latin1.txt" };
	struct pair pair[COMBINATIONS];

	make_pairs(pair, kernel);
	test_lengths(pair, kernel->name);
	test_random(pair, kernel->name);
	for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
		test_file(pair, kernel->name, getenv("T_DATA"), files[i]);
	delete_pairs(pair);
}

int main(void)
{
	const struct sh_ascii_kernel *kernel;

	rng_init(4);
	if (!getenv("T_DATA"))
		setenv("T_DATA", "t/data", 1);
	for (unsigned i = 0; (kernel = sh_ascii_kernel_at(i)); i++)
		test_ascii(kernel);
	return done_testing();
}
