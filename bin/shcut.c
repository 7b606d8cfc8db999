/* SPDX-License-Identifier: MIT */
/* shcut: removes passages that spans name, or that occurred before, from documents. */
#include <stdlib.h>

#include "base/compare.h"
#include "base/hmap.h"
#include "base/num.h"
#include "formopts.h"
#include "passage/sentences.h"
#include "record/escape.h"
#include "record/json.h"
#include "stream/docs.h"

enum { REPLACE = CLI_OWN, MIN_TOKENS, NO_FOLD };

static const char *unit_names(unsigned i)
{
	static const char *const names[] = { "line", "sentence" };

	return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static const struct cli_option options[] = {
	CLI_HEADING("Passages"),
	{ 'd', "spans", "SPANS", "the passages to cut: id, start, end and any further fields", NULL,
	    CLI_READS },
	{ 'u', "unit", "line|sentence", "cut lines or sentences that occurred before", unit_names },
	{ 'n', "ngram", "N", "-u: compare runs of N lines or sentences [1 line, 3 sentences]" },
	{ MIN_TOKENS, "min-tokens", "N", "-u: keep runs of fewer than N words [1]" },
	{ NO_FOLD, "no-fold", NULL, "-u: neither normalise (NFKC) nor fold case" },
	{ REPLACE, "replace", "TEXT", "replace each passage by TEXT" },
	CLI_HEADING("Records of documents"),
	FORMOPTS_ROWS,
	{ 0 },
};

static const struct cli_program program = {
	.name = "shcut",
	.threads = "documents",
	.synopsis = "-d SPANS|-u UNIT [FILE...]",
	.purpose = "Documents (id<TAB>text) to documents without some passages.",
	.options = { options },
};

/* A part of the text of one document. */
struct stretch {
	uint32_t id; /* index in ids */
	uint32_t from, to;
};

struct settings {
	struct sh_docs_opts docs;
	struct cli_files files;
	const char *replace;
	struct formopts of;
	bool raw; /* texts have no escapes */

	bool repeats; /* -u: cut what occurred before */
	struct sh_sentence_opts units;
	struct sh_run_counts seen; /* of the documents before; one worker at a time has it */

	struct sh_hmap ids;
	struct stretch *stretch; /* by id and place; adjacent ones are merged */
	size_t n, cap;
	size_t *first; /* by id: its first stretch; first[ids.n]: the end */
	bool *met;     /* by id: a document has it */
};

/* ---- spans ---- */

static int add_span(void *settings, struct sh_slice line, struct sh_error *err)
{
	struct settings *s = settings;
	struct sh_slice field[3];
	uint64_t from, to;
	uint32_t id;

	if (sh_dos_check(line, err) < 0)
		return -1;
	if (sh_fields_split(line, field, 3) < 3)
		return sh_error_set(
		    err, SH_ERR_RECORD, "expected id<TAB>start<TAB>end (shspan writes such lines)");
	if (sh_id_check(field[0], err) < 0)
		return -1;
	if (sh_parse_u64(field[1], &from) < 0 || sh_parse_u64(field[2], &to) < 0 || from > to ||
	    to > INT32_MAX)
		return sh_error_set(
		    err, SH_ERR_RECORD, "start and end are numbers of bytes, start first");
	if (sh_hmap_put(&s->ids, field[0], &id, NULL, err) < 0 ||
	    SH_RESERVE(s->stretch, s->cap, s->n + 1, err) < 0)
		return -1;
	s->stretch[s->n++] = (struct stretch){ id, (uint32_t)from, (uint32_t)to };
	return 0;
}

static int by_place(const void *x, const void *y)
{
	const struct stretch *a = x, *b = y;

	if (a->id != b->id)
		return sh_compare(a->id, b->id);
	return a->from != b->from ? sh_compare(a->from, b->from) : sh_compare(a->to, b->to);
}

static void read_spans(struct cli *c, struct settings *s)
{
	struct sh_error err;
	size_t n = 0;

	if (sh_hmap_init(&s->ids, &err) < 0)
		cli_die(c, &err);
	cli_read_lines(c, &s->files, add_span, s);
	if (s->n)
		qsort(s->stretch, s->n, sizeof *s->stretch, by_place);
	/* Unites stretches that touch or overlap. */
	for (size_t i = 0; i < s->n; i++) {
		struct stretch *x = &s->stretch[i], *last = n ? &s->stretch[n - 1] : NULL;

		if (last && last->id == x->id && x->from <= last->to)
			last->to = x->to > last->to ? x->to : last->to;
		else
			s->stretch[n++] = *x;
	}
	s->n = n;
	s->first = cli_zeroed(c, (size_t)s->ids.n + 1, sizeof *s->first);
	s->met = cli_zeroed(c, (size_t)s->ids.n + 1, sizeof *s->met);
	for (size_t i = s->n; i-- > 0;)
		s->first[s->stretch[i].id] = i;
	s->first[s->ids.n] = s->n;
}

/* ---- documents ---- */

struct worker {
	struct settings *settings;
	struct sh_document_room room;
	struct sh_buf cut;           /* a text without its passages */
	struct sh_splitter splitter; /* -u: has all documents of the chunk */
	size_t document;             /* of these, the next one to be cut */
	struct stretch *stretch;     /* passages of one document */
	size_t stretch_cap;
};

/* Returns whether byte `at` of a text with escapes is the letter of an escape. */
static bool is_letter(struct sh_slice text, size_t at)
{
	size_t n = 0;

	while (n < at && text.p[at - 1 - n] == '\\')
		n++;
	return n % 2 && sh_unescaped(text.p[at]);
}

/* Returns whether a character or an escape continues at this byte. */
static bool is_inside(const struct settings *s, struct sh_slice text, size_t at)
{
	return at > 0 && at < text.n &&
	       (sh_utf8_is_tail((uint8_t)text.p[at]) || (!s->raw && is_letter(text, at)));
}

/* Returns the last character of a text; 0 when the text is empty. */
static uint32_t last_character(const struct settings *s, struct sh_slice text)
{
	const uint8_t *p = (const uint8_t *)text.p;

	if (text.n == 0)
		return 0;
	if (!s->raw && is_letter(text, text.n - 1))
		return (uint32_t)sh_unescaped(text.p[text.n - 1]);
	p += sh_utf8_start(text, text.n - 1);
	return sh_utf8_next(&p, (const uint8_t *)text.p + text.n);
}

static bool has_newline(const struct settings *s, struct sh_slice text)
{
	for (size_t i = 0; i < text.n; i++)
		if (s->raw ? text.p[i] == '\n'
			   : text.p[i] == '\\' && ++i < text.n && text.p[i] == 'n')
			return true;
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Returns whether the character belongs to a word of a script with spaces. */
static bool is_word(const struct worker *w, uint32_t c)
{
	return (sh_fold_class(w->splitter.fold, c) & SH_CLASS_KIND) == SH_CLASS_WORD;
}

/* Appends the text behind the removed passage `cut`, up to the next one. Keeps words apart, and
 * keeps one of two blanks. Changes nothing where whole lines were removed. */
static int add_rest(
    struct worker *w, struct sh_slice cut, struct sh_slice rest, struct sh_error *err)
{
	const struct settings *s = w->settings;
	uint32_t before = last_character(s, sh_buf_slice(&w->cut));
	bool at_line = w->cut.n == 0 || before == '\n';
	const uint8_t *p = (const uint8_t *)rest.p;
	const char *joint = "";

	if (s->replace) {
		joint = s->replace;
	} else if (rest.n && is_blank(*rest.p) && (at_line || is_blank(w->cut.p[w->cut.n - 1]))) {
		if (!at_line || last_character(s, cut) != '\n')
			rest = sh_slice(rest.p + 1, rest.n - 1);
	} else if (rest.n && !at_line && is_word(w, before) &&
		   is_word(w, sh_utf8_next(&p, p + rest.n))) {
		joint = !has_newline(s, cut) ? " " : s->raw ? "\n" : "\\n";
	}
	return sh_buf_add(&w->cut, joint, strlen(joint), err) < 0 ||
		       sh_buf_add(&w->cut, rest.p, rest.n, err) < 0
		   ? -1
		   : 0;
}

/* Makes w->cut the text without n >= 1 passages, which are in order and do not overlap. */
static int cut_text(
    struct worker *w, const struct stretch *x, size_t n, struct sh_slice text, struct sh_error *err)
{
	const struct settings *s = w->settings;

	for (size_t i = 0; i < n; i++) {
		if (x[i].to > text.n || is_inside(s, text, x[i].from) ||
		    is_inside(s, text, x[i].to))
			return sh_error_set(err, SH_ERR_RECORD,
			    "the span from %u to %u does not begin and end between characters of "
			    "this text of %zu bytes: the spans are of other documents",
			    x[i].from, x[i].to, text.n);
	}
	w->cut.n = 0;
	if (sh_buf_add(&w->cut, text.p, x->from, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		size_t end = i + 1 < n ? x[i + 1].from : text.n;

		if (add_rest(w, sh_slice(text.p + x[i].from, x[i].to - x[i].from),
			sh_slice(text.p + x[i].to, end - x[i].to), err) < 0)
			return -1;
	}
	return 0;
}

/* Finds the bytes of the line that represent the text: in CSV and JSON with quotes and escapes. */
static int find_text(const struct sh_document_form *form, struct sh_slice line,
    const struct sh_document *doc, struct sh_slice *text, struct sh_error *err)
{
	struct sh_slice name = form->name[1].n ? form->name[1] : sh_slice("text", 4);
	struct sh_json_value v;

	*text = doc->text;
	if (form->csv && sh_csv_field(line, sh_document_delimiter(form), form->columns->index[1],
			     NULL, text, err) < 0)
		return -1;
	if (form->json) {
		if (sh_json_find(line, &name, &v, 1, err) < 0)
			return -1;
		if (v.kind != SH_JSON_STRING)
			return sh_error_set(err, SH_ERR_RECORD,
			    "JSON: field \"%.*s\" is an array: passages are cut out of strings "
			    "only",
			    sh_shown(name, 80), name.p);
		*text = v.text;
	}
	if ((form->csv || form->json) && text->p > line.p && text->p[-1] == '"')
		*text = sh_slice(text->p - 1, text->n + 2);
	return 0;
}

/* Writes the line of a document without n passages. */
static int put_line(struct worker *w, struct sh_slice line, const struct sh_document *doc,
    const struct stretch *x, size_t n, struct sh_buf *out, struct sh_error *err)
{
	const struct sh_document_form *form = &w->settings->docs.form;
	struct sh_slice text = sh_slice(line.p, 0), cut;
	const char *behind = line.p;

	if (n) {
		if (find_text(form, line, doc, &text, err) < 0 ||
		    cut_text(w, x, n, doc->text, err) < 0 ||
		    sh_buf_add(out, line.p, (size_t)(text.p - line.p), err) < 0)
			return -1;
		cut = sh_buf_slice(&w->cut);
		if ((form->csv       ? sh_csv_add_field(out, sh_document_delimiter(form), cut, err)
			: form->json ? sh_json_add_string(cut, out, err)
				     : sh_buf_add(out, cut.p, cut.n, err)) < 0)
			return -1;
		behind = text.p + text.n;
	}
	if (sh_buf_add(out, behind, (size_t)(line.p + line.n - behind), err) < 0)
		return -1;
	return sh_buf_add(out, "\n", 1, err);
}

static int parse_document(struct worker *w, struct sh_slice *line, const struct sh_job *job,
    struct sh_document *doc, struct sh_error *err)
{
	const struct sh_document_form *form = &w->settings->docs.form;

	*line = cli_strip(form->crlf, *line);
	return sh_document_parse(
	    form, *line, sh_job_line(job) - job->from.line + job->from.number, &w->room, doc, err);
}

/* Splits a document into sentences. A bad record has none, and is left to cut_document(). */
static int split_document(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct sh_document doc;
	struct sh_error bad;

	if (parse_document(w, &line, job, &doc, &bad) < 0)
		doc.text = sh_slice(line.p, 0);
	return sh_splitter_add(&w->splitter, doc.text, err);
}

/* Finds the passages of document w->document - 1 of the chunk that occurred before. */
static int find_repeats(struct worker *w, size_t *n, struct sh_error *err)
{
	struct settings *s = w->settings;
	struct sh_sentence p, *x;
	size_t sentences, i = 0;

	x = sh_splitter_text(&w->splitter, w->document - 1, &sentences);
	if (sh_count_runs(&s->seen, x, sentences, 0, err) < 0)
		return -1;
	for (*n = 0; sh_next_passage(x, sentences, &i, &p); ++*n) {
		if (SH_RESERVE(w->stretch, w->stretch_cap, *n + 1, err) < 0)
			return -1;
		w->stretch[*n] = (struct stretch){ 0, p.from, p.to };
	}
	return 0;
}

static int cut_document(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct settings *s = w->settings;
	const struct stretch *x = w->stretch;
	struct sh_document doc;
	uint32_t id = 0;
	size_t n = 0;

	w->document++;
	if (parse_document(w, &line, job, &doc, err) < 0)
		return -1;
	if (s->repeats) {
		if (find_repeats(w, &n, err) < 0)
			return -1;
		x = w->stretch;
	} else if (sh_hmap_find(&s->ids, doc.id, &id)) {
		x = s->stretch + s->first[id];
		n = s->first[id + 1] - s->first[id];
	}
	if (put_line(w, line, &doc, x, n, &job->out, err) < 0)
		return -1;
	if (!s->repeats && n)
		__atomic_store_n(&s->met[id], true, __ATOMIC_RELAXED);
	return 0;
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;
	const struct sh_slice in = job->in;
	const struct sh_origin from = job->from;

	if (w->settings->repeats) {
		/* Splits all documents of the chunk, beside other workers. Then cuts them, when all
		 * chunks before are written. */
		sh_splitter_clear(&w->splitter);
		w->document = 0;
		if (sh_docs_lines(job, false, split_document, w) < 0)
			return -1;
		job->in = in;
		job->from = from;
		job->records = job->blank = 0;
		if (sh_job_turn(job, &job->err) < 0)
			return -1;
	}
	return sh_docs_lines(job, w->settings->docs.rejects, cut_document, w);
}

/* ---- options ---- */

static void complete(struct cli *c, struct settings *s)
{
	static const int only_u[] = { 'n', MIN_TOKENS, NO_FOLD };
	struct sh_document_form *form = &s->docs.form;
	const char *unit = opt_value(c, 'u');

	s->files = opt_all(c, 'd');
	s->replace = opt_text(c, REPLACE);
	if (s->replace && strpbrk(s->replace, "\t\n\r"))
		cli_usage(c, "--replace: a text has no tab and no line end (write \\n)");
	s->repeats = unit != NULL;
	s->units.lines = unit && strcmp(unit, "line") == 0;
	s->units.run = (unsigned)opt_number(
	    c, 'n', 1, SH_SENTENCES_RUN_MAX, s->units.lines ? 1 : SH_SENTENCES_RUN);
	s->units.tokens = (uint32_t)opt_number(c, MIN_TOKENS, 1, INT32_MAX, 1);
	s->units.no_fold = cli_given(c, NO_FOLD);
	if (s->repeats == (s->files.n > 0))
		cli_usage(c, s->repeats
				 ? "-d names the passages, and -u finds them: give one of both"
				 : "the passages are needed: -d SPANS, -u line or -u sentence");
	for (size_t i = 0; !s->repeats && i < sizeof only_u / sizeof *only_u; i++)
		if (cli_given(c, only_u[i]))
			cli_usage(
			    c, "%s needs -u line or -u sentence", cli_option_name(c, only_u[i]));
	formopts_complete(&s->of, form, c);
	formopts_need_one_text(form, c);
	s->raw = s->units.raw = !formopts_escaped(form);
	s->docs.rejects = c->rejects_path != NULL;
}

/* Reports spans of ids that no document has: probably the wrong file. */
static void check_met(struct cli *c, const struct settings *s)
{
	struct sh_error err;
	uint32_t first = 0, n = 0;

	for (uint32_t i = 0; i < s->ids.n; i++) {
		if (s->met[i])
			continue;
		first = n++ ? first : i;
	}
	if (n == 0 || c->n_rejected)
		return;
	sh_error_set(&err, SH_ERR_RECORD,
	    "%u id%s of the spans not found in the documents, the first '%.*s'", n, CLI_PLURAL(n),
	    sh_shown(sh_hmap_key(&s->ids, first), 80), sh_hmap_key(&s->ids, first).p);
	cli_die(c, &err);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct settings s = { 0 };
	struct worker workers[CLI_MAX_JOBS] = { 0 };
	struct run run = { .cli = &c, .work = work };
	struct sh_error err;

	cli_start(&c, &program, argc, argv);
	complete(&c, &s);
	cli_open(&c);
	if (!s.repeats)
		read_spans(&c, &s);
	else if (sh_run_counts_init(&s.seen, &s.units, &err) < 0)
		cli_die(&c, &err);
	for (unsigned i = 0; i < c.jobs; i++) {
		run.workers[i] = &workers[i];
		workers[i].settings = &s;
		if (sh_splitter_init(&workers[i].splitter, &s.units, &err) < 0)
			cli_die(&c, &err);
	}
	formopts_run(&run, &s.docs.form, &(struct sh_slice){ 0 });
	if (!s.repeats)
		check_met(&c, &s);
	for (unsigned i = 0; i < c.jobs; i++) {
		sh_document_room_free(&workers[i].room);
		sh_buf_free(&workers[i].cut);
		sh_splitter_free(&workers[i].splitter);
		free(workers[i].stretch);
	}
	sh_run_counts_free(&s.seen);
	free(s.stretch);
	free(s.first);
	free(s.met);
	sh_hmap_free(&s.ids);
	return cli_finish(&c);
}
