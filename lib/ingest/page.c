/* SPDX-License-Identifier: MIT */
#include "ingest/page.h"

#include <limits.h>
#include <stdlib.h>
#include <strings.h>

#include "ingest/header.h"
#include "ingest/markup.h"

enum { PRESCAN = 4096 };

/* ---- the charset that a page declares ---- */

/* Returns whether a parameter or an attribute can begin at p. It cannot within a URL or a name. */
static bool can_begin(const char *p)
{
	return sh_is_html_blank(p[-1]) || strchr("\"';,/", p[-1]);
}

/* Stores the word behind `key` and an equals sign, in quotes or not, in lower case. Returns false
 * when there is none. */
static bool value_after(struct sh_slice in, const char *key, char *name, size_t room)
{
	size_t k = strlen(key);

	for (size_t i = 1; i + k < in.n; i++) {
		const char *p = in.p + i + k, *end = in.p + in.n;
		size_t n = 0;

		if (strncasecmp(in.p + i, key, k) != 0 || !can_begin(in.p + i))
			continue;
		while (p < end && sh_is_html_blank(*p))
			p++;
		if (p == end || *p++ != '=')
			continue;
		while (p < end && (sh_is_html_blank(*p) || *p == '"' || *p == '\''))
			p++;
		while (p + n < end && !sh_is_html_blank(p[n]) && !strchr("\"';>/?", p[n]))
			n++;
		if (n == 0 || n >= room)
			continue;
		for (size_t j = 0; j < n; j++)
			name[j] = p[j] >= 'A' && p[j] <= 'Z' ? (char)(p[j] | 32) : p[j];
		name[n] = '\0';
		return true;
	}
	return false;
}

/* Returns the position behind the comment at p. In the search for a charset, only "-->" ends a
 * comment. */
static const char *after_comment(const char *p, const char *end)
{
	p = memmem(p + 2, (size_t)(end - p - 2), "-->", 3);
	return p ? p + 3 : end;
}

void sh_page_charset(struct sh_slice page, char xml[SH_CHARSET_NAME], char meta[SH_CHARSET_NAME])
{
	const char *p = page.p, *end = page.p + (page.n < PRESCAN ? page.n : PRESCAN), *close;

	*xml = *meta = '\0';
	while (p < end && (p = memchr(p, '<', (size_t)(end - p)))) {
		bool is_xml = end - p > 5 && strncasecmp(p, "<?xml", 5) == 0;
		char *name = is_xml ? xml : meta;

		if (end - p > 4 && memcmp(p, "<!--", 4) == 0) {
			p = after_comment(p, end);
			continue;
		}
		close = memchr(p, '>', (size_t)(end - p));
		if (!close)
			return;
		if ((is_xml || (end - p > 5 && strncasecmp(p, "<meta", 5) == 0)) &&
		    value_after(sh_slice(p, (size_t)(close - p)), is_xml ? "encoding" : "charset",
			name, SH_CHARSET_NAME)) {
			/* These bytes were read as ASCII, so they are no UTF-16. */
			if (strncmp(name, "utf-16", 6) == 0)
				strcpy(name, "utf-8");
			if (!is_xml)
				return;
		}
		p++;
	}
}

#ifdef SH_HAVE_LIBXML2
#include <libxml/HTMLparser.h>

/* ---- the text of elements ---- */

enum kind {
	INLINE = 'I',
	BLOCK = 'B',  /* begins and ends a line */
	BREAK = 'R',  /* ends a line */
	CELL = 'C',   /* separated from its neighbours by a blank */
	KEEP = 'K',   /* a block that keeps white space */
	HIDDEN = 'H', /* its content is not text */
};

