/* SPDX-License-Identifier: MIT */
/* Examples of texts and their tokens, an option at a time; test_token.c has the definition. */
#include "text/stopwords.h"
#include "text/token.h"

#include "tap.h"
#include "text_util.h"

static struct sh_error err;

/* Tokens joined by '|'. */
static void show(const struct sh_tokens *k, struct sh_buf *out)
{
	out->n = 0;
	for (size_t i = 0; i < k->n; i++) {
		if (i)
			append(out, "|", 1);
		append(out, k->text + k->start[i], k->end[i] - k->start[i]);
	}
	append(out, "", 1);
}

static void check(
    const struct sh_token_opts *opts, const char *text, const char *want, const char *what)
{
	struct sh_tokenizer *t = sh_tokenizer_new(opts, &err);
	struct sh_buf got = { 0 };
	struct sh_tokens k;
	size_t n = strlen(text);
	char *copy = exact_copy(text, n);

	must(t != NULL);
	must(sh_tokenize(t, sh_slice(copy, n), &k, &err) == 0);
	show(&k, &got);
	if (!ok(strcmp(got.p, want) == 0, "%s", what))
		printf("#  got %s\n# want %s\n", got.p, want);
	free(copy);
	sh_buf_free(&got);
	sh_tokenizer_delete(t);
}

struct example {
	const char *what, *text, *want;
};

static void check_all(const struct sh_token_opts *opts, const struct example *e, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check(opts, e[i].text, e[i].want, e[i].what);
}

#define CHECK_ALL(opts, rows) check_all(opts, rows, sizeof(rows) / sizeof *(rows))

static const struct example WORDS[] = {
	{ "nothing", "", "" },
	{ "only separators", " -- ... \xE2\x80\x94 \n", "" },
	{ "English", "The quick, brown fox's 2 tails!", "the|quick|brown|fox|s|2|tails" },
	{ "letters and digits are one word", "mp3 4x4 x86_64", "mp3|4x4|x86|64" },
	{ "Chinese is cut into characters", "你好，世界！", "你|好|世|界" },
	{ "cut characters are apart from words", "用C语言abc写", "用|c|语|言|abc|写" },
	{ "the ideographic zero is a character", "二〇二四年", "二|〇|二|四|年" },
	{ "Japanese", "東京タワーへ行く", "東|京|タ|ワ|ー|へ|行|く" },
	{ "half-width kana with voicing", "ｶﾞｷﾞ", "ガ|ギ" },
	{ "Korean words stay whole", "한국어 문장입니다.", "한국어|문장입니다" },
	{ "conjoining jamo become syllables", "\u1112\u1161\u11AB\u1100\u116E\u11A8", "한국" },
	{ "Thai is cut into code points", "ไทย", "ไ|ท|ย" },
	{ "Arabic with marks", "العَرَبِيَّة لغة", "العَرَبِيَّة|لغة" },
	{ "Hindi words keep their vowel signs", "हिन्दी भाषा।", "हिन्दी|भाषा" },
	{ "full-width forms", "ＡＢＣ１２３", "abc123" },
	{ "NFD gives what NFC gives", "Cafe\u0301 A\u030Angstro\u0308m", "café|ångström" },
	{ "ligatures", "eﬃcient ﬁn", "efficient|fin" },
	{ "sharp s", "Straße STRASSE ẞ", "strasse|strasse|ss" },
	{ "Turkish dotted I keeps its dot", "İstanbul", "i\u0307stanbul" },
	{ "final sigma", "ΟΔΟΣ οδος", "οδοσ|οδοσ" },
	{ "soft hyphens and joiners vanish", "co\u00ADoperate a\u200Db", "cooperate|ab" },
	{ "emoji separate", "a👩‍👩‍👧‍👦b ❤️", "a|b" },
	{ "no-break and ideographic spaces", "a\u00A0b\u3000c\u2028d", "a|b|c|d" },
	{ "marks join across an ignorable", "e\u200D\u0301", "é" },
	{ "a mark that overstrikes a separator", "a <\u0338 b", "a|b" },
	{ "ill-formed bytes separate",
	    "ab\xFF"
	    "cd\xE4\xBD",
	    "ab|cd" },
	{ "a mark behind a letter behind two bytes of kana",
	    "\xE3\x81"
	    "e\u0301",
	    "é" },
	{ "escapes separate", "a\\tb\\nc\\rd\\\\e", "a|b|c|d|e" },
	{ "other backslashes separate", "a\\xb\\", "a|xb" },
	{ "an escaped backslash is no escape", "a\\\\tb", "a|tb" },
	{ "a mark after an escape is not its letter's", "a\\t\u0301b", "a|\u0301b" },
	{ "private use and unassigned separate", "a\uE000b\u0378c", "a|b|c" },
};

