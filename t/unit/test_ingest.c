/* SPDX-License-Identifier: MIT */
/* lib/ingest and its readers: decoders compared with encoders, frames cut at every byte, headers,
 * charsets, pages. t/shdoc.bats compares whole files with Python's libraries. */
#include "ingest/http.h"
#include "ingest/ingest.h"
#include "ingest/mail.h"
#include "ingest/page.h"
#include "ingest/warc.h"
#include "scratch.h"
#include "tap.h"
#include "text_util.h"

static struct sh_error err;

static bool is(const struct sh_buf *b, const char *want)
{
	return sh_slice_eq(sh_buf_slice(b), sh_slice_str(want));
}

static void random_bytes(struct sh_buf *b, size_t n)
{
	for (b->n = 0; n > 0; n--)
		append(b, &(uint8_t){ (uint8_t)rng() }, 1);
}

/* ---- the reader ---- */

/* Any mixture of the reading functions gives the bytes in order. */
static void reader(void)
{
	bool same = true, lines = true;

	for (int round = 0; round < 300; round++) {
		struct sh_buf in = { 0 }, out = { 0 };
		struct sh_reader r;
		struct sh_slice line;
		uint64_t skipped;

		random_bytes(&in, rng_below(300));
		for (size_t i = 0; i < in.n; i++)
			in.p[i] = rng_below(5) ? in.p[i] : '\n';
		must(sh_reader_memory(&r, sh_buf_slice(&in), &err) == 0);
		while (r.offset < in.n) {
			uint64_t before = r.offset, n = 1 + rng_below(9);

			if (rng_below(3) == 0) {
				must(sh_reader_skip(&r, n, &skipped, &err) == 0);
				append(&out, in.p + before, skipped);
				same = same && r.offset == before + skipped;
				continue;
			}
			must(sh_reader_line(&r, 0, n, &line, &err) == 1);
			lines =
			    lines && line.n <= n && line.n > 0 &&
			    !memchr(line.p, '\n', line.n - 1) &&
			    (line.n == n || line.p[line.n - 1] == '\n' || before + line.n == in.n);
			append(&out, line.p, line.n);
			sh_reader_consume(&r, line.n);
		}
		same = same && sh_slice_eq(sh_buf_slice(&in), sh_buf_slice(&out)) &&
		       sh_reader_line(&r, 0, 9, &line, &err) == 0;
		sh_reader_close(&r);
		sh_buf_free(&in);
		sh_buf_free(&out);
	}
	ok(same, "a reader gives all bytes once, in order");
	ok(lines, "a line ends at its LF, at its limit or at the end");
}

/* A file with lines of any length, each searched behind lines that are not consumed yet: the buffer
 * moves, also at the file's end. */
static void reader_of_file(void)
{
	char path[SCRATCH_MAX];
	bool same = true;

	scratch(path, "reader");
	for (int round = 0; round < 30; round++) {
		struct sh_buf in = { 0 }, out = { 0 };
		FILE *f = fopen(path, "wb");
		struct sh_slice line;
		struct sh_reader r;
		size_t from = 0;

		must(f != NULL);
		random_bytes(&in, 40000 + rng_below(500000));
		must(fwrite(in.p, 1, in.n, f) == in.n && fclose(f) == 0);
		must(sh_reader_open(&r, path, &err) == 0);
		while (sh_reader_line(&r, from, SIZE_MAX, &line, &err) > 0) {
			append(&out, line.p, line.n);
			from += line.n;
			if (rng_below(50))
				continue;
			sh_reader_consume(&r, from);
			from = 0;
		}
		same = same && sh_slice_eq(sh_buf_slice(&in), sh_buf_slice(&out));
		sh_reader_close(&r);
		sh_buf_free(&in);
		sh_buf_free(&out);
	}
	unlink(path);
	ok(same, "a file gives its lines, whenever lines are consumed");
}

/* ---- transfer ---- */

static void encode_base64(struct sh_slice in, struct sh_buf *out)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < in.n; i += 3) {
		size_t have = in.n - i < 3 ? in.n - i : 3;
		uint32_t x = 0;

		for (size_t j = 0; j < 3; j++)
			x = x << 8 | (j < have ? (uint8_t)in.p[i + j] : 0);
		for (size_t j = 0; j < 4; j++)
			append(out, j <= have ? &digits[x >> (18 - 6 * j) & 63] : "=", 1);
		if (rng_below(4) == 0)
			append(out, "\r\n", 2);
	}
}

