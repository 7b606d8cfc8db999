/* SPDX-License-Identifier: MIT */
#include "weight/idf.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/real.h"
#include "io/lines.h"
#include "unicode/utf8.h"

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

static int add_line(struct sh_idf_table *t, struct sh_slice line, struct sh_error *err)
{
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
	int64_t *sorted;

	if (n == 0)
		return 0;
	sorted = malloc(n * sizeof *sorted);
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
	char *const names[] = { (char *)(uintptr_t)name };
	struct sh_lines lines;
	struct sh_slice line;
	int got;

	*t = (struct sh_idf_table){ 0 };
	if (sh_hmap_init(&t->features, err) < 0)
		return -1;
	sh_lines_init(&lines, names, 1);
	while ((got = sh_lines_next(&lines, &line, err)) > 0) {
		/* A byte order mark is dropped, as in documents: no text has it
		 * in the first feature. */
		if (lines.starts_file)
			line = sh_utf8_skip_bom(line);
		if (add_line(t, line, err) < 0) {
			got = sh_lines_blame(&lines, err);
			err->file = name;
			break;
		}
	}
	sh_lines_free(&lines);
	if (got == 0 && t->features.n == 0) {
		sh_error_set(err, SH_ERR_RECORD, "empty: expected lines feature<TAB>idf");
		err->file = name;
		return -1;
	}
	if (t->lines)
		t->real_mean /= (double)t->lines;
	return got < 0 ? -1 : find_median(t, err);
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
