/* SPDX-License-Identifier: MIT */
#include "unicode/encoding.h"

#include <iconv.h>

#include "tap.h"
#include "text_util.h"

static const char *const NAMES[] = {
	[SH_ENC_UTF8] = "UTF-8",
	[SH_ENC_UTF8_BOM] = "UTF-8 with a mark",
	[SH_ENC_UTF16LE] = "UTF-16LE",
	[SH_ENC_UTF16BE] = "UTF-16BE",
	[SH_ENC_UTF32LE] = "UTF-32LE",
	[SH_ENC_UTF32BE] = "UTF-32BE",
	[SH_ENC_GB18030] = "GB18030",
	[SH_ENC_BIG5] = "Big5",
	[SH_ENC_UNKNOWN8BIT] = "unknown",
};

static void check(const char *what, const void *p, size_t n, enum sh_encoding want)
{
	char *copy = exact_copy(p, n);
	enum sh_encoding got = sh_encoding_guess(copy, n);

	ok(got == want, "%s: %s (%s)", what, NAMES[want], NAMES[got]);
	free(copy);
}

static void test_marks(void)
{
	check("EF BB BF",
	    "\xEF\xBB\xBF"
	    "a",
	    4, SH_ENC_UTF8_BOM);
	check("FF FE",
	    "\xFF\xFE"
	    "a\0",
	    4, SH_ENC_UTF16LE);
	check("FE FF", "\xFE\xFF\0a", 4, SH_ENC_UTF16BE);
	check("FF FE 00 00", "\xFF\xFE\0\0", 4, SH_ENC_UTF32LE);
	check("00 00 FE FF", "\0\0\xFE\xFF", 4, SH_ENC_UTF32BE);
	check("FF", "\xFF", 1, SH_ENC_UTF8);
	check("a NUL", "", 1, SH_ENC_UTF8);
	check("nothing", "", 0, SH_ENC_UTF8);
}

static void test_names(void)
{
	iconv_t cd;

	for (int e = 0; e <= SH_ENC_UNKNOWN8BIT; e++) {
		const char *name = sh_encoding_iconv_name((enum sh_encoding)e);
		bool none = e == SH_ENC_UTF8 || e == SH_ENC_UTF8_BOM || e == SH_ENC_UNKNOWN8BIT;

		if (none) {
			ok(!name, "%s has no name for iconv", NAMES[e]);
			continue;
		}
		cd = iconv_open("UTF-8", name);
		ok(cd != (iconv_t)-1, "iconv knows %s", name);
		if (cd != (iconv_t)-1)
			iconv_close(cd);
	}
}

