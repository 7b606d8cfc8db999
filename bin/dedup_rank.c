/* --keep=max:FIELD and min:FIELD: ranks documents by a number or a string in their records. */
#include <errno.h>
#include <stdlib.h>

#include "dedup.h"
#include "record/json.h"
#include "unicode/utf8.h"

/* The value of one document. Numbers come before strings. */
struct value {
	const char *p; /* the value, in the line */
	uint32_t n;    /* bytes; 0: there is no value */
	uint32_t document;
	bool number;
	double x;
};

enum { NUMBER_MAX = 64 };

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

void dedup_rank_settle(struct cli *c, const struct dedup_settings *s)
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

/* Parses a number without blanks around it. Refuses nan, inf and hexadecimal numbers. */
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

/* Finds the column by its name, or by its number when there is no header. */
static unsigned find_column(struct dedup_state *s)
{
	const struct sh_document_form *form = &s->settings->docs.docs.form;
	struct sh_error err = { 0 };
	unsigned column = 0;
	size_t i = 0;

	if (!form->columns)
		return s->settings->rank.field - 1;
	while (s->corpus.file[i].map.n == 0)
		i++;
	if (sh_columns_find(sh_utf8_skip_bom(dedup_header(s, i)), form->csv, s->settings->rank.name,
		&column, &err) < 0)
		cli_usage(s->cli, "--keep: %s", err.text);
	return column;
}

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
		if (sh_csv_field(line, column, NULL, &field[0], &err) < 0)
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
	const struct dedup_rank *rank = arg;
	int order;

	if (!x->n || !y->n)
		return (x->n == 0) - (y->n == 0);
	if (x->number != y->number)
		order = x->number ? -1 : 1;
	else if (x->number)
		order = x->x < y->x ? -1 : x->x > y->x;
	else
		order = sh_slice_cmp(sh_slice(x->p, x->n), sh_slice(y->p, y->n));
	return rank->largest ? -order : order;
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
		cli_warn(s->cli,
		    "%u document%s without field '%.*s' stay%s only for each other (--keep)",
		    lacking, CLI_PLURAL(lacking), sh_shown(name, 80), name.p,
		    lacking == 1 ? "s" : "");
}

void dedup_rank(struct dedup_state *s)
{
	struct dedup_rank rank = s->settings->rank;
	uint32_t n = (uint32_t)s->corpus.n, lacking = 0, place = 0;
	unsigned column;
	struct value *all;
	struct sh_error err;

	if (!rank.name.n || n == 0)
		return;
	all = sh_tables_get(&s->tables, n, sizeof *all, &err);
	if (!all)
		cli_die(s->cli, &err);
	column = find_column(s);
	for (uint32_t i = 0; i < n; i++) {
		bool number;
		struct sh_slice field =
		    find_field(s, sh_corpus_line(&s->corpus, i), column, &number);

		all[i] = (struct value){ .p = field.p, .n = (uint32_t)field.n, .document = i };
		all[i].number = number && parse_number(field, &all[i].x);
		lacking += field.n == 0;
	}
	warn_of_lacking(s, lacking);
	qsort_r(all, n, sizeof *all, by_value, &rank);
	for (uint32_t i = 0; i < n; i++) {
		place += i && by_value(&all[i - 1], &all[i], &rank) != 0;
		sh_dedup_set_rank(s->dedup, all[i].document, place);
	}
	sh_tables_put(&s->tables, all);
}
