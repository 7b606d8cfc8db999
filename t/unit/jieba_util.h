/* SPDX-License-Identifier: MIT */
/* Functions for the tests of the Chinese segmenter: the compiled data of jieba, and rows of
 * t/vectors. The data come from the Debian package python3-jieba or from the folder $JIEBA_DATA. */
#ifndef JIEBA_UTIL_H
#define JIEBA_UTIL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "segment/jieba.h"
#include "segment/jieba_compile.h"
#include "text_util.h"

static inline struct sh_buf jieba_data(const char *name)
{
	const char *dir = getenv("JIEBA_DATA");
	char path[4096];

	snprintf(
	    path, sizeof path, "%s/%s", dir ? dir : "/usr/lib/python3/dist-packages/jieba", name);
	return slurp_path(path);
}

/* Returns the compiled image, with the words of dict when it is not NULL. The image is empty when
 * the data of jieba are missing. */
static inline struct sh_buf jieba_image(const char *dict)
{
	struct sh_buf words = { 0 }, start = jieba_data("finalseg/prob_start.py");
	struct sh_buf trans = jieba_data("finalseg/prob_trans.py");
	struct sh_buf emit = jieba_data("finalseg/prob_emit.py"), image = { 0 };
	struct sh_jieba_source src;
	struct sh_error err;

	if (!dict)
		words = jieba_data("dict.txt");
	src = (struct sh_jieba_source){ dict ? sh_slice_str(dict) : sh_buf_slice(&words),
		sh_buf_slice(&start), sh_buf_slice(&trans), sh_buf_slice(&emit) };
	if (src.dict.n && start.n && sh_jieba_compile(&src, &image, &err) < 0) {
		printf("# %s\n", err.text);
		must(0);
	}
	sh_buf_free(&words);
	sh_buf_free(&start);
	sh_buf_free(&trans);
	sh_buf_free(&emit);
	return image;
}

/* A small dictionary, which compiles quickly. */
static const char small_dict[] = "中 100\n中国 50 ns\n中国人 7\n国人 9\n人民 30\n人 80\n的 999\n"
				 "AT&T 3\nT恤 4\nc++ 3\n大学 5\n大学生 6\n大学生活 1\n生活 8\n";

/* ---- vectors ---- */

enum { FIELDS_MAX = 4096 };

struct row {
	struct sh_buf text; /* the bytes of the fields */
	struct sh_slice field[FIELDS_MAX];
	size_t n;
};

static inline char unescape(char c)
{
	return c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c == '0' ? '\0' : c;
}

/* Reads the next row of a file from slurp_path(), with escapes decoded. Returns 0 at the end. */
static inline int next_row(const char **p, const char *end, struct row *r)
{
	struct sh_error err;
	size_t from = 0;

	r->text.n = r->n = 0;
	if (*p == end)
		return 0;
	must(sh_buf_reserve(&r->text, (size_t)(end - *p) + 1, &err) == 0);
	for (;; (*p)++) {
		if (*p == end || **p == '\n' || **p == '\t') {
			must(r->n < FIELDS_MAX);
			r->field[r->n++] = sh_slice(r->text.p + from, r->text.n - from);
			r->text.p[r->text.n++] = '\0'; /* for strtod() */
			from = r->text.n;
			if (*p == end)
				return 1;
			if (*(*p)++ == '\n')
				return 1;
			(*p)--;
		} else if (**p == '\\' && end - *p > 1) {
			r->text.p[r->text.n++] = unescape(*++*p);
		} else {
			r->text.p[r->text.n++] = **p;
		}
	}
}

static inline int same_words(
    const struct sh_slice *a, size_t n_a, const struct sh_slice *b, size_t n_b)
{
	size_t i = 0;

	while (i < n_a && i < n_b && sh_slice_eq(a[i], b[i]))
		i++;
	return n_a == n_b && i == n_a;
}

#endif
