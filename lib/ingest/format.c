/* SPDX-License-Identifier: MIT */
/* Detects the form of a file. */
#include "ingest/format.h"

#include <stdio.h>
#include <strings.h>

#include "ingest/header.h"
#include "ingest/mail.h"
#include "record/foreign.h"
#include "record/json.h"
#include "unicode/utf8.h"

/* A head that is shorter, without its byte order mark, is the whole file. */
enum { SEEN = SH_FORMAT_HEAD - 3 };

const char *sh_format_name(unsigned format)
{
	static const char *const names[] = {
		[SH_FORMAT_AUTO] = "auto",
		[SH_FORMAT_TEXT] = "text",
		[SH_FORMAT_HTML] = "html",
		[SH_FORMAT_JSONL] = "jsonl",
		[SH_FORMAT_WARC] = "warc",
		[SH_FORMAT_MBOX] = "mbox",
		[SH_FORMAT_NONE] = NULL,
	};

	return names[format];
}

/* Returns the name without the ending of a compressed file. */
static struct sh_slice plain_name(const char *name)
{
	static const char *const endings[] = { ".gz", ".zst", ".bz2", ".xz", ".lz4" };
	struct sh_slice s = sh_slice_str(name);

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		size_t n = strlen(endings[i]);

		if (s.n > n && memcmp(s.p + s.n - n, endings[i], n) == 0)
			return sh_slice(s.p, s.n - n);
	}
	return s;
}

static bool ends_in(struct sh_slice name, const char *const *endings)
{
	for (; *endings; endings++) {
		size_t n = strlen(*endings);

		if (name.n > n && strncasecmp(name.p + name.n - n, *endings, n) == 0)
			return true;
	}
	return false;
}

size_t sh_json_scan(struct sh_json_scan *scan, struct sh_slice s)
{
	for (; scan->at < s.n; scan->at++) {
		char c = s.p[scan->at];

		if (scan->escape) {
			scan->escape = false;
		} else if (scan->string) {
			scan->string = c != '"';
			scan->escape = c == '\\';
		} else if (c == '"') {
			scan->string = true;
		} else if (c == '{' || c == '[') {
			scan->depth++;
		} else if ((c == '}' || c == ']') && --scan->depth == 0) {
			return scan->at + 1;
		}
	}
	return 0;
}

size_t sh_json_extent(struct sh_slice s)
{
	struct sh_json_scan scan = { 0 };

	return sh_json_scan(&scan, s);
}

struct sh_slice sh_json_past_separator(struct sh_slice line)
{
	size_t n = line.n && *line.p == '\036';

	return sh_slice(line.p + n, line.n - n);
}

static struct sh_slice first_line(struct sh_slice head)
{
	return sh_slice_cut(&head, '\n');
}

/* Returns whether the line is an object with the fields of a document. */
static bool is_document(struct sh_slice line, const struct sh_document_form *json)
{
	struct sh_document_room room = { 0 };
	struct sh_document doc;
	struct sh_error err;
	bool good = sh_document_parse(json, line, 1, &room, &doc, &err) == 0;

	sh_document_room_free(&room);
	return good;
}

static bool is_valid(struct sh_slice object)
{
	struct sh_error err;

	return sh_json_fields(object, NULL, NULL, 0, &err) == 0;
}

/* Returns whether a key follows the brace at the beginning. */
static bool has_key(struct sh_slice object)
{
	object = sh_trim(sh_slice(object.p + 1, object.n - 1));
	return object.n && *object.p == '"';
}

/* Returns whether the first line is an object. The object must have the fields of a document, or
 * more lines must follow it. Of a line longer than the head only the beginning is checked. */
static bool is_jsonl(struct sh_slice head, const struct sh_document_form *json)
{
	struct sh_slice line, rest;
	bool more = head.n >= SEEN;

	head = sh_trim(sh_json_past_separator(head));
	if (head.n == 0 || head.p[0] != '{')
		return false;
	line = first_line(head);
	/* The head contains the whole line when bytes follow the line, or when it is the whole
	 * file. */
	if (line.n < head.n || !more) {
		rest = sh_trim(sh_slice(line.p + line.n, head.n - line.n));
		return is_document(line, json) || ((rest.n || more) && is_valid(line));
	}
	return has_key(line);
}

