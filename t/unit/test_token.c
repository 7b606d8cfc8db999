#include "text/token.h"

#include "tap.h"
#include "text/script.h"
#include "text_util.h"

static struct sh_error err;

/* ---- examples -------------------------------------------------------------------- */

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
	struct sh_stoplist *stop = sh_stoplist_new(sh_slice_str(stop_lines), &o, &err);

	must(stop != NULL);
	ok(sh_stoplist_count(stop) == 6, "six stop words are loaded");
	ok(sh_stoplist_has(stop, sh_slice_str("last")) &&
		!sh_stoplist_has(stop, sh_slice_str("las")) &&
		!sh_stoplist_has(stop, sh_slice_str("")),
	    "whole words only");
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
	    "han,alpha");
	ok(sh_keep_parse(sh_slice_str("han,"), &keep, &err) < 0 && err.code == SH_ERR_PARAM,
	    "an empty name is an error");
	ok(sh_keep_parse(sh_slice_str("Han"), &keep, &err) < 0 &&
		strstr(err.text, "no kind of word 'Han': expected alpha, ") == err.text,
	    "the message names the word");
}

/* ---- a slow tokenizer, straight from the definition --------------------------------- */

struct ref {
	const struct sh_token_opts *o;
	struct sh_buf folded, word, text;
	uint32_t start[4096], end[4096];
	size_t n;
	bool gap; /* since the last token */
	uint64_t ill;
};

static void ref_init(struct ref *r, const struct sh_token_opts *o)
{
	r->o = o;
	r->folded.n = r->word.n = r->text.n = r->n = 0;
	r->gap = false;
	r->ill = 0;
}

static void ref_push(struct ref *r, const char *p, size_t n)
{
	r->start[r->n] = (uint32_t)r->text.n;
	append(&r->text, p, n);
	r->end[r->n++] = (uint32_t)r->text.n;
}

static bool is_digit(uint32_t c)
{
	return utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_ND;
}

static unsigned kind_of(uint32_t c)
{
	switch (is_digit(c) ? SH_SCRIPT_COUNT : sh_script_of(c)) {
	case SH_SCRIPT_COUNT:
		return SH_KEEP_DIGIT;
	case SH_SCRIPT_INHERITED:
		return 0;
	case SH_SCRIPT_HANGUL:
		return SH_KEEP_HANGUL;
	case SH_SCRIPT_HAN:
		return SH_KEEP_HAN;
	case SH_SCRIPT_KANA:
		return SH_KEEP_KANA;
	case SH_SCRIPT_THAI:
		return SH_KEEP_THAI;
	case SH_SCRIPT_LAO:
		return SH_KEEP_LAO;
	case SH_SCRIPT_KHMER:
		return SH_KEEP_KHMER;
	case SH_SCRIPT_MYANMAR:
		return SH_KEEP_MYANMAR;
	case SH_SCRIPT_TIBETAN:
		return SH_KEEP_TIBETAN;
	case SH_SCRIPT_OTHER:
		break;
	}
	return SH_KEEP_ALPHA;
}

/* The code points of r->word, all of them for a cut one, then what the filters say. */
static bool ref_passes(struct ref *r, bool cut)
{
	const uint8_t *p = (uint8_t *)r->word.p, *end = p + r->word.n;
	struct sh_buf masked = { 0 };
	unsigned kinds = 0;
	size_t n = 0;
	bool digits = false;

	for (; p < end; n++) {
		uint32_t c = sh_utf8_next_checked(&p, end);

		kinds |= kind_of(c);
		if (!is_digit(c))
			append_cp(&masked, c);
		else if (!digits)
			append(&masked, "0", 1);
		digits = is_digit(c);
	}
	if ((r->o->keep && !(kinds & r->o->keep)) || (!cut && n < r->o->min_chars) ||
	    (r->o->stop && sh_stoplist_has(r->o->stop, sh_buf_slice(&r->word)))) {
		sh_buf_free(&masked);
		return false;
	}
	if (r->o->mask_digits) {
		sh_buf_free(&r->word);
		r->word = masked;
	} else {
		sh_buf_free(&masked);
	}
	return true;
}

