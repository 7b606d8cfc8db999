/* SPDX-License-Identifier: MIT */
#include "ingest/warc.h"

#include <stdio.h>

#include "base/num.h"
#include "ingest/header.h"
#include "ingest/http.h"
#include "ingest/ingest.h"
#include "unicode/utf8.h"

enum {
	LINE_MAX_BYTES = 64 * 1024,
	HEAD_MAX_BYTES = 1024 * 1024,
	HTTP_HEAD = 64 * 1024, /* most bytes of the head of a response */
};

void sh_warc_free(struct sh_warc *w)
{
	sh_buf_free(&w->head);
}

/* Returns the value of a field, a view of w->head, without the < > that some writers put around
 * URIs. It is empty when the field is absent. */
static struct sh_slice field(const struct sh_warc *w, const char *name)
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
	length = field(w, "Content-Length");
	if (length.n == 0 || sh_parse_u64(length, &w->length) < 0)
		return broken(w, "its Content-Length is missing, or no number", err);
	w->unread = true;
	return 1;
}

/* After a record that is broken: skips to the next line that begins a record. Returns 1, 0 when
 * there is none, or -1. */
static int resume(struct sh_reader *r, struct sh_warc *w, struct sh_error *err)
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

/* ---- documents ---- */

/* Reports that a record is no document. Returns 0, or -1. */
static int leave_out(
    struct sh_ingest *in, const char *what, const char *which, struct sh_error *err)
{
	char text[160];

	snprintf(text, sizeof text, "%s%s", what, which);
	return sh_ingest_leave_out(in, text, false, err);
}

/* The record with its head, as far as it is ready, for --rejects. */
static struct sh_slice whole_record(
    struct sh_ingest *in, const struct sh_warc *w, struct sh_slice block)
{
	struct sh_error ignored;
	struct sh_buf *all = &in->decoded[0];

	all->n = 0;
	if (sh_buf_add(all, w->head.p, w->head.n, &ignored) < 0 ||
	    sh_buf_add(all, block.p, block.n, &ignored) < 0 ||
	    sh_buf_add(all, "\r\n\r", 3, &ignored) < 0)
		all->n = 0;
	return sh_buf_slice(all);
}

/* *block: the bytes of the record that were read, for --rejects. */
static int one_record(struct sh_ingest *in, struct sh_reader *r, const struct sh_warc *w,
    struct sh_slice *block, struct sh_error *err)
{
	struct sh_slice type = field(w, "WARC-Type"), id = field(w, "WARC-Target-URI"), body;
	/* The record has only the beginning of the body. */
	bool cut = field(w, "WARC-Truncated").n || field(w, "WARC-Segment-Number").n;
	bool response = sh_slice_like(type, "response");
	enum sh_body_kind kind, looks;
	struct sh_media media;
	struct sh_http http;
	char status[8];

	*block = sh_slice("", 0);
	in->text.n = in->body.notes.n = 0;
	if (sh_slice_like(type, "revisit"))
		return leave_out(in, "WARC revisit", "", err);
	if (sh_slice_like(type, "continuation"))
		return leave_out(in, "WARC continuation", "", err);
	/* Other records, such as requests, hold no documents. */
	if (!response && !sh_slice_like(type, "resource") && !sh_slice_like(type, "conversion"))
		return 0;
	sh_media_parse(field(w, "Content-Type"), &media);
	/* The body of a response follows a head of its own. */
	response = response && (!*media.type || strcmp(media.type, "application/http") == 0);
	if (response) {
		if (sh_warc_peek(r, w, HTTP_HEAD, &body, err) < 0 ||
		    sh_http_parse(body, &http, err) < 0)
			return -1;
		if (http.status < 200 || http.status > 299) {
			snprintf(status, sizeof status, "%u", http.status);
			return leave_out(in, "HTTP status ", status, err);
		}
		media = http.media;
	}
	kind = sh_body_kind_of(media.type);
	if (kind == SH_BODY_OTHER)
		return leave_out(in, "", media.type, err);
	if (sh_warc_peek(r, w, in->max_size, block, err) < 0)
		return -1;
	if (w->length > in->max_size)
		return sh_error_set(err, SH_ERR_RECORD,
		    "the record is larger than %zu bytes (--max-size SIZE allows more)",
		    in->max_size);
	body = *block;
	if (response &&
	    (sh_http_parse(*block, &http, err) < 0 ||
		sh_http_body(&http, *block, cut, in->max_size, in->decoded, &body, err) < 0))
		return -1;
	if (sh_body_sniff(&in->body, body, media.charset, &looks, err) < 0)
		return -1;
	if (looks == SH_BODY_OTHER)
		return leave_out(in, "no text, though it should be ",
		    *media.type ? media.type : "(no type)", err);
	if (sh_body_text(&in->body, kind == SH_BODY_UNKNOWN ? looks : kind, body, media.charset,
		&in->text, err) < 0)
		return -1;
	if (id.n == 0)
		id = field(w, "WARC-Record-ID");
	return sh_ingest_document(in, id, sh_buf_slice(&in->text), err);
}

/* Puts the place and the URI of the record into the error text. */
static void add_place(const struct sh_warc *w, struct sh_error *err)
{
	struct sh_slice uri = field(w, "WARC-Target-URI");
	char text[sizeof err->text];

	memcpy(text, err->text, sizeof text);
	snprintf(err->text, sizeof err->text, "WARC record at byte %llu%s%.*s: %.300s",
	    (unsigned long long)w->at, uri.n ? ", " : "", sh_shown(uri, 120), uri.p, text);
}

int sh_ingest_warc_record(
    struct sh_ingest *in, struct sh_reader *r, const struct sh_warc *w, struct sh_error *err)
{
	struct sh_slice block;

	if (one_record(in, r, w, &block, err) == 0)
		return 0;
	if (err->code == SH_ERR_RECORD) {
		add_place(w, err);
		/* The bytes that are not ready were not needed to find the error. */
		if (block.n == 0)
			block = sh_reader_ready(r);
		if (block.n > w->length)
			block.n = (size_t)w->length;
	}
	return sh_ingest_bad(in, r, whole_record(in, w, block), err);
}

int sh_ingest_warc_resume(
    struct sh_ingest *in, struct sh_reader *r, struct sh_warc *w, struct sh_error *err)
{
	uint64_t from = w->at, lost;
	struct sh_error again;

	if (err->code != SH_ERR_IO || !in->trouble)
		return -1;
	if (r->failed.code != SH_OK) {
		if (sh_reader_resume(r, &lost, &again) <= 0)
			return -1;
		w->at = UINT64_MAX; /* the next record may stand where the broken one stood */
		resume(r, w, &again);
		return sh_ingest_lost(in, r, lost, "frame", err);
	}
	if (resume(r, w, &again) <= 0)
		return -1;
	return sh_ingest_lost(in, r, r->offset - from, "record", err);
}

int sh_ingest_warc(struct sh_ingest *in, struct sh_reader *r, struct sh_error *err)
{
	struct sh_warc w = { 0 };
	int got = 1;

	while (got > 0) {
		got = sh_warc_next(r, &w, err);
		if (got > 0)
			got = sh_ingest_warc_record(in, r, &w, err) < 0 ? -1 : 1;
		if (got < 0)
			got = sh_ingest_warc_resume(in, r, &w, err);
	}
	sh_warc_free(&w);
	return got;
}
