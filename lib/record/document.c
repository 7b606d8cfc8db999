/* SPDX-License-Identifier: MIT */
#include "record/document.h"

#include "base/num.h"
#include "record/json.h"

void sh_document_room_free(struct sh_document_room *room)
{
	sh_buf_free(&room->id);
	sh_buf_free(&room->text);
	sh_buf_free(&room->joined);
	sh_buf_free(&room->line);
}

/* ---- the form ---- */

/* Moves the part of *rest before the next comma to *part. Returns false when nothing is left. */
static bool next_part(struct sh_slice *rest, struct sh_slice *part)
{
	const char *comma;

	if (!rest->p)
		return false;
	comma = memchr(rest->p, ',', rest->n);
	*part = comma ? sh_slice(rest->p, (size_t)(comma - rest->p)) : *rest;
	*rest = comma ? sh_slice(comma + 1, rest->n - part->n - 1) : (struct sh_slice){ 0 };
	return true;
}

/* Checks that name i of the form is not empty, differs from the names before it, and can be a path
 * of JSON. */
static int check_name(
    const struct sh_document_form *form, size_t i, const char *spec, struct sh_error *err)
{
	const struct sh_slice *name = form->name;

	for (size_t j = 0; j < i; j++)
		if (sh_slice_eq(name[i], name[j]) && name[i].n)
			return sh_error_set(
			    err, SH_ERR_PARAM, "fields '%s': expected different names", spec);
	if (name[i].n == 0)
		return sh_error_set(err, SH_ERR_PARAM, "fields '%s': a name is empty", spec);
	return form->columns ? 0 : sh_json_check_path(name[i], err);
}

static int check_number(
    const struct sh_document_form *form, size_t i, const char *spec, struct sh_error *err)
{
	bool good = form->number[i] >= 1 && form->number[i] <= SH_FIELD_MAX;

	for (size_t j = 0; j < i; j++)
		good = good && form->number[i] != form->number[j];
	return good ? 0
		    : sh_error_set(err, SH_ERR_PARAM,
			  "fields '%s': expected different numbers from 1 to %d", spec,
			  SH_FIELD_MAX);
}

int sh_document_form_parse(const char *spec, struct sh_document_form *form, struct sh_error *err)
{
	struct sh_slice rest = sh_slice_str(spec), part;
	size_t first = form->line_ids ? 1 : 0, n = first; /* field 0 is the id */
	bool names = form->json || form->columns, bad = false;
	uint64_t number = 0;

	for (; n < SH_DOCUMENT_FIELDS && next_part(&rest, &part); n++) {
		form->name[n] = part;
		bad = bad || (!names && sh_parse_u64(part, &number) < 0);
		form->number[n] = number > SH_FIELD_MAX ? 0 : (unsigned)number;
	}
	if (bad || (!names && n < 2))
		return sh_error_set(err, SH_ERR_PARAM,
		    "fields '%s': expected two field numbers ID,TEXT, as in 1,3 (names need "
		    "--json, --csv or --header)",
		    spec);
	if (rest.p)
		return sh_error_set(err, SH_ERR_PARAM, "fields '%s': at most %d fields of text",
		    spec, SH_DOCUMENT_FIELDS - 1);
	if (n < 2)
		return sh_error_set(err, SH_ERR_PARAM,
		    "fields '%s': expected the names of two fields, as in id,text", spec);
	for (size_t i = first; i < n; i++)
		if ((names ? check_name(form, i, spec, err) : check_number(form, i, spec, err)) < 0)
			return -1;
	form->more = (unsigned)(n - 2);
	return 0;
}

/* Returns the name of a field: 0 is the id, and the texts follow. */
static struct sh_slice name_of(const struct sh_document_form *form, size_t i)
{
	return form->name[i].n ? form->name[i] : sh_slice_str(i ? "text" : "id");
}

int sh_document_header(
    const struct sh_document_form *form, struct sh_slice header, struct sh_error *err)
{
	struct sh_columns *c = form->columns;
	char delimiter = sh_document_delimiter(form);

	if (form->crlf)
		header = sh_without_cr(header);
	if (!form->csv && sh_dos_check(header, err) < 0)
		return -1;
	for (size_t i = 0; i < 2 + form->more; i++) {
		int n = sh_columns_find(header, delimiter, name_of(form, i), &c->index[i], err);

		if (n < 0)
			return -1;
		if (n == 0)
			return sh_error_set(err, SH_ERR_RECORD,
			    "%s (name the fields of id and text with -f ID,TEXT)", err->text);
		c->n = (unsigned)n;
	}
	return 0;
}