static void encode_quoted(struct sh_slice in, struct sh_buf *out)
{
	char hex[4];

	for (size_t i = 0; i < in.n; i++) {
		unsigned char c = (unsigned char)in.p[i];

		if (c == '=' || c < 0x21 || c > 0x7E || rng_below(9) == 0) {
			snprintf(hex, sizeof hex, rng() & 1 ? "=%02X" : "=%02x", c);
			append(out, hex, 3);
		} else {
			append(out, &c, 1);
		}
		if (rng_below(9) == 0)
			append(out, "=  \r\n", 5);
	}
}

static void transfer(void)
{
	bool base64 = true, quoted = true;
	struct sh_buf in = { 0 }, coded = { 0 }, out = { 0 };

	for (int round = 0; round < 500; round++) {
		random_bytes(&in, rng_below(200));
		coded.n = out.n = 0;
		append(&coded, "", 0);
		encode_base64(sh_buf_slice(&in), &coded);
		must(sh_base64_decode(sh_buf_slice(&coded), &out, &err) == 0);
		base64 = base64 && sh_slice_eq(sh_buf_slice(&in), sh_buf_slice(&out));
		coded.n = out.n = 0;
		encode_quoted(sh_buf_slice(&in), &coded);
		must(sh_quoted_printable_decode(sh_buf_slice(&coded), &out, &err) == 0);
		quoted = quoted && sh_slice_eq(sh_buf_slice(&in), sh_buf_slice(&out));
	}
	ok(base64, "base64 of random bytes is decoded");
	ok(quoted, "quoted-printable of random bytes is decoded");
	out.n = 0;
	sh_base64_decode(sh_slice_str("a!GV s\r\nbG8=!!junk"), &out, &err);
	ok(is(&out, "hello"), "base64: other bytes are skipped, and padding ends the data");
	out.n = 0;
	sh_base64_decode(sh_slice_str("YQ==Yg=="), &out, &err);
	ok(is(&out, "a"), "base64: padding of two characters ends the data");
	out.n = 0;
	sh_quoted_printable_decode(sh_slice_str("a \t\r\nb  c=\n=4G=3d=d ="), &out, &err);
	ok(is(&out, "a\r\nb  c=4G==d "), "quoted-printable: blanks before line ends are removed");
	sh_buf_free(&in);
	sh_buf_free(&coded);
	sh_buf_free(&out);
}

/* Chunks of random bytes: decoded when complete; when cut, an error or the decoded part. */
static void chunks(void)
{
	bool whole = true, cut = true, strict = true;
	struct sh_buf in = { 0 }, coded = { 0 }, out = { 0 };
	char size[40];

	for (int round = 0; round < 60; round++) {
		size_t end;

		random_bytes(&in, 1 + rng_below(100));
		coded.n = 0;
		for (size_t i = 0, n; i < in.n; i += n) {
			n = 1 + rng_below(20);
			n = n < in.n - i ? n : in.n - i;
			append(&coded, size,
			    (size_t)sprintf(size, rng() & 1 ? "%zx\r\n" : "0%zX ;a=b\n", n));
			append(&coded, in.p + i, n);
			append(&coded, "\r\n", 2);
		}
		end = coded.n;
		append(&coded, "0\r\n\r\n", 5);
		out.n = 0;
		whole = whole && sh_dechunk(sh_buf_slice(&coded), false, &out, &err) == 1 &&
			sh_slice_eq(sh_buf_slice(&in), sh_buf_slice(&out));
		for (size_t n = 12; n < end; n++) {
			out.n = 0;
			strict =
			    strict && sh_dechunk(sh_slice(coded.p, n), false, &out, &err) == -1;
			out.n = 0;
			cut = cut && sh_dechunk(sh_slice(coded.p, n), true, &out, &err) == 1 &&
			      out.n <= in.n && memcmp(out.p, in.p, out.n) == 0;
		}
	}
	ok(whole, "chunks are joined");
	ok(strict, "chunks that are cut anywhere are an error");
	ok(cut, "chunks that are cut anywhere give their beginning, when that is allowed");
	out.n = 0;
	ok(sh_dechunk(sh_slice_str("000000000000001\r\na\r\n0\r\n"), false, &out, &err) == 1 &&
		is(&out, "a"),
	    "a chunk size of 15 digits is accepted");
	ok(sh_dechunk(sh_slice_str("0000000000000001\r\na\r\n0\r\n"), false, &out, &err) == 0,
	    "a chunk size of 16 digits is refused");
	ok(sh_dechunk(sh_slice_str("plain text"), false, &out, &err) == 0,
	    "data without chunks are refused");
	ok(sh_dechunk(sh_slice_str("1\r\na\r\n-\r\n"), false, &out, &err) == -1,
	    "a wrong size of a later chunk is an error");
	ok(sh_dechunk(sh_slice_str("ffffffffffffffff0\r\na"), false, &out, &err) <= 0,
	    "a chunk size that overflows is refused");
	sh_buf_free(&in);
	sh_buf_free(&coded);
	sh_buf_free(&out);
}

