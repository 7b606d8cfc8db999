/* SPDX-License-Identifier: MIT */
#include "ingest/body.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "ingest/header.h"
#include "ingest/markup.h"
#include "ingest/page.h"
#include "record/foreign.h"
#include "unicode/utf8.h"

enum { SNIFF = 4096 };

int sh_tally_init(struct sh_tally *t, struct sh_error *err)
{
	*t = (struct sh_tally){ 0 };
	return sh_hmap_init(&t->names, err);
}

void sh_tally_free(struct sh_tally *t)
{
	sh_hmap_free(&t->names);
	free(t->count);
}

int sh_tally_add_many(struct sh_tally *t, struct sh_slice name, uint64_t n, struct sh_error *err)
{
	uint32_t i;
	bool fresh = false;

	if (t->names.n >= SH_TALLY_NAMES && !sh_hmap_find(&t->names, name, &i))
		name = sh_slice_str("others");
	if (SH_RESERVE(t->count, t->cap, t->names.n + (size_t)1, err) < 0 ||
	    sh_hmap_put(&t->names, name, &i, &fresh, err) < 0)
		return -1;
	t->count[i] = fresh ? n : t->count[i] + n;
	return 0;
}

void sh_body_free(struct sh_body *b)
{
	sh_charset_free(&b->charset);
	sh_buf_free(&b->room);
	sh_buf_free(&b->notes);
}

/* ---- kinds ---- */

enum sh_body_kind sh_body_kind_of(const char *type)
{
	static const char unknown[] = "application/octet-stream application/unknown "
				      "application/x-unknown-content-type text/htm text/htlm "
				      "text/xhtml text/xhtml+xml text/unknown text/x-unknown";
	static const char html[] = "text/html application/xhtml+xml application/vnd.wap.xhtml+xml "
				   "text/x-amp-html";
	static const char other[] = "text/dns text/css text/javascript text/ecmascript "
				    "text/x-javascript text/calendar text/x-vcard text/vcard";
	static const char tops[] = "application audio chemical font image message model multipart "
				   "text video";
	struct sh_slice whole = sh_slice_str(type), top = sh_slice(type, strcspn(type, "/"));

	/* Some servers send "html", "text", "(null)" or "txt/html". */
	if (sh_is_listed(whole, unknown) || whole.n < top.n + 2 || !sh_is_listed(top, tops) ||
	    type[top.n + 1 + strcspn(type + top.n + 1, "/*\"'\\<>=: ")])
		return SH_BODY_UNKNOWN;
	if (sh_is_listed(whole, html))
		return SH_BODY_HTML;
	return strncmp(type, "text/", 5) == 0 && !sh_is_listed(whole, other) ? SH_BODY_TEXT
									     : SH_BODY_OTHER;
}

static bool begins(struct sh_slice s, const char *with)
{
	size_t n = strlen(with);

	return s.n >= n && strncasecmp(s.p, with, n) == 0;
}

/* Returns the head without the white space and comments at its beginning. */
static struct sh_slice past_comments(struct sh_slice head)
{
	const char *p = head.p, *end = head.p + head.n;

	for (;;) {
		struct sh_slice rest;

		while (p < end && sh_is_html_blank(*p))
			p++;
		rest = sh_slice(p, (size_t)(end - p));
		if (begins(rest, "<?xml"))
			p = memmem(p, rest.n, "?>", 2);
		else if (begins(rest, "<!--"))
			p = memmem(p, rest.n, "-->", 3);
		else
			return rest;
		if (!p)
			return sh_slice(end, 0);
		p += *p == '?' ? 2 : 3;
	}
}

static bool is_page(struct sh_slice head)
{
	static const char *const starts[] = { "<!doctype html", "<html", "<head", "<body", "<title",
		"<meta", "<link ", "<style", "<table", "<div", "<span", "<script", "<iframe",
		"<center", "<font ", "<h1", "<h2", "<ul>", "<p>", "<p ", "<br", "<a href" };

	head = past_comments(head);
	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (begins(head, starts[i]))
			return true;
	return false;
}

/* Returns whether c is a control character that occurs in text. The last one begins each text of a
 * JSON sequence (RFC 7464). */
static bool is_common(uint32_t c)
{
	return memchr("\t\n\v\f\r\b\033\036", (int)c, 8);
}

/* Returns whether the head is of a known form without text, or has too many control characters for
 * text. Control characters are rare in text of any encoding except UTF-16, UTF-32, and ISO-2022-KR,
 * which shifts by SO and SI. A log that was cut by a crash may have a run of NULs, which counts as
 * one. */
static bool is_binary(struct sh_slice head)
{
	const struct sh_foreign *foreign = sh_foreign_form(head);
	bool shifted = sh_charset_shifted(head);
	size_t odd = 0;

	for (size_t i = 0; i < head.n; i++) {
		unsigned char c = (unsigned char)head.p[i];

		odd += c < 0x20 && !is_common(c) && !(c == 0 && i && !head.p[i - 1]) &&
		       !(shifted && (c == 0x0E || c == 0x0F));
	}
	return (foreign && !foreign->text) || (odd > 2 ? odd * 50 > head.n : odd * 8 > head.n);
}

/* Returns whether text decoded from UTF-16 or UTF-32 is noise. Of random 16-bit units an eighth
 * does not occur in text: lone surrogates and the private use area. */
