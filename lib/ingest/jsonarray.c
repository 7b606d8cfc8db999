/* SPDX-License-Identifier: MIT */
/* Reads the documents of one array of JSON objects, on any number of lines. */
#include "ingest/forms.h"
#include "ingest/jsonscan.h"

static int broken(const struct sh_reader *r, const char *expected, struct sh_error *err)
{
	if (sh_reader_ready(r).n == 0)
		sh_error_set(err, SH_ERR_RECORD,
		    "the file ends within its JSON array, expected %s: it is cut short", expected);
	else
		sh_error_set(err, SH_ERR_RECORD, "JSON array: expected %s", expected);
	err->line = r->line;
	return -1;
}

static void consume(struct sh_reader *r, size_t n)
{
	const char *p = sh_reader_ready(r).p;

	for (size_t i = 0; i < n; i++)
		r->line += p[i] == '\n';
	sh_reader_consume(r, n);
}

/* Skips white space. Sets *c to the next byte, 0 at the end of the input. */
static int next_byte(struct sh_reader *r, char *c, struct sh_error *err)
{
	for (;;) {
		if (sh_reader_need(r, 1, err) < 0)
			return -1;
		*c = sh_reader_ready(r).n ? *sh_reader_ready(r).p : 0;
		if (!*c || !strchr(" \t\r\n", *c))
			return 0;
		consume(r, 1);
	}
}

/* Reads the object that begins at the next byte, as a record. */
static int read_object(struct sh_ingest *in, struct sh_reader *r, struct sh_slice file,
    uint64_t number, struct sh_error *err)
{
	struct sh_slice s = sh_reader_ready(r);
	struct sh_json_scan scan = { 0 };
	size_t had = 0, n;

	/* One read at a time: an object that is complete is used even if a later read fails. */
	while ((n = sh_json_scan(&scan, s)) == 0 && s.n <= in->max_size && s.n > had) {
		had = s.n;
		if (sh_reader_need(r, had + 1, err) < 0)
			return -1;
		s = sh_reader_ready(r);
	}
	if (n == 0 && s.n <= in->max_size) {
		consume(r, s.n);
		return broken(r, "the end of an object", err);
	}
	if (n == 0 || n > in->max_size) {
		sh_error_set(err, SH_ERR_RECORD,
		    "an object of the JSON array is longer than %zu bytes (--max-size SIZE allows "
		    "more)",
		    in->max_size);
		err->line = r->line;
		return -1;
	}
	s.n = n;
	if (sh_ingest_json(in, s, file, number, err) < 0) {
		err->line = r->line;
		if (sh_ingest_bad(in, r, s, err) < 0)
			return -1;
	}
	consume(r, n);
	return 0;
}

/* Reads objects and the commas between them, with the closing bracket. */
static int read_objects(
    struct sh_ingest *in, struct sh_reader *r, struct sh_slice file, struct sh_error *err)
{
	uint64_t number = 0;
	char c;

	if (next_byte(r, &c, err) < 0)
		return -1;
	while (c != ']') {
		if (c != '{')
			return broken(r, "an object", err);
		if (read_object(in, r, file, ++number, err) < 0 || next_byte(r, &c, err) < 0)
			return -1;
		if (c == ']')
			break;
		if (c != ',')
			return broken(r, "a comma or ]", err);
		consume(r, 1);
		if (next_byte(r, &c, err) < 0)
			return -1;
		if (c == ']')
			return broken(r, "an object", err);
	}
	consume(r, 1);
	return 0;
}

int sh_ingest_json_array(
    struct sh_ingest *in, struct sh_reader *r, struct sh_slice file, struct sh_error *err)
{
	char c;

	if (next_byte(r, &c, err) < 0)
		return -1;
	consume(r, 1);
	if (read_objects(in, r, file, err) < 0 || next_byte(r, &c, err) < 0)
		return -1;
	return sh_reader_ready(r).n ? broken(r, "nothing behind it", err) : 0;
}
