/* shcut: removes the passages that spans name from documents. */
#include <stdlib.h>

#include "base/hmap.h"
#include "base/num.h"
#include "formopts.h"
#include "record/json.h"
#include "stream/docs.h"

enum { REPLACE = CLI_OWN };

static const struct cli_option options[] = {
	{ 'd', "spans", "SPANS", "the passages to cut: id, start, end and any further fields" },
	{ REPLACE, "replace", "TEXT", "replace each passage by TEXT" },
	FORMOPTS_ROWS,
	{ 0 },
};

static const struct cli_program program = {
	.name = "shcut",
	.threads = "documents",
	.synopsis = "-d SPANS [FILE...]",
	.purpose = "Documents (id<TAB>text) to documents without the passages that SPANS names.",
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

	struct sh_hmap ids;
	struct stretch *stretch; /* by id and place; adjacent ones are merged */
	size_t n, cap;
	size_t *first; /* by id: its first stretch; first[ids.n]: the end */
	bool *met;     /* by id: a document has it */
};

/* ---- spans ---- */

static int parse(struct sh_slice line, struct sh_slice *id, struct stretch *s, struct sh_error *err)
{
	struct sh_slice field[3];
	uint64_t from, to;

	if (sh_fields_split(line, field, 3) < 3)
		return sh_error_set(
		    err, SH_ERR_RECORD, "expected id<TAB>start<TAB>end (shspan writes such lines)");
	*id = field[0];
	if (sh_id_check(*id, err) < 0)
		return -1;
	if (sh_parse_u64(field[1], &from) < 0 || sh_parse_u64(field[2], &to) < 0 || from > to ||
	    to > INT32_MAX)
		return sh_error_set(
		    err, SH_ERR_RECORD, "start and end are numbers of bytes, start first");
	s->from = (uint32_t)from;
	s->to = (uint32_t)to;
	return 0;
}

static int add_span(void *settings, struct sh_slice line, struct sh_error *err)
{
	struct settings *s = settings;
	struct stretch x;
	struct sh_slice id;

	if (sh_dos_check(line, err) < 0 || parse(line, &id, &x, err) < 0 ||
	    sh_hmap_put(&s->ids, id, &x.id, NULL, err) < 0 ||
	    SH_RESERVE(s->stretch, s->cap, s->n + 1, err) < 0)
		return -1;
	s->stretch[s->n++] = x;
	return 0;
}

static int by_place(const void *x, const void *y)
{
	const struct stretch *a = x, *b = y;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

static void unite(struct settings *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->stretch, s->n, sizeof *s->stretch, by_place);
	for (size_t i = 0; i < s->n; i++) {
		struct stretch *x = &s->stretch[i], *last = n ? &s->stretch[n - 1] : NULL;

		if (last && last->id == x->id && x->from <= last->to)
			last->to = x->to > last->to ? x->to : last->to;
		else
			s->stretch[n++] = *x;
	}
	s->n = n;
}

static void index_ids(struct cli *c, struct settings *s)
{
	s->first = cli_zeroed(c, (size_t)s->ids.n + 1, sizeof *s->first);
	s->met = cli_zeroed(c, (size_t)s->ids.n + 1, sizeof *s->met);
	for (size_t i = s->n; i-- > 0;)
		s->first[s->stretch[i].id] = i;
	s->first[s->ids.n] = s->n;
}

static void read_spans(struct cli *c, struct settings *s)
{
	struct sh_error err;

	if (sh_hmap_init(&s->ids, &err) < 0)
		cli_die(c, &err);
	cli_read_lines(c, &s->files, add_span, s);
	unite(s);
	index_ids(c, s);
}

/* ---- documents ---- */

struct worker {
	struct settings *settings;
	struct sh_document_room room;
	struct sh_buf cut; /* a text without its passages */
};

/* Returns whether a character or an escape continues at this byte. */
static bool is_inside(const struct settings *s, struct sh_slice text, size_t at)
{
	size_t n = 0;

	if (at == 0 || at >= text.n)
		return false;
	if (((unsigned char)text.p[at] & 0xC0) == 0x80)
		return true;
	while (n < at && text.p[at - 1 - n] == '\\')
		n++;
	return n % 2 && !s->raw && memchr("tnr\\", text.p[at], 4);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Returns whether the byte probably belongs to a word. */
static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || (c & 0x80);
}

