/* SPDX-License-Identifier: MIT */
/* Reads the documents of a JSON file: one object a line, or one array of objects. */
#include "ingest/forms.h"
#include "ingest/header.h"
#include "ingest/jsonscan.h"
#include "stream/docs.h"
#include "unicode/utf8.h"

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
		return sh_ingest_json_array(in, r, file, err);
	in->resumed = false;
	for (;;) {
		bool too_long, first = in->resumed;
		int bad = 0;
		size_t n;

		got = sh_reader_line(r, 0, in->max_size + 1, &line, err);
		if (got < 0 && sh_ingest_resume(in, r, NULL, err) > 0)
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
			bad = sh_ingest_json(in, sh_json_past_separator(line), file, r->line, err);
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
