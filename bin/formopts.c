/* SPDX-License-Identifier: MIT */
#include "formopts.h"

#include "record/keeper_mark.h"
#include "stream/docs.h"

/* Sets the forms of --documents-fields. */
static void set_documents(struct formopts *o, const struct sh_document_form *form, struct cli *c)
{
	struct cli_files all = opt_all(c, FORMOPTS_DOCUMENTS);
	struct sh_error err;

	if (all.n > FORMOPTS_MANY)
		cli_usage(c, "--documents-fields: more than %d", FORMOPTS_MANY);
	o->n_of_documents = all.n;
	for (size_t i = 0; i < all.n; i++) {
		struct sh_document_form *f = &o->of_documents[i];

		*f = *form;
		o->columns_of[i] = o->columns;
		f->columns = form->columns ? &o->columns_of[i] : NULL;
		if (sh_document_form_parse(all.name[i], f, &err) < 0)
			cli_usage(c, "--documents-fields: %s", err.text);
	}
}

void formopts_complete(struct formopts *o, struct sh_document_form *form, struct cli *c)
{
	const char *delimiter = opt_text(c, FORMOPTS_DELIMITER);
	bool csv = cli_given(c, FORMOPTS_CSV), json = cli_given(c, FORMOPTS_JSON);
	bool header = csv || cli_given(c, FORMOPTS_HEADER), lines = cli_given(c, 'l');
	const char *columns = csv ? "--csv" : "--header";
	struct sh_error err;
	/* CSV has line ends of its own. Line numbers, and checksums of lines, mean nothing to a file
	 * with a header. */
	const struct {
		bool wrong;
		const char *option, *text;
	} rows[] = {
		{ header && json, columns, " and --json contradict each other" },
		{ header && lines, columns,
		    " and -l contradict each other: -f names the column of ids" },
		{ csv && c->crlf, "", "--csv reads DOS line ends without --crlf, and keeps them" },
		{ header && (c->trailer_in || c->trailer_out), columns,
		    " and --trailer cannot be used together" },
		{ delimiter && !csv, "", "--delimiter is for --csv, which is not given" },
		{ lines && !json && cli_given(c, FORMOPTS_DOCUMENTS), "",
		    "-l and --documents-fields contradict each other: with -l the whole line is "
		    "text" },
		{ lines && !json && cli_given(c, 'f'), "",
		    "-l and -f contradict each other: with -l the whole line is text" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].wrong)
			cli_usage(c, "%s%s", rows[i].option, rows[i].text);
	if (delimiter && (strlen(delimiter) != 1 || strchr("\"\r\n", *delimiter)))
		cli_usage(c, "--delimiter '%s': expected one character, such as ';'", delimiter);
	form->json = json;
	form->csv = csv;
	form->line_ids = lines;
	form->crlf = c->crlf;
	form->columns = header ? &o->columns : NULL;
	if (delimiter)
		o->columns.delimiter = *delimiter;
	set_documents(o, form, c);
	o->fields = opt_text(c, 'f');
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

void formopts_run(struct run *run, const struct sh_document_form *form, const struct sh_slice *mark)
{
	struct cli *c = run->cli;
	struct sh_buf out = { 0 };
	struct sh_source source;
	struct sh_slice header;
	struct sh_error err;

	cli_source_init(c, &source);
	formopts_read_header(c, form, &source);
	header = sh_buf_slice(&source.header.first);
	if (mark && header.n) {
		if (header.p[header.n - 1] == '\n')
			header.n--;
		header = cli_strip(c->crlf, header);
		if ((mark->n ? sh_keeper_mark_header(form, *mark, header, &out, &err)
			     : sh_buf_add(&out, header.p, header.n, &err)) < 0 ||
		    sh_buf_add(&out, "\n", 1, &err) < 0)
			cli_die(c, &err);
		cli_write(c, out.p, out.n);
		sh_buf_free(&out);
	}
	run_pool(run, &source);
	run_finish(run);
	sh_source_free(&source);
}
