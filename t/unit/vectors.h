/* SPDX-License-Identifier: MIT */
/* Tests with published vectors: reads tables of t/vectors, and runs programs over them. */
#ifndef VECTORS_H
#define VECTORS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Writes a text as in a record: \0 of the vectors becomes the byte NUL. */
static inline void vec_put_text(FILE *f, const char *text)
{
	for (const char *p = text; *p; p++) {
		if (*p == '\\' && p[1] == '0') {
			putc(0, f);
			p++;
		} else {
			putc(*p, f);
			if (*p == '\\' && p[1])
				putc(*++p, f);
		}
	}
}

/* Returns the text as bytes, with escapes decoded. */
static inline char *vec_bytes(const char *text, size_t *n)
{
	char *out = vec_need(malloc(strlen(text) + 1));

	*n = 0;
	for (const char *p = text; *p; p++) {
		char c = *p;

		if (c == '\\' && p[1])
			switch (*++p) {
			case 't':
				c = '\t';
				break;
			case 'n':
				c = '\n';
				break;
			case 'r':
				c = '\r';
				break;
			case '0':
				c = '\0';
				break;
			default:
				c = *p;
			}
		out[(*n)++] = c;
	}
	out[*n] = '\0';
	return out;
}

static inline char *vec_unhex(const char *hex, size_t *n)
{
	char *out = vec_need(malloc(strlen(hex) / 2 + 1));

	for (*n = 0; hex[0] && hex[1]; hex += 2) {
		char two[3] = { hex[0], hex[1], 0 };

		out[(*n)++] = (char)strtol(two, NULL, 16);
	}
	return out;
}

/* Returns the bytes of hexadecimal digits as a text of the vectors. */
static inline char *vec_escape_hex(const char *hex)
{
	static const char plain[] = "\t\n\r\\", letters[] = "tnr\\0";
	size_t n, at = 0;
	char *bytes = vec_unhex(hex, &n), *text = vec_need(malloc(2 * n + 1));

	for (size_t i = 0; i < n; i++) {
		/* strchr() finds NUL at the end of the string. */
		const char *special = strchr(plain, bytes[i]);

		if (special)
			text[at++] = '\\';
		text[at++] = special ? letters[special - plain] : bytes[i];
	}
	text[at] = '\0';
	return text;
}

/* Opens a temporary file for the input of the programs. */
static inline FILE *vec_input(char name[32])
{
	int fd;

	strcpy(name, "/tmp/simhash-vec.XXXXXX");
	fd = mkstemp(name);
	if (fd < 0)
		vec_need(NULL);
	return vec_need(fdopen(fd, "w"));
}

/* Runs a pipeline over the file. got[i] becomes the first field of the record with id i. */
static inline void vec_run(const char *command, const char *file, char **got, size_t n)
{
	char shell[8192], *line = NULL, *id;
	size_t cap = 0;
	FILE *f;

	snprintf(
	    shell, sizeof shell, "PATH=\"$SHBIN:$PATH\"; export PATH; cat %s | %s", file, command);
	fflush(stdout);
	f = vec_need(popen(shell, "r"));
	while (getline(&line, &cap, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		id = strchr(line, '\t');
		if (!id)
			continue;
		*id++ = '\0';
		if (strtoul(id, NULL, 10) < n)
			got[strtoul(id, NULL, 10)] = vec_need(strdup(line));
	}
	free(line);
	if (pclose(f) != 0)
		printf("# failed: %s\n", command);
}

/* Makes a test of each row: the pipeline computes column `want` from column `text`. Skips rows
 * whose `want` is "-" or ERROR..., and rows that `only` rejects. */
static inline void vec_check(const char *what, const struct vec_table *t, unsigned text,
    unsigned want, const char *command, bool (*only)(const struct vec_row *row))
{
	char **got = vec_need(calloc(t->n + 1, sizeof *got)), name[32];
	FILE *f = vec_input(name);

	for (size_t i = 0; i < t->n; i++) {
		fprintf(f, "%zu\t", i);
		vec_put_text(f, t->row[i].f[text]);
		putc('\n', f);
	}
	fclose(f);
	vec_run(command, name, got, t->n);
	unlink(name);
	for (size_t i = 0; i < t->n; i++) {
		const char *right = t->row[i].f[want];

		if (strcmp(right, "-") == 0 || strncmp(right, "ERROR", 5) == 0 ||
		    (only && !only(&t->row[i])))
			continue;
		ok(got[i] && strcmp(got[i], right) == 0, "%s row %zu: %s", what, i + 2, right);
		if (!got[i] || strcmp(got[i], right) != 0)
			printf("# got %s by: %s\n", got[i] ? got[i] : "nothing", command);
	}
}

/* Checks the rows with shfp of documents, and with shtok | shweight | shfp. */
static inline void vec_check_both(const char *what, const struct vec_table *t, unsigned text,
    unsigned want, const char *profile, const char *options,
    bool (*only)(const struct vec_row *row))
{
	char command[512];

	snprintf(command, sizeof command, "shfp -p %s %s", profile, options);
	vec_check(what, t, text, want, command, only);
	snprintf(command, sizeof command, "shtok -p %s | shweight -p %s | shfp -p %s %s", profile,
	    profile, profile, options);
	vec_check(what, t, text, want, command, only);
}

#endif
