#include "ingest/charset.h"

#include <errno.h>
#include <stdio.h>
#include <strings.h>

#include "ingest/jis.h"
#include "unicode/encoding.h"
#include "unicode/utf8.h"

#ifdef SH_HAVE_UCHARDET
#include <uchardet.h>
#endif

enum { DETECT_BYTES = 256 * 1024 };

/* ---- names ---- */

/* Names that mean another charset, by the Encoding Standard of the web or by the practice of mail
 * programs. iconv gets all other names unchanged. */
static const char *const aliases[][2] = {
	{ "utf8", "UTF-8" },
	{ "unicode-1-1-utf-8", "UTF-8" },
	{ "unicode11utf8", "UTF-8" },
	{ "unicode20utf8", "UTF-8" },
	{ "x-unicode20utf8", "UTF-8" },
	{ "utf-16", "UTF-16LE" },
	{ "unicode", "UTF-16LE" },
	{ "csunicode", "UTF-16LE" },
	{ "iso-10646-ucs-2", "UTF-16LE" },
	{ "ucs-2", "UTF-16LE" },
	{ "unicodefeff", "UTF-16LE" },
	{ "unicodefffe", "UTF-16BE" },
	{ "x-cp1250", "WINDOWS-1250" },
	{ "x-cp1251", "WINDOWS-1251" },
	{ "iso-8859-1", "WINDOWS-1252" },
	{ "iso8859-1", "WINDOWS-1252" },
	{ "iso88591", "WINDOWS-1252" },
	{ "iso_8859-1", "WINDOWS-1252" },
	{ "iso_8859-1:1987", "WINDOWS-1252" },
	{ "iso-ir-100", "WINDOWS-1252" },
	{ "csisolatin1", "WINDOWS-1252" },
	{ "latin1", "WINDOWS-1252" },
	{ "latin-1", "WINDOWS-1252" },
	{ "l1", "WINDOWS-1252" },
	{ "ibm819", "WINDOWS-1252" },
	{ "cp819", "WINDOWS-1252" },
	{ "cp1252", "WINDOWS-1252" },
	{ "x-cp1252", "WINDOWS-1252" },
	{ "x-user-defined", "WINDOWS-1252" },
	{ "x-cp1253", "WINDOWS-1253" },
	{ "iso-8859-9", "WINDOWS-1254" },
	{ "iso8859-9", "WINDOWS-1254" },
	{ "iso88599", "WINDOWS-1254" },
	{ "iso_8859-9", "WINDOWS-1254" },
	{ "iso_8859-9:1989", "WINDOWS-1254" },
	{ "iso-ir-148", "WINDOWS-1254" },
	{ "csisolatin5", "WINDOWS-1254" },
	{ "latin5", "WINDOWS-1254" },
	{ "l5", "WINDOWS-1254" },
	{ "x-cp1254", "WINDOWS-1254" },
	{ "x-cp1255", "WINDOWS-1255" },
	{ "x-cp1256", "WINDOWS-1256" },
	{ "x-cp1257", "WINDOWS-1257" },
	{ "x-cp1258", "WINDOWS-1258" },
	{ "iso-8859-11", "CP874" },
	{ "iso8859-11", "CP874" },
	{ "iso885911", "CP874" },
	{ "tis-620", "CP874" },
	{ "windows-874", "CP874" },
	{ "dos-874", "CP874" },
	{ "iso-8859-6-e", "ISO-8859-6" },
	{ "iso-8859-6-i", "ISO-8859-6" },
	{ "csiso88596e", "ISO-8859-6" },
	{ "csiso88596i", "ISO-8859-6" },
	{ "sun_eu_greek", "ISO-8859-7" },
	{ "iso-8859-8-e", "ISO-8859-8" },
	{ "iso-8859-8-i", "ISO-8859-8" },
	{ "csiso88598e", "ISO-8859-8" },
	{ "csiso88598i", "ISO-8859-8" },
	{ "logical", "ISO-8859-8" },
	{ "visual", "ISO-8859-8" },
	{ "csisolatin9", "ISO-8859-15" },
	{ "l9", "ISO-8859-15" },
	{ "gb2312", "GB18030" },
	{ "gb_2312", "GB18030" },
	{ "gb_2312-80", "GB18030" },
	{ "csgb2312", "GB18030" },
	{ "csiso58gb231280", "GB18030" },
	{ "iso-ir-58", "GB18030" },
	{ "chinese", "GB18030" },
	{ "gbk", "GB18030" },
	{ "x-gbk", "GB18030" },
	{ "cp936", "GB18030" },
	{ "windows-936", "GB18030" },
	{ "big5", "BIG5-HKSCS" },
	{ "cn-big5", "BIG5-HKSCS" },
	{ "csbig5", "BIG5-HKSCS" },
	{ "x-x-big5", "BIG5-HKSCS" },
	{ "shift_jis", "CP932" },
	{ "shift-jis", "CP932" },
	{ "sjis", "CP932" },
	{ "x-sjis", "CP932" },
	{ "csshiftjis", "CP932" },
	{ "ms_kanji", "CP932" },
	{ "ms932", "CP932" },
	{ "windows-31j", "CP932" },
	{ "x-euc-jp", "EUC-JP-MS" },
	{ "euc-jp", "EUC-JP-MS" },
	{ "eucjp", "EUC-JP-MS" },
	{ "ujis", "EUC-JP-MS" },
	{ "cseucpkdfmtjapanese", "EUC-JP-MS" },
	{ "csiso2022jp", "ISO-2022-JP" },
	{ "iso2022jp", "ISO-2022-JP" },
	{ "iso-2022-jp-ms", "ISO-2022-JP" },
	{ "cp50220", "ISO-2022-JP" },
	{ "cp50221", "ISO-2022-JP" },
	{ "cp50222", "ISO-2022-JP" },
	{ "euc-kr", "UHC" },
	{ "cseuckr", "UHC" },
	{ "ks_c_5601-1987", "UHC" },
	{ "ks_c_5601-1989", "UHC" },
	{ "ksc5601", "UHC" },
	{ "ksc_5601", "UHC" },
	{ "csksc56011987", "UHC" },
	{ "iso-ir-149", "UHC" },
	{ "korean", "UHC" },
	{ "windows-949", "UHC" },
	{ "koi", "KOI8-R" },
	{ "koi8", "KOI8-R" },
	{ "koi8_r", "KOI8-R" },
	{ "koi8-ru", "KOI8-U" },
	{ "macintosh", "MACINTOSH" },
	{ "x-mac-roman", "MACINTOSH" },
	{ "mac-cyrillic", "MACCYRILLIC" },
	{ "x-mac-cyrillic", "MACCYRILLIC" },
	{ "x-mac-ukrainian", "MACCYRILLIC" },
};

