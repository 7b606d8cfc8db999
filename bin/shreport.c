/* SPDX-License-Identifier: MIT */
/* shreport: writes one page of HTML about pairs, a report or spans, with the texts of the
 * documents. */
#include "documents.h"
#include "formopts.h"
#include "record/escape.h"
#include "report/page.h"
#include "unicode/utf8.h"

enum { RAW = CLI_OWN, ROWS, TEXTS, TITLE };

enum { DEFAULT_TEXTS = 200, DEFAULT_ROWS = 200000, PASSAGES = 50, AROUND = 120 };

static const struct cli_option options[] = {
	CLI_HEADING("Documents"),
	{ 'd', "documents", "DOCS", "the documents; may be repeated", NULL, CLI_READS },
	FORMOPTS_DOCUMENTS_ROW,
	FORMOPTS_ROWS,
	{ RAW, "raw", NULL, "read backslashes as plain characters" },
	CLI_HEADING("Page"),
	{ TITLE, "title", "TEXT", "the title of the page" },
	{ TEXTS, "texts", "N", "show texts for N pairs at most [200]" },
	{ ROWS, "list", "N", "list N pairs at most [200000]" },
	CLI_TMPDIR_ROW,
	{ 0 },
};

static const struct cli_program program = {
	.name = "shreport",
	.threads = "documents",
	.synopsis = "[FILE...]",
	.purpose = "Pairs, a report of shdedup or spans of shspan to a page of HTML.",
	.options = { options },
};

/* A document of the current pair. */
struct side {
	struct sh_document_room room;
	struct sh_slice raw; /* bytes as spans count them */
	bool found;
	struct sh_buf before, text, behind; /* without escapes */
};

struct settings {
	struct sh_document_form form;
	struct cli_files files;
	struct formopts of;
	const char *title;
	bool raw;
	size_t texts, rows;
	size_t missing; /* pairs without a text */

	struct sh_report pairs;
	struct sh_corpus corpus;
	struct side side[2];
	struct sh_beside beside;
	struct sh_html html;
};

/* ---- input ---- */

static int add_record(void *pairs, struct sh_slice line, struct sh_error *err)
{
	return sh_report_add(pairs, line, err);
}

static void read_records(struct cli *c, struct settings *s)
{
	struct sh_error err;

	if (sh_report_init(&s->pairs, &err) < 0)
		cli_die(c, &err);
	cli_read_lines(c, NULL, add_record, &s->pairs);
	if (s->pairs.spans && s->files.n == 0) {
		sh_error_set(&err, SH_ERR_PARAM, "spans need the documents (add -d DOCS)");
		cli_die(c, &err);
	}
}

/* ---- documents of a pair ---- */

/* Finds the document of an id. Its text is valid until the side is used again. */
static void find(struct cli *c, struct settings *s, uint32_t id, struct side *side)
{
	struct sh_slice key = sh_hmap_key(&s->pairs.ids, id);
	struct sh_document doc;

	side->found = documents_find(c, &s->corpus, key, &side->room, &doc) != SH_CORPUS_NONE;
	side->raw = side->found ? doc.text : sh_slice(NULL, 0);
}

static void find_both(struct cli *c, struct settings *s, const struct sh_report_pair *pair)
{
	find(c, s, pair->a, &s->side[0]);
	find(c, s, pair->b, &s->side[1]);
}

/* Dies when a span ends behind the text of this side. */
static void check_spans(struct cli *c, const struct settings *s, const struct sh_report_pair *pair,
    int side, const struct sh_report_span *span, size_t n)
{
	struct sh_slice id = sh_hmap_key(&s->pairs.ids, side ? pair->b : pair->a);
	struct sh_error err;

	for (size_t i = 0; s->side[side].found && i < n; i++) {
		if (span[i].to[side] <= s->side[side].raw.n)
			continue;
		sh_error_set(&err, SH_ERR_RECORD,
		    "a span ends at byte %u, and the text of '%.*s' has %zu bytes: the spans are "
		    "of other documents",
		    span[i].to[side], sh_shown(id, 80), id.p, s->side[side].raw.n);
		cli_die(c, &err);
	}
}

static void cover(struct cli *c, struct settings *s)
{
	struct sh_error err;

	sh_report_order_spans(&s->pairs);
	for (size_t i = 0; i < s->pairs.n; i++) {
		struct sh_report_pair *pair = &s->pairs.pair[i];
		const struct sh_report_span *span;
		size_t n, length[2];

		find_both(c, s, pair);
		span = sh_report_spans(&s->pairs, pair, &n);
		for (int side = 0; side < 2; side++) {
			check_spans(c, s, pair, side, span, n);
			length[side] = s->side[side].raw.n;
		}
		if (sh_report_cover(&s->pairs, pair, length, &err) < 0)
			cli_die(c, &err);
	}
}

/* ---- the page ---- */

static void flush(struct cli *c, struct settings *s)
{
	if (s->html.failed)
		cli_die(c, &s->html.err);
	cli_write(c, s->html.buf.p, s->html.buf.n);
	s->html.buf.n = 0;
}

static int decode(
    const struct settings *s, struct sh_slice raw, struct sh_buf *out, struct sh_error *err)
{
	out->n = 0;
	return s->raw ? sh_buf_add(out, raw.p, raw.n, err) : sh_unescape(raw, out, err);
}

