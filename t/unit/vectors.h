/* SPDX-License-Identifier: MIT */
/* Reads tables of t/vectors. */
#ifndef VECTORS_H
#define VECTORS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

enum { VEC_FIELDS = 64 };

/* The fields of a row, as in the file. Missing fields are "". */
struct vec_row {
	char *f[VEC_FIELDS];
	size_t n;
};

struct vec_table {
	struct vec_row *row;
	size_t n;
};

/* Keeps every block until the end of the program, so that a leak checker reports none. */
static inline void *vec_need(void *p)
{
	static void **kept;
	static size_t n;

	if (p && n % 1024 == 0)
		kept = realloc(kept, (n + 1024) * sizeof *kept);
	if (!p || !kept) {
		perror("vectors");
		exit(1);
	}
	kept[n++] = p;
	return p;
}

static inline const char *vec_path(const char *name)
{
	static char path[4096];
	const char *data = getenv("T_DATA");

	snprintf(path, sizeof path, "%s/../vectors/%s", data ? data : "t/data", name);
	return path;
}

/* Reads the rows of the file, except the first line, which names the columns. */
static inline struct vec_table vec_load(const char *name)
{
	struct vec_table t = { 0 };
	FILE *f = vec_need(fopen(vec_path(name), "r"));
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	bool first = true;

	while ((len = getline(&line, &cap, f)) > 0) {
		char *rest = line, *field;
		struct vec_row r = { 0 };

		if (line[len - 1] == '\n')
			line[len - 1] = '\0';
		if (first) {
			first = false;
			continue;
		}
		rest = vec_need(strdup(line));
		while ((field = strsep(&rest, "\t")) && r.n < VEC_FIELDS)
			r.f[r.n++] = field;
		for (size_t i = r.n; i < VEC_FIELDS; i++)
			r.f[i] = (char *)(uintptr_t) "";
		t.row = vec_need(realloc(t.row, (t.n + 1) * sizeof *t.row));
		t.row[t.n++] = r;
	}
	free(line);
	fclose(f);
	return t;
}

#endif