/* Returns whether a newline ends at p. */
static bool ends_line(const struct settings *s, const char *begin, const char *p)
{
	size_t n = 0;

	if (s->raw)
		return p > begin && p[-1] == '\n';
	if (p - begin < 2 || p[-1] != 'n')
		return false;
	while (p - 2 - n >= begin && p[-2 - (ptrdiff_t)n] == '\\')
		n++;
	return n % 2;
}

static bool has_newline(const struct settings *s, struct sh_slice text)
{
	if (s->raw)
		return text.n && memchr(text.p, '\n', text.n);
	for (const char *p = text.p, *end = p + text.n; p < end; p++)
		if (*p == '\\' && p + 1 < end && *++p == 'n')
			return true;
	return false;
}

/* Copies the text from `at` to `to`, which follows a removed passage. Keeps words apart, and keeps
 * one of two blanks. */
static void copy_behind(const struct settings *s, struct sh_buf *out, size_t begin,
    struct sh_slice cut, struct sh_slice rest)
{
	const char *p = out->p + out->n;
	bool first = out->n == begin;

	if (s->replace) {
		size_t n = strlen(s->replace);

		memcpy(out->p + out->n, s->replace, n);
		out->n += n;
	} else if (rest.n && (first || is_blank(p[-1]) || ends_line(s, out->p + begin, p)) &&
		   is_blank(rest.p[0])) {
		rest.p++;
		rest.n--;
	} else if (rest.n && !first && is_word(p[-1]) && is_word(rest.p[0])) {
		const char *joint = !has_newline(s, cut) ? " " : s->raw ? "\n" : "\\n";
		size_t n = strlen(joint);

		memcpy(out->p + out->n, joint, n);
		out->n += n;
	}
	if (rest.n)
		memcpy(out->p + out->n, rest.p, rest.n);
	out->n += rest.n;
}

static int cut_text(const struct settings *s, uint32_t id, struct sh_slice text, struct sh_buf *out,
    struct sh_error *err)
{
	size_t begin = out->n, from = s->first[id], n = 0;
	size_t more = s->replace ? strlen(s->replace) : 2;

	while (from + n < s->n && s->stretch[from + n].id == id)
		n++;
	for (size_t i = 0; i < n; i++) {
		const struct stretch *x = &s->stretch[from + i];

		if (x->to > text.n || is_inside(s, text, x->from) || is_inside(s, text, x->to))
			return sh_error_set(err, SH_ERR_RECORD,
			    "the span from %u to %u is not on borders of characters of this text "
			    "of %zu "
			    "bytes: the spans are of other documents",
			    x->from, x->to, text.n);
	}
	if (sh_buf_reserve(out, text.n + n * more, err) < 0)
		return -1;
	memcpy(out->p + out->n, text.p, s->stretch[from].from);
	out->n += s->stretch[from].from;
	for (size_t i = 0; i < n; i++) {
		const struct stretch *x = &s->stretch[from + i];
		size_t end = i + 1 < n ? x[1].from : text.n;

		copy_behind(s, out, begin, sh_slice(text.p + x->from, x->to - x->from),
		    sh_slice(text.p + x->to, end - x->to));
	}
	return 0;
}