/* ---- headers ---- */

static bool says(const char *value, const char *charset, const char *boundary)
{
	struct sh_media m;

	sh_media_parse(sh_slice_str(value), &m);
	if (strcmp(m.charset, charset) == 0 && strcmp(m.boundary, boundary) == 0)
		return true;
	printf("# charset %s, boundary %s\n", m.charset, m.boundary);
	return false;
}

static void parameters(void)
{
	ok(says("a/b; charset='x'; boundary='y'", "x", "'y'"),
	    "single quotes are removed from a charset, and belong to a boundary");
	ok(says("a/b; charset=; charset=x; charset=y; charset*1=z; boundary*=''z; boundary=a", "x",
	       "z"),
	    "the first parameter with a value counts");
	ok(says("a/b; boundary*0=ab;\n BOUNDARY*1=\"c d\"; boundary*3=x; boundary*2=e", "",
	       "abc de"),
	    "pieces of a parameter are joined while they are in order");
	ok(says("a/b; charset*=us-ascii'en'utf%2D8; boundary*0*=''%3da%3D%; boundary*1=%41; "
		"boundary*2*='b'",
	       "utf-8", "=a=%%41'b'"),
	    "escapes are decoded in pieces that are marked, and kept in others");
	ok(says("a/b; charset*; charset*x=a; charsets=b; boundary**=c; boundary*1=d", "", ""),
	    "other names are not parameters");
}

static void headers(void)
{
	struct sh_slice head = sh_slice_str("A: 1\r\nb :x\r\n y\r\n\tz\r\nA: 2\nC:\n\nD: body"), v;
	struct sh_media m;
	struct sh_buf b = { 0 };

	ok(sh_header_size(head) == head.n - 7, "a header ends at its empty line");
	ok(sh_header_find(head, "a", &v) && sh_slice_eq(v, sh_slice_str("1")),
	    "the first field of a name counts");
	ok(sh_header_find(head, "B", &v) && sh_header_unfold(v, &b, &err) == 0 && is(&b, "x y\tz"),
	    "folded lines of a field are joined");
	ok(sh_header_find(head, "C", &v) && v.n == 0, "an empty field is read");
	b.n = 0;
	ok(sh_header_join(head, "a", &b, &err) == 0 && is(&b, "1, 2"),
	    "all fields of a name are joined to a list");
	ok(!sh_header_find(head, "D", &v) && !sh_header_find(head, "y", &v),
	    "a line of the body is not read as a field");
	sh_media_parse(
	    sh_slice_str("Text/HTML;x=\";charset=a\" ; CharSet=\"UT\\F-8\"; boundary=A=b'"), &m);
	ok(strcmp(m.type, "text/html") == 0 && strcmp(m.charset, "utf-8") == 0 &&
		strcmp(m.boundary, "A=b'") == 0,
	    "media type: %s, %s, %s", m.type, m.charset, m.boundary);
	ok(sh_mail_header_size(sh_slice_str("A: b\nno field\n\n")) == 5 &&
		sh_mail_header_size(sh_slice_str("no field\n\n")) == 0,
	    "a line that is no field begins the body of a mail");
	ok(sh_mail_header_size(sh_slice_str("A \t: b\nC: d\n\ne")) == 13,
	    "blanks before the colon are accepted, as in old mail");
	ok(sh_mail_header_size(sh_slice_str(">From a remote from b\nFrom c\nA: b\n\nd")) == 35 &&
		sh_mail_header_size(sh_slice_str("A: b\nFrom c\n\n")) == 5,
	    "lines that relays put before the header are skipped");
	parameters();
	sh_buf_free(&b);
}