static const struct example CHARS[] = {
	{ "chars: nothing", "", "" },
	{ "chars: one word", "Abc", "a|b|c" },
	{ "chars: one gap for many separators", "ab, cd", "a|b|_|c|d" },
	{ "chars: none at the ends", " (ab) ", "a|b" },
	{ "chars: none between cut characters", "你好a世 界", "你|好|a|世|_|界" },
	{ "chars: _ is a separator itself", "a_b__c", "a|_|b|_|c" },
	{ "chars: folded first", "ﬁ Ǆ", "f|i|_|d|ž" },
};

static const struct example RAW[] = {
	{ "raw: backslashes are plain separators", "a\\tb \\\\n", "a|tb|n" },
};

static const struct example UNFOLDED[] = {
	{ "unfolded: as written", "Straße ＡＢ e\u0301 İ", "Straße|ＡＢ|e\u0301|İ" },
	{ "unfolded: cut as ever", "Ab你\\tC", "Ab|你|C" },
	{ "unfolded: ill-formed bytes separate",
	    "a\xC0"
	    "b",
	    "a|b" },
};

static const struct example MASKED[] = {
	{ "masked: each run of digits", "v12 a1b22c 2024-05-01 ３４", "v0|a0b0c|0|0|0|0" },
	{ "masked: digits of all scripts", "x٣٤y ๑", "x0y|0" },
};

static const struct example MASKED_CHARS[] = {
	{ "masked chars", "ab12 3", "a|b|0|_|0" },
};

static const struct example LONGER[] = {
	{ "min_chars drops words, never cut characters", "a ab abc 我 né 가 가나다",
	    "abc|我|가나다" },
};

static const struct example KEPT[] = {
	{ "keep: any such character keeps its word", "漢字 abc 123 a1 かな 한글 ไ",
	    "漢|字|123|a1" },
};

static const struct example STOPPED_CHARS[] = {
	{ "chars: a dropped word is part of a gap", "ab the cd 我的书", "a|b|_|c|d|_|我|_|书" },
	{ "chars: dropped at the ends", "the ab THE", "a|b" },
};

static const struct example STOPPED[] = {
	{ "stop words are compared folded", "The cat, straße STRASSE éa of", "cat" },
};

static void test_examples(void)
{
	static const char stop_lines[] = "\xEF\xBB\xBFThe\n  of \r\n\nStraße\n\xC3\x89"
					 "a\n的\nlast";
	struct sh_token_opts o = { 0 };
	static const char *const folded[] = { "the", "of", "strasse", "éa", "的", "last" };
	struct sh_stoplist *stop = sh_stopwords_read(sh_slice_str(stop_lines), &o, &err);
	unsigned there = 0;

	must(stop != NULL);
	for (unsigned i = 0; i < 6; i++)
		there += sh_stoplist_has(stop, sh_slice_str(folded[i]));
	ok(there == 6, "%u of six stop words are loaded", there);
	ok(sh_stoplist_has(stop, sh_slice_str("last")) &&
		!sh_stoplist_has(stop, sh_slice_str("las")) &&
		!sh_stoplist_has(stop, sh_slice_str("")),
	    "stop words match whole words only");
	CHECK_ALL(&o, WORDS);
	CHECK_ALL((&(struct sh_token_opts){ .unit = SH_UNIT_CHAR }), CHARS);
	CHECK_ALL((&(struct sh_token_opts){ .raw = true }), RAW);
	CHECK_ALL((&(struct sh_token_opts){ .no_fold = true }), UNFOLDED);
	CHECK_ALL((&(struct sh_token_opts){ .mask_digits = true }), MASKED);
	CHECK_ALL(
	    (&(struct sh_token_opts){ .unit = SH_UNIT_CHAR, .mask_digits = true }), MASKED_CHARS);
	CHECK_ALL((&(struct sh_token_opts){ .min_chars = 3 }), LONGER);
	CHECK_ALL((&(struct sh_token_opts){ .keep = SH_KEEP_HAN | SH_KEEP_DIGIT }), KEPT);
	CHECK_ALL((&(struct sh_token_opts){ .stop = stop }), STOPPED);
	CHECK_ALL((&(struct sh_token_opts){ .unit = SH_UNIT_CHAR, .stop = stop }), STOPPED_CHARS);
	sh_stoplist_delete(stop);
}

static void test_keep_parse(void)
{
	unsigned keep = 0;

	ok(sh_keep_parse(sh_slice_str("han,alpha"), &keep, &err) == 0 &&
		keep == (SH_KEEP_HAN | SH_KEEP_ALPHA),
	    "the kinds han,alpha are parsed");
	ok(sh_keep_parse(sh_slice_str("han,"), &keep, &err) < 0 && err.code == SH_ERR_PARAM,
	    "an empty name of a kind is refused");
	ok(sh_keep_parse(sh_slice_str("Han"), &keep, &err) < 0 &&
		strstr(err.text, "no kind of word 'Han': expected alpha, ") == err.text,
	    "the message has the unknown name");
}

int main(void)
{
	test_examples();
	test_keep_parse();
	return done_testing();
}
