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

/* Appends a JSON string. Bytes that are not UTF-8 stay as they are. */
static int add_string(struct sh_buf *out, struct sh_slice s, struct sh_error *err)
{
	static const char hex[] = "0123456789abcdef";
	char *to;

	if (sh_buf_reserve(out, 6 * s.n + 2, err) < 0)
		return -1;
	to = out->p + out->n;
	*to++ = '"';
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c < 0x20) {
			memcpy(to, "\\u00", 4);
			to[4] = hex[c >> 4];
			to[5] = hex[c & 15];
			to += 6;
			continue;
		}
		if (c == '"' || c == '\\')
			*to++ = '\\';
		*to++ = (char)c;
	}
	*to++ = '"';
	out->n = (size_t)(to - out->p);
	return 0;
}

/* Whether JSON can write the id as an integer. */
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

/* Whether the id is a number in the line of JSON, not a string. */
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
	    (number ? add_slice(out, mark->keeper, err) : add_string(out, mark->keeper, err)) < 0 ||
	    add(out, ",\"similarity\":", err) < 0)
		return -1;
	if (mark->similarity.n == 0)
		return add(out, "null}", err);
	return add_slice(out, mark->similarity, err) < 0 ? -1 : add(out, "}", err);
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
	    add_string(out, name, err) < 0 || add(out, ":", err) < 0 ||
	    add_value(line, doc, mark, out, err) < 0)
		return -1;
	return sh_buf_add(out, line.p + end - 1, line.n - end + 1, err);
}

/* Appends two fields to a record of CSV. The CR of its line end stays at the end. */
static int add_fields(struct sh_slice line, struct sh_slice first, struct sh_slice second,
    struct sh_buf *out, struct sh_error *err)
{
	struct sh_slice bare = sh_without_cr(line);

	if (add_slice(out, bare, err) < 0 || add(out, ",", err) < 0 ||
	    sh_csv_add_field(out, first, err) < 0 || add(out, ",", err) < 0 ||
	    sh_csv_add_field(out, second, err) < 0)
		return -1;
	return bare.n < line.n ? add(out, "\r", err) : 0;
}

int sh_keeper_mark_header(
    struct sh_slice name, struct sh_slice header, struct sh_buf *out, struct sh_error *err)
{
	struct sh_buf second = { 0 };
	int status =
	    add_slice(&second, name, err) < 0 || add(&second, "_similarity", err) < 0 ? -1 : 0;

	if (status == 0)
		status = add_fields(header, name, sh_buf_slice(&second), out, err);
	sh_buf_free(&second);
	return status;
}

int sh_keeper_mark_add(const struct sh_document_form *form, struct sh_slice name,
    struct sh_slice line, const struct sh_document *doc, const struct sh_keeper_mark *mark,
    struct sh_buf *out, struct sh_error *err)
{
	if (form->columns)
		return add_fields(line, mark->keeper, mark->similarity, out, err);
	if (form->json)
		return mark_json(name, line, doc, mark, out, err);
	if (sh_buf_add(out, line.p, line.n, err) < 0 || add(out, "\t", err) < 0 ||
	    add_slice(out, mark->keeper, err) < 0 || add(out, "\t", err) < 0)
		return -1;
	return add_slice(out, mark->similarity, err);
}