/* ---- fields ---- */

/* Adds the text of field i, which must be valid only now unless it is the only one. */
static int add_text(const struct sh_document_form *form, size_t i, struct sh_slice text,
    struct sh_document_room *room, struct sh_document *doc, struct sh_error *err)
{
	doc->text = text;
	if (form->more == 0)
		return 0;
	if (i == 1)
		room->joined.n = 0;
	if ((i > 1 && sh_buf_add(&room->joined, " ", 1, err) < 0) ||
	    sh_buf_add(&room->joined, text.p, text.n, err) < 0)
		return -1;
	doc->text = sh_buf_slice(&room->joined);
	return 0;
}

/* Returns whether a comma or semicolon occurs without a blank behind, as between fields of CSV. */
static bool is_like_csv(struct sh_slice line)
{
	for (size_t i = 0; i + 1 < line.n && i < 200; i++)
		if ((line.p[i] == ',' || line.p[i] == ';') && line.p[i + 1] != ' ')
			return true;
	return false;
}

static int choose_fields(const struct sh_document_form *form, struct sh_slice line,
    struct sh_document_room *room, struct sh_document *doc, struct sh_error *err)
{
	struct sh_slice fields[SH_FIELD_MAX];
	const struct sh_columns *c = form->columns;
	unsigned at[SH_DOCUMENT_FIELDS], last = 0;
	size_t n;

	for (size_t i = 0; i < 2 + form->more; i++) {
		at[i] = c ? c->index[i] : form->number[i] - 1;
		last = at[i] >= last ? at[i] + 1 : last;
	}
	n = sh_fields_split(line, fields, last);
	if (c && n != c->n)
		return sh_error_set(err, SH_ERR_RECORD,
		    "%zu field%s, expected %u as in the header (--rejects FILE collects such "
		    "records)",
		    n, n == 1 ? "" : "s", c->n);
	if (n < last)
		return sh_error_set(err, SH_ERR_RECORD, "%zu field%s, expected at least %u (-f%s)",
		    n, n == 1 ? "" : "s", last, n == 1 ? "; fields are separated by tabs" : "");
	doc->id = fields[at[0]];
	for (size_t i = 1; i < 2 + form->more; i++)
		if (add_text(form, i, fields[at[i]], room, doc, err) < 0)
			return -1;
	return 0;
}

/* Returns the message about a line without TAB. */
static const char *one_field(struct sh_slice line)
{
	if (line.n && *line.p == '{')
		return "1 field, expected id<TAB>text (--json reads lines of JSON)";
	if (line.n >= 2 && memcmp(line.p, "[{", 2) == 0)
		return "1 field, expected id<TAB>text (shdoc reads JSON arrays)";
	if (is_like_csv(line))
		return "1 field, expected id<TAB>text (--csv reads CSV with a header; -l numbers "
		       "plain lines)";
	return "1 field, expected id<TAB>text (-l numbers plain lines)";
}

static int two_fields(struct sh_slice line, struct sh_document *doc, struct sh_error *err)
{
	struct sh_slice fields[2];
	size_t n = sh_fields_split(line, fields, 2);

	if (n != 2 && line.n && memchr(line.p, '\0', line.n))
		return sh_error_set(err, SH_ERR_RECORD,
		    "binary data, expected id<TAB>text (shdoc reads tar, ZIP and other files)");
	if (n == 1)
		return sh_error_set(err, SH_ERR_RECORD, "%s", one_field(line));
	if (n > 2 && sh_is_like_tagged_fp(line))
		return sh_error_set(err, SH_ERR_RECORD,
		    "a fingerprint with its id and tag, expected id<TAB>text (shband and shjoin "
		    "read fingerprints)");
	if (n > 2)
		return sh_error_set(err, SH_ERR_RECORD,
		    "%zu fields, expected id<TAB>text (-f ID,TEXT chooses two of them)", n);
	doc->id = fields[0];
	doc->text = fields[1];
	return 0;
}

/* ---- JSON ---- */

static int absent(const struct sh_document_form *form, struct sh_slice line, struct sh_slice name,
    bool id, struct sh_error *err)
{
	const char *remedy = id               ? "-f ID,TEXT names the two; -l numbers the lines"
			     : form->line_ids ? "-f TEXT names it"
					      : "-f ID,TEXT names the two";
	char names[200];
	bool any = sh_json_print_names(line, name, names, sizeof names);

	return sh_error_set(err, SH_ERR_RECORD, "JSON: no field \"%.*s\"%s%s (%s)",
	    sh_shown(name, 80), name.p, any ? ", there are " : "", any ? names : "", remedy);
}

