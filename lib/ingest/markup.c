/* SPDX-License-Identifier: MIT */
#include "ingest/markup.h"

#include <stdio.h>
#include <strings.h>

#include "unicode/utf8.h"

/* A page that is being rewritten. */
struct rewriting {
	const char *from; /* the page before this position is in the room */
	struct sh_buf *room;
	struct sh_error *err;
};

/* Writes the page up to `to`, then `by` instead of the n bytes at `to`. */
static int replace(struct rewriting *w, const char *to, size_t n, const char *by)
{
	if (sh_buf_add(w->room, w->from, (size_t)(to - w->from), w->err) < 0 ||
	    sh_buf_add(w->room, by, strlen(by), w->err) < 0)
		return -1;
	w->from = to + n;
	return 0;
}

/* Appends the rest of the page to the room and sets *page to the room. Does nothing when nothing
 * was replaced. */
static int finish(struct rewriting *w, struct sh_slice *page)
{
	const char *end = page->p + page->n;

	if (w->from == page->p)
		return 0;
	if (sh_buf_add(w->room, w->from, (size_t)(end - w->from), w->err) < 0)
		return -1;
	*page = sh_buf_slice(w->room);
	return 0;
}

/* ---- NULs ---- */

/* Removes NULs, as browsers do. The parser would end the page at the first one. */
static int without_nuls(struct sh_slice *page, struct sh_buf *room, struct sh_error *err)
{
	if (!memchr(page->p, 0, page->n))
		return 0;
	if (sh_buf_reserve(room, page->n, err) < 0)
		return -1;
	for (size_t i = 0; i < page->n; i++)
		if (page->p[i])
			room->p[room->n++] = page->p[i];
	*page = sh_buf_slice(room);
	return 0;
}

/* ---- comments, and text that looks like markup ---- */

/* Elements whose content is text up to their end tag. The parser knows this of the first KNOWN. */
static const char *const opaque[] = { "script", "style", "iframe", "textarea", "title", "xmp" };

enum { OPAQUE = sizeof opaque / sizeof *opaque, KNOWN = 2 };

/* Returns whether the tag whose name begins at p has this name. */
static bool has_name(const char *p, const char *end, const char *name)
{
	size_t n = strlen(name);

	return (size_t)(end - p) > n && strncasecmp(p, name, n) == 0 &&
	       (sh_is_html_blank(p[n]) || p[n] == '/' || p[n] == '>');
}

/* Returns the position behind the tag at p. A ">" in a quoted value does not end the tag. *empty:
 * the tag ends in "/>", and the parser treats its element as empty. */
static const char *after_tag(const char *p, const char *end, bool *empty)
{
	char quote = '\0', last = '\0';
	bool bare = false; /* in a value without quotes, where "/" is part of the value */

	*empty = false;
	for (; p < end; p++) {
		if (quote) {
			quote = *p == quote ? '\0' : quote;
		} else if (*p == '>') {
			*empty = !bare && p[-1] == '/';
			return p + 1;
		} else if (sh_is_html_blank(*p)) {
			bare = false;
			continue;
		} else if (!bare && last == '=') {
			bare = *p != '"' && *p != '\'';
			quote = bare ? '\0' : *p;
		}
		last = *p;
	}
	return end;
}

static const char *after_comment(const char *p, const char *end)
{
	for (p += 4; (p = memmem(p, (size_t)(end - p), "--", 2)); p++) {
		if (end - p > 2 && p[2] == '>')
			return p + 3;
		if (end - p > 3 && p[2] == '!' && p[3] == '>')
			return p + 4;
	}
	return end;
}

/* Returns the first end tag of this name from p on, or NULL. */
static const char *end_tag(const char *p, const char *end, const char *name)
{
	for (; (p = memchr(p, '<', (size_t)(end - p))); p++)
		if (end - p > 2 && p[1] == '/' && has_name(p + 2, end, name))
			return p;
	return NULL;
}

/* Replaces each "<" from p to `end` by "&lt;", so that the parser finds no markup there. */
static int plain(struct rewriting *w, const char *p, const char *end)
{
	for (; (p = memchr(p, '<', (size_t)(end - p))); p++)
		if (replace(w, p, 1, "&lt;") < 0)
			return -1;
	return 0;
}

/* Moves *p behind the comment at *p. Replaces "<!-->" and "<!--->" by "<!---->". */
static int comment(struct rewriting *w, const char **p, const char *end)
{
	size_t left = (size_t)(end - *p), n = 0;

	if (left > 4 && (*p)[4] == '>')
		n = 5;
	else if (left > 5 && memcmp(*p + 4, "->", 2) == 0)
		n = 6;
	if (n && replace(w, *p, n, "<!---->") < 0)
		return -1;
	*p = n ? *p + n : after_comment(*p, end);
	return 0;
}

