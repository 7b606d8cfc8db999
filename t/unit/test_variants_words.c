/* SPDX-License-Identifier: MIT */
/* All kernels find the same words of ASCII and Han as the code for single bytes. Reads a random
 * part of large files, and whole files when the environment has SOAK. */
#include "tap.h"
#include "text/ascii.h"
#include "text/token.h"
#include "text_util.h"

static struct sh_error err;

/* unit, raw, no_fold and apart in every combination. */
enum { COMBINATIONS = 16 };

static struct sh_token_opts combination(unsigned i)
{
	return (struct sh_token_opts){
		.unit = i & 1 ? SH_UNIT_CHAR : SH_UNIT_WORD,
		.raw = i & 2,
		.no_fold = i & 4,
		.apart = i & 8,
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

/* Returns whether both texts of tokens are equal when joined by single spaces. */
static bool same_layout(const struct sh_tokens *a, const struct sh_tokens *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->start[i] != b->start[i] || a->end[i] != b->end[i])
			return false;
	return a->n == 0 || memcmp(a->text, b->text, a->end[a->n - 1]) == 0;
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
		bad += !same_tokens(&want, &got) ||
		       (!combination(i).apart && !same_layout(&want, &got));
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
		"\xEF\xAC\x81", "\xFF", "\xE4\xBD", "\xF0\x9D\x94\xB8", "\xC2\xA0", "\xE3\x81",
		"\xE3\x83", "e\u0301" };
	/* Han: first and last known characters, and neighbours; punctuation and its neighbours;
	 * attaching characters: marks, a variation selector, a voicing mark. */
	static const char *const han[] = { "\u4e00", "\u6c49", "\u5b57", "\u8a9e", "\u9fbf",
		"\u9fc0", "\u9fff", "\u4dff", "\u3400", "\uf900", "\u3000", "\u3001", "\u3002",
		"\u3003", "\u3005", "\u3007", "\u3008", "\u3011", "\u3012", "\uff01", "\uff08",
		"\uff0c", "\uff1a", "\uff1f", "\uff1c", "\uff21", "\u2013", "\u2014", "\u2019",
		"\u201c", "\u201d", "\u2026", "\u200d", "\u0338", "\ufe0e", "\u3099", "\u304b",
		"\u30ab" };
	unsigned others = (unsigned)rng_below(3), slashes = (unsigned)rng_below(2);
	uint64_t cjk = rng_below(2) * (1 + rng_below(3)); /* one in this many pieces */

	b->n = 0;
	append(b, "", 0);
	for (size_t i = 0; i < pieces; i++) {
		const char *s = common[rng_below(sizeof common / sizeof *common)];

		if (slashes && rng_below(2))
			s = common[9 + rng_below(8)];
		if (others && rng_below(others == 1 ? 50 : 4) == 0)
			s = rare[rng_below(sizeof rare / sizeof *rare)];
		if (cjk && rng_below(cjk) == 0)
			s = han[rng_below(rng_below(3) ? 5 : sizeof han / sizeof *han)];
		append(b, s, strlen(s));
	}
}

static void test_random(struct pair *pair, const char *name)
{
	unsigned documents = rng_rounds(3000), bad = 0;
	struct sh_buf b = { 0 };

	for (unsigned i = 0; i < documents; i++) {
		random_ascii(&b, rng_below(i % 2 ? 12 : 160));
		bad += differ(pair, b.p, b.n);
	}
	ok(!bad, "%s: words and characters of %u random texts", name, documents);
	/* Longer than one step of the tokenizer, and more than 65535 words. */
	for (bad = 0; b.n < 400000;) {
		struct sh_buf part = { 0 };

		random_ascii(&part, 20000);
		append(&b, part.p, part.n);
		sh_buf_free(&part);
		bad += differ(pair, b.p, b.n);
	}
	ok(!bad, "%s: words and characters of texts of up to %zu bytes", name, b.n);
	sh_buf_free(&b);
}