/* Strings that are joined to one text. Each string becomes a paragraph. */
struct joined {
	struct sh_slice name; /* of the field */
	struct sh_buf *room;
	uint64_t *halves, n; /* n: strings so far */
	bool found;          /* a value was found, perhaps null */
};

/* Replaces an object, a part of a chat's message, by its text: a string, or another value that is
 * an error. Returns 1, 0 for a part without text such as a picture, or -1. */
static int text_of_part(struct sh_json_value *v, struct sh_error *err)
{
	static const struct sh_slice names[2] = { { "text", 4 }, { "type", 4 } };
	struct sh_json_value part[2];

	if (v->kind != SH_JSON_OTHER || *v->text.p != '{')
		return 1;
	if (sh_json_fields(v->text, names, part, 2, err) < 0)
		return -1;
	*v = part[0];
	return !(part[1].kind == SH_JSON_STRING &&
		 (v->kind == SH_JSON_ABSENT || (v->kind == SH_JSON_OTHER && *v->text.p == 'n')));
}

static int join_strings(void *arg, const struct sh_json_value *v, struct sh_error *err)
{
	struct joined *j = arg;
	struct sh_slice items = v->text;
	struct sh_json_value item = *v;
	int got;

	j->found = true;
	if (v->kind == SH_JSON_OTHER && *v->text.p == '[') {
		while (sh_json_next(&items, &item)) {
			got = text_of_part(&item, err);
			if (got > 0 && item.kind != SH_JSON_STRING)
				return sh_error_set(err, SH_ERR_RECORD,
				    "JSON: field \"%.*s\" is an array, and not all its items are "
				    "strings (%.*s.*.NAME names a field of each item; --rejects "
				    "FILE collects such lines)",
				    sh_shown(j->name, 80), j->name.p, sh_shown(j->name, 80),
				    j->name.p);
			if (got < 0 || (got > 0 && join_strings(j, &item, err) < 0))
				return -1;
		}
		return 0;
	}
	got = text_of_part(&item, err);
	/* A message without text, such as the call of a tool, has null. */
	if (got <= 0 || (item.kind == SH_JSON_OTHER && *item.text.p == 'n'))
		return got;
	if (item.kind != SH_JSON_STRING)
		return sh_error_set(err, SH_ERR_RECORD,
		    "JSON: field \"%.*s\" is not a string in all items (--rejects FILE puts bad "
		    "records aside)",
		    sh_shown(j->name, 80), j->name.p);
	if (j->n++ && sh_buf_add(j->room, "\n\n", 2, err) < 0)
		return -1;
	return item.text.n ? sh_json_unescape(item.text, j->room, j->halves, err) : 0;
}

/* Sets *text to the text of a field: a string, or strings in an array or in items of arrays. */
static int json_text(struct sh_slice line, const struct sh_json_value *v, struct sh_slice name,
    struct sh_buf *room, struct sh_slice *text, uint64_t *halves, struct sh_error *err)
{
	struct joined j = { name, room, halves, 0, false };
	struct sh_slice items = v->text;
	struct sh_json_value item;

	*text = v->text;
	if (v->kind == SH_JSON_STRING && !v->escaped)
		return 0;
	room->n = 0;
	if (v->kind != SH_JSON_STRING && v->kind != SH_JSON_MANY &&
	    !(v->kind == SH_JSON_OTHER && *v->text.p == '['))
		return sh_error_set(err, SH_ERR_RECORD,
		    "JSON: field \"%.*s\" is not a string (--rejects FILE puts bad records aside)",
		    sh_shown(name, 80), name.p);
	if ((v->kind == SH_JSON_MANY ? sh_json_each(line, name, join_strings, &j, err)
				     : join_strings(&j, v, err)) < 0)
		return -1;
	if (v->kind == SH_JSON_MANY && !j.found && sh_json_next(&items, &item))
		return sh_error_set(err, SH_ERR_RECORD,
		    "JSON: no item of the array has a field \"%.*s\"", sh_shown(name, 80), name.p);
	*text = room->n ? sh_buf_slice(room) : sh_slice("", 0);
	return 0;
}

/* Ids of records hold neither tab nor line feed. */
static int check_id_bytes(struct sh_slice id, struct sh_error *err)
{
	if (memchr(id.p, '\t', id.n) || memchr(id.p, '\n', id.n))
		return sh_error_set(err, SH_ERR_RECORD,
		    "tab or line feed in the id: ids of records cannot contain it");
	return sh_id_check(id, err);
}

