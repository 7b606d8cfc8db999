/* SPDX-License-Identifier: MIT */
#include "weight/df.h"

#include <stdlib.h>

#include "base/merge.h"
#include "base/num.h"
#include "base/wide.h"
#include "io/source.h"
#include "record/fields.h"
#include "unicode/utf8.h"

/* ---- bounds ---- */

int sh_df_limit_parse(const char *text, struct sh_df_limit *limit, struct sh_error *err)
{
	struct sh_slice s = sh_slice_str(text);
	bool percent = s.n && s.p[s.n - 1] == '%';
	int64_t unit = percent ? 1 : 100; /* of millionths, in units of 1 / SH_DF_ALL */
	int64_t parts;

	if (!percent && sh_parse_count(s, &limit->n) == 0) {
		limit->given = true;
		limit->share = false;
		return 0;
	}
	s.n -= percent;
	if (sh_parse_millionths(s, &parts) < 0 || parts > SH_DF_ALL / unit)
		return sh_error_set(err, SH_ERR_PARAM,
		    "document frequency '%s': expected a number of documents, or a share of them "
		    "such "
		    "as 0.5 or 50%%",
		    text);
	limit->given = limit->share = true;
	limit->n = (uint64_t)(parts * unit);
	return 0;
}

/* Stores df and the bound as numbers that can be compared exactly. A share is a share of all
 * documents. */
static void scale(const struct sh_df_limit *limit, uint64_t df, uint64_t documents,
    struct sh_wide *is, struct sh_wide *bound)
{
	*is = limit->share ? sh_wide_mul(df, SH_DF_ALL) : sh_wide(df);
	*bound = limit->share ? sh_wide_mul(limit->n, documents) : sh_wide(limit->n);
}

bool sh_df_limits_agree(const struct sh_df_limit *min, const struct sh_df_limit *max)
{
	return !min->given || !max->given || min->share != max->share || min->n <= max->n;
}

bool sh_df_within(
    const struct sh_df_limit *min, const struct sh_df_limit *max, uint64_t df, uint64_t documents)
{
	struct sh_wide is, bound;

	scale(min, df, documents, &is, &bound);
	if (min->given && sh_wide_less(is, bound))
		return false;
	scale(max, df, documents, &is, &bound);
	return !max->given || !sh_wide_less(bound, is);
}

/* ---- a table in memory ---- */

static int table_add(struct sh_df_table *t, const struct sh_df_record *r, struct sh_error *err)
{
	uint32_t i;
	bool fresh;

	if (r->text.n == 0 && !t->whole) {
		t->documents = r->df;
		t->words = r->words;
		t->whole = true;
		return 0;
	}
	if (r->text.n == 0)
		return sh_error_set(err, SH_ERR_RECORD,
		    "the number of documents occurs twice in the table (shdf -m adds up tables)");
	if (sh_hmap_put(&t->features, r->text, &i, &fresh, err) < 0)
		return -1;
	if (!fresh)
		return sh_error_set(err, SH_ERR_RECORD,
		    "the feature occurs twice in the table (shdf -m adds up tables)");
	if (SH_RESERVE(t->df, t->cap, (size_t)i + 1, err) < 0)
		return -1;
	t->df[i] = r->df;
	return 0;
}

/* Checks that a feature is in at least one document and at most in all. */
static int check_df(uint64_t df, uint64_t documents, struct sh_error *err)
{
	if (df >= 1 && df <= documents)
		return 0;
	return sh_error_set(err, SH_ERR_RECORD,
	    "a document frequency of %llu in %llu documents: not a complete table: its first line "
	    "must be <TAB>documents (shdf writes tables)",
	    (unsigned long long)df, (unsigned long long)documents);
}

/* Checks a table after its last line: the line with the number of documents may be anywhere. */
static int table_check(const struct sh_df_table *t, struct sh_error *err)
{
	int status = 0;

	if (!t->whole && t->features.n == 0)
		status = sh_error_set(err, SH_ERR_RECORD,
		    "empty: a table must begin with the line <TAB>documents (shdf writes tables)");
	for (uint32_t i = 0; status == 0 && i < t->features.n; i++)
		status = check_df(t->df[i], t->documents, err);
	if (status < 0)
		err->file = t->name;
	return status;
}

static int read_df(void *table, struct sh_slice line, struct sh_error *err)
{
	struct sh_df_record r;

	return sh_record_df(line, &r, err) < 0 ? -1 : table_add(table, &r, err);
}

/* Calls add() for the lines of a file. */
static int load(const char *name, bool trailer,
    int (*add)(void *table, struct sh_slice line, struct sh_error *err), void *table,
    struct sh_error *err)
{
	char *const names[] = { (char *)(uintptr_t)name };
	struct sh_lines lines;
	struct sh_slice line;
	int got;

