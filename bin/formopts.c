/* SPDX-License-Identifier: MIT */
#include "formopts.h"

#include "record/keeper_mark.h"
#include "stream/docs.h"

/* CSV has line ends of its own. Line numbers, and checksums of lines, mean nothing to a file with a
 * header. */
static void check_columns(const struct sh_document_form *form, struct cli *c)
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

/* Sets the forms of --documents-fields. */
static void set_documents(struct formopts *o, const struct sh_document_form *form, struct cli *c)
{
	struct cli_files all = opt_all(c, FORMOPTS_DOCUMENTS);
	struct sh_error err;

	if (all.n > FORMOPTS_MANY)
		cli_usage(c, "--documents-fields: more than %d", FORMOPTS_MANY);
	if (form->line_ids && all.n && !form->json)
		cli_usage(c, "-l and --documents-fields contradict each other: with -l the whole "
			     "line is text");
	o->n_of_documents = all.n;
	for (size_t i = 0; i < all.n; i++) {
		struct formopts_fields *f = &o->of_documents[i];

		f->form = *form;
		f->columns = o->columns;
		f->form.columns = form->columns ? &f->columns : NULL;
		if (sh_document_form_parse(all.name[i], &f->form, &err) < 0)
			cli_usage(c, "--documents-fields: %s", err.text);
	}
}

void formopts_complete(struct formopts *o, struct sh_document_form *form, struct cli *c)
{
	const char *delimiter = opt_text(c, FORMOPTS_DELIMITER);
	struct sh_error err;

	o->fields = opt_text(c, 'f');
	form->json = cli_given(c, FORMOPTS_JSON);
	form->csv = cli_given(c, FORMOPTS_CSV);
	form->line_ids = cli_given(c, 'l');
	form->crlf = c->crlf;
	if (form->csv || cli_given(c, FORMOPTS_HEADER))
		form->columns = &o->columns;
	check_columns(form, c);
	if (delimiter && !form->csv)
		cli_usage(c, "--delimiter is for --csv, which is not given");
	if (delimiter && (strlen(delimiter) != 1 || strchr("\"\r\n", *delimiter)))
		cli_usage(c, "--delimiter '%s': expected one character, such as ';'", delimiter);
	if (delimiter)
		form->columns->delimiter = *delimiter;
	set_documents(o, form, c);
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

/* Writes the header of the first file, as it stands there, or with the columns of the mark. Writes
 * nothing when files have no header. */
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
