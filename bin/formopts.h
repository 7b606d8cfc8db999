/* SPDX-License-Identifier: MIT */
/* The options that say in which form documents come. */
#ifndef FORMOPTS_H
#define FORMOPTS_H

#include "cli.h"
#include "record/document.h"
#include "run.h"

/* Codes of options. */
enum {
	FORMOPTS_JSON = CLI_FORM,
	FORMOPTS_CSV,
	FORMOPTS_DELIMITER,
	FORMOPTS_HEADER,
	FORMOPTS_DOCUMENTS,
	FORMOPTS_END /* first code after these options: of docopts.h */
};

/* Rows of a table of options. */
#define FORMOPTS_ROWS                                                                              \
	{ FORMOPTS_JSON, "json", NULL,                                                             \
		"each line is a JSON object; -f names its fields: id, meta.id", NULL },            \
	    { FORMOPTS_CSV, "csv", NULL,                                                           \
		    "records are CSV; the header has the names that -f gives", NULL },             \
	    { FORMOPTS_DELIMITER, "delimiter", "CHAR",                                             \
		    "fields of --csv are separated by CHAR, such as ';' [,]", NULL },              \
	    { FORMOPTS_HEADER, "header", NULL,                                                     \
		    "the first line of each file has the names that -f gives", NULL },             \
	    { 'f', "fields", "ID,TEXT",                                                            \
		    "fields that hold id and text, or texts [1,2 of two; id,text]", NULL },        \
	{                                                                                          \
		'l', "line-ids", NULL,                                                             \
		    "use the number of a line as id; lines are plain text or --json", NULL         \
	}

/* The row for programs whose -d names documents, beside -d. */
#define FORMOPTS_DOCUMENTS_ROW                                                                     \
	{                                                                                          \
		FORMOPTS_DOCUMENTS, "documents-fields", "ID,TEXT",                                 \
		    "fields of the files of -d; may be repeated, once a file [-f]", NULL           \
	}

enum { FORMOPTS_MANY = 16 }; /* most --documents-fields */

/* Values of the options that are not in the form. Ready when zeroed. */
struct formopts {
	struct sh_columns columns; /* form->columns, when files have headers */
	const char *fields;        /* value of -f; NULL: not given */
	/* --documents-fields: file i of -d has form i, and further files have the last form. */
	struct sh_document_form of_documents[FORMOPTS_MANY];
	struct sh_columns columns_of[FORMOPTS_MANY]; /* of_documents[i].columns */
	size_t n_of_documents;
};

/* Reads the options into *o and *form. Both must be zeroed. form->columns then points into *o, so o
 * must outlive the form and stay where it is. Both borrow the command line. Ends with a usage
 * message when options contradict each other. */
void formopts_complete(struct formopts *o, struct sh_document_form *form, struct cli *c);

/* Returns whether backslashes in the text may be escapes: neither in plain lines nor in CSV, and in
 * JSON the escapes are removed already. */
static inline bool formopts_escaped(const struct sh_document_form *form)
{
	return !form->line_ids && !form->json && !form->csv;
}

/* Ends with a usage message when the text is several fields. */
void formopts_need_one_text(const struct sh_document_form *form, struct cli *c);

/* Prepares a source for documents of this form. Call it before the first read, for every form: it
 * sets which lines are blank. When files have headers, also reads the first header, and sets the
 * columns of the form. Later files must have the same header. Reads no document. Dies of errors. */
void formopts_read_header(
    struct cli *c, const struct sh_document_form *form, struct sh_source *source);

/* Runs over the documents of the operands, by run_pool() and run_finish(). mark: NULL: writes no
 * header. Otherwise writes the header of the files, when they have one. *mark is then the name of a
 * mark, whose columns the header gets (sh_keeper_mark_header()); empty: the header gets no columns.
 * Dies of errors. */
void formopts_run(
    struct run *run, const struct sh_document_form *form, const struct sh_slice *mark);

#endif