/* Sets `name` to the name that iconv gets; "" when the label cannot be a name. */
static void canonical(const char *label, char name[SH_CHARSET_NAME])
{
	size_t n = strlen(label);

	name[0] = '\0';
	/* A slash would ask iconv for more than a charset. */
	if (n == 0 || n >= SH_CHARSET_NAME || strpbrk(label, "/, "))
		return;
	for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (strcasecmp(label, aliases[i][0]) == 0) {
			strcpy(name, aliases[i][1]);
			return;
		}
	for (size_t i = 0; i <= n; i++)
		name[i] = label[i] >= 'a' && label[i] <= 'z' ? (char)(label[i] - 32) : label[i];
}

static bool is_ascii_name(const char *name)
{
	return strcmp(name, "US-ASCII") == 0 || strcmp(name, "ASCII") == 0 ||
	       strcmp(name, "ANSI_X3.4-1968") == 0;
}

const char *sh_charset_reason(enum sh_charset_why why)
{
	static const char *const reasons[] = {
		[SH_CHARSET_MARK] = "by its byte order mark",
		[SH_CHARSET_FORCED] = "--from-charset",
		[SH_CHARSET_DECLARED] = "declared",
		[SH_CHARSET_UTF8] = "well-formed",
		[SH_CHARSET_DETECTED] = "detected",
		[SH_CHARSET_CONTRADICTED] = "detected; the declared charset does not fit",
		[SH_CHARSET_ASSUMED] = "assumed",
	};

	return reasons[why];
}