/* Decodes a part of the text, with a little text before and behind it. */
static struct sh_beside_text load(
    struct cli *c, const struct settings *s, struct side *side, size_t from, size_t to)
{
	struct sh_slice raw = side->raw;
	size_t begin = from > AROUND ? sh_utf8_start(raw, from - AROUND) : 0;
	size_t end = raw.n - to > AROUND ? sh_utf8_start(raw, to + AROUND) : raw.n;
	struct sh_error err;

	if (decode(s, sh_slice(raw.p + begin, from - begin), &side->before, &err) < 0 ||
	    decode(s, sh_slice(raw.p + from, to - from), &side->text, &err) < 0 ||
	    decode(s, sh_slice(raw.p + to, end - to), &side->behind, &err) < 0)
		cli_die(c, &err);
	return (struct sh_beside_text){ sh_buf_slice(&side->before), sh_buf_slice(&side->text),
		sh_buf_slice(&side->behind) };
}

static void add_stretch(struct cli *c, struct settings *s, const size_t from[2], const size_t to[2])
{
	struct sh_beside_text text[2];

	for (int i = 0; i < 2; i++)
		text[i] = load(c, s, &s->side[i], from[i], to[i]);
	sh_beside_add(&s->html, &s->beside, &text[0], &text[1]);
}

static void add_passages(struct cli *c, struct settings *s, const struct sh_report_pair *pair)
{
	size_t n, length[2] = { s->side[0].raw.n, s->side[1].raw.n };
	const struct sh_report_span *span = sh_report_spans(&s->pairs, pair, &n);

	sh_page_strips(&s->html, span, n, length);
	for (size_t i = 0; i < n && i < PASSAGES; i++)
		add_stretch(c, s, (size_t[]){ span[i].from[0], span[i].from[1] },
		    (size_t[]){ span[i].to[0], span[i].to[1] });
	if (n > PASSAGES)
		sh_html_format(&s->html, "<p class=\"gap\">%zu passages more are not shown</p>\n",
		    n - PASSAGES);
}

static void add_pair(struct cli *c, struct settings *s, size_t at)
{
	const struct sh_report_pair *pair = &s->pairs.pair[at];

	find_both(c, s, pair);
	sh_page_pair(&s->html, &s->pairs, at);
	s->missing += !s->side[0].found || !s->side[1].found;
	if (!s->side[0].found || !s->side[1].found)
		sh_html_format(&s->html, "<p class=\"gap\">%s not among the documents</p>\n",
		    s->side[0].found   ? "The second document is"
		    : s->side[1].found ? "The first document is"
				       : "Both are");
	else if (s->pairs.spans)
		add_passages(c, s, pair);
	else
		add_stretch(
		    c, s, (size_t[]){ 0, 0 }, (size_t[]){ s->side[0].raw.n, s->side[1].raw.n });
	sh_page_pair_end(&s->html);
	flush(c, s);
}

static void write_page(struct cli *c, struct settings *s)
{
	const struct sh_report *p = &s->pairs;
	size_t texts = s->files.n == 0 ? 0 : p->n < s->texts ? p->n : s->texts;
	size_t rows = p->n < s->rows ? p->n : s->rows;

	sh_page_begin(&s->html, p,
	    sh_slice_str(s->title   ? s->title
			 : p->spans ? "Shared passages"
				    : "Near-duplicates"));
	sh_page_texts(&s->html, p, texts, s->files.n > 0);
	for (size_t i = 0; i < texts; i++)
		add_pair(c, s, i);
	sh_page_rows(&s->html, p, rows, texts);
	for (size_t i = 0; i < rows; i++) {
		sh_page_row(&s->html, p, i);
		if (i % 4096 == 0)
			flush(c, s);
	}
	sh_page_end(&s->html);
	flush(c, s);
	if (s->files.n == 0 && p->n)
		cli_warn(c, "the page has no texts: the documents were not given (-d DOCS)");
	else if (s->missing)
		cli_warn(c, "at least one document of %zu pair%s is missing: %s not shown (-d)",
		    s->missing, CLI_PLURAL(s->missing),
		    s->missing == 1 ? "its text is" : "their texts are");
}

static void free_side(struct side *side)
{
	sh_document_room_free(&side->room);
	sh_buf_free(&side->before);
	sh_buf_free(&side->text);
	sh_buf_free(&side->behind);
}

int main(int argc, char **argv)
{
	struct settings s = { 0 };
	struct sh_error err;
	struct cli c;

	cli_start(&c, &program, argc, argv);
	s.files = opt_all(&c, 'd');
	s.title = opt_text(&c, TITLE);
	s.texts = opt_number(&c, TEXTS, 0, 1000000, DEFAULT_TEXTS);
	s.rows = opt_number(&c, ROWS, 0, 1000000000, DEFAULT_ROWS);
	formopts_complete(&s.of, &s.form, &c);
	s.raw = cli_given(&c, RAW) || !formopts_escaped(&s.form);
	c.trailer_out = false;
	cli_open(&c);
	documents_read(&c, &s.form, &s.of, NULL, (char *const *)(void *)s.files.name, s.files.n,
	    NULL, &s.corpus);
	read_records(&c, &s);
	if (s.pairs.spans)
		cover(&c, &s);
	if (sh_report_order(&s.pairs, &err) < 0)
		cli_die(&c, &err);
	write_page(&c, &s);
	sh_html_free(&s.html);
	sh_beside_free(&s.beside);
	sh_report_free(&s.pairs);
	sh_corpus_free(&s.corpus);
	free_side(&s.side[0]);
	free_side(&s.side[1]);
	return cli_finish(&c);
}