/* ---- charsets ---- */

static struct sh_charset charset;

static bool decodes(const char *in, size_t n, const char *declared, const char *want,
    const char *name, enum sh_charset_why why)
{
	const char *const names[SH_CHARSET_DECLARATIONS] = { declared };
	struct sh_charset_verdict v;
	struct sh_buf out = { 0 };
	int got = sh_charset_decode(&charset, sh_slice(in, n), names, &out, &v, &err);
	bool good = got == 0 && is(&out, want) && strcmp(v.name, name) == 0 && v.why == why;

	if (!good)
		printf("# %s, %s (%s): %.*s\n", got ? err.text : "ok", v.name,
		    sh_charset_reason(v.why), (int)out.n, out.p ? out.p : "");
	sh_buf_free(&out);
	return good;
}

#define DECODES(in, ...) ok(decodes(in, sizeof(in) - 1, __VA_ARGS__), "%s", #__VA_ARGS__)

/* Names of charsets that mean another charset in glibc than on the web, or none. */
static void label_names(void)
{
	static const struct {
		const char *names, *in, *want;
	} labels[] = {
		{ "iso-8859-1 iso88591 iso_8859-1:1987 iso-ir-100 csisolatin1 l1 ibm819 cp819",
		    "\x80", "€" },
		{ "iso-8859-9 iso8859-9 iso88599 iso_8859-9:1989 latin5 l5 csisolatin5", "\x80\xD0",
		    "€Ğ" },
		{ "iso-8859-11 iso8859-11 dos-874", "\x80\xA1", "€ก" },
		{ "gb2312 csgb2312 chinese gb_2312 iso-ir-58", "\x81\x40", "丂" },
		{ "shift_jis ms_kanji csshiftjis", "\x87\x40", "①" },
		{ "euc-kr korean ks_c_5601-1989 cseuckr", "\x94\xEE", "뷁" },
		{ "koi8-r koi koi8 koi8_r", "\xA3", "ё" },
		{ "windows-1251 x-cp1251", "\xDF", "Я" },
		{ "utf-16 unicode ucs-2 iso-10646-ucs-2", "=\xD8\1\xDE", "😁" },
	};

	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
		char names[200], *name = strcpy(names, labels[i].names), *next;

		for (; name; name = next) {
			struct sh_charset_verdict v;
			struct sh_buf out = { 0 };

			next = strchr(name, ' ');
			if (next)
				*next++ = '\0';
			charset.forced = name;
			ok(sh_charset_decode(&charset, sh_slice_str(labels[i].in),
			       (const char *const[SH_CHARSET_DECLARATIONS]){ NULL }, &out, &v,
			       &err) == 0 &&
				is(&out, labels[i].want),
			    "%s", name);
			sh_buf_free(&out);
		}
	}
	/* A letter that iconv holds back comes before the replacement of the ill-formed bytes. */
	charset.forced = "windows-1255";
	DECODES("\xFA\xD9\xFA", NULL, "ת\xEF\xBF\xBDת", "WINDOWS-1255", SH_CHARSET_FORCED);
	/* The character set of an escape sequence stays in effect. */
	charset.forced = "iso-2022-jp";
	DECODES("\x1B$B$3\xFF$s\x1B(B", NULL, "こ\xEF\xBF\xBDん", "ISO-2022-JP", SH_CHARSET_FORCED);
	charset.forced = NULL;
}

/* ISO-2022-JP and EUC-JP as Windows writes them, also in mail; an undefined pair does not damage
 * the text after it. */