/* Finds the bytes of the line that represent the text: in CSV and JSON with quotes and escapes. */
static int find_text(const struct sh_document_form *form, struct sh_slice line,
    const struct sh_document *doc, struct sh_slice *text, struct sh_error *err)
{
	struct sh_slice name = form->text_name.n ? form->text_name : sh_slice("text", 4);
	struct sh_json_value v;

	*text = doc->text;
	if (form->csv && sh_csv_field(line, sh_document_delimiter(form), form->columns->text, NULL,
			     text, err) < 0)
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

static int add_text(const struct sh_document_form *form, struct sh_slice text, struct sh_buf *out,
    struct sh_error *err)
{
	return form->csv    ? sh_csv_add_field(out, sh_document_delimiter(form), text, err)
	       : form->json ? sh_json_add_string(text, out, err)
	       : text.n     ? sh_buf_add(out, text.p, text.n, err)
			    : 0;
}

/* Appends the line of a document without the passages to remove. */
static int cut_line(struct worker *w, struct sh_slice line, const struct sh_document *doc,
    uint32_t id, struct sh_buf *out, struct sh_error *err)
{
	const struct sh_document_form *form = &w->settings->docs.form;
	const char *behind;
	struct sh_slice text;

	w->cut.n = 0;
	if (find_text(form, line, doc, &text, err) < 0 ||
	    cut_text(w->settings, id, doc->text, &w->cut, err) < 0)
		return -1;
	behind = text.p + text.n;
	return sh_buf_add(out, line.p, (size_t)(text.p - line.p), err) < 0 ||
		       add_text(form, sh_buf_slice(&w->cut), out, err) < 0
		   ? -1
		   : sh_buf_add(out, behind, (size_t)(line.p + line.n - behind), err);
}

static int each_line(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct settings *s = w->settings;
	struct sh_document doc;
	uint32_t id;

	line = cli_strip(s->docs.form.crlf, line);
	if (sh_document_parse(&s->docs.form, line,
		sh_job_line(job) - job->from.line + job->from.number, &w->room, &doc, err) < 0)
		return -1;
	if (sh_hmap_find(&s->ids, doc.id, &id)) {
		if (cut_line(w, line, &doc, id, &job->out, err) < 0)
			return -1;
		__atomic_store_n(&s->met[id], true, __ATOMIC_RELAXED);
	} else if (sh_buf_add(&job->out, line.p, line.n, err) < 0) {
		return -1;
	}
	return sh_buf_add(&job->out, "\n", 1, err);
}

static int work(void *worker, struct sh_job *job)
{
	const struct worker *w = worker;

	return sh_docs_lines(job, w->settings->docs.rejects, each_line, worker);
}

/* ---- options ---- */

static void set_option(struct cli *c, struct settings *s, int opt)
{
	switch (opt) {
	case 'd':
		cli_reads_more(c, &s->files);
		break;
	case REPLACE:
		if (strpbrk(c->arg, "\t\n\r"))
			cli_usage(c, "--replace: a text has no tab and no line end (write \\n)");
		s->replace = c->arg;
		break;
	default:
		formopts_set(&s->of, &s->docs.form, c, opt);
	}
}

static void complete(struct cli *c, struct settings *s)
{
	struct sh_document_form *form = &s->docs.form;

	if (s->files.n == 0)
		cli_usage(c, "the passages are needed: -d SPANS");
	formopts_complete(&s->of, form, c);
	formopts_need_one_text(form, c);
	s->raw = form->line_ids || form->json || form->csv;
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
	sh_error_set(&err, SH_ERR_RECORD, "%u id%s of the spans in no document, the first '%.*s'",
	    n, CLI_PLURAL(n), sh_shown(sh_hmap_key(&s->ids, first), 80),
	    sh_hmap_key(&s->ids, first).p);
	cli_die(c, &err);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct settings s = { 0 };
	struct worker workers[CLI_MAX_JOBS] = { 0 };
	struct run run = { .cli = &c, .work = work };
	int opt;

	cli_start(&c, &program, argc, argv);
	while ((opt = cli_next(&c)) != -1)
		set_option(&c, &s, opt);
	complete(&c, &s);
	cli_open(&c);
	read_spans(&c, &s);
	for (unsigned i = 0; i < c.jobs; i++) {
		workers[i].settings = &s;
		run.workers[i] = &workers[i];
	}
	formopts_run(&run, &s.docs.form, &(struct sh_slice){ 0 });
	check_met(&c, &s);
	for (unsigned i = 0; i < c.jobs; i++) {
		sh_document_room_free(&workers[i].room);
		sh_buf_free(&workers[i].cut);
	}
	free(s.stretch);
	free(s.first);
	free(s.met);
	sh_hmap_free(&s.ids);
	cli_files_free(&s.files);
	return cli_finish(&c);
}