/* ---- conversion ---- */

static void close_converter(struct sh_charset *c)
{
	if (*c->open_name)
		iconv_close(c->open);
	*c->open_name = '\0';
}

void sh_charset_free(struct sh_charset *c)
{
	close_converter(c);
	sh_buf_free(&c->room);
}

/* Opens the converter, or resets the open one. */
static bool open_converter(struct sh_charset *c, const char *name)
{
	if (!*name)
		return false;
	if (strcmp(c->open_name, name) == 0) {
		iconv(c->open, NULL, NULL, NULL, NULL);
		return true;
	}
	close_converter(c);
	c->open = iconv_open("UTF-8", name);
	if (c->open == (iconv_t)-1 && strcmp(name, "EUC-JP-MS") == 0)
		c->open = iconv_open("UTF-8", "EUC-JP");
	if (c->open == (iconv_t)-1)
		return false;
	strcpy(c->open_name, name);
	return true;
}

bool sh_charset_known(struct sh_charset *c, const char *label)
{
	char name[SH_CHARSET_NAME];

	canonical(label, name);
	return strcmp(name, "UTF-8") == 0 || open_converter(c, name);
}

static int replace(struct sh_buf *out, uint64_t *ill, struct sh_error *err)
{
	++*ill;
	return sh_buf_add(out, "\xEF\xBF\xBD", 3, err);
}

int sh_charset_repair(struct sh_slice in, struct sh_buf *out, uint64_t *ill, struct sh_error *err)
{
	const uint8_t *p = (const uint8_t *)in.p, *end = p + in.n, *from = p;

	while (p < end) {
		const uint8_t *at = p;

		if (sh_utf8_next(&p, end) != SH_UTF8_ILL)
			continue;
		if (sh_buf_add(out, from, (size_t)(at - from), err) < 0 ||
		    replace(out, ill, err) < 0)
			return -1;
		from = p;
	}
	return sh_buf_add(out, from, (size_t)(end - from), err);
}

/* Returns the number of bytes of a code unit. */
static size_t unit_of(const char *name)
{
	static const struct {
		const char *part;
		size_t bytes;
	} units[] = { { "UTF-16", 2 }, { "UTF16", 2 }, { "UCS-2", 2 }, { "UCS2", 2 },
		{ "UNICODE", 2 }, { "UTF-32", 4 }, { "UTF32", 4 }, { "UCS-4", 4 }, { "UCS4", 4 } };

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strstr(name, units[i].part))
			return units[i].bytes;
	return 1;
}

bool sh_charset_is_wide(const char *label)
{
	char name[SH_CHARSET_NAME];

	canonical(label, name);
	return unit_of(name) > 1;
}

/* Writes the letter that some converters hold back, since a combining mark may follow. The letter
 * must come before the replacement of the ill-formed bytes. Converters with escapes are not
 * flushed: a flush makes them forget the current set. */
static int give_held(struct sh_charset *c, struct sh_buf *out, struct sh_error *err)
{
	char *to;
	size_t left;

	if (strstr(c->open_name, "2022") || strstr(c->open_name, "UTF-7"))
		return 0;
	if (sh_buf_reserve(out, 64, err) < 0)
		return -1;
	to = out->p + out->n;
	left = out->cap - out->n;
	iconv(c->open, NULL, NULL, &to, &left);
	out->n = (size_t)(to - out->p);
	return 0;
}

/* Returns the number of bytes to replace at p, for charsets with units of one byte. Both bytes of
 * an undefined pair are replaced, so that decoding does not go on within the pair. A second byte
 * below `trail` is kept as text, as browsers do. */