	sh_lines_init(&lines, names, 1);
	lines.source.trailer = trailer;
	lines.source.crlf = true; /* tables may have either line end */
	while ((got = sh_lines_next(&lines, &line, err)) > 0) {
		if (add(table, line, err) < 0) {
			got = sh_lines_blame(&lines, err);
			err->file = name;
			break;
		}
	}
	sh_lines_free(&lines);
	return got;
}

int sh_df_table_load(struct sh_df_table *t, const char *name, bool trailer, struct sh_error *err)
{
	*t = (struct sh_df_table){ .name = name };
	if (sh_hmap_init(&t->features, err) < 0 || load(name, trailer, read_df, t, err) < 0)
		return -1;
	return table_check(t, err);
}

void sh_df_table_free(struct sh_df_table *t)
{
	sh_hmap_free(&t->features);
	free(t->df);
}

uint64_t sh_df_lookup(const struct sh_df_table *t, struct sh_slice feature)
{
	uint32_t i;

	return sh_hmap_find(&t->features, feature, &i) ? t->df[i] : 0;
}

/* ---- a table of idf values ---- */

/* Converts a number that sh_parse_rounded() has accepted. Reads only SH_REAL_CHARS characters: the
 * rest changes no double. */
static double to_double(struct sh_slice s)
{
	double x = 0;

	if (s.n > SH_REAL_CHARS)
		s.n = SH_REAL_CHARS;
	sh_parse_real(s, &x);
	return x;
}