/* The kind and the name of each element, sorted by name. All other elements are INLINE. */
static const char *const elements[] = { "Baddress", "Barticle", "Baside", "Bblockquote", "Bbody",
	"Rbr", "Bcaption", "Bcenter", "Bdd", "Bdetails", "Bdialog", "Bdir", "Bdiv", "Bdl", "Bdt",
	"Bfieldset", "Bfigcaption", "Bfigure", "Bfooter", "Bform", "Bframeset", "Bh1", "Bh2", "Bh3",
	"Bh4", "Bh5", "Bh6", "Bhead", "Bheader", "Bhgroup", "Bhr", "Bhtml", "Hiframe", "Blegend",
	"Bli", "Klisting", "Bmain", "Bmenu", "Bnav", "Bnoframes", "Hnoscript", "Bol", "Boptgroup",
	"Boption", "Bp", "Kplaintext", "Kpre", "Hscript", "Bsearch", "Bsection", "Bselect",
	"Hstyle", "Bsummary", "Btable", "Btbody", "Ctd", "Htemplate", "Ktextarea", "Btfoot", "Cth",
	"Bthead", "Htitle", "Btr", "Bul", "Kxmp" };

/* Limit of the comparisons of unmatched end tags with open elements, per page: some seconds of
 * work. 100000 open elements and 100000 unmatched end tags would need 10^10. */
#define UNMATCHED_MAX UINT64_C(500000000)

/* Most attributes of one tag. The parser compares each attribute with all others of its tag. Its
 * table has two entries for each attribute, and grows from 22 entries by doubling. */
enum { ATTRIBUTES_MAX = 11 << 8 };

/* More bytes than libxml2's state of a thread and a parser have. */
enum { THREAD_STATE = 1 << 14 };

struct writer {
	htmlParserCtxtPtr parser;
	uint64_t unmatched;   /* comparisons so far */
	unsigned long end_at; /* input offset of the last unmatched end tag */
	struct sh_buf *out;
	size_t before; /* out->n at the beginning */
	struct sh_error *err;
	bool failed;
	bool blank, line; /* to be written before the next character */
	size_t hidden;    /* open elements from the hidden one on, or 0 */
	size_t keep;      /* open elements that keep white space */
};

static int by_name(const void *name, const void *element)
{
	return strcmp(name, *(const char *const *)element + 1);
}

/* The parser gives names in lower case. */
static enum kind kind_of(const xmlChar *name)
{
	const char *const *e =
	    bsearch(name, elements, sizeof elements / sizeof *elements, sizeof *elements, by_name);

	return e ? (enum kind)(*e)[0] : INLINE;
}

static void put(struct writer *w, const char *p, size_t n)
{
	if (!w->failed && sh_buf_add(w->out, p, n, w->err) < 0)
		w->failed = true;
}

/* Writes the line end or the blank that is due before the next character. */
static void put_due(struct writer *w)
{
	if (w->out->n > w->before && (w->line || w->blank))
		put(w, w->line ? "\n" : " ", 1);
	w->line = w->blank = false;
}

/* Writes text in which each run of white space becomes one blank, or the line end that is due. */
static void put_flowing(struct writer *w, const char *p, size_t n)
{
	const char *end = p + n;

	while (p < end) {
		const char *from = p;

		while (p < end && !sh_is_html_blank(*p))
			p++;
		if (p > from) {
			put_due(w);
			put(w, from, (size_t)(p - from));
		}
		for (; p < end && sh_is_html_blank(*p); p++)
			w->blank = true;
	}
}

/* Returns the character of windows-1252 that a reference such as &#146; means in browsers, or NULL.
 * The parser passes a reference of this kind as a text of its own, the control character of this
 * number. */
static const char *meant_by(const xmlChar *text, int n)
{
	static const char *const meant[32] = { "€", NULL, "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰",
		"Š", "‹", "Œ", NULL, "Ž", NULL, NULL, "‘", "’", "“", "”", "•", "–", "—", "˜", "™",
		"š", "›", "œ", NULL, "ž", "Ÿ" };

	return n == 2 && text[0] == 0xC2 && text[1] < 0xA0 ? meant[text[1] - 0x80] : NULL;
}

static void on_text(void *writer, const xmlChar *text, int n)
{
	struct writer *w = writer;
	const char *meant = meant_by(text, n);

	if (w->hidden || n <= 0)
		return;
	if (meant) {
		text = (const xmlChar *)meant;
		n = (int)strlen(meant);
	}
	if (!w->keep) {
		put_flowing(w, (const char *)text, (size_t)n);
		return;
	}
	put_due(w);
	put(w, (const char *)text, (size_t)n);
}