static void test_files(void)
{
	static const struct {
		const char *name;
		enum sh_encoding whole;
	} rows[] = {
		{ "big5.txt", SH_ENC_BIG5 },
		{ "gb18030.txt", SH_ENC_GB18030 },
		{ "gbk.txt", SH_ENC_GB18030 },
		{ "latin1.txt", SH_ENC_UNKNOWN8BIT },
		{ "utf16be_nobom.txt", SH_ENC_UTF16BE },
		{ "utf16le_bom.txt", SH_ENC_UTF16LE },
		{ "utf8_bom.txt", SH_ENC_UTF8_BOM },
		{ "utf8_cr.txt", SH_ENC_UTF8 },
		{ "utf8_crlf.txt", SH_ENC_UTF8 },
		{ "utf8_cut_after_1_of_3.txt", SH_ENC_UTF8 },
		{ "utf8_cut_after_2_of_3.txt", SH_ENC_UTF8 },
		{ "utf8_flipped.txt", SH_ENC_UTF8 },
		{ "utf8_nul.txt", SH_ENC_UTF8 },
		{ "utf8_truncated1.txt", SH_ENC_UTF8 },
		{ "blns.txt", SH_ENC_UTF8 },
		{ "combining.txt", SH_ENC_UTF8 },
		{ "empty.txt", SH_ENC_UTF8 },
		{ "fullwidth.txt", SH_ENC_UTF8 },
		{ "no_final_newline.txt", SH_ENC_UTF8 },
		{ "only_newlines.txt", SH_ENC_UTF8 },
		{ "only_punct.txt", SH_ENC_UTF8 },
		{ "zwj_bidi.txt", SH_ENC_UTF8 },
		{ "seq_above_10ffff.txt", SH_ENC_UTF8 },
		{ "seq_fe.txt", SH_ENC_UTF8 },
		{ "seq_ff.txt", SH_ENC_UTF8 },
		{ "seq_five_byte.txt", SH_ENC_UTF8 },
		{ "seq_lead2_then_ascii.txt", SH_ENC_UTF8 },
		{ "seq_lead_then_ascii.txt", SH_ENC_UTF8 },
		{ "seq_lone_continuation.txt", SH_ENC_UTF8 },
		{ "seq_noncharacter_10ffff_valid.txt", SH_ENC_UTF8 },
		{ "seq_noncharacter_fffe_valid.txt", SH_ENC_UTF8 },
		{ "seq_overlong2.txt", SH_ENC_UTF8 },
		{ "seq_overlong3.txt", SH_ENC_UTF8 },
		{ "seq_overlong4.txt", SH_ENC_UTF8 },
		{ "seq_overlong_nul.txt", SH_ENC_UTF8 },
		{ "seq_six_byte.txt", SH_ENC_UTF8 },
		{ "seq_surrogate_hi.txt", SH_ENC_UTF8 },
		{ "seq_surrogate_lo.txt", SH_ENC_UTF8 },
		{ "seq_surrogate_pair_cesu8.txt", SH_ENC_UTF8 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sh_buf b = slurp_file("t/data/bad", rows[i].name);

		check(rows[i].name, b.p, b.n, rows[i].whole);
		if (b.n > 4096)
			check("... its first 4 KiB", b.p, 4096, rows[i].whole);
		sh_buf_free(&b);
	}
}

/* `text` in the encoding, repeated to more than 4000 bytes. Empty when iconv cannot. */
static struct sh_buf encoded(const char *text, const char *encoding)
{
	struct sh_buf b = { 0 };
	char out[4096], *to = out, *from = (char *)(uintptr_t)text;
	size_t in_left = strlen(text), out_left = sizeof out;
	iconv_t cd = iconv_open(encoding, "UTF-8");

	if (cd == (iconv_t)-1)
		return b;
	if (iconv(cd, &from, &in_left, &to, &out_left) != (size_t)-1)
		while (b.n < 4000)
			append(&b, out, sizeof out - out_left);
	iconv_close(cd);
	return b;
}

static void test_languages(void)
{
	static const char zh[] =
	    "今天的天气非常好，我们一起去公园散步。这是一个用来检查编码的文件，"
	    "共有 12 行。\n";
	static const char ja[] =
	    "日本語の文章を書くときには、ひらがなとカタカナと漢字を使います。\n";
	static const char ko[] =
	    "안녕하세요. 오늘은 날씨가 매우 좋습니다. 대한민국의 수도는 서울이다.\n";
	static const char ja_kanji[] =
	    "東京都知事選挙の投票率、前回比増加。大阪市議会補欠選挙、開票。\n";
	static const char ko_wide[] = "대한민국（수도：서울）의 날씨가 매우 좋습니다、 오늘은。\n";
	static const char ru[] = "Сегодня хорошая погода, и мы пойдём гулять в парк.\n";
	static const char fr[] = "L'été dernier, nous avons mangé des crêpes à la crème.\n";
	static const char th[] = "สวัสดีชาวโลก วันนี้อากาศดีมาก "
				 "เราจะไปเดินเล่นที่สวนสาธารณะใกล้บ้าน\n";
	static const char tw[] = "今天的天氣非常好，我們一起去公園散步。這是一個測試文件。\n";
	static const char ar[] = "مرحبا بالعالم. الطقس جميل اليوم وسنذهب في نزهة.\n";
	static const struct {
		const char *text, *encoding;
		enum sh_encoding want;
	} rows[] = {
		{ zh, "GB2312", SH_ENC_GB18030 },
		{ zh, "GBK", SH_ENC_GB18030 },
		{ zh, "GB18030", SH_ENC_GB18030 },
		{ zh, "UTF-16LE", SH_ENC_UTF16LE },
		{ zh, "UTF-16BE", SH_ENC_UTF16BE },
		{ zh, "UTF-8", SH_ENC_UTF8 },
		{ tw, "BIG5", SH_ENC_BIG5 },
		{ tw, "UTF-16LE", SH_ENC_UTF16LE },
		{ ja, "SHIFT_JIS", SH_ENC_UNKNOWN8BIT },
		{ ja, "EUC-JP", SH_ENC_UNKNOWN8BIT },
		{ ja, "UTF-16BE", SH_ENC_UTF16BE },
		{ ja_kanji, "EUC-JP", SH_ENC_UNKNOWN8BIT },
		{ ko, "EUC-KR", SH_ENC_UNKNOWN8BIT },
		{ ko_wide, "EUC-KR", SH_ENC_UNKNOWN8BIT },
		{ ko, "UTF-16LE", SH_ENC_UTF16LE },
		{ ru, "KOI8-R", SH_ENC_UNKNOWN8BIT },
		{ ru, "CP1251", SH_ENC_UNKNOWN8BIT },
		{ ru, "CP866", SH_ENC_UNKNOWN8BIT },
		{ ru, "UTF-16LE", SH_ENC_UTF16LE },
		{ fr, "ISO-8859-1", SH_ENC_UNKNOWN8BIT },
		{ fr, "CP850", SH_ENC_UNKNOWN8BIT },
		{ fr, "UTF-16BE", SH_ENC_UTF16BE },
		{ th, "TIS-620", SH_ENC_UNKNOWN8BIT },
		{ th, "UTF-16BE", SH_ENC_UTF16BE },
		{ ar, "CP1256", SH_ENC_UNKNOWN8BIT },
		{ ar, "UTF-16LE", SH_ENC_UTF16LE },
	};
	char what[80];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sh_buf b = encoded(rows[i].text, rows[i].encoding);

		snprintf(what, sizeof what, "row %zu in %s", i, rows[i].encoding);
		if (b.n)
			check(what, b.p, b.n, rows[i].want);
		else
			ok(1, "%s # SKIP iconv cannot", what);
		sh_buf_free(&b);
	}
}