static void ref_word(struct ref *r, bool cut)
{
	if (!r->word.n)
		return;
	if (!ref_passes(r, cut)) {
		r->gap = true;
	} else if (r->o->unit == SH_UNIT_WORD) {
		if (r->n)
			append(&r->text, " ", 1);
		ref_push(r, r->word.p, r->word.n);
	} else {
		const uint8_t *p = (uint8_t *)r->word.p, *end = p + r->word.n;

		if (r->n && r->gap)
			ref_push(r, "_", 1);
		while (p < end) {
			const uint8_t *from = p;

			sh_utf8_next_checked(&p, end);
			ref_push(r, (const char *)from, (size_t)(p - from));
		}
		r->gap = false;
	}
	r->word.n = 0;
}

static void ref_unescape(const char *text, size_t n, struct sh_buf *out)
{
	static const char from[] = "tnr\\", to[] = "\t\n\r\\";

	for (size_t i = 0; i < n; i++) {
		const char *which =
		    text[i] == '\\' && i + 1 < n ? memchr(from, text[i + 1], 4) : NULL;

		append(out, which ? to + (which - from) : text + i, 1);
		i += which != NULL;
	}
}

static void ref_tokenize(struct ref *r, const char *text, size_t n)
{
	struct sh_buf plain = { 0 };
	const uint8_t *p, *end;

	if (r->o->raw)
		append(&plain, text, n);
	else
		ref_unescape(text, n, &plain);
	r->ill = (r->o->no_fold ? repair : fold_by_map)(plain.p, plain.n, &r->folded);
	p = (uint8_t *)r->folded.p;
	end = r->folded.n ? p + r->folded.n : p;
	while (p < end) {
		uint32_t c = sh_utf8_next_checked(&p, end);
		utf8proc_category_t gc = utf8proc_category((utf8proc_int32_t)c);
		bool cut = sh_script_of(c) >= SH_SCRIPT_HAN;
		bool word = (gc >= UTF8PROC_CATEGORY_LU && gc <= UTF8PROC_CATEGORY_ND) ||
			    (cut && gc == UTF8PROC_CATEGORY_NL);

		if (!word || cut)
			ref_word(r, false);
		if (word)
			append_cp(&r->word, c);
		else
			r->gap = true;
		if (word && cut)
			ref_word(r, true);
	}
	ref_word(r, false);
	sh_buf_free(&plain);
}

static bool same(const struct ref *r, const struct sh_tokens *k)
{
	if (r->n != k->n || r->ill != k->bad_utf8)
		return false;
	if (k->n == 0)
		return true;
	return memcmp(r->start, k->start, k->n * sizeof *k->start) == 0 &&
	       memcmp(r->end, k->end, k->n * sizeof *k->end) == 0 &&
	       memcmp(r->text.p, k->text, k->end[k->n - 1]) == 0;
}

/* ---- random texts, all combinations of options -------------------------------------- */

enum { COMBINATIONS = 2 * 2 * 2 * 2 * 2 * 3 * 2 };

static struct sh_token_opts combination(size_t i, const struct sh_stoplist *stop)
{
	static const unsigned keep[] = { 0, SH_KEEP_HAN | SH_KEEP_ALPHA,
		SH_KEEP_DIGIT | SH_KEEP_KANA | SH_KEEP_THAI | SH_KEEP_TIBETAN | SH_KEEP_LAO };
	struct sh_token_opts o = { 0 };

	o.unit = i & 1 ? SH_UNIT_CHAR : SH_UNIT_WORD;
	o.no_fold = i >> 1 & 1;
	o.raw = i >> 2 & 1;
	o.mask_digits = i >> 3 & 1;
	o.min_chars = i >> 4 & 1 ? 2 : 0;
	o.stop = i >> 5 & 1 ? stop : NULL;
	o.keep = keep[i / 64];
	return o;
}

