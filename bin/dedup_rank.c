/* --keep=max:FIELD and min:FIELD: ranks documents by a number or a string in their records. */
#include <errno.h>
#include <stdlib.h>

#include "dedup.h"
#include "record/json.h"
#include "unicode/utf8.h"

/* The value of one document. Numbers come before strings. */
struct value {
	uint32_t n; /* bytes of the field; 0: there is no value */
	uint32_t document;
	bool number; /* the value is x; false: it is a string */
	double x;
	size_t at; /* offset of a string in values.strings */
};

struct values {
	struct value *all;
	char *strings;
	size_t n_strings, cap; /* in bytes */
	bool largest;          /* the largest value is the best; false: the smallest */
};

enum { NUMBER_MAX = 64 }; /* a longer field is not a number */

bool dedup_rank_parse(struct cli *c, const char *text, struct dedup_rank *rank)
{
	uint64_t field;

	if (strncmp(text, "max:", 4) != 0 && strncmp(text, "min:", 4) != 0)
		return false;
	rank->largest = text[1] == 'a';
	rank->name = sh_slice_str(text + 4);
	if (rank->name.n == 0)
		cli_usage(c, "--keep '%s': the name of the field is missing", text);
	if (sh_parse_u64(rank->name, &field) == 0 && field >= 1 && field <= SH_FIELD_MAX)
		rank->field = (unsigned)field;
	return true;
}

void dedup_rank_complete(struct cli *c, const struct dedup_settings *s)
{
	const struct sh_document_form *form = &s->docs.docs.form;
	struct sh_error err;

	if (form->json && sh_json_check_path(s->rank.name, &err) < 0)
		cli_usage(c, "--keep: %s", err.text);
	if (!s->rank.name.n || form->json || form->columns)
		return;
	if (form->line_ids)
		cli_usage(c, "--keep: with -l the whole line is text, without other fields");
	if (!s->rank.field)
		cli_usage(c, "--keep: expected the number of a field, as in max:3 (--json, "
			     "--csv and --header have names)");
}

/* Parses a decimal number. Returns false for other text, such as nan, inf and 0x10. */
static bool parse_number(struct sh_slice s, double *x)
{
	char text[NUMBER_MAX], *end;

	if (s.n == 0 || s.n >= sizeof text)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!memchr("0123456789+-.eE", s.p[i], 15))
			return false;
	memcpy(text, s.p, s.n);
	text[s.n] = '\0';
	*x = strtod(text, &end);
	return end == text + s.n;
}

/* Returns the index of the column, by its name; without a header, by its number. */
static unsigned find_column(struct dedup_state *s, struct sh_document_room *room)
{
	const struct sh_document_form *form = &s->settings->docs.docs.form;
	struct sh_slice header;
	struct sh_error err = { 0 };
	unsigned column = 0;
	size_t before;
	size_t i = 0;

	if (!form->columns)
		return s->settings->rank.field - 1;
	while (s->corpus.file[i].n == 0)
		i++;
	header = dedup_header(s, i, room, &before);
	header = sh_slice(header.p + before, header.n - before);
	if (sh_columns_find(
		header, sh_document_delimiter(form), s->settings->rank.name, &column, &err) < 0)
		cli_usage(s->cli, "--keep: %s", err.text);
	return column;
}

/* Returns the field of a line; empty: there is none. *number: the field may be a number. */
static struct sh_slice find_field(
    struct dedup_state *s, struct sh_slice line, size_t column, bool *number)
{
	const struct sh_document_form *form = &s->settings->docs.docs.form;
	const struct dedup_rank *rank = &s->settings->rank;
	struct sh_slice field[SH_FIELD_MAX];
	struct sh_json_value v;
	struct sh_error err;

