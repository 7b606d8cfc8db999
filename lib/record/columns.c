/* SPDX-License-Identifier: MIT */
#include "record/columns.h"

#include <stdio.h>

#include "record/fields.h"

/* Returns the bytes of the first field, a quoted one, with both quotes. Returns 0 when the closing
 * quote is missing. */
static size_t quoted_length(struct sh_slice s, bool *doubled)
{
	size_t at = 1;

	*doubled = false;
	for (;;) {
		const char *quote = memchr(s.p + at, '"', s.n - at);

		if (!quote)
			return 0;
		at = (size_t)(quote - s.p) + 1;
		if (at == s.n || s.p[at] != '"')
			return at;
		*doubled = true;
		at++;
	}
}

/* Copies the inside of a quoted field to `room`, with one quote for each doubled quote. */
static int undouble(struct sh_slice s, struct sh_buf *room, struct sh_error *err)
{
	room->n = 0;
	if (sh_buf_reserve(room, s.n + 1, err) < 0)
		return -1;
	for (size_t i = 0; i < s.n; i++) {
		room->p[room->n++] = s.p[i];
		i += s.p[i] == '"';
	}
	return 0;
}

ssize_t sh_csv_field(struct sh_slice record, char delimiter, size_t index, struct sh_buf *room,
    struct sh_slice *out, struct sh_error *err)
{
	struct sh_slice left = sh_without_cr(record);

	for (size_t i = 0;; i++) {
		bool quoted = left.n && *left.p == '"', doubled = false;
		const char *comma = left.n ? memchr(left.p, delimiter, left.n) : NULL;
		size_t n = comma ? (size_t)(comma - left.p) : left.n;

		if (quoted)
			n = quoted_length(left, &doubled);
		if (quoted && n == 0)
			return sh_error_set(err, SH_ERR_RECORD,
			    "CSV: field %zu has no closing quote (--rejects FILE collects such "
			    "records)",
			    i + 1);
		if ((quoted && n < left.n && left.p[n] != delimiter) ||
		    (!quoted && n && memchr(left.p, '"', n)))
			return sh_error_set(err, SH_ERR_RECORD,
			    "CSV: quote within field %zu (expected quotes around the whole field, "
			    "and "
			    "two for each one in it)",
			    i + 1);
		if (i == index) {
			*out = quoted ? sh_slice(left.p + 1, n - 2) : sh_slice(left.p, n);
			if (doubled && room) {
				if (undouble(*out, room, err) < 0)
					return -1;
				*out = sh_buf_slice(room);
			}
		}
		if (n == left.n)
			return (ssize_t)i + 1;
		left = sh_slice(left.p + n + 1, left.n - n - 1);
	}
}

/* Sets *field to the field with this index, of CSV or TSV. Returns the number of fields, or -1. */
static ssize_t field_at(struct sh_slice header, char delimiter, size_t index, struct sh_buf *room,
    struct sh_slice *field, struct sh_error *err)
{
	struct sh_slice all[SH_FIELD_MAX];
	size_t n;

	if (delimiter)
		return sh_csv_field(header, delimiter, index, room, field, err);
	n = sh_fields_split(header, all, SH_FIELD_MAX);
	if (n > SH_FIELD_MAX)
		return sh_error_set(
		    err, SH_ERR_RECORD, "%zu columns in the header, at most %d", n, SH_FIELD_MAX);
	if (index < n)
		*field = all[index];
	return (ssize_t)n;
}

enum { HINT = 80 };

/* Writes the delimiter that the header seems to have, when it is not the given one, or "". */
static void print_hint(struct sh_slice header, char delimiter, char hint[HINT])
{
	static const char likely[] = ";\t|,";

	*hint = '\0';
	for (const char *p = likely; delimiter && header.n && *p && !*hint; p++)
		if (!memchr(header.p, delimiter, header.n) && memchr(header.p, *p, header.n))
			snprintf(hint, HINT,
			    *p == '\t'
				? "; its fields seem to be separated by tabs: --header reads them"
				: "; its fields seem to be separated by '%c': --delimiter '%c'",
			    *p, *p);
}

int sh_columns_find(struct sh_slice header, char delimiter, struct sh_slice name, unsigned *index,
    struct sh_error *err)
{
	struct sh_buf room = { 0 };
	struct sh_slice field;
	char hint[HINT];
	size_t found = 0, used;
	ssize_t n = 1;

	for (size_t i = 0; i < (size_t)n; i++) {
		n = field_at(header, delimiter, i, &room, &field, err);
		if (n < 0)
			break;
		if (sh_slice_eq(field, name) && found++ == 0)
			*index = (unsigned)i;
	}
	sh_buf_free(&room);
	if (n > 0 && found == 1)
		return (int)n;
	header = sh_without_cr(header);
	print_hint(header, delimiter, hint);
	if (found > 1)
		sh_error_set(err, SH_ERR_RECORD,
		    "%zu columns of the header have the name \"%.*s\": expected one", found,
		    sh_shown(name, 80), name.p);
	else if (n > 0)
		sh_error_set(err, SH_ERR_RECORD, "no column \"%.*s\" in the header '%.*s'%s",
		    sh_shown(name, 80), name.p, sh_shown(header, 120), header.p, hint);
	if (n > 0)
		return 0;
	/* When another character separates the names, quotes around a name look wrong. */
	used = strlen(err->text);
	snprintf(err->text + used, sizeof err->text - used, "%s", hint);
	return -1;
}

int sh_csv_add_field(
    struct sh_buf *out, char delimiter, struct sh_slice field, struct sh_error *err)
{
	bool quote = false;

	for (size_t i = 0; i < field.n; i++)
		quote = quote || field.p[i] == delimiter || memchr("\"\r\n", field.p[i], 3);
	if (sh_buf_reserve(out, 2 * field.n + 2, err) < 0)
		return -1;
	if (quote)
		out->p[out->n++] = '"';
	for (size_t i = 0; i < field.n; i++) {
		if (field.p[i] == '"')
			out->p[out->n++] = '"';
		out->p[out->n++] = field.p[i];
	}
	if (quote)
		out->p[out->n++] = '"';
	return 0;
}