static void japanese(void)
{
	DECODES("\x1B$BBh-!>O-j|b\x1B(I16\x1B(B.", "iso-2022-jp", "第①章㈱髙ｱｶ.", "ISO-2022-JP",
	    SH_CHARSET_DECLARED);
	DECODES("\x1B(J\\~\x1B$@$3\n$s\x1B(B", "csISO2022JP", "¥‾こ\nん", "ISO-2022-JP",
	    SH_CHARSET_DECLARED);
	charset.forced = "iso-2022-jp";
	DECODES("\x1B$B$3#!$s$3\x1B(B\x1B$(X", NULL, "こ\xEF\xBF\xBDんこ\xEF\xBF\xBD$(X",
	    "ISO-2022-JP", SH_CHARSET_FORCED);
	DECODES("\x1B$B$3)!$s$\x1B(Ba", NULL,
	    "こ\xEF\xBF\xBDん\xEF\xBF\xBD"
	    "a",
	    "ISO-2022-JP", SH_CHARSET_FORCED);
	charset.forced = "euc-jp";
	DECODES("\xC2\xE8\xAD\xA1\xBE\xCF", NULL, "第①章", "EUC-JP-MS", SH_CHARSET_FORCED);
	charset.forced = "euc-kr";
	DECODES("\xB0\xA1\xC9\xA1\xB0\xA1", NULL, "가\xEF\xBF\xBD가", "UHC", SH_CHARSET_FORCED);
	charset.forced = NULL;
}

static void charsets(void)
{
	static const char greek[] = "\xEA\xE1\xEB\xE7\xEC\xDD\xF1\xE1";
	bool there =
	    sh_charset_known(&charset, "iso-8859-7") && sh_charset_known(&charset, "latin1");

	DECODES("plain", NULL, "plain", "UTF-8", SH_CHARSET_UTF8);
	DECODES("\xC3\xA9", "us-ascii", "é", "UTF-8", SH_CHARSET_UTF8);
	DECODES("\xEF\xBB\xBF\xC3\xA9", "iso-8859-1", "é", "UTF-8", SH_CHARSET_MARK);
	DECODES("\xC3\xA9\xC3\xA9 \xFF", "utf8", "éé \xEF\xBF\xBD", "UTF-8", SH_CHARSET_DECLARED);
	DECODES("\xC3\xA9\xC3\xA9 \xFF", NULL, "éé \xEF\xBF\xBD", "UTF-8", SH_CHARSET_UTF8);
	DECODES("\xC3\xA9", "no/such,charset", "é", "UTF-8", SH_CHARSET_UTF8);
	if (!there) {
		ok(1, "# SKIP iconv knows no charsets here");
		return;
	}
	DECODES("\xC3\xA9", "latin1", "é", "UTF-8", SH_CHARSET_OVERRULED);
	DECODES("NESTL\xC9\xAE", "latin1", "NESTLÉ®", "WINDOWS-1252", SH_CHARSET_DECLARED);
	DECODES("\xD2\xBB\xD2\xBB", "gb2312", "一一", "GB18030", SH_CHARSET_DECLARED);
	DECODES(
	    "\xCF\xB5\xCD\xB3\xCD\xA8\xD6\xAA", "gbk", "系统通知", "GB18030", SH_CHARSET_DECLARED);
	DECODES("дом", "gb2312", "дом", "UTF-8", SH_CHARSET_OVERRULED);
	DECODES("\x80", "ISO-8859-1", "€", "WINDOWS-1252", SH_CHARSET_DECLARED);
	ok(decodes(greek, 8, "iso-8859-7", "καλημέρα", "ISO-8859-7", SH_CHARSET_DECLARED),
	    "declared Greek is decoded");
	charset.forced = "iso-8859-7";
	ok(decodes(greek, 8, "utf-8", "καλημέρα", "ISO-8859-7", SH_CHARSET_FORCED),
	    "Greek is decoded by --from-charset");
	charset.forced = NULL;
	if (sh_charset_known(&charset, "gb2312")) {
		DECODES("\xC4\xE3\xBA\xC3", "gb2312", "你好", "GB18030", SH_CHARSET_DECLARED);
		DECODES("\x1B$B$3$s\x1B(B.", NULL, "こん.", "ISO-2022-JP", SH_CHARSET_DETECTED);
		DECODES("\xFE\xFF\x4F\x60\x59\x7D", NULL, "你好", "UTF-16BE", SH_CHARSET_MARK);
		/* Half of a pair, a value above U+10FFFF and a cut each give one U+FFFD. */
		DECODES("\xFF\xFEh\0\0\xD8i\0\0\xDCj\0k", NULL,
		    "h\xEF\xBF\xBDi\xEF\xBF\xBDj\xEF\xBF\xBD", "UTF-16LE", SH_CHARSET_MARK);
		label_names();
		if (sh_charset_known(&charset, "cp932") && sh_charset_known(&charset, "euc-jp"))
			japanese();
		DECODES("\0\0\xFE\xFF\0\0\0h\1\2\3\4\0\0\0i", NULL, "h\xEF\xBF\xBDi", "UTF-32BE",
		    SH_CHARSET_MARK);
	}
	DECODES("éééééé \xF9\xB9\xB9\xB9\xB9", "utf-8}",
	    "éééééé \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", "UTF-8",
	    SH_CHARSET_DECLARED);
}