	*number = true;
	if (form->csv) {
		if (sh_csv_field(line, sh_document_delimiter(form), column, NULL, &field[0], &err) <
		    0)
			cli_die(s->cli, &err);
		return field[0];
	}
	if (!form->json) {
		line = cli_strip(s->cli->crlf, line);
		return sh_fields_split(line, field, column + 1) <= column ? sh_slice("", 0)
									  : field[column];
	}
	if (sh_json_find(line, &rank->name, &v, 1, &err) < 0)
		cli_die(s->cli, &err);
	*number = v.kind == SH_JSON_NUMBER;
	return v.kind == SH_JSON_STRING || v.kind == SH_JSON_NUMBER ? v.text : sh_slice("", 0);
}

/* Orders better values first. Documents without a value come last, for max and for min. */
static int by_value(const void *a, const void *b, void *arg)
{
	const struct value *x = a, *y = b;
	const struct values *v = arg;
	int order;

	if (!x->n || !y->n)
		return (x->n == 0) - (y->n == 0);
	if (x->number != y->number)
		order = x->number ? -1 : 1;
	else if (x->number)
		order = x->x < y->x ? -1 : x->x > y->x;
	else
		order = sh_slice_cmp(
		    sh_slice(v->strings + x->at, x->n), sh_slice(v->strings + y->at, y->n));
	return v->largest ? -order : order;
}

/* Stores the value of a document. Copies a string: the line is valid until the next one is read. */
static void set_value(
    struct dedup_state *s, struct values *v, uint32_t document, struct sh_slice field, bool number)
{
	struct value *x = &v->all[document];
	struct sh_error err;

	*x = (struct value){ .n = (uint32_t)field.n, .document = document, .at = v->n_strings };
	x->number = number && parse_number(field, &x->x);
	if (x->number || !field.n)
		return;
	if (v->n_strings + field.n > v->cap && sh_tables_grow(&s->tables, (void **)&v->strings,
						   &v->cap, v->n_strings + field.n, 1, &err) < 0)
		cli_die(s->cli, &err);
	memcpy(v->strings + v->n_strings, field.p, field.n);
	v->n_strings += field.n;
}

static void warn_of_lacking(const struct dedup_state *s, uint32_t lacking)
{
	struct sh_error err;
	struct sh_slice name = s->settings->rank.name;

	if (lacking && lacking == s->corpus.n) {
		sh_error_set(&err, SH_ERR_RECORD, "--keep: no document has a field '%.*s'",
		    sh_shown(name, 80), name.p);
		cli_die(s->cli, &err);
	}
	if (lacking && !s->settings->quiet)
		cli_warn(s->cli, "%u document%s without field '%.*s' rank%s last (--keep)", lacking,
		    CLI_PLURAL(lacking), sh_shown(name, 80), name.p, lacking == 1 ? "s" : "");
}

/* Finds the values of all documents. Returns the number of documents without a value. */
static uint32_t find_values(struct dedup_state *s, struct values *v)
{
	struct sh_document_room room = { 0 };
	unsigned column = find_column(s, &room);
	uint32_t lacking = 0;
	struct sh_error err;

	for (uint32_t i = 0; i < s->corpus.n; i++) {
		struct sh_slice line, field;
		bool number;

		if (sh_corpus_line(&s->corpus, i, &room, &line, &err) < 0)
			cli_die(s->cli, &err);
		field = find_field(s, line, column, &number);
		set_value(s, v, i, field, number);
		lacking += field.n == 0;
	}
	sh_document_room_free(&room);
	return lacking;
}

void dedup_rank(struct dedup_state *s)
{
	struct values v = { .largest = s->settings->rank.largest };
	uint32_t n = (uint32_t)s->corpus.n, place = 0;
	struct sh_error err;

	if (!s->settings->rank.name.n || n == 0)
		return;
	v.all = sh_tables_get(&s->tables, n, sizeof *v.all, &err);
	if (!v.all)
		cli_die(s->cli, &err);
	warn_of_lacking(s, find_values(s, &v));
	qsort_r(v.all, n, sizeof *v.all, by_value, &v);
	for (uint32_t i = 0; i < n; i++) {
		place += i && by_value(&v.all[i - 1], &v.all[i], &v) != 0;
		sh_engine_set_rank(s->engine, v.all[i].document, place);
	}
	sh_tables_put(&s->tables, v.strings);
	sh_tables_put(&s->tables, v.all);
}