static int json_id(const struct sh_json_value *v, struct sh_slice name, struct sh_buf *room,
    struct sh_slice *id, struct sh_error *err)
{
	uint64_t halves = 0;

	if (v->kind != SH_JSON_STRING && v->kind != SH_JSON_NUMBER)
		return sh_error_set(err, SH_ERR_RECORD,
		    "JSON: field \"%.*s\" is not a string or number (--rejects FILE puts bad "
		    "records aside)",
		    sh_shown(name, 80), name.p);
	*id = v->text;
	if (v->escaped) {
		room->n = 0;
		if (sh_json_unescape(v->text, room, &halves, err) < 0)
			return -1;
		*id = sh_buf_slice(room);
	}
	if (halves)
		return sh_error_set(
		    err, SH_ERR_RECORD, "half a surrogate pair in the id: UTF-8 cannot encode it");
	return check_id_bytes(*id, err);
}

static int parse_json(const struct sh_document_form *form, struct sh_slice line,
    struct sh_document_room *room, struct sh_document *doc, struct sh_error *err)
{
	struct sh_slice name[SH_DOCUMENT_FIELDS] = { { 0 } }, text;
	struct sh_json_value v[SH_DOCUMENT_FIELDS];
	size_t first = form->line_ids ? 1 : 0, n = 2 + form->more;

	for (size_t i = first; i < n; i++)
		name[i] = name_of(form, i);
	if (sh_json_find(line, name + first, v + first, n - first, err) < 0)
		return -1;
	for (size_t i = first; i < n; i++)
		if (v[i].kind == SH_JSON_ABSENT)
			return absent(form, line, name[i], i == 0, err);
	if (first == 0 && json_id(&v[0], name[0], &room->id, &doc->id, err) < 0)
		return -1;
	for (size_t i = 1; i < n; i++)
		if (json_text(line, &v[i], name[i], &room->text, &text, &doc->ill_formed, err) <
			0 ||
		    add_text(form, i, text, room, doc, err) < 0)
			return -1;
	return 0;
}

/* ---- all forms ---- */

/* Makes the line's number its id. */
static int number_line(
    uint64_t number, struct sh_document_room *room, struct sh_document *doc, struct sh_error *err)
{
	room->id.n = 0;
	if (sh_buf_reserve(&room->id, SH_NUM_CHARS, err) < 0)
		return -1;
	room->id.n = sh_print_u64(room->id.p, number);
	doc->id = sh_buf_slice(&room->id);
	return 0;
}

static int parse_csv(const struct sh_document_form *form, struct sh_slice line,
    struct sh_document_room *room, struct sh_document *doc, struct sh_error *err)
{
	const struct sh_columns *c = form->columns;
	char delimiter = sh_document_delimiter(form);
	ssize_t n = sh_csv_field(line, delimiter, c->index[0], &room->id, &doc->id, err);
	struct sh_slice text;

	if (n < 0)
		return -1;
	if (n != c->n)
		return sh_error_set(err, SH_ERR_RECORD,
		    "CSV: %zd field%s, expected %u as in the header (--rejects FILE collects such "
		    "records)",
		    n, n == 1 ? "" : "s", c->n);
	for (size_t i = 1; i < 2 + form->more; i++)
		if (sh_csv_field(line, delimiter, c->index[i], &room->text, &text, err) < 0 ||
		    add_text(form, i, text, room, doc, err) < 0)
			return -1;
	return check_id_bytes(doc->id, err);
}

int sh_document_parse(const struct sh_document_form *form, struct sh_slice line, uint64_t number,
    struct sh_document_room *room, struct sh_document *doc, struct sh_error *err)
{
	int bad;

	*doc = (struct sh_document){ .text = line };
	if (form->line_ids && number_line(number, room, doc, err) < 0)
		return -1;
	if (form->line_ids && !form->json)
		return 0;
	if (form->csv)
		return parse_csv(form, line, room, doc, err);
	if (form->json)
		return parse_json(form, line, room, doc, err);
	if (form->crlf)
		line = sh_without_cr(line);
	bad = form->number[0] || form->columns ? choose_fields(form, line, room, doc, err)
					       : two_fields(line, doc, err);
	if (bad < 0 || sh_dos_check(line, err) < 0 || sh_id_check(doc->id, err) < 0)
		return -1;
	if (memchr(doc->text.p, '\r', doc->text.n))
		return sh_error_set(err, SH_ERR_RECORD,
		    "carriage return in the text (a field writes it as \\r; tr '\\r' '\\n' makes "
		    "lines of an old Mac file)");
	return 0;
}