/* Any bytes become well-formed UTF-8, with any declared charset. */
static void any_bytes(void)
{
	static const char *const names[] = { "utf-8", "utf-16", "gbk", "big5", "shift_jis",
		"euc-kr", "iso-2022-jp", "windows-1252", "none" };
	struct sh_buf in = { 0 }, out = { 0 };
	bool good = true;

	for (int round = 0; round < 2000; round++) {
		const char *const declared[SH_CHARSET_DECLARATIONS] = { names[rng_below(9)],
			names[rng_below(9)] };
		struct sh_charset_verdict v;

		random_bytes(&in, rng_below(60));
		out.n = 0;
		append(&out, "x", 1);
		if (sh_charset_decode(&charset, sh_buf_slice(&in), declared, &out, &v, &err) < 0)
			good = good && err.code == SH_ERR_RECORD; /* iconv lacks it */
		else
			good = good && out.p[0] == 'x' && sh_utf8_valid(out.p, out.n);
	}
	ok(good, "any bytes become well-formed UTF-8");
	sh_buf_free(&in);
	sh_buf_free(&out);
}

/* ---- pages ---- */

static void page(const char *in, const char *want)
{
	struct sh_buf out = { 0 };
	int got = sh_page_text(sh_slice_str(in), &out, &err);

	ok(got == 0 && is(&out, want), "%s", in);
	if (got == 0 && !is(&out, want))
		printf("# got: %.*s\n", (int)out.n, out.p);
	sh_buf_free(&out);
}

/* A parser may repair a page in any way, but no text may be lost. */
static void whatever(const char *in, const char *want)
{
	struct sh_buf out = { 0 };
	size_t n = 0;

	must(sh_page_text(sh_slice_str(in), &out, &err) == 0);
	for (size_t i = 0; i < out.n; i++)
		if (out.p[i] != '\n' && out.p[i] != ' ')
			out.p[n++] = out.p[i];
	out.n = n;
	ok(is(&out, want), "%s", in);
	sh_buf_free(&out);
}

/* Elements of the table, each alone: they separate lines, words or nothing. */
static void elements(void)
{
	static const char *const blocks[] = { "address", "article", "aside", "blockquote", "center",
		"details", "dialog", "div", "dl", "fieldset", "figcaption", "figure", "footer",
		"form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "main", "menu",
		"nav", "ol", "p", "pre", "section", "summary", "ul" };
	static const char *const inlines[] = { "a", "abbr", "b", "code", "em", "font", "i", "label",
		"small", "span", "strong", "sub", "u", "x-own" };
	static const char *const hidden[] = { "script", "style", "template", "noscript", "iframe" };
	char in[200];

	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		sprintf(in, "<body>a<%s>b</%s>c", blocks[i], blocks[i]);
		page(in, "a\nb\nc");
	}
	for (size_t i = 0; i < sizeof inlines / sizeof *inlines; i++) {
		sprintf(in, "<body>a<%s>b</%s>c", inlines[i], inlines[i]);
		page(in, "abc");
	}
	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
		sprintf(in, "<body>a <%s>b</%s>c", hidden[i], hidden[i]);
		page(in, "a c");
	}
}