/* Moves *p behind the declaration, the instruction or the end tag without a name at *p. Browsers
 * treat these as comments up to the next ">", so "<!---->" replaces them. A <!doctype> stays. */
static int odd_comment(struct rewriting *w, const char **p, const char *end)
{
	const char *from = *p, *close = memchr(from, '>', (size_t)(end - from));
	bool doctype = end - from > 9 && strncasecmp(from, "<!doctype", 9) == 0;

	*p = close ? close + 1 : end;
	return doctype ? 0 : replace(w, from, (size_t)(*p - from), "<!---->");
}

/* Replaces the CDATA at *p by its text. */
static int cdata(struct rewriting *w, const char **p, const char *end)
{
	const char *from = *p + 9, *close = memmem(from, (size_t)(end - from), "]]>", 3);
	const char *stop = close ? close : end;

	if (replace(w, *p, 9, "") < 0)
		return -1;
	for (; from < stop; from++)
		if ((*from == '<' || *from == '&') &&
		    replace(w, from, 1, *from == '<' ? "&lt;" : "&amp;") < 0)
			return -1;
	*p = close ? close + 3 : end;
	return close ? replace(w, close, 3, "") : 0;
}

/* Open elements of <svg> and <math>, where browsers read CDATA as text. HTML may stand in some of
 * their elements, such as <foreignObject>. */
struct foreign {
	unsigned open;  /* <svg> and <math> */
	unsigned point; /* `open` when the last element for HTML began; 0: none is open */
	unsigned html;  /* elements of HTML within that element */
};

static bool is_one_of(const char *name, const char *end, const char *const *names)
{
	while (*names && !has_name(name, end, *names))
		names++;
	return *names;
}

/* Follows the tag whose name begins at `name`. empty: it ends in "/>". */
static void count_foreign(
    struct foreign *f, const char *name, const char *end, bool closes, bool empty)
{
	static const char *const roots[] = { "svg", "math", NULL };
	static const char *const points[] = { "foreignObject", "desc", "mi", "mo", "mn", "ms",
		"mtext", "annotation-xml", NULL };
	static const char *const lone[] = { "br", "hr", "img", "input", "wbr", "col", "meta",
		"link", "area", "base", "embed", "source", "track", "param", NULL };
	/* These elements of HTML end <svg> and <math>. */
	static const char *const breaking[] = { "b", "big", "blockquote", "body", "br", "center",
		"code", "dd", "div", "dl", "dt", "em", "embed", "h1", "h2", "h3", "h4", "h5", "h6",
		"head", "hr", "i", "img", "li", "listing", "menu", "meta", "nobr", "ol", "p", "pre",
		"ruby", "s", "small", "span", "strong", "strike", "sub", "sup", "table", "tt", "u",
		"ul", "var", NULL };

	if (is_one_of(name, end, roots)) {
		f->open += !closes && !empty;
		f->open -= closes && f->open;
		if (f->open < f->point)
			f->point = f->html = 0;
	} else if (f->open && is_one_of(name, end, points)) {
		if (closes || !empty)
			f->point = closes ? 0 : f->open;
		f->html = 0;
	} else if (f->open && f->point == f->open) {
		f->html += !closes && !is_one_of(name, end, lone);
		f->html -= closes && f->html;
	} else if (f->open && !closes && is_one_of(name, end, breaking)) {
		*f = (struct foreign){ 0 };
	}
}

/* Moves *p behind the tag at *p; behind the start tag of an opaque element, on to the end tag.
 * Makes the element's text plain unless the parser does. absent[i]: no end tag of opaque[i]
 * follows. */
static int tag(struct rewriting *w, const char **p, const char *end, bool absent[OPAQUE],
    struct foreign *foreign)
{
	bool closes = (*p)[1] == '/', empty;
	const char *name = *p + 1 + closes, *close;
	size_t i = closes ? OPAQUE : 0;

	*p = after_tag(*p, end, &empty);
	count_foreign(foreign, name, end, closes, empty);
	while (i < OPAQUE && !has_name(name, end, opaque[i]))
		i++;
	if (i == OPAQUE || empty || absent[i])
		return 0;
	close = end_tag(*p, end, opaque[i]);
	absent[i] = !close;
	if (close && i >= KNOWN && plain(w, *p, close) < 0)
		return -1;
	*p = close ? close : i < KNOWN ? end : *p;
	return 0;
}

static bool is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static bool is_cdata(const char *p, size_t left)
{
	return left > 9 && memcmp(p, "<![CDATA[", 9) == 0;
}

