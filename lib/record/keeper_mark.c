/* SPDX-License-Identifier: MIT */
#include "record/keeper_mark.h"

#include "record/json.h"

static int add(struct sh_buf *out, const char *text, struct sh_error *err)
{
	return sh_buf_add(out, text, strlen(text), err);
}

static int add_slice(struct sh_buf *out, struct sh_slice s, struct sh_error *err)
{
	return s.n ? sh_buf_add(out, s.p, s.n, err) : 0;
}

/* Returns whether JSON can write the id as an integer. */
static bool is_integer(struct sh_slice s)
{
	if (s.n && *s.p == '-')
		s = sh_slice(s.p + 1, s.n - 1);
	if (s.n == 0 || (*s.p == '0' && s.n > 1))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return true;
}

/* Returns whether the id is a number in the line of JSON, and not a string. */
static bool has_number_for_id(struct sh_slice line, struct sh_slice id)
{
	return id.p > line.p && id.p < line.p + line.n && id.p[-1] != '"';
}

static int add_value(struct sh_slice line, const struct sh_document *doc,
    const struct sh_keeper_mark *mark, struct sh_buf *out, struct sh_error *err)
{
	bool number = has_number_for_id(line, doc->id) && is_integer(mark->keeper);

	if (mark->keeper.n == 0)
		return add(out, "null", err);
	if (add(out, "{\"keeper\":", err) < 0 ||
	    (number ? add_slice(out, mark->keeper, err)
		    : sh_json_add_string(mark->keeper, out, err)) < 0 ||
	    add(out, ",\"similarity\":", err) < 0)
		return -1;
	if ((mark->similarity.n ? add_slice(out, mark->similarity, err) : add(out, "null", err)) <
		0 ||
	    add(out, ",\"measure\":", err) < 0 ||
	    (mark->measure.n ? sh_json_add_string(mark->measure, out, err)
			     : add(out, "null", err)) < 0)
		return -1;
	return add(out, "}", err);
}

static int mark_json(struct sh_slice name, struct sh_slice line, const struct sh_document *doc,
    const struct sh_keeper_mark *mark, struct sh_buf *out, struct sh_error *err)
{
	struct sh_json_value there;
	size_t end = line.n;

	if (sh_json_fields(line, &name, &there, 1, err) < 0)
		return -1;
	if (there.kind != SH_JSON_ABSENT)
		return sh_error_set(err, SH_ERR_RECORD,
		    "JSON: the object has a field \"%.*s\" already (give the mark another name)",
		    sh_shown(name, 80), name.p);
	while (line.p[end - 1] != '}')
		end--;
	if (sh_buf_add(out, line.p, end - 1, err) < 0 || add(out, ",", err) < 0 ||
	    sh_json_add_string(name, out, err) < 0 || add(out, ":", err) < 0 ||
	    add_value(line, doc, mark, out, err) < 0)
		return -1;
	return sh_buf_add(out, line.p + end - 1, line.n - end + 1, err);
}

/* Appends three fields to a record of CSV or TSV. The CR of its line end stays at the end. */
static int add_fields(char delimiter, struct sh_slice line, const struct sh_slice field[3],
    struct sh_buf *out, struct sh_error *err)
{
	const char separator[2] = { delimiter ? delimiter : '\t' };
	struct sh_slice bare = sh_without_cr(line);

	if (add_slice(out, bare, err) < 0)
		return -1;
	for (int i = 0; i < 3; i++)
		if (add(out, separator, err) < 0 ||
		    (delimiter ? sh_csv_add_field(out, delimiter, field[i], err)
			       : add_slice(out, field[i], err)) < 0)
			return -1;
	return bare.n < line.n ? add(out, "\r", err) : 0;
}

/* Returns 0 when the header has no column with this name, or -1. */
static int refuse_column(
    struct sh_slice header, char delimiter, struct sh_slice name, struct sh_error *err)
{
	struct sh_error absent;
	unsigned index;

	if (sh_columns_find(sh_without_cr(header), delimiter, name, &index, &absent) <= 0)
		return 0;
	return sh_error_set(err, SH_ERR_RECORD,
	    "the header has a column \"%.*s\" already (give the mark another name)",
	    sh_shown(name, 80), name.p);
}

int sh_keeper_mark_header(const struct sh_document_form *form, struct sh_slice name,
    struct sh_slice header, struct sh_buf *out, struct sh_error *err)
{
	struct sh_buf similarity = { 0 }, measure = { 0 };
	char delimiter = sh_document_delimiter(form);
	int status = 0;

	if (refuse_column(header, delimiter, name, err) < 0)
		return -1;
	if (add_slice(&similarity, name, err) < 0 || add(&similarity, "_similarity", err) < 0 ||
	    add_slice(&measure, name, err) < 0 || add(&measure, "_measure", err) < 0)
		status = -1;
	if (status == 0) {
		const struct sh_slice names[3] = { name, sh_buf_slice(&similarity),
			sh_buf_slice(&measure) };

		status = add_fields(delimiter, header, names, out, err);
	}
	sh_buf_free(&similarity);
	sh_buf_free(&measure);
	return status;
}

int sh_keeper_mark_add(const struct sh_document_form *form, struct sh_slice name,
    struct sh_slice line, const struct sh_document *doc, const struct sh_keeper_mark *mark,
    struct sh_buf *out, struct sh_error *err)
{
	const struct sh_slice fields[3] = { mark->keeper, mark->similarity, mark->measure };

	if (form->json)
		return mark_json(name, line, doc, mark, out, err);
	return add_fields(sh_document_delimiter(form), line, fields, out, err);
}