static void pages(void)
{
	char xml[SH_CHARSET_NAME], name[SH_CHARSET_NAME];

	sh_page_charset(
	    sh_slice_str("<!-- <meta charset=a> --><MeTa x=y charset = 'B'>"), xml, name);
	ok(strcmp(name, "b") == 0, "a page's charset: %s", name);
	sh_page_charset(
	    sh_slice_str("<meta http-equiv=x content='text/html;charset=C;'>"), xml, name);
	ok(strcmp(name, "c") == 0, "a page's charset: %s", name);
	sh_page_charset(
	    sh_slice_str("<?xml version='1.0' encoding=\"d\"?><p>charset=e"), xml, name);
	ok(strcmp(xml, "d") == 0 && !*name, "the charset of an XML declaration: %s", xml);
	sh_page_charset(sh_slice_str("<p>charset=e <meta name=f"), xml, name);
	ok(*name == '\0', "a page without a declaration has no charset");
	sh_page_charset(sh_slice_str("<!--><meta content='http://x/?charset=a&encoding=b' "
				     "data-charset=c><meta/charset=d><meta charset=e>"),
	    xml, name);
	ok(strcmp(name, "d") == 0, "no charset is found in a URL or another name: %s", name);
	if (strstr(sh_ingest_lacks(), "HTML")) {
		struct sh_buf out = { 0 };

		ok(sh_page_text(sh_slice_str("<p>a"), &out, &err) < 0 &&
			strstr(err.text, "libxml2"),
		    "%s", err.text);
		return;
	}
	elements();
	page("<p> a  \n b&nbsp;<b> c </b> d<p>e", "a b\xC2\xA0 c d\ne");
	page("<title>t</title>a<br>b<hr>c", "a\nb\nc");
	page("<head><title>t</title><section>a</section>", "a");
	page("<p hidden>a<b>b</b></p>c<p hidden=until-found>d", "c\nd");
	page("<p style='x-display:none'>a</p><p style='Display: NONE'>b</p><i "
	     "style='top:0;visibility:hidden'>c</i>",
	    "a");
	page("<div style=display:none><div>a</div>b<p>c</div>d", "d");
	page("<pre> a\n\n  b</pre><textarea>c\n d</textarea>", " a\n\n  b\nc\n d");
	page("<table><tr><td>a</td><td>b<tr><th>c", "a b\nc");
	page("&lt;&#65;&#x4e2d;&eacute;&bogus;", "<A中é&bogus;");
	page("don&#146;t &#x80;&#128;&#x81;&#x9f;&#160;a\xC2\x92", "don’t €€\xC2\x81Ÿ\xC2\xA0"
								   "a\xC2\x92");
	page("&eacute&lt &copy2&notit &nbspx &notin; &notsuch; &amp;amp &am &a;&frac12x&frac1",
	    "é< ©2¬it \xC2\xA0x ∉ ¬such; &amp &am &a;½x&frac1");
	page("<p title='&QUOT;>'>&ccaron;as&comma; &NotEqualTilde;&lang;&AMP;lt; R&AMPD&LTb&GT; "
	     "&QUOT&COPYx&Amp;",
	    "čas, ≂̸⟨&lt; R&D<b> \"©x&Amp;");
	page("<a href='?a&copy=b' title=&lt>&amp</a>&reg", "&®");
	page("a<!-- b -->c", "ac");
	page("a<!-->b<!--->c<!---->d<!-- <!--> e -->f", "abcd e -->f");
	page("<title>a <!-- <script></title>b<textarea>c <!--<SCRIPT>&lt;</Textarea >d",
	    "b\nc <!--<SCRIPT><\nd");
	page("a<iframe>b<!-- <script></iframe>c<xmp>d<!-- </xmp>e<iframe/>f", "a c\nd<!-- \ne f");
	page("<p>a<![if !supportLists]>b<![endif]>c</>d</ <title>e<?php '<textarea>' ?>f<!>g<? x>h",
	    "abcde' ?>fgh");
	page("<!a><?b><!DocType html '<textarea>'<p>a</textarea><![CDATA[b]]>c<!d", "'\nac");
	page("<title x=a/>a<!-- </title>b<i c=d='>e<title><!--</title>f'", "be f'");
	page("<i title='<title>'>a</i><script>'<title><textarea>'</script>b<b>c</textarea></title>",
	    "a bc");
	page("<style>a<title>b</style>c<title/>d<i>e</i></title><textarea>f<b>g</b>", "c\nde\nfg");
	whatever("</b></div>a</p>b<b><p>c</b>d", "abcd");
	whatever("</html>a<html><body>b</body></html>c<p>d</body>e", "abcde");
	whatever("<table>a<div>b<tr>c</div><td>d</span>e", "abcde");
	/* A size above INT_MAX is refused before the page is read. */
	ok(sizeof(size_t) == 4 ||
		(sh_page_text(sh_slice("", (size_t)1 << 31), &(struct sh_buf){ 0 }, &err) < 0 &&
		    err.code == SH_ERR_RECORD),
	    "a page of 2 GiB is refused");
}

