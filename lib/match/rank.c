/* SPDX-License-Identifier: MIT */
#include "match/rank.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "record/escape.h"
#include "record/json.h"

enum {
	NUMBER_MAX = 1000000,      /* bytes; a longer field is a string */
	EXPONENT_MAX = 1000000000, /* a larger exponent counts as this one */
};

/* ---- the rule ---- */

int sh_rank_rule_parse(const char *text, struct sh_rank_rule *rule, struct sh_error *err)
{
	static const struct {
		const char *name;
		enum sh_rank_by by;
	} names[] = { { "first", SH_RANK_FIRST }, { "longest", SH_RANK_LONGEST },
		{ "newest", SH_RANK_NEWEST } };
	uint64_t number;

	*rule = (struct sh_rank_rule){ .by = SH_RANK_LISTED, .path = text };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(text, names[i].name) == 0)
			*rule = (struct sh_rank_rule){ .by = names[i].by };
	if (strncmp(text, "max:", 4) != 0 && strncmp(text, "min:", 4) != 0)
		return 0;
	*rule = (struct sh_rank_rule){ .by = text[1] == 'a' ? SH_RANK_LARGEST : SH_RANK_SMALLEST,
		.field = sh_slice_str(text + 4) };
	if (rule->field.n == 0)
		return sh_error_set(
		    err, SH_ERR_PARAM, "'%s': the name of the field is missing", text);
	if (sh_parse_u64(rule->field, &number) == 0 && number >= 1 && number <= SH_FIELD_MAX)
		rule->number = (unsigned)number;
	return 0;
}

int sh_rank_rule_check(
    const struct sh_rank_rule *rule, const struct sh_document_form *form, struct sh_error *err)
{
	if (!sh_rank_by_value(rule) || form->columns)
		return 0;
	if (form->json)
		return sh_json_check_path(rule->field, err);
	if (form->line_ids)
		return sh_error_set(
		    err, SH_ERR_PARAM, "with -l the whole line is text, without other fields");
	if (!rule->number)
		return sh_error_set(err, SH_ERR_PARAM,
		    "expected the number of a field, as in max:3 (--json, --csv and --header have "
		    "names)");
	return 0;
}

uint64_t sh_rank_by_rule(
    const struct sh_rank_rule *rule, uint64_t place, uint64_t length, uint32_t listed)
{
	switch (rule->by) {
	case SH_RANK_LONGEST:
		return UINT64_MAX - length;
	case SH_RANK_NEWEST:
		return UINT64_MAX - place;
	case SH_RANK_LISTED:
		return listed;
	default:
		return 0;
	}
}

/* ---- numbers ---- */

/* Parses the exponent of a number. Returns false when it is none. */
static bool parse_exponent(struct sh_slice s, int32_t *exponent)
{
	bool negative = s.n && s.p[0] == '-';
	int64_t x = 0;

	if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
		s = sh_slice(s.p + 1, s.n - 1);
	if (s.n == 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		x = x * 10 + (s.p[i] - '0');
		x = x > EXPONENT_MAX ? EXPONENT_MAX : x;
	}
	*exponent = (int32_t)(negative ? -x : x);
	return true;
}

/* Parses a decimal number, such as -12.50e3. Writes its digits to `digits`, which has room for s.n
 * bytes. Returns false for other text, such as nan, 0x10 and 1,000. */