static bool is_noise(struct sh_slice text)
{
	const uint8_t *p = (const uint8_t *)text.p, *end = p + text.n;
	size_t all = 0, odd = 0;

	for (; p < end; all++) {
		uint32_t c = sh_utf8_next(&p, end);

		odd += (c < 0x20 && !is_common(c)) || c == SH_UTF8_REPLACEMENT ||
		       (c >= 0xE000 && c < 0xF900);
	}
	/* One odd character is allowed, since the last unit may be cut. */
	return odd * 20 > all + 20;
}

/* Decodes the head as the whole text will be decoded, and sets *kind by the result. Leaves *kind
 * unchanged when the head cannot be decoded: decoding the whole text will fail with the reason. */
static int sniff_wide(struct sh_body *b, struct sh_slice head, const char *charset,
    enum sh_body_kind *kind, struct sh_error *err)
{
	const char *declared[SH_CHARSET_DECLARATIONS] = { charset };
	struct sh_charset_verdict ignored;

	b->room.n = 0;
	if (sh_charset_decode(&b->charset, head, declared, &b->room, &ignored, err) < 0)
		return err->code == SH_ERR_RECORD ? 0 : -1;
	head = sh_buf_slice(&b->room);
	*kind = is_noise(head) ? SH_BODY_OTHER : is_page(head) ? SH_BODY_HTML : SH_BODY_TEXT;
	return 0;
}

int sh_body_sniff(struct sh_body *b, struct sh_slice head, const char *charset,
    enum sh_body_kind *kind, struct sh_error *err)
{
	const char *name = b->charset.forced ? b->charset.forced : charset;
	enum sh_encoding e;

	*kind = SH_BODY_TEXT;
	if (head.n == 0)
		return 0;
	if (head.n > SNIFF)
		head.n = SNIFF;
	e = sh_encoding_guess(head.p, head.n);
	if (e == SH_ENC_UTF8_BOM)
		head = sh_utf8_skip_bom(head);
	else if (e == SH_ENC_UTF16LE || e == SH_ENC_UTF16BE || e == SH_ENC_UTF32LE ||
		 e == SH_ENC_UTF32BE || (name && sh_charset_is_wide(name)))
		return sniff_wide(b, head, charset, kind, err);
	if (is_binary(head))
		*kind = SH_BODY_OTHER;
	else if (is_page(head))
		*kind = SH_BODY_HTML;
	return 0;
}

/* ---- text ---- */

/* Replaces CR LF and CR by LF, from offset `from` on. Removes blanks and line ends at the end. */
static void tidy(struct sh_buf *out, size_t from)
{
	const char *p, *end;
	char *to;

	if (out->n == from)
		return;
	p = to = out->p + from;
	end = out->p + out->n;
	for (; p < end; p++) {
		if (*p == '\r' && p + 1 < end && p[1] == '\n')
			continue;
		*to++ = *p == '\r' ? '\n' : *p;
	}
	while (to > out->p + from && strchr(" \t\n\f\v", to[-1]) && to[-1])
		to--;
	out->n = (size_t)(to - out->p);
}

/* Appends a note such as "html, WINDOWS-1252 (declared)". Counts "WINDOWS-1252 (declared)" in
 * b->assumed unless the text is UTF-8, and no name that is declared is unknown. */
static int note(struct sh_body *b, enum sh_body_kind kind, const struct sh_charset_verdict *v,
    struct sh_error *err)
{
	char text[2 * SH_CHARSET_NAME + 160];
	int n = snprintf(text, sizeof text, "%s%s, %s (%s", b->notes.n ? "; " : "",
	    kind == SH_BODY_HTML ? "html" : "text", v->name, sh_charset_reason(v->why));
	const char *charset = strchr(text, ',') + 2;
	bool plain = v->why == SH_CHARSET_UTF8 || v->why == SH_CHARSET_OVERRULED ||
		     (strcmp(v->name, "UTF-8") == 0 && v->why != SH_CHARSET_CONTRADICTED);

	n += snprintf(text + n, sizeof text - (size_t)n,
	    *v->unknown ? "; the declared charset '%s' is unknown)" : ")", v->unknown);
	b->ill += v->ill;
	if (b->assumed && (!plain || *v->unknown) &&
	    sh_tally_add(b->assumed, sh_slice_str(charset), err) < 0)
		return -1;
	return sh_buf_add(&b->notes, text, (size_t)n, err);
}

int sh_body_text(struct sh_body *b, enum sh_body_kind kind, struct sh_slice in, const char *charset,
    struct sh_buf *out, struct sh_error *err)
{
	char xml[SH_CHARSET_NAME] = "", meta[SH_CHARSET_NAME] = "";
	const char *declared[SH_CHARSET_DECLARATIONS] = { charset, xml, meta };
	struct sh_charset_verdict verdict;
	size_t before = out->n;

	if (kind == SH_BODY_HTML && in.n)
		sh_page_charset(in, xml, meta);
	b->room.n = 0;
	if (sh_charset_decode(&b->charset, in, declared, kind == SH_BODY_HTML ? &b->room : out,
		&verdict, err) < 0 ||
	    note(b, kind, &verdict, err) < 0)
		return -1;
	if (kind == SH_BODY_HTML && sh_page_text(sh_buf_slice(&b->room), out, err) < 0)
		return -1;
	tidy(out, before);
	return 0;
}