static struct sh_stoplist *stop_for(bool no_fold)
{
	static const char lines[] = "a\nthe\nB\nは\n12\n人\n가\nе\n";
	struct sh_token_opts o = { .no_fold = no_fold };
	struct sh_stoplist *s = sh_stoplist_new(sh_slice_str(lines), &o, &err);

	must(s != NULL);
	return s;
}

/* Words, separators and escapes of the kinds that matter, beside wholly random text. */
static void random_document(struct sh_buf *b)
{
	static const char *const pieces[] = { " ", ", ", "\\n", "\\t", "\\\\", "\\", "_", "the",
		"The", "a", "B", "12", "3", "人", "民", "は", "ー", "がぎ", "한국", "가", "ไทย",
		"ม้า", "e\u0301", "\u0301", "\u0338", "\u200D", "\u00AD", "ß", "ﬁ", "İ", "Ⅳ", "①",
		"ｶ", "ﾞ", "हिन्दी", "العَر", "👩‍👧", "\xFF", "\xE4\xBD", "\u1112\u1161\u11AB",
		"\u11A7", "〇", "\u3099", "x", "<", "=", "ཀྵ", "ກ", "٣" };
	size_t n = rng_below(30);

	if (rng_below(3) == 0) {
		random_text(b, n, 5);
		return;
	}
	while (n--) {
		const char *s = pieces[rng_below(sizeof pieces / sizeof *pieces)];

		if (rng_below(10) == 0)
			random_text(b, 1 + rng_below(3), 0);
		else
			append(b, s, strlen(s));
	}
}

static void test_random(void)
{
	enum { ROUNDS = 120 };
	struct sh_stoplist *stop[2] = { stop_for(false), stop_for(true) };
	static struct ref r;
	size_t bad = 0, tokens = 0;
	struct sh_tokens k;

	for (size_t i = 0; i < COMBINATIONS; i++) {
		struct sh_token_opts o = combination(i, stop[i >> 1 & 1]);
		struct sh_tokenizer *t = sh_tokenizer_new(&o, &err);

		must(t != NULL);
		for (unsigned round = 0; round < ROUNDS; round++) {
			struct sh_buf b = { 0 };
			char *copy;

			random_document(&b);
			copy = exact_copy(b.p, b.n);
			ref_init(&r, &o);
			ref_tokenize(&r, copy, b.n);
			must(sh_tokenize(t, sh_slice(copy, b.n), &k, &err) == 0);
			bad += !same(&r, &k);
			tokens += k.n;
			free(copy);
			sh_buf_free(&b);
		}
		sh_tokenizer_delete(t);
	}
	ok(bad == 0 && tokens > 50000,
	    "%d random texts under all %d combinations of options give the %zu tokens of the "
	    "definition",
	    ROUNDS * COMBINATIONS, COMBINATIONS, tokens);
	sh_buf_free(&r.folded);
	sh_buf_free(&r.word);
	sh_buf_free(&r.text);
	sh_stoplist_delete(stop[0]);
	sh_stoplist_delete(stop[1]);
}

/* ---- whole files ------------------------------------------------------------------- */

/* The promises of the header about any result. */
static bool is_sound(const struct sh_tokens *k, enum sh_unit unit)
{
	const volatile char *tail = k->text + (k->n ? k->end[k->n - 1] : 0);
	bool sound = k->n == 0 || k->start[0] == 0;

	for (size_t i = 0; i < k->n && sound; i++) {
		struct sh_slice s = sh_slice(k->text + k->start[i], k->end[i] - k->start[i]);

		sound = s.n > 0 && sh_utf8_valid(s.p, s.n) && !memchr(s.p, ' ', s.n);
		if (i && unit == SH_UNIT_WORD)
			sound = sound && k->start[i] == k->end[i - 1] + 1 &&
				k->text[k->end[i - 1]] == ' ';
		if (i && unit == SH_UNIT_CHAR)
			sound = sound && k->start[i] == k->end[i - 1];
	}
	for (size_t i = 0; i < 64; i++)
		(void)tail[i];
	return sound;
}