/* Sets *object to the first object of an array of objects. *whole is false when the head ends
 * within the object. Returns false when the head is no such array. */
static bool array_object(struct sh_slice head, struct sh_slice *object, bool *whole)
{
	struct sh_slice s = sh_trim(head);
	size_t n;

	if (s.n == 0 || *s.p != '[')
		return false;
	s = sh_trim(sh_slice(s.p + 1, s.n - 1));
	if (s.n == 0 || *s.p != '{')
		return false;
	n = sh_json_extent(s);
	*whole = n > 0;
	*object = n ? sh_slice(s.p, n) : s;
	return true;
}

/* Returns whether the head is an array whose first object has the fields of a document. Of an
 * object longer than the head only the beginning is checked. */
static bool is_array(struct sh_slice head, const struct sh_document_form *json)
{
	struct sh_slice object;
	bool whole;

	if (!array_object(head, &object, &whole))
		return false;
	return whole ? is_document(object, json) : has_key(object);
}

/* Returns whether the head begins with a JSON object, on any number of lines. A second object must
 * follow it, or it must have the fields of a document. */
static bool are_objects(struct sh_slice head, const struct sh_document_form *json)
{
	struct sh_slice s = sh_trim(head), rest;
	size_t n = s.n && *s.p == '{' ? sh_json_extent(s) : 0;

	if (n == 0 || !is_valid(sh_slice(s.p, n)))
		return false;
	rest = sh_trim(sh_slice(s.p + n, s.n - n));
	return (rest.n && *rest.p == '{') || is_document(sh_slice(s.p, n), json);
}

/* Returns whether the head is an object that contains an array of objects, at any depth. */
static bool holds_objects(struct sh_slice head)
{
	struct sh_slice s = sh_trim(head);
	bool string = false;
	size_t n = s.n && *s.p == '{' ? sh_json_extent(s) : 0;

	if (s.n == 0 || *s.p != '{' || (n == 0 && head.n < SEEN) ||
	    (n && !is_valid(sh_slice(s.p, n))))
		return false;
	for (size_t i = 0; i < s.n; i++) {
		struct sh_slice rest = sh_slice(s.p + i + 1, s.n - i - 1);

		if (s.p[i] == '\\' && string)
			i++;
		else if (s.p[i] == '"')
			string = !string;
		else if (s.p[i] == '[' && !string && (rest = sh_trim(rest)).n && *rest.p == '{')
			return true;
	}
	return false;
}

/* Returns whether the first line, or the first element of an array, begins with {" and ends with }
 * but is not valid JSON. An example is an object with NaN, which some JSON libraries write. */
static bool is_faulty(struct sh_slice head)
{
	struct sh_slice object;
	bool whole;

	if (!array_object(head, &object, &whole)) {
		object = sh_trim(first_line(sh_trim(sh_json_past_separator(head))));
		whole = object.n && *object.p == '{' && object.p[object.n - 1] == '}';
	}
	return whole && !is_valid(object) && has_key(object);
}

/* Returns whether the first character in UTF-16 is { or [. A byte order mark may precede it. */
static bool is_json_utf16(struct sh_slice head)
{
	const char *p = head.p;

	if (head.n >= 4 && (memcmp(p, "\xFF\xFE", 2) == 0 || memcmp(p, "\xFE\xFF", 2) == 0))
		p += 2;
	return head.n >= 4 && (!p[0] || !p[1]) && strchr("{[", p[0] ? p[0] : p[1] ? p[1] : ' ');
}