static int with_plain_text(struct sh_slice *page, struct sh_buf *room, struct sh_error *err)
{
	struct rewriting w = { page->p, room, err };
	const char *p = page->p, *end = p + page->n;
	bool absent[OPAQUE] = { false };
	struct foreign foreign = { 0 };

	while ((p = memchr(p, '<', (size_t)(end - p)))) {
		size_t left = (size_t)(end - p);
		char c = left > 1 ? p[1] : ' ';
		int bad = 0;

		if (left > 4 && memcmp(p, "<!--", 4) == 0)
			bad = comment(&w, &p, end);
		else if (is_letter(c) || (c == '/' && left > 2 && is_letter(p[2])))
			bad = tag(&w, &p, end, absent, &foreign);
		else if (foreign.open && !(foreign.point == foreign.open && foreign.html) &&
			 is_cdata(p, left))
			bad = cdata(&w, &p, end);
		else if (c == '?' || c == '/' || c == '!')
			bad = odd_comment(&w, &p, end);
		else
			p++;
		if (bad < 0)
			return -1;
	}
	return finish(&w, page);
}

/* ---- references ---- */

enum { OLD_LONGEST = 6, REFERENCE_LONGEST = 31 };

/* references[] has the references that the parser lacks or maps to other characters, as
 * "NAME=CHARACTERS ". old_references[] has the references that browsers accept without a semicolon,
 * since old HTML allowed that, as "NAME= ". "NAME=" ascends within a row and from row to row. */
#include "ingest/references.inc"

/* Returns what stands behind the equals sign of this name, or NULL. */
static const char *look_up(const char *const *rows, size_t n, struct sh_slice name)
{
	char key[REFERENCE_LONGEST + 3] = " ";
	size_t len = name.n + 2, lo = 0;
	const char *at;

	memcpy(key + 1, name.p, name.n);
	memcpy(key + 1 + name.n, "=", 2);
	/* `lo` becomes the number of rows that begin with this name or before it. */
	while (lo < n) {
		size_t mid = (lo + n) / 2;

		if (strncmp(rows[mid], key, len) <= 0)
			lo = mid + 1;
		else
			n = mid;
	}
	at = lo ? strstr(rows[lo - 1], key) : NULL;
	return at ? at + len : NULL;
}

static const char *find_reference(struct sh_slice name)
{
	return look_up(references, sizeof references / sizeof *references, name);
}

static bool is_name(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9');
}

/* Returns the length of the longest old reference that `name` begins with, or 0. The bytes behind
 * it are text. */
static size_t old_reference(struct sh_slice name)
{
	for (name.n = name.n < OLD_LONGEST ? name.n : OLD_LONGEST; name.n > 1; name.n--)
		if (look_up(old_references, sizeof old_references / sizeof *old_references, name))
			return name.n;
	return 0;
}

/* Rewrites the reference at the ampersand p if the parser would misread it: adds the missing
 * semicolon, or replaces the name by the number. "&notit;" is "&not;" and text. */
static int reference(struct rewriting *w, const char *p, const char *end)
{
	struct sh_slice name = sh_slice(p + 1, 0);
	const char *r;
	char number[32];
	int at = 0;
	bool closed;
	size_t old;

	while (name.p + name.n < end && name.n < REFERENCE_LONGEST && is_name(name.p[name.n]))
		name.n++;
	closed = name.p + name.n < end && name.p[name.n] == ';';
	r = name.n && closed ? find_reference(name) : NULL;
	old = name.n && !r ? old_reference(name) : 0;
	closed = closed && (r || old == name.n || old == 0);
	if (old && !closed) {
		name.n = old;
		r = find_reference(name);
	}
	if (!r)
		return old && !closed ? replace(w, name.p + name.n, 0, ";") : 0;
	for (const uint8_t *c = (const uint8_t *)r; *c != ' ';)
		at += snprintf(number + at, sizeof number - (size_t)at, "&#%u;",
		    (unsigned)sh_utf8_next(&c, c + strlen((const char *)c)));
	return replace(w, p, 1 + name.n + closed, number);
}

static int with_references(struct sh_slice *page, struct sh_buf *room, struct sh_error *err)
{
	struct rewriting w = { page->p, room, err };
	const char *p = page->p, *end = p + page->n;

	for (; (p = memchr(p, '&', (size_t)(end - p))); p++)
		if (reference(&w, p, end) < 0)
			return -1;
	return finish(&w, page);
}

int sh_markup_rewrite(
    struct sh_slice *page, struct sh_buf room[SH_MARKUP_ROOMS], struct sh_error *err)
{
	if (without_nuls(page, &room[0], err) < 0 || with_plain_text(page, &room[1], err) < 0)
		return -1;
	return with_references(page, &room[2], err);
}