/* Offsets and text of two runs are the same. */
static uint64_t digest(const struct sh_tokens *k)
{
	uint64_t h = k->n * 31 + k->bad_utf8;
	size_t bytes = k->n ? k->end[k->n - 1] : 0;

	for (size_t i = 0; i < k->n; i++)
		h = (h ^ k->start[i] ^ (uint64_t)k->end[i] << 32) * UINT64_C(0x9E3779B97F4A7C15);
	for (size_t i = 0; i < bytes; i++)
		h = (h ^ (uint8_t)k->text[i]) * UINT64_C(0x100000001B3);
	return h;
}

static void test_bad_files(void)
{
	static const char *const names[] = { "UTF-8-test.txt", "big5.txt", "blns.txt",
		"combining.txt", "empty.txt", "fullwidth.txt", "gb18030.txt", "gbk.txt",
		"latin1.txt", "no_final_newline.txt", "only_newlines.txt", "only_punct.txt",
		"utf16be_nobom.txt", "utf16le_bom.txt", "utf8_bom.txt", "utf8_cr.txt",
		"utf8_crlf.txt", "utf8_cut_after_1_of_3.txt", "utf8_cut_after_2_of_3.txt",
		"utf8_flipped.txt", "utf8_nul.txt", "utf8_truncated1.txt", "zwj_bidi.txt",
		"seq_above_10ffff.txt", "seq_fe.txt", "seq_ff.txt", "seq_five_byte.txt",
		"seq_lead2_then_ascii.txt", "seq_lead_then_ascii.txt", "seq_lone_continuation.txt",
		"seq_noncharacter_10ffff_valid.txt", "seq_noncharacter_fffe_valid.txt",
		"seq_overlong2.txt", "seq_overlong3.txt", "seq_overlong4.txt",
		"seq_overlong_nul.txt", "seq_six_byte.txt", "seq_surrogate_hi.txt",
		"seq_surrogate_lo.txt", "seq_surrogate_pair_cesu8.txt" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct sh_buf b = slurp_file("t/data/bad", names[i]);
		char *copy = exact_copy(b.p, b.n);
		bool good = true;

		for (unsigned mode = 0; mode < 4; mode++) {
			struct sh_token_opts o = { .unit = mode & 1 ? SH_UNIT_CHAR : SH_UNIT_WORD,
				.no_fold = mode >> 1 };
			struct sh_tokenizer *t = sh_tokenizer_new(&o, &err);
			struct sh_tokens k;

			must(t != NULL);
			good = good && sh_tokenize(t, sh_slice(copy, b.n), &k, &err) == 0 &&
			       is_sound(&k, o.unit) && k.bad_utf8 == sh_utf8_count_ill(copy, b.n);
			sh_tokenizer_delete(t);
		}
		ok(good, "%s: sound tokens, every ill-formed sequence counted", names[i]);
		free(copy);
		sh_buf_free(&b);
	}
}

static void check_count(const char *what, struct sh_buf *b, size_t words, size_t chars)
{
	for (unsigned unit = 0; unit < 2; unit++) {
		struct sh_token_opts o = { .unit = unit ? SH_UNIT_CHAR : SH_UNIT_WORD };
		struct sh_tokenizer *t = sh_tokenizer_new(&o, &err);
		struct sh_tokens k;

		must(t != NULL);
		ok(sh_tokenize(t, sh_buf_slice(b), &k, &err) == 0 && is_sound(&k, o.unit) &&
			k.n == (unit ? chars : words),
		    "%s: %zu %s", what, k.n, unit ? "characters" : "words");
		sh_tokenizer_delete(t);
	}
	sh_buf_free(b);
}