const char *sh_format_doubt(
    struct sh_slice head, const char *name, const struct sh_document_form *json)
{
	static const char arc[] = "filedesc://";
	static const char *const csv[] = { ".csv", NULL }, *const tsv[] = { ".tsv", ".tab", NULL };
	struct sh_slice plain = plain_name(name), object;
	bool whole;

	head = sh_utf8_skip_bom(head);
	if (head.n && ends_in(plain, csv))
		return "CSV (a document a row: other programs read it as it is, with --csv)";
	if (head.n && ends_in(plain, tsv))
		return "TSV (a document a row: other programs read it as it is, with -f ID,TEXT "
		       "the numbers of columns, or with --header)";
	if (array_object(head, &object, &whole) && whole && is_valid(object))
		return "a JSON array whose first object lacks the fields of a document (-f ID,TEXT "
		       "names the two)";
	if (are_objects(head, json))
		return "JSON objects that are not one a line (a document an object: jq -c . FILE | "
		       "shdoc)";
	if (head.n && *head.p == '\036' && are_objects(sh_json_past_separator(head), json))
		return "JSON texts that are not one a line (a document a text: jq --seq -c . FILE "
		       "| shdoc)";
	if (holds_objects(head))
		return "a JSON object with an array of objects (a document of each: jq -c "
		       "'.NAME[]' FILE | shdoc -f ID,TEXT)";
	if (is_faulty(head))
		return "JSON with an error in its first object (to see the error: shdoc --format "
		       "jsonl "
		       "FILE)";
	if (is_json_utf16(head))
		return "JSON in UTF-16 (convert it: iconv -f UTF-16 -t UTF-8 FILE | shdoc)";
	if (head.n >= sizeof arc - 1 && memcmp(head.p, arc, sizeof arc - 1) == 0)
		return "an ARC file (a document a page: warcio recompress makes WARC of it)";
	return NULL;
}

const char *sh_format_other(struct sh_slice head, char *room, size_t n)
{
	const struct sh_foreign *f = sh_foreign_form(head);

	if (!f)
		return "file without text (--format text reads it)";
	snprintf(room, n, "%s (%s)", f->what, f->remedy);
	return room;
}

static bool begins_page(struct sh_slice head)
{
	head = sh_trim(head);
	return (head.n >= 5 && strncasecmp(head.p, "<html", 5) == 0) ||
	       (head.n >= 14 && strncasecmp(head.p, "<!doctype html", 14) == 0);
}

enum sh_format sh_format_detect(struct sh_slice head, enum sh_body_kind kind, const char *name,
    const struct sh_document_form *json)
{
	static const char *const jsonl[] = { ".jsonl", ".ndjson", ".jsonlines", NULL };
	static const char *const html[] = { ".html", ".htm", ".xhtml", NULL };
	static const char *const mail[] = { ".eml", ".mbox", NULL };
	static const char *const text[] = { ".md", ".markdown", ".txt", ".rst", ".org", ".adoc",
		NULL };
	struct sh_slice plain = plain_name(name), bare = sh_utf8_skip_bom(head);
	struct sh_slice line = first_line(sh_past_blank_lines(bare));

	if (line.n > 5 && memcmp(line.p, "WARC/", 5) == 0)
		return SH_FORMAT_WARC;
	if (sh_mbox_from(line) ||
	    ((ends_in(plain, mail) || sh_mail_looks(sh_past_blank_lines(bare), head.n >= SEEN)) &&
		head.n))
		return SH_FORMAT_MBOX;
	if (is_jsonl(bare, json) || is_array(bare, json) || (ends_in(plain, jsonl) && head.n))
		return SH_FORMAT_JSONL;
	switch (kind) {
	case SH_BODY_OTHER:
		return SH_FORMAT_NONE;
	case SH_BODY_HTML:
		/* Markdown may begin with an HTML element, but not with a whole page. */
		return ends_in(plain, text) && !begins_page(bare) ? SH_FORMAT_TEXT : SH_FORMAT_HTML;
	default:
		return ends_in(plain, html) ? SH_FORMAT_HTML : SH_FORMAT_TEXT;
	}
}