/* Reads whole lines of a file as one text, and each line alone. */
static void test_file(struct pair *pair, const char *name, const char *dir, const char *file)
{
	enum { STRETCH = 200000 };
	struct sh_buf b = slurp_file(dir, file);
	size_t at = 0, end = b.n, most = rng_rounds(STRETCH), first;
	unsigned bad;

	if (!getenv("SOAK") && b.n > most) {
		at = rng_below(b.n - most);
		end = at + most;
		while (at && at < end && b.p[at - 1] != '\n')
			at++;
	}
	first = at;
	bad = differ(pair, b.p ? b.p + at : "", end - at);
	for (size_t n; at < end; at += n + 1) {
		const char *lf = memchr(b.p + at, '\n', end - at);

		n = lf ? (size_t)(lf - b.p) - at : end - at;
		bad += differ(pair, b.p + at, n);
	}
	ok(!bad, "%s: words and characters of %s from byte %zu to %zu", name, file, first, end);
	sh_buf_free(&b);
}

/* Every length and every place of a block's end, at every byte. */
static void test_lengths(struct pair *pair, const char *name)
{
	static const char *const around[] = { "ab cd ", "\\n", "\\\\", "\\n\xC3\xA9 x",
		"a\u6c49\u5b57\uff0c\u8a9eb", "\u4e00\u0338\u9fff",
		/* 33 words end in a block: one on its first byte, then on every other */
		"\u6c49a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h",
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
	ok(!bad, "%s: words and characters with escapes and marks at every place of a block", name);
	sh_buf_free(&b);
}

/* Code points that a kernel may know, each with a character that may attach to it. */
static void test_known(struct pair *pair, const char *name)
{
	static const uint32_t ranges[][2] = { { 0x80, 0xFF }, { 0x2000, 0x26FF },
		{ 0x3000, 0x31FF }, { 0x4DC0, 0x4E40 }, { 0x9F80, 0xA040 }, { 0xFF00, 0xFFEF } };
	static const char *const marks[] = { "", "\u3099", "\u309a", "\u0338", "\ufe0e", "\uff9e",
		"\u0301", "\u200d", "\u3099\u0301" };
	struct sh_buf b = { 0 };
	unsigned bad = 0;

	for (unsigned r = 0; r < sizeof ranges / sizeof *ranges; r++)
		for (unsigned k = 0; k < sizeof marks / sizeof *marks; k++) {
			b.n = 0;
			for (uint32_t c = ranges[r][0]; c <= ranges[r][1]; c++) {
				uint8_t utf8[4];

				/* long enough that the kernel continues there */
				append(&b, "\u6f22\u5b57\u3002\u6f22\u5b57", 9 + c % 3 * 3);
				append(&b, "word", c % 5);
				append(&b, (const char *)utf8, sh_utf8_put(utf8, c));
				append(&b, marks[k], strlen(marks[k]));
			}
			bad += differ(pair, b.p, b.n);
		}
	ok(!bad, "%s: words of every character that a kernel may know, with marks", name);
	sh_buf_free(&b);
}

static void test_ascii(const struct sh_ascii_kernel *kernel)
{
	static const char *const files[] = { "en_dev.tsv", "zh_dev.tsv", "bad/UTF-8-test.txt",
		"bad/blns.txt", "bad/combining.txt", "bad/fullwidth.txt", "bad/utf8_nul.txt",
		"bad/utf8_crlf.txt", "bad/gb18030.txt", "bad/zwj_bidi.txt", "bad/latin1.txt" };
	struct pair pair[COMBINATIONS];

	make_pairs(pair, kernel);
	test_lengths(pair, kernel->variant.name);
	test_known(pair, kernel->variant.name);
	test_random(pair, kernel->variant.name);
	for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
		test_file(pair, kernel->variant.name, getenv("T_DATA"), files[i]);
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