static void test_long(void)
{
	enum { MILLION = 1000000 };
	struct sh_buf b = { 0 };

	for (size_t i = 0; i < MILLION; i++)
		append(&b, "人", 3);
	check_count("one Han character a million times", &b, MILLION, MILLION);
	for (size_t i = 0; i < MILLION; i++)
		append(&b, "A", 1);
	check_count("a word of a million letters", &b, 1, MILLION);
	for (size_t i = 0; i < MILLION; i++)
		append(&b, "\u0301", 2);
	check_count("a million marks", &b, 1, MILLION);
	for (size_t i = 0; i < MILLION; i++)
		append(&b, "\u200D", 3);
	check_count("a million joiners", &b, 0, 0);
	for (size_t i = 0; i < MILLION / 10; i++)
		append(&b, "\uFDFA", 3);
	check_count(
	    "the longest expansion, 100,000 times", &b, MILLION / 10 * 3 + 1, MILLION / 10 * 18);
	for (size_t i = 0; i < MILLION; i++)
		append(&b, "\xFF", 1);
	check_count("a million ill-formed bytes", &b, 0, 0);
	for (size_t i = 0; i < MILLION; i++)
		append(&b, i % 2 ? "a" : "人", i % 2 ? 1 : 3);
	check_count("words and cut characters in turn", &b, MILLION, MILLION);
}

/* The step in which text is worked through must not show. */
static void test_steps(void)
{
	struct sh_token_opts o = { .unit = SH_UNIT_WORD };
	struct sh_tokenizer *t = sh_tokenizer_new(&o, &err);
	static struct ref r;
	size_t bad = 0;

	must(t != NULL);
	for (size_t shift = 4080; shift < 4110; shift++) {
		static const char *const around[] = { "e\u0301 x", "a\\tb", "人民",
			"\u1112\u1161\u11AB", "\xE4\xBD", "x\u0338\u0301", "ß" };

		for (size_t j = 0; j < sizeof around / sizeof *around; j++) {
			struct sh_buf b = { 0 };
			struct sh_tokens k;

			for (size_t i = 0; i < shift; i++)
				append(&b, &"word of "[i % 8], 1);
			append(&b, around[j], strlen(around[j]));
			ref_init(&r, &o);
			ref_tokenize(&r, b.p, b.n);
			bad += sh_tokenize(t, sh_buf_slice(&b), &k, &err) < 0 || !same(&r, &k);
			sh_buf_free(&b);
		}
	}
	ok(bad == 0, "no token is cut or joined where a step ends");
	sh_buf_free(&r.folded);
	sh_buf_free(&r.word);
	sh_buf_free(&r.text);
	sh_tokenizer_delete(t);
}

static void test_reuse(void)
{
	struct sh_token_opts o = { 0 };
	struct sh_tokenizer *t = sh_tokenizer_new(&o, &err);
	struct sh_buf zh = slurp_file("t/data", "zh_dev.tsv");
	struct sh_tokens k;
	uint64_t first;

	must(t != NULL && sh_tokenize(t, sh_buf_slice(&zh), &k, &err) == 0);
	first = digest(&k);
	ok(sh_tokenize(t, sh_slice("x", 1), &k, &err) == 0 && k.n == 1 && k.end[0] == 1,
	    "a short text after a long one");
	ok(sh_tokenize(t, sh_slice(NULL, 0), &k, &err) == 0 && k.n == 0 && k.bad_utf8 == 0,
	    "an empty text");
	ok(sh_tokenize(t, sh_buf_slice(&zh), &k, &err) == 0 && digest(&k) == first,
	    "the same text again gives the same tokens");
	ok(sh_tokenize(t, sh_slice(zh.p, SH_TOKEN_TEXT_MAX + 1), &k, &err) < 0 &&
		err.code == SH_ERR_PARAM,
	    "a text that is too long is refused unread");
	sh_tokenizer_delete(t);
	sh_buf_free(&zh);
}

int main(void)
{
	rng_init(3);
	test_examples();
	test_keep_parse();
	test_random();
	test_steps();
	test_bad_files();
	test_long();
	test_reuse();
	return done_testing();
}