/* Texts of few characters give no certain result. */
static void test_hints(void)
{
	static const struct {
		const char *text, *encoding;
		bool may_be;
	} rows[] = {
		{ "你好\n", "GBK", true },
		{ "d1\t你好，世界。ok\n", "GB18030", true },
		{ "模板，模板\n", "GB2312", false }, /* most is also good UTF-8 */
		{ "好\n", "GBK", false },
		{ "hello\n", "GBK", false },
		{ "你好，世界\n", "UTF-8", false },
		{ "你好，世界\n", "BIG5", false },
		{ "Привет, мир\n", "CP1251", false },
		{ "Привет\n", "CP866", false },
		{ "Καλημέρα\n", "ISO-8859-7", false },
		{ "こんにちは\n", "EUC-JP", false },
		{ "こんにちは\n", "SHIFT_JIS", false },
		{ "été né à Orléans\n", "ISO-8859-1", false },
		{ "größer, Füße\n", "ISO-8859-1", false },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char out[64], *to = out, *from = (char *)(uintptr_t)rows[i].text;
		size_t in_left = strlen(from), out_left = sizeof out;
		iconv_t cd = iconv_open(rows[i].encoding, "UTF-8");
		bool knows =
		    cd != (iconv_t)-1 && iconv(cd, &from, &in_left, &to, &out_left) != (size_t)-1;
		char *copy = exact_copy(out, sizeof out - out_left);

		ok(!knows || sh_encoding_may_be_gb(copy, sizeof out - out_left) == rows[i].may_be,
		    "row %zu in %s: %s GB18030", i, rows[i].encoding,
		    rows[i].may_be ? "may be" : "cannot be");
		free(copy);
		if (cd != (iconv_t)-1)
			iconv_close(cd);
	}
	ok(!sh_encoding_may_be_gb("", 0), "an empty text is not taken for GB18030");
	ok(!sh_encoding_may_be_gb("\xc4\xe3\xba\xc3\xc4", 5),
	    "half of a character is not taken for GB18030");
}

/* Random bytes have no encoding, and damaged text keeps its encoding. */
static void test_random(void)
{
	static uint8_t noise[3000];
	struct sh_buf zh = slurp_file("t/data", "zh_dev.tsv");
	size_t named = 0, misjudged = 0;

	for (unsigned i = 0; i < 1000; i++) {
		size_t n = rng_below(sizeof noise), at = rng_below(zh.n - sizeof noise);

		for (size_t k = 0; k < n; k++)
			noise[k] = (uint8_t)rng();
		if (n > 4 && noise[0] < 0xEF)
			named +=
			    sh_encoding_iconv_name(sh_encoding_guess((char *)noise, n)) != NULL;
		memcpy(noise, zh.p + at, n);
		for (size_t k = 0; k < n; k++)
			if (rng_below(20) == 0)
				noise[k] = (uint8_t)rng();
		if (n > 4 && noise[0] < 0xFE)
			misjudged +=
			    sh_encoding_iconv_name(sh_encoding_guess((char *)noise, n)) != NULL;
	}
	ok(named == 0, "1000 sequences of random bytes have no encoding (%zu have one)", named);
	ok(misjudged == 0,
	    "1000 Chinese texts with one byte in twenty changed are not taken for another encoding "
	    "(%zu are)",
	    misjudged);
	sh_buf_free(&zh);
}

/* Words as `find -print0` writes them are Han and ASCII when they are read as UTF-16. */
static void test_nul_terminated(void)
{
	static char text[5000];
	size_t misjudged = 0;

	for (unsigned i = 0; i < 100; i++) {
		for (size_t k = 0; k < sizeof text; k++)
			text[k] = rng_below(7) ? (char)('a' + rng_below(26)) : '\0';
		misjudged += sh_encoding_guess(text, sizeof text) != SH_ENC_UTF8;
	}
	ok(misjudged == 0, "words ended by NULs are UTF-8 (%zu of 100 are not)", misjudged);
}

/* No iconv reads text in two encodings. */
static void test_mixed(void)
{
	struct sh_buf b = encoded("我们一起去公园散步，今天的天气非常好。\n", "GBK");
	struct sh_buf fr = encoded("né à été", "ISO-8859-1");

	if (b.n && fr.n) {
		check("all in GBK", b.p, b.n, SH_ENC_GB18030);
		append(&b, fr.p, 700);
		check("GBK and Latin-1 in one file", b.p, b.n, SH_ENC_UNKNOWN8BIT);
	}
	sh_buf_free(&b);
	sh_buf_free(&fr);
}

int main(void)
{
	rng_init(4);
	test_marks();
	test_names();
	test_files();
	test_languages();
	test_hints();
	test_random();
	test_nul_terminated();
	test_mixed();
	return done_testing();
}