static size_t wrong_bytes(const char *name, const uint8_t *p, size_t n, uint8_t trail)
{
	static const char *const paired[] = { "GB18030", "BIG5", "CP932", "EUC-", "UHC" };
	size_t most = strncmp(name, "EUC-", 4) == 0 && p[0] == 0x8F ? 3 : 2, wrong = 1;

	for (size_t i = 0; i < sizeof paired / sizeof *paired; i++)
		if (strncmp(name, paired[i], strlen(paired[i])) == 0 && p[0] > 0x80 &&
		    p[0] != 0xA0 && p[0] < 0xFF)
			while (wrong < most && wrong < n && p[wrong] >= trail)
				wrong++;
	return wrong;
}

/* Converts by the open converter. Replaces ill-formed input: code unit by code unit, or by
 * wrong_bytes() when a unit is one byte. */
static int convert(struct sh_charset *c, struct sh_slice in, uint8_t trail, struct sh_buf *out,
    uint64_t *ill, struct sh_error *err)
{
	char *p = (char *)(uintptr_t)in.p, *to;
	size_t n = in.n, left, unit = unit_of(c->open_name);
	bool flushed = false;

	for (;;) {
		size_t got, skip;

		if (sh_buf_reserve(out, n + n / 2 + 64, err) < 0)
			return -1;
		to = out->p + out->n;
		left = out->cap - out->n;
		got =
		    n ? iconv(c->open, &p, &n, &to, &left) : iconv(c->open, NULL, NULL, &to, &left);
		out->n = (size_t)(to - out->p);
		if (got != (size_t)-1) {
			if (n == 0 && flushed)
				return 0;
			flushed = n == 0;
		} else if (errno == EILSEQ || errno == EINVAL) {
			bool cut = errno == EINVAL || n <= unit;

			if (give_held(c, out, err) < 0 || replace(out, ill, err) < 0)
				return -1;
			skip = cut        ? n
			       : unit > 1 ? unit
					  : wrong_bytes(c->open_name, (uint8_t *)p, n, trail);
			p += skip;
			n -= skip;
		} else if (errno != E2BIG) {
			return sh_error_sys(err, "cannot convert from %s", c->open_name);
		}
	}
}

/* Converts ISO-2022-JP. The open converter is that of CP932. */
static int convert_jis(struct sh_charset *c, struct sh_slice in, struct sh_buf *out, uint64_t *ill,
    struct sh_error *err)
{
	struct sh_jis jis = { .in = in };
	uint8_t utf8[4];
	uint32_t other;
	int more = 1, bad = 0;

	while (more > 0 && bad == 0) {
		c->room.n = 0;
		more = sh_jis_run(&jis, &c->room, &other, err);
		bad = more < 0 ? -1 : convert(c, sh_buf_slice(&c->room), 0x40, out, ill, err);
		if (bad == 0 && more)
			bad = other == SH_UTF8_ILL
				  ? replace(out, ill, err)
				  : sh_buf_add(out, utf8, sh_utf8_put(utf8, other), err);
	}
	return bad;
}

/* Repairs the output of iconv from `from` on. Under other names of UTF-8, iconv copies obsolete
 * sequences of five bytes. */
static int repair_from(
    struct sh_charset *c, struct sh_buf *out, size_t from, uint64_t *ill, struct sh_error *err)
{
	size_t n = out->n - from;

	if (n == 0 || sh_utf8_valid(out->p + from, n))
		return 0;
	c->room.n = 0;
	if (sh_buf_add(&c->room, out->p + from, n, err) < 0)
		return -1;
	out->n = from;
	return sh_charset_repair(sh_buf_slice(&c->room), out, ill, err);
}

/* Appends the text decoded from the charset `name`. Returns 1; 0 when iconv lacks the charset;
 * -1. */
