/* SPDX-License-Identifier: MIT */
#include "ingest/warc.h"

#include "base/num.h"
#include "ingest/header.h"
#include "unicode/utf8.h"

enum {
	LINE_MAX_BYTES = 64 * 1024,
	HEAD_MAX_BYTES = 1024 * 1024,
};

void sh_warc_free(struct sh_warc *w)
{
	sh_buf_free(&w->head);
}

struct sh_slice sh_warc_field(const struct sh_warc *w, const char *name)
{
	struct sh_slice v = { "", 0 };

	if (!sh_header_find(sh_buf_slice(&w->head), name, &v))
		return sh_slice("", 0);
	if (v.n >= 2 && v.p[0] == '<' && v.p[v.n - 1] == '>')
		v = sh_slice(v.p + 1, v.n - 2);
	return v;
}

static int broken(const struct sh_warc *w, const char *what, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_IO,
	    "WARC: the record at byte %llu: %s; what follows cannot be read",
	    (unsigned long long)w->at, what);
}

/* A lone CR is a CR LF that the end of the file cut. */
static bool is_empty(struct sh_slice line)
{
	return (line.n == 1 && (line.p[0] == '\n' || line.p[0] == '\r')) ||
	       (line.n == 2 && memcmp(line.p, "\r\n", 2) == 0);
}

/* Skips the block of the previous record, and the empty lines behind it. */
static int skip_rest(struct sh_reader *r, struct sh_warc *w, struct sh_error *err)
{
	struct sh_slice line;
	uint64_t skipped;
	int got;

	if (w->unread) {
		if (sh_reader_skip(r, w->length, &skipped, err) < 0)
			return -1;
		if (skipped < w->length)
			return broken(w, "the file ends within it", err);
		w->unread = false;
	}
	while ((got = sh_reader_line(r, 0, LINE_MAX_BYTES, &line, err)) > 0) {
		size_t mark = r->offset ? 0 : line.n - sh_utf8_skip_bom(line).n;

		if (sh_trim(sh_slice(line.p + mark, line.n - mark)).n)
			line.n = mark;
		if (line.n == 0)
			break;
		sh_reader_consume(r, line.n);
	}
	return got;
}

static int read_head(struct sh_reader *r, struct sh_warc *w, struct sh_error *err)
{
	struct sh_slice line;
	size_t n = 0;
	int got;

	w->head.n = 0;
	do {
		got = sh_reader_line(r, n, LINE_MAX_BYTES, &line, err);
		if (got < 0)
			return -1;
		if (n == 0 && (line.n < 6 || memcmp(line.p, "WARC/", 5) != 0))
			return broken(
			    w, "expected WARC/ (perhaps the Content-Length before is wrong)", err);
		if (got == 0)
			return broken(w, "the file ends within its head", err);
		n += line.n;
		if (line.n == LINE_MAX_BYTES || n > HEAD_MAX_BYTES)
			return broken(w, "its head is too long", err);
	} while (!is_empty(line));
	if (sh_buf_add(&w->head, sh_reader_ready(r).p, n, err) < 0)
		return -1;
	sh_reader_consume(r, n);
	return 0;
}

int sh_warc_next(struct sh_reader *r, struct sh_warc *w, struct sh_error *err)
{
	struct sh_slice length;
	int got = skip_rest(r, w, err);

	if (got <= 0)
		return got;
	w->at = r->offset;
	if (read_head(r, w, err) < 0)
		return -1;
	length = sh_warc_field(w, "Content-Length");
	if (length.n == 0 || sh_parse_u64(length, &w->length) < 0)
		return broken(w, "its Content-Length is missing, or no number", err);
	w->unread = true;
	return 1;
}

int sh_warc_resume(struct sh_reader *r, struct sh_warc *w, struct sh_error *err)
{
	struct sh_slice line;
	bool whole = true;
	int got;

	w->unread = false;
	while ((got = sh_reader_line(r, 0, LINE_MAX_BYTES, &line, err)) > 0) {
		/* A record that is broken begins with such a line, too. */
		if (whole && r->offset != w->at && line.n > 6 && memcmp(line.p, "WARC/", 5) == 0 &&
		    line.p[5] >= '0' && line.p[5] <= '9')
			return 1;
		whole = line.p[line.n - 1] == '\n';
		sh_reader_consume(r, line.n);
	}
	return got;
}

int sh_warc_peek(struct sh_reader *r, const struct sh_warc *w, size_t n, struct sh_slice *start,
    struct sh_error *err)
{
	if (n > w->length)
		n = (size_t)w->length;
	if (sh_reader_need(r, n, err) < 0)
		return -1;
	*start = sh_reader_ready(r);
	if (start->n < n)
		return broken(w, "the file ends within it", err);
	start->n = n;
	return 0;
}