/* ---- frames ---- */

static void add_record(struct sh_buf *b, const struct sh_buf *block)
{
	char head[200];

	append(b, head,
	    (size_t)sprintf(head,
		"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: <u%zu>\r\n"
		"Content-Length: %zu\r\n\r\n",
		block->n, block->n));
	append(b, block->p, block->n);
	append(b, "\r\n\r\n", 4);
}

/* Counts the records whose block is correct, or present when blocks are not read; *status is the
 * result of the last call. */
static size_t count_records(struct sh_slice in, const struct sh_buf *blocks, bool look, int *status)
{
	struct sh_warc w = { 0 };
	struct sh_reader r;
	size_t n = 0;

	must(sh_reader_memory(&r, in, &err) == 0);
	while ((*status = sh_warc_next(&r, &w, &err)) > 0) {
		struct sh_slice block = { 0 };

		if (!look) {
			n++;
			continue;
		}
		if (sh_warc_peek(&r, &w, SIZE_MAX, &block, &err) < 0) {
			*status = -1;
			break;
		}
		if (!sh_slice_eq(block, sh_buf_slice(&blocks[n])))
			break;
		n++;
	}
	sh_warc_free(&w);
	sh_reader_close(&r);
	return n;
}

/* Blocks contain bytes that look like records. A file that is cut within a record is never
 * accepted. */
static void frames(void)
{
	enum { RECORDS = 5 };
	bool whole = true, cut = true;

	for (int round = 0; round < 20; round++) {
		struct sh_buf file = { 0 }, block[RECORDS] = { { 0 } };
		size_t ends[RECORDS];
		int status;

		for (size_t i = 0; i < RECORDS; i++) {
			random_bytes(&block[i], 1 + rng_below(40));
			if (rng_below(3) == 0)
				append(&block[i], "\r\n\r\nWARC/1.0\r\n\r\n", 16);
			add_record(&file, &block[i]);
			ends[i] = file.n;
		}
		whole = whole &&
			count_records(sh_buf_slice(&file), block, true, &status) == RECORDS &&
			status == 0;
		for (size_t n = 0, done = 0; n < file.n; n++) {
			struct sh_slice part = sh_slice(file.p, n);
			size_t got = count_records(part, block, true, &status);
			int unseen;

			/* The line ends behind the last block may be missing. */
			while (done < RECORDS && n >= ends[done] - 4)
				done++;
			count_records(part, block, false, &unseen);
			cut = cut && got == done && unseen == status &&
			      (status == 0) == (done == 0 ? n == 0 : n <= ends[done - 1]);
		}
		for (size_t i = 0; i < RECORDS; i++)
			sh_buf_free(&block[i]);
		sh_buf_free(&file);
	}
	ok(whole, "WARC records end by their lengths, with any bytes in their blocks");
	ok(cut, "a WARC file cut anywhere within a record is an error, and only there");
}

static void from_lines(void)
{
	static const char *const yes[] = { "From a@b Sat Nov 21 10:00:00 2026\n", "From - 1:23",
		"From x Thu, 1 Jan 70 12:34 GMT\r\n" };
	static const char *const no[] = { "From here on\n", ">From a 10:00\n", "From: a 10:00",
		"from a 10:00", "From a 10:0", "" };

	for (size_t i = 0; i < 3; i++)
		ok(sh_mbox_from(sh_slice_str(yes[i])), "begins a message: %.12s", yes[i]);
	for (size_t i = 0; i < 6; i++)
		ok(!sh_mbox_from(sh_slice_str(no[i])), "does not begin a message: %.14s", no[i]);
}

int main(void)
{
	rng_init(20261121);
	reader();
	reader_of_file();
	transfer();
	chunks();
	headers();
	charsets();
	any_bytes();
	pages();
	frames();
	from_lines();
	sh_charset_free(&charset);
	return done_testing();
}
