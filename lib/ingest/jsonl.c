/* SPDX-License-Identifier: MIT */
/* Reads the documents of a JSON file: one object a line, or one array of objects. */
#include "ingest/header.h"
#include "ingest/ingest.h"
#include "stream/docs.h"
#include "unicode/utf8.h"

/* Decodes the line from the forced charset, if there is one. */
static int force(struct sh_ingest *in, struct sh_slice *line, struct sh_error *err)
{
	static const char *const none[SH_CHARSET_DECLARATIONS];
	struct sh_charset_verdict verdict;

	if (!in->body.charset.forced || in->marked)
		return 0;
	in->decoded[0].n = 0;
	if (sh_charset_decode(&in->body.charset, *line, none, &in->decoded[0], &verdict, err) < 0)
		return -1;
	in->body.ill += verdict.ill;
	*line = sh_buf_slice(&in->decoded[0]);
	return 0;
}

/* Replaces ill-formed UTF-8. Line ends stay as they are. */
static int repair(struct sh_ingest *in, struct sh_slice *text, struct sh_error *err)
{
	if (sh_utf8_valid(text->p, text->n))
		return 0;
	in->text.n = 0;
	if (sh_charset_repair(*text, &in->text, &in->body.ill, err) < 0)
		return -1;
	*text = sh_buf_slice(&in->text);
	return 0;
}

/* Passes the document of one JSON object on. number: of the object's line, or of its element in the
 * array, from 1. */
static int pass_object(struct sh_ingest *in, struct sh_slice line, struct sh_slice file,
    uint64_t number, struct sh_error *err)
{
	struct sh_document doc;

	if (force(in, &line, err) < 0 ||
	    sh_document_parse(&in->json, line, number, &in->room, &doc, err) < 0 ||
	    repair(in, &doc.text, err) < 0)
		return -1;
	if (in->json.line_ids && sh_ingest_number_id(in, file, number, &doc.id, err) < 0)
		return -1;
	in->body.ill += doc.ill_formed;
	in->body.notes.n = 0;
	if (sh_buf_add(&in->body.notes, "json", 4, err) < 0)
		return -1;
	return sh_ingest_document(in, doc.id, doc.text, err);
}

/* ---- an array ---- */

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
	if (pass_object(in, s, file, number, err) < 0) {
		err->line = r->line;
		if (sh_ingest_bad(in, r, s, err) < 0)
			return -1;
	}
	consume(r, n);
	return 0;
}

/* Reads one array of objects, on any number of lines. An error outside of the objects is an error
 * of the file. */
static int read_array(
    struct sh_ingest *in, struct sh_reader *r, struct sh_slice file, struct sh_error *err)
{
	uint64_t number = 0;
	char c;

	if (next_byte(r, &c, err) < 0)
		return -1;
	do { /* behind [ or a comma */
		consume(r, 1);
		if (next_byte(r, &c, err) < 0)
			return -1;
		if (c == ']' && number == 0)
			break;
		if (c != '{')
			return broken(r, "an object", err);
		if (read_object(in, r, file, ++number, err) < 0 || next_byte(r, &c, err) < 0)
			return -1;
	} while (c == ',');
	if (c != ']')
		return broken(r, "a comma or ]", err);
	consume(r, 1);
	if (next_byte(r, &c, err) < 0)
		return -1;
	return sh_reader_ready(r).n ? broken(r, "nothing behind it", err) : 0;
}

/* ---- lines ---- */

/* Skips a line of any length. */
static int skip_line(struct sh_reader *r, struct sh_error *err)
{
	struct sh_slice piece;
	int got;

	while ((got = sh_reader_line(r, 0, SH_FORMAT_HEAD, &piece, err)) > 0) {
		bool ends = piece.p[piece.n - 1] == '\n';

		sh_reader_consume(r, piece.n);
		if (ends)
			return 0;
	}
	return got;
}

/* Refuses a file that is not UTF-8, and skips a byte order mark. The mark has precedence over a
 * forced charset. */
static int check_head(struct sh_ingest *in, struct sh_reader *r, struct sh_error *err)
{
	struct sh_slice head;
	size_t n;

	if (sh_reader_look(r, SH_FORMAT_HEAD, err) < 0)
		return -1;
	head = sh_reader_ready(r);
	n = head.n;
	in->marked = sh_utf8_skip_bom(head).n < n;
	if (in->body.charset.forced && !in->marked)
		return sh_charset_is_wide(in->body.charset.forced)
			   ? sh_error_set(err, SH_ERR_RECORD,
				 "JSON is read as UTF-8, not as %s (iconv -f %s -t UTF-8 makes it "
				 "so)",
				 in->body.charset.forced, in->body.charset.forced)
			   : 0;
	if (n && sh_docs_head(&head, err) < 0)
		return -1;
	sh_reader_consume(r, n - head.n);
	return 0;
}

static bool is_blank_line(struct sh_slice line)
{
	for (size_t i = 0; i < line.n; i++)
		if (!strchr(" \t\r", line.p[i]) || !line.p[i])
			return false;
	return true;
}

int sh_ingest_jsonl(
    struct sh_ingest *in, struct sh_reader *r, struct sh_slice file, struct sh_error *err)
{
	struct sh_slice line;
	int got;

	if (check_head(in, r, err) < 0)
		return -1;
	line = sh_trim(sh_reader_ready(r));
	if (line.n && *line.p == '[')
		return read_array(in, r, file, err);
	in->resumed = false;
	for (;;) {
		bool too_long, first = in->resumed;
		int bad = 0;
		size_t n;

		got = sh_reader_line(r, 0, in->max_size + 1, &line, err);
		if (got < 0 && sh_ingest_resume(in, r, err) > 0)
			continue;
		if (got <= 0)
			return got;
		n = line.n;
		in->resumed = false;
		line.n -= line.p[n - 1] == '\n';
		too_long = line.n > in->max_size;
		if (too_long) {
			line.n = in->max_size;
			bad = sh_error_set(err, SH_ERR_RECORD,
			    "the line is longer than %zu bytes (--max-size SIZE allows more)",
			    in->max_size);
		} else if (!is_blank_line(sh_json_past_separator(line))) {
			bad = pass_object(in, sh_json_past_separator(line), file, r->line, err);
		}
		/* Behind damaged data the line may lack its beginning. */
		if (bad < 0 && !(first && err->code == SH_ERR_RECORD)) {
			err->line = r->line;
			if (sh_ingest_bad(in, r, line, err) < 0)
				return -1;
		}
		r->line++;
		if (too_long && skip_line(r, err) < 0)
			return -1;
		if (!too_long)
			sh_reader_consume(r, n);
	}
}