static int read_idf(void *table, struct sh_slice line, struct sh_error *err)
{
	struct sh_idf_table *t = table;
	int64_t idf;
	size_t at;
	uint32_t i;

	line = sh_without_cr(line);
	/* cppjieba skips an empty line, but counts the line for the mean. */
	if (line.n == 0) {
		t->lines++;
		return 0;
	}
	at = line.n;
	while (at > 0 && line.p[at - 1] != ' ' && line.p[at - 1] != '\t')
		at--;
	if (at < 2 || sh_parse_rounded(sh_slice(line.p + at, line.n - at), &idf) < 0)
		return sh_error_set(
		    err, SH_ERR_RECORD, "expected feature<TAB>idf, or with a blank");
	if (sh_hmap_put(&t->features, sh_slice(line.p, at - 1), &i, NULL, err) < 0)
		return -1;
	t->ill_formed = t->ill_formed || !sh_utf8_valid(line.p, at - 1);
	if (SH_RESERVE(t->idf, t->cap, (size_t)i + 1, err) < 0 ||
	    SH_RESERVE(t->real, t->real_cap, (size_t)i + 1, err) < 0)
		return -1;
	/* The last line of a feature is used, as in the programs that make these tables. */
	t->idf[i] = idf;
	t->real[i] = to_double(sh_slice(line.p + at, line.n - at));
	t->real_mean += t->real[i];
	t->lines++;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int find_median(struct sh_idf_table *t, struct sh_error *err)
{
	size_t n = t->features.n;
	int64_t *sorted = malloc(n * sizeof *sorted);

	if (!sorted)
		return sh_error_nomem(err);
	memcpy(sorted, t->idf, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_value);
	t->median = sorted[n / 2];
	free(sorted);
	return 0;
}

int sh_idf_table_load(struct sh_idf_table *t, const char *name, struct sh_error *err)
{
	*t = (struct sh_idf_table){ 0 };
	if (sh_hmap_init(&t->features, err) < 0 || load(name, false, read_idf, t, err) < 0)
		return -1;
	if (t->features.n == 0) {
		sh_error_set(err, SH_ERR_RECORD, "empty: expected lines feature<TAB>idf");
		err->file = name;
		return -1;
	}
	t->real_mean /= (double)t->lines;
	return find_median(t, err);
}

void sh_idf_table_free(struct sh_idf_table *t)
{
	sh_hmap_free(&t->features);
	free(t->idf);
	free(t->real);
}

int64_t sh_idf_lookup(const struct sh_idf_table *t, struct sh_slice feature, int64_t absent)
{
	uint32_t i;

	return sh_hmap_find(&t->features, feature, &i) ? t->idf[i] : absent;
}

double sh_idf_real(const struct sh_idf_table *t, struct sh_slice feature, double absent)
{
	uint32_t i;

	return sh_hmap_find(&t->features, feature, &i) ? t->real[i] : absent;
}

/* ---- tables summed ---- */

struct table {
	struct sh_lines lines;
	struct sh_df_record record;
	uint64_t documents, words;
	struct sh_buf last; /* the last feature, to check the order */
	bool begun;
};

struct summing {
	struct table *table;
	sh_df_read *read;
	void *arg;  /* of read */
	bool words; /* tables with different numbers of words are refused */
};

/* Checks the first line of table i. All known numbers of words must be equal. */
static int begin_table(struct summing *s, size_t i, struct sh_error *err)
{
	struct table *t = &s->table[i];

	if (t->record.text.n) {
		sh_error_set(
		    err, SH_ERR_RECORD, "the first line of a table is <TAB>number of documents");
		return sh_lines_blame(&t->lines, err);
	}
	t->begun = true;
	t->documents = t->record.df;
	t->words = t->record.words;
	for (size_t j = 0; s->words && t->words && j < i; j++) {
		const struct table *u = &s->table[j];

		if (u->words == 0 || u->words == t->words)
			continue;
		sh_error_set(err, SH_ERR_PARAM,
		    "a table of features of up to %llu words, but %s has features of up to %llu "
		    "words: they were not counted with the same -n (--bare sums them)",
		    (unsigned long long)t->words, u->lines.from.file, (unsigned long long)u->words);
		err->file = t->lines.from.file;
		return -1;
	}
	return 0;
}

static int table_next(void *arg, size_t i, struct sh_slice *key, struct sh_error *err)
{
	struct summing *s = arg;
	struct table *t = &s->table[i];
	struct sh_slice line;
	bool at_end = sh_lines_at_end(&t->lines);
	int got = sh_lines_next(&t->lines, &line, err);

	if (got <= 0)
		return got;
	if (at_end && s->read)
		s->read(s->arg, t->lines.chunk.n, t->lines.from.lines);
	if (sh_record_df(line, &t->record, err) < 0)
		return sh_lines_blame(&t->lines, err);
	*key = t->record.text;
	if (!t->begun)
		return begin_table(s, i, err) < 0 ? -1 : 1;
	if (sh_slice_cmp(*key, sh_buf_slice(&t->last)) <= 0)
		sh_error_set(err, SH_ERR_RECORD,
		    "the table is not sorted (LC_ALL=C sort), or repeats a feature");
	else if (check_df(t->record.df, t->documents, err) == 0) {
		t->last.n = 0;
		return sh_buf_add(&t->last, key->p, key->n, err) < 0 ? -1 : 1;
	}
	return sh_lines_blame(&t->lines, err);
}

static int merge_tables(
    struct summing *s, size_t n, sh_df_emit *emit, uint64_t *words, struct sh_error *err)
{
	struct sh_merge m = { .next = table_next, .arg = s };
	struct sh_buf feature = { 0 }; /* at first the empty one, which begins all tables */
	uint64_t df = 0;
	size_t top;
	int status = sh_merge_init(&m, n, err);

	for (size_t i = 0; s->words && i < n; i++)
		*words = s->table[i].words > *words ? s->table[i].words : *words;
	while (status == 0 && sh_merge_top(&m, &top)) {
		const struct sh_df_record *r = &s->table[top].record;

		if (!sh_slice_eq(r->text, sh_buf_slice(&feature))) {
			status = emit(s->arg, sh_buf_slice(&feature), df, err);
			df = 0;
			feature.n = 0;
			if (status == 0)
				status = sh_buf_add(&feature, r->text.p, r->text.n, err);
		}
		if (__builtin_add_overflow(df, r->df, &df)) {
			sh_error_set(err, SH_ERR_RANGE, "the document frequencies overflow");
			status = sh_lines_blame(&s->table[top].lines, err);
		}
		if (status == 0)
			status = sh_merge_pop(&m, err);
	}
	/* No input at all is a table of 0 documents. */
	if (status == 0)
		status = emit(s->arg, sh_buf_slice(&feature), df, err);
	sh_merge_free(&m);
	sh_buf_free(&feature);
	return status;
}

int sh_df_merge(char *const *names, size_t n, bool trailer, sh_df_emit *emit, sh_df_read *read,
    void *arg, uint64_t *words, struct sh_error *err)
{
	size_t inputs = n ? n : 1; /* no names: standard input */
	struct summing s = { calloc(inputs, sizeof *s.table), read, arg, words != NULL };
	int status;

	if (!s.table)
		return sh_error_nomem(err);
	for (size_t i = 0; i < inputs; i++) {
		sh_lines_init(&s.table[i].lines, names + i, n ? 1 : 0);
		s.table[i].lines.source.trailer = trailer;
		s.table[i].lines.source.crlf = true;
	}
	if (words)
		*words = 0;
	status = merge_tables(&s, inputs, emit, words, err);
	for (size_t i = 0; i < inputs; i++) {
		sh_lines_free(&s.table[i].lines);
		sh_buf_free(&s.table[i].last);
	}
	free(s.table);
	return status;
}