/* Returns whether a style has `property: value`. Blanks and case do not matter. */
static bool style_says(const char *style, const char *property, const char *value)
{
	const char *p = style;

	while ((p = strcasestr(p, property))) {
		bool begins = p == style || sh_is_html_blank(p[-1]) || p[-1] == ';';

		p += strlen(property);
		while (sh_is_html_blank(*p))
			p++;
		if (!begins || *p != ':')
			continue;
		for (p++; sh_is_html_blank(*p); p++)
			continue;
		if (strncasecmp(p, value, strlen(value)) == 0)
			return true;
	}
	return false;
}

static bool hides(const xmlChar **attributes)
{
	for (; attributes && attributes[0]; attributes += 2) {
		const char *name = (const char *)attributes[0];
		const char *value = (const char *)attributes[1];

		/* hidden="until-found" can be searched, so it is text. */
		if (strcasecmp(name, "hidden") == 0 &&
		    !(value && strcasecmp(value, "until-found") == 0))
			return true;
		if (value && strcasecmp(name, "style") == 0 &&
		    (style_says(value, "display", "none") ||
			style_says(value, "visibility", "hidden")))
			return true;
	}
	return false;
}

static void separate(struct writer *w, enum kind kind)
{
	if (kind == CELL)
		w->blank = true;
	else if (kind != INLINE)
		w->line = true;
}

static void on_start(void *writer, const xmlChar *name, const xmlChar **attributes)
{
	struct writer *w = writer;
	enum kind kind = kind_of(name);

	if (w->hidden) {
		w->hidden++;
		return;
	}
	if (kind == HIDDEN || hides(attributes)) {
		w->hidden = 1;
		w->blank = true;
		return;
	}
	if (kind != BREAK)
		separate(w, kind);
	w->keep += kind == KEEP;
}

static void on_end(void *writer, const xmlChar *name)
{
	struct writer *w = writer;
	enum kind kind = kind_of(name);

	if (w->hidden) {
		w->hidden--;
		if (w->hidden == 0 && kind != HIDDEN)
			separate(w, kind); /* a hidden block separates lines, too */
		return;
	}
	separate(w, kind);
	if (kind == KEEP && w->keep)
		w->keep--;
}

#if LIBXML_VERSION >= 21200
typedef const xmlError *error_arg;
#else
typedef xmlError *error_arg;
#endif

/* Counts an unmatched end tag. The parser reports an error for each element that the tag closes;
 * only the first error counts. */
static void count_unmatched(struct writer *w)
{
	const xmlParserInput *in = w->parser->input;
	unsigned long at = in ? in->consumed + (unsigned long)(in->cur - in->base) : 0;

	if (at == w->end_at)
		return;
	w->end_at = at;
	w->unmatched += (uint64_t)w->parser->nameNr;
	if (w->unmatched <= UNMATCHED_MAX)
		return;
	sh_error_set(w->err, SH_ERR_RECORD,
	    "HTML: too many unmatched end tags, with %d elements open, to be read in time",
	    w->parser->nameNr);
	w->failed = true;
	xmlStopParser(w->parser);
}

/* After a failed allocation the parser continues without the lost part. It must not be stopped
 * then: it may hold what a stop would free. */
static void on_error(void *writer, error_arg what)
{
	struct writer *w = writer;

	if (w->failed)
		return;
	if (what->code == XML_ERR_NO_MEMORY) {
		sh_error_nomem(w->err);
		w->failed = true;
	} else if (what->code == XML_ERR_TAG_NAME_MISMATCH) {
		count_unmatched(w);
	}
}

/* ---- the parser ---- */

/* The parser has no event for an attribute, but it enlarges its table of attributes by
 * xmlRealloc(). That function has no argument for the page: libxml2's error context, one a thread,
 * leads to it. */