static int decode_as(struct sh_charset *c, const char *name, struct sh_slice in, struct sh_buf *out,
    uint64_t *ill, struct sh_error *err)
{
	size_t from = out->n;

	*ill = 0;
	if (strcmp(name, "UTF-8") == 0)
		return sh_charset_repair(in, out, ill, err) < 0 ? -1 : 1;
	if (strcmp(name, "ISO-2022-JP") == 0 && open_converter(c, "CP932"))
		return convert_jis(c, in, out, ill, err) < 0 ? -1 : 1;
	if (!open_converter(c, name))
		return 0;
	if (convert(c, in, 0x80, out, ill, err) < 0 || repair_from(c, out, from, ill, err) < 0)
		return -1;
	return 1;
}

/* Returns whether most characters beyond ASCII are well-formed. This holds for damaged text of this
 * charset, but hardly ever for text of another charset. */
static bool mostly_right(const struct sh_buf *out, size_t from, uint64_t ill)
{
	uint64_t beyond = 0;

	if (ill == 0)
		return true;
	for (size_t i = from; i < out->n; i++)
		beyond += (unsigned char)out->p[i] >= 0xC0;
	return beyond - ill > ill;
}

/* ---- guessing ---- */

/* Returns whether the text has an escape of ISO-2022-JP to a set of two-byte characters. */
static bool is_iso_2022_jp(struct sh_slice in)
{
	const char *p = in.p, *end = in.p + in.n;

	while ((p = memchr(p, 0x1B, (size_t)(end - p))) && end - p >= 3) {
		if (p[1] == '$' && (p[2] == 'B' || p[2] == '@'))
			return true;
		p++;
	}
	return false;
}

#ifdef SH_HAVE_UCHARDET
static void detect(struct sh_slice in, char name[SH_CHARSET_NAME])
{
	uchardet_t d = uchardet_new();

	if (in.n > DETECT_BYTES)
		in.n = DETECT_BYTES;
	if (d && uchardet_handle_data(d, in.p, in.n) == 0) {
		uchardet_data_end(d);
		canonical(uchardet_get_charset(d), name);
	}
	if (d)
		uchardet_delete(d);
}
#else
static void detect(struct sh_slice in, char name[SH_CHARSET_NAME])
{
	(void)in;
	name[0] = '\0';
}
#endif

/* Returns whether the name is "" or a charset of Latin letters with accents. Detectors choose such
 * a charset when nothing hints at another. */
static bool is_western(const char *name)
{
	static const char *const names[] = { "ISO-8859-1", "ISO-8859-2", "ISO-8859-3", "ISO-8859-4",
		"ISO-8859-9", "ISO-8859-10", "ISO-8859-13", "ISO-8859-14", "ISO-8859-15",
		"ISO-8859-16", "windows-1250", "windows-1252", "windows-1254", "windows-1257" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcasecmp(name, names[i]) == 0)
			return true;
	return !*name;
}

/* Guesses the charset of text that is not UTF-8. Sets `name` to "" when there is no hint. */
static void guess(struct sh_slice in, char name[SH_CHARSET_NAME])
{
	const char *own;

	name[0] = '\0';
	if (is_iso_2022_jp(in)) {
		strcpy(name, "ISO-2022-JP");
		return;
	}
	own = sh_encoding_iconv_name(sh_encoding_guess(in.p, in.n));
	if (own) {
		canonical(own, name); /* sh_encoding_guess() needs strong evidence */
		return;
	}
	detect(in, name);
	if (strcmp(name, "UTF-8") == 0 || is_ascii_name(name))
		name[0] = '\0';
	/* Western text has few pairs of letters with accents, GB text has many. */
	if (is_western(name) && sh_encoding_may_be_gb(in.p, in.n))
		strcpy(name, "GB18030");
}

/* ---- the decision ---- */

struct decision {
	struct sh_charset *c;
	struct sh_slice in;
	struct sh_buf *out;
	size_t before; /* out->n when it began */
	struct sh_charset_verdict *verdict;
	struct sh_error *err;
};

/* Decodes the text from the charset `name`. Returns 1; 0 when iconv lacks the charset; -1. */
static int try_charset(struct decision *d, const char *name, enum sh_charset_why why)
{
	d->out->n = d->before;
	d->verdict->why = why;
	snprintf(d->verdict->name, sizeof d->verdict->name, "%s", name);
	return decode_as(d->c, name, d->in, d->out, &d->verdict->ill, d->err);
}