static bool parse_number(struct sh_slice s, char *digits, struct sh_rank_value *v)
{
	bool point = false, negative;
	int32_t exponent = 0, whole = 0;
	size_t i, seen = 0, n = 0;

	/* Tables have blanks behind their delimiters. */
	for (; s.n && *s.p == ' '; s.n--)
		s.p++;
	for (; s.n && s.p[s.n - 1] == ' '; s.n--)
		;
	negative = s.n && s.p[0] == '-';
	i = s.n && (s.p[0] == '-' || s.p[0] == '+');

	if (s.n > NUMBER_MAX)
		return false;
	for (; i < s.n && s.p[i] != 'e' && s.p[i] != 'E'; i++) {
		if (s.p[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		seen++;
		if (n || s.p[i] != '0') {
			digits[n++] = s.p[i];
			whole += !point;
		} else {
			whole -= point;
		}
	}
	if (seen == 0 ||
	    (i < s.n && !parse_exponent(sh_slice(s.p + i + 1, s.n - i - 1), &exponent)))
		return false;
	while (n && digits[n - 1] == '0')
		n--;
	v->n = (uint32_t)n;
	v->sign = n == 0 ? 0 : negative ? -1 : 1;
	v->exponent = n ? whole + exponent : 0;
	return true;
}

static int compare_bytes(const char *a, size_t n, const char *b, size_t m)
{
	return sh_slice_cmp(sh_slice(a, n), sh_slice(b, m));
}

static int compare_numbers(
    const struct sh_rank_value *x, const struct sh_rank_value *y, const char *bytes)
{
	int order;

	if (x->sign != y->sign)
		return x->sign < y->sign ? -1 : 1;
	if (x->exponent != y->exponent)
		order = x->exponent < y->exponent ? -1 : 1;
	else
		order = compare_bytes(bytes + x->at, x->n, bytes + y->at, y->n);
	return x->sign < 0 ? -order : order;
}

/* ---- values ---- */

int sh_rank_values_header(struct sh_rank_values *v, struct sh_slice header, struct sh_error *err)
{
	if (!v->form->columns) {
		v->column = v->rule.number - 1;
		return 0;
	}
	return sh_columns_find(
		   header, sh_document_delimiter(v->form), v->rule.field, &v->column, err) > 0
		   ? 0
		   : -1;
}

/* Sets *text to the field of a record, which may be in v->room. text->n 0: there is none.
 * *is_string: it is no number, whatever it looks like. */
static int find_field(struct sh_rank_values *v, struct sh_slice record, struct sh_slice *text,
    bool *is_string, struct sh_error *err)
{
	struct sh_slice field[SH_FIELD_MAX];
	struct sh_json_value j;
	uint64_t halves = 0;

	*text = sh_slice("", 0);
	*is_string = false;
	v->room.n = 0;
	if (v->form->csv)
		return sh_csv_field(record, sh_document_delimiter(v->form), v->column, &v->room,
			   text, err) < 0
			   ? -1
			   : 0;
	if (!v->form->json) {
		record = v->form->crlf ? sh_without_cr(record) : record;
		if (sh_fields_split(record, field, v->column + 1) <= v->column)
			return 0;
		*text = field[v->column];
		if (!memchr(text->p, '\\', text->n))
			return 0;
		if (sh_unescape(*text, &v->room, err) < 0)
			return -1;
		*text = sh_buf_slice(&v->room);
		return 0;
	}
	if (sh_json_find(record, &v->rule.field, &j, 1, err) < 0)
		return -1;
	*is_string = j.kind == SH_JSON_STRING;
	if (*is_string || j.kind == SH_JSON_NUMBER)
		*text = j.text;
	if (!*is_string || !j.escaped)
		return 0;
	if (sh_json_unescape(j.text, &v->room, &halves, err) < 0)
		return -1;
	*text = sh_buf_slice(&v->room);
	return 0;
}

static int grow(struct sh_rank_values *v, size_t more, struct sh_error *err)
{
	if (v->n + 1 > v->cap && sh_tables_grow(v->tables, (void **)&v->value, &v->cap, v->n + 1,
				     sizeof *v->value, err) < 0)
		return -1;
	return v->bytes_n + more > v->bytes_cap ? sh_tables_grow(v->tables, (void **)&v->bytes,
						      &v->bytes_cap, v->bytes_n + more, 1, err)
						: 0;
}

int sh_rank_values_add(
    struct sh_rank_values *v, uint32_t document, struct sh_slice record, struct sh_error *err)
{
	struct sh_rank_value *x;
	struct sh_slice text;
	bool is_string;

	if (find_field(v, record, &text, &is_string, err) < 0 || grow(v, text.n, err) < 0)
		return -1;
	x = &v->value[v->n++];
	*x =
	    (struct sh_rank_value){ .document = document, .n = (uint32_t)text.n, .at = v->bytes_n };
	if (text.n == 0) {
		x->kind = SH_RANK_NOTHING;
		v->lacking++;
		return 0;
	}
	if (!is_string && parse_number(text, v->bytes + v->bytes_n, x)) {
		x->kind = SH_RANK_NUMBER;
		v->numbers++;
	} else {
		x->kind = SH_RANK_STRING;
		memcpy(v->bytes + v->bytes_n, text.p, text.n);
		v->strings++;
	}
	v->bytes_n += x->n;
	return 0;
}

/* Orders better values first. */
static int by_value(const void *a, const void *b, void *values)
{
	const struct sh_rank_value *x = a, *y = b;
	const struct sh_rank_values *v = values;
	int order;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->kind == SH_RANK_NOTHING)
		return 0;
	order = x->kind == SH_RANK_NUMBER
		    ? compare_numbers(x, y, v->bytes)
		    : compare_bytes(v->bytes + x->at, x->n, v->bytes + y->at, y->n);
	return v->rule.by == SH_RANK_LARGEST ? -order : order;
}

void sh_rank_values_finish(
    struct sh_rank_values *v, void (*set)(void *arg, uint32_t document, uint64_t rank), void *arg)
{
	uint64_t rank = 0;

	if (v->n)
		qsort_r(v->value, v->n, sizeof *v->value, by_value, v);
	for (size_t i = 0; i < v->n; i++) {
		rank += i && by_value(&v->value[i - 1], &v->value[i], v) != 0;
		set(arg, v->value[i].document, rank);
	}
}

void sh_rank_values_free(struct sh_rank_values *v)
{
	sh_tables_put(v->tables, v->value);
	sh_tables_put(v->tables, v->bytes);
	sh_buf_free(&v->room);
}

bool sh_rank_values_doubt(const struct sh_rank_values *v, char *text)
{
	uint64_t strings = v->numbers ? v->strings : 0;
	int n = 0;

	*text = '\0';
	if (v->lacking)
		n = snprintf(text, SH_RANK_TEXT, "%llu document%s without field '%.*s'",
		    (unsigned long long)v->lacking, v->lacking == 1 ? "" : "s",
		    sh_shown(v->rule.field, 40), v->rule.field.p);
	if (strings)
		n += snprintf(text + n, SH_RANK_TEXT - (size_t)n,
		    "%s%llu with a value of '%.*s' that is no number", n ? ", " : "",
		    (unsigned long long)strings, sh_shown(v->rule.field, 40), v->rule.field.p);
	if (n)
		snprintf(text + n, SH_RANK_TEXT - (size_t)n, ": rank last");
	return n > 0;
}
