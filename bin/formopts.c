/* SPDX-License-Identifier: MIT */
#include "formopts.h"

#include "record/keeper_mark.h"
#include "stream/docs.h"

bool formopts_set(struct formopts *o, struct cli *c, int opt)
{
	switch (opt) {
	case FORMOPTS_JSON:
	case FORMOPTS_CSV:
	case FORMOPTS_HEADER:
	case 'l':
		return true; /* see formopts_complete() */
	case FORMOPTS_DELIMITER:
		o->delimiter = c->arg;
		return true;
	case 'f':
		o->fields = c->arg;
		return true;
	case FORMOPTS_DOCUMENTS:
		if (o->n_of_documents == FORMOPTS_MANY)
			cli_usage(c, "--documents-fields: more than %d", FORMOPTS_MANY);
		o->of_documents[o->n_of_documents++].fields = c->arg;
		return true;
	default:
		return false;
	}
}

/* CSV has line ends of its own. Line numbers, and checksums of lines, mean nothing to a file with a
 * header. */
static void complete_columns(const struct sh_document_form *form, struct cli *c)
{
	const char *option = form->csv ? "--csv" : "--header";

	if (!form->columns)
		return;
	if (form->json)
		cli_usage(c, "%s and --json contradict each other", option);
	if (form->line_ids)
		cli_usage(c, "%s and -l contradict each other: -f names the column of ids", option);
	if (form->csv && c->crlf)
		cli_usage(c, "--csv reads DOS line ends without --crlf, and keeps them");
	if (c->trailer_in || c->trailer_out)
		cli_usage(c, "%s and --trailer cannot be used together", option);
}

void formopts_complete(struct formopts *o, struct sh_document_form *form, struct cli *c)
{
	struct sh_error err;

	form->json = cli_given(c, FORMOPTS_JSON);
	form->csv = cli_given(c, FORMOPTS_CSV);
	form->line_ids = cli_given(c, 'l');
	if (form->csv || cli_given(c, FORMOPTS_HEADER))
		form->columns = &o->columns;
	complete_columns(form, c);
	if (o->delimiter && !form->csv)
		cli_usage(c, "--delimiter is for --csv, which is not given");
	if (o->delimiter && (strlen(o->delimiter) != 1 || strchr("\"\r\n", *o->delimiter)))
		cli_usage(c, "--delimiter '%s': expected one character, such as ';'", o->delimiter);
	if (o->delimiter)
		form->columns->delimiter = *o->delimiter;
	form->crlf = c->crlf;
	if (form->line_ids && o->n_of_documents && !form->json)
		cli_usage(c, "-l and --documents-fields contradict each other: with -l the whole "
			     "line is text");
	for (size_t i = 0; i < o->n_of_documents; i++) {
		struct formopts_fields *f = &o->of_documents[i];

		f->form = *form;
		f->columns = o->columns;
		f->form.columns = form->columns ? &f->columns : NULL;
		if (sh_document_form_parse(f->fields, &f->form, &err) < 0)
			cli_usage(c, "--documents-fields: %s", err.text);
	}
	if (form->line_ids && o->fields && !form->json)
		cli_usage(c, "-l and -f contradict each other: with -l the whole line is text");
	if (o->fields && sh_document_form_parse(o->fields, form, &err) < 0)
		cli_usage(c, "-f: %s", err.text);
}

void formopts_need_one_text(const struct sh_document_form *form, struct cli *c)
{
	if (form->more)
		cli_usage(c, "-f: expected one field of text: passages are places in one field");
}

void formopts_read_header(
    struct cli *c, const struct sh_document_form *form, struct sh_source *source)
{
	struct sh_slice first;
	struct sh_error err;

	source->blanks = sh_document_blanks(form);
	if (!form->columns)
		return;
	source->header.wanted = true;
	source->header.csv = form->csv;
	if (sh_source_peek(source, &first, &err) < 0 ||
	    sh_docs_header(form, &source->header, &err) < 0)
		cli_die(c, &err);
}

static void write_header(struct cli *c, const struct sh_document_form *form, struct sh_slice mark,
    const struct sh_header *first)
{
	struct sh_slice header = sh_buf_slice(&first->first);
	struct sh_buf out = { 0 };
	struct sh_error err;

	if (header.n == 0)
		return;
	if (header.p[header.n - 1] == '\n')
		header.n--;
	header = cli_strip(c->crlf, header);
	if ((mark.n ? sh_keeper_mark_header(form, mark, header, &out, &err)
		    : sh_buf_add(&out, header.p, header.n, &err)) < 0 ||
	    sh_buf_add(&out, "\n", 1, &err) < 0)
		cli_die(c, &err);
	cli_write(c, out.p, out.n);
	sh_buf_free(&out);
}

void formopts_run(struct run *run, const struct sh_document_form *form, const struct sh_slice *mark)
{
	struct sh_source source;

	cli_source_init(run->cli, &source);
	formopts_read_header(run->cli, form, &source);
	if (mark)
		write_header(run->cli, form, *mark, &source.header);
	run_pool(run, &source);
	run_finish(run);
	sh_source_free(&source);
}