static int must_decode(struct decision *d, const char *name, enum sh_charset_why why)
{
	int got = try_charset(d, name, why);

	if (got)
		return got;
	return sh_error_set(d->err, SH_ERR_RECORD,
	    "the text is %s (%s), which this system's iconv does not know", name,
	    sh_charset_reason(why));
}

/* Returns the charset of the byte order mark at the beginning, and removes the mark. Returns NULL
 * when there is none. */
static const char *marked(struct sh_slice *in)
{
	enum sh_encoding e = sh_encoding_guess(in->p, in->n < 4 ? in->n : 4);
	const unsigned char *p = (const unsigned char *)in->p;
	size_t mark = 0;

	if (e == SH_ENC_UTF8_BOM)
		mark = 3;
	else if ((e == SH_ENC_UTF16LE || e == SH_ENC_UTF16BE) && p[0] >= 0xFE)
		mark = 2;
	else if (e == SH_ENC_UTF32LE || e == SH_ENC_UTF32BE)
		mark = 4;
	if (mark == 0)
		return NULL;
	in->p += mark;
	in->n -= mark;
	return e == SH_ENC_UTF8_BOM ? "UTF-8" : sh_encoding_iconv_name(e);
}

/* Decodes the text from the first declared charset that the bytes do not contradict, and returns 1.
 * Returns 0 when there is none: `name` is then the first declared charset that iconv has, or "".
 * Returns -1 on failure. */
static int try_declared(
    struct decision *d, const char *const declared[2], char name[SH_CHARSET_NAME])
{
	name[0] = '\0';
	for (size_t i = 0; i < 2; i++) {
		char label[SH_CHARSET_NAME];
		int got;

		canonical(declared[i] ? declared[i] : "", label);
		/* Mail programs declare us-ascii when they do not know the charset. */
		if (!*label || is_ascii_name(label))
			continue;
		got = try_charset(d, label, SH_CHARSET_DECLARED);
		if (got < 0 || (got > 0 && mostly_right(d->out, d->before, d->verdict->ill)))
			return got;
		if (got && !*name)
			strcpy(name, label);
	}
	return 0;
}

static int decide(struct decision *d, const char *const declared[2])
{
	char name[SH_CHARSET_NAME], refuted[SH_CHARSET_NAME];
	const char *mark = marked(&d->in);
	int got;

	if (mark)
		return must_decode(d, mark, SH_CHARSET_MARK);
	if (d->c->forced) {
		canonical(d->c->forced, name);
		return must_decode(d, name, SH_CHARSET_FORCED);
	}
	got = try_declared(d, declared, refuted);
	if (got)
		return got;
	if (!is_iso_2022_jp(d->in) && memchr(d->in.p, 0, d->in.n) == NULL) {
		got = try_charset(d, "UTF-8", SH_CHARSET_UTF8);
		if (got < 0 || mostly_right(d->out, d->before, d->verdict->ill))
			return got;
	}
	guess(d->in, name);
	if (*name)
		return must_decode(
		    d, name, *refuted ? SH_CHARSET_CONTRADICTED : SH_CHARSET_DETECTED);
	if (*refuted)
		return must_decode(d, refuted, SH_CHARSET_DECLARED);
	if (sh_utf8_valid(d->in.p, d->in.n))
		return must_decode(d, "UTF-8", SH_CHARSET_UTF8);
	return must_decode(d, "WINDOWS-1252", SH_CHARSET_ASSUMED);
}

int sh_charset_decode(struct sh_charset *c, struct sh_slice in, const char *const declared[2],
    struct sh_buf *out, struct sh_charset_verdict *verdict, struct sh_error *err)
{
	struct decision d = { c, in, out, out->n, verdict, err };

	*verdict = (struct sh_charset_verdict){ "UTF-8", SH_CHARSET_UTF8, 0 };
	if (in.n == 0)
		return 0;
	return decide(&d, declared) < 0 ? -1 : 0;
}