void sh_page_watch(const void *p, size_t n)
{
	struct writer *w = xmlStructuredError == on_error ? xmlStructuredErrorContext : NULL;

	if (!w || w->failed || !p || p != (void *)w->parser->atts ||
	    n <= 2 * ATTRIBUTES_MAX * sizeof *w->parser->atts)
		return;
	sh_error_set(
	    w->err, SH_ERR_RECORD, "HTML: a tag has more than %d attributes", ATTRIBUTES_MAX);
	w->failed = true;
	xmlStopParser(w->parser);
}

static void *watched_realloc(void *p, size_t n)
{
	sh_page_watch(p, n);
	return realloc(p, n);
}

static int parse(struct writer *w, struct sh_slice page)
{
	/* No network access. The bytes are UTF-8, whatever charset the page declares. */
	const int options =
	    HTML_PARSE_RECOVER | HTML_PARSE_NOWARNING | HTML_PARSE_NONET | HTML_PARSE_IGNORE_ENC;
	/* The error function of the parser context does not get all failures. */
	xmlStructuredErrorFunc before = xmlStructuredError;
	void *before_arg = xmlStructuredErrorContext;

	bool unwatched = xmlRealloc == realloc;

	xmlSetStructuredErrorFunc(w, on_error);
	if (unwatched)
		xmlRealloc = watched_realloc;
	xmlFreeDoc(htmlCtxtReadMemory(w->parser, page.p, (int)page.n, NULL, "UTF-8", options));
	if (unwatched)
		xmlRealloc = realloc;
	xmlSetStructuredErrorFunc(before_arg, before);
	return w->parser->errNo == XML_ERR_NO_MEMORY ? -1 : 0;
}

static int text_of(struct sh_slice page, struct sh_buf *out, struct sh_error *err)
{
	struct writer w = { .out = out, .before = out->n, .err = err };
	/* No tree is built, so a tree's limits of memory and depth do not apply. */
	htmlSAXHandler events = {
		.startElement = on_start,
		.endElement = on_end,
		.characters = on_text,
		.ignorableWhitespace = on_text,
		.cdataBlock = on_text,
	};
	htmlParserCtxtPtr parser;
	struct sh_buf state = { 0 };

	if (page.n == 0)
		return 0;
	if (page.n > INT_MAX)
		return sh_error_set(err, SH_ERR_RECORD,
		    "HTML: %zu bytes of UTF-8 are more than libxml2 takes", page.n);
	/* libxml2 allocates about 1 KB before a thread's first page. It recurses without end when
	 * that fails. */
	if (sh_buf_reserve(&state, THREAD_STATE, err) < 0)
		return -1;
	sh_buf_free(&state);
	parser = htmlNewParserCtxt();
	if (parser) {
		*parser->sax = events;
		parser->userData = &w;
		w.parser = parser;
	}
	if ((!parser || parse(&w, page) < 0) && !w.failed) {
		sh_error_nomem(err);
		w.failed = true;
	}
	htmlFreeParserCtxt(parser);
	return w.failed ? -1 : 0;
}

int sh_page_text(struct sh_slice page, struct sh_buf *out, struct sh_error *err)
{
	struct sh_buf room[SH_MARKUP_ROOMS] = { { 0 } };
	int bad = 0;

	/* text_of() refuses a page that is too large. */
	if (page.n && page.n <= INT_MAX)
		bad = sh_markup_rewrite(&page, room, err);
	if (bad == 0)
		bad = text_of(page, out, err);
	for (size_t i = 0; i < SH_MARKUP_ROOMS; i++)
		sh_buf_free(&room[i]);
	return bad;
}

void sh_page_allocate_with(const struct sh_page_memory *m)
{
	xmlMemSetup(m->put, m->get, m->resize, m->copy);
	xmlInitParser(); /* before there are threads */
}
#else
void sh_page_watch(const void *p, size_t n)
{
	(void)p;
	(void)n;
}

void sh_page_allocate_with(const struct sh_page_memory *m)
{
	(void)m;
}

int sh_page_text(struct sh_slice page, struct sh_buf *out, struct sh_error *err)
{
	(void)page;
	(void)out;
	return sh_error_set(err, SH_ERR_RECORD,
	    "HTML: built without libxml2 (install libxml2-dev and build again; --format text takes "
	    "it as it "
	    "is)");
}
#endif
