/* SPDX-License-Identifier: MIT */
/* The document record: id<TAB>text; or two fields of a line with more fields, chosen by number or
 * by name; or two fields of a JSON object; or a line of plain text. */
#ifndef SH_RECORD_DOCUMENT_H
#define SH_RECORD_DOCUMENT_H

#include "base/buf.h"
#include "record/columns.h"
#include "record/fields.h"

/* The form of a document in a line. Zeroed: the line has exactly the fields id and text. */
struct sh_document_form {
	bool line_ids;              /* the number of the line is the id */
	bool crlf;                  /* drops a CR at the end of the line */
	bool json;                  /* the line is an object of JSON (record/json.h) */
	bool csv;                   /* the line is a record of CSV; `columns` is set */
	struct sh_columns *columns; /* of files with a header; borrowed; NULL: no header */
	/* The fields of the id and of the texts. The text of the document is its text fields in
	 * this order, joined by single blanks. */
	unsigned more;                       /* text fields after the first */
	unsigned number[SH_DOCUMENT_FIELDS]; /* from 1; 0: not chosen */
	/* Names of columns, or names and paths of JSON (sh_json_find()); borrowed. Empty names
	 * stand for "id" and "text". */
	struct sh_slice name[SH_DOCUMENT_FIELDS];
};

/* Returns the character between fields of CSV; 0 for other forms. */
static inline char sh_document_delimiter(const struct sh_document_form *form)
{
	return !form->csv ? '\0' : form->columns->delimiter ? form->columns->delimiter : ',';
}

/* Returns the bytes of a blank line, which is no document: a line of these bytes only. Returns NULL
 * for forms without blank lines. A line of TABs in TSV is not blank: it has empty fields. */
static inline const char *sh_document_blanks(const struct sh_document_form *form)
{
	bool tabs = form->columns && (!form->csv || form->columns->delimiter == '\t');

	return tabs ? " \r" : form->json || form->csv ? " \t\r" : NULL;
}

struct sh_document {
	struct sh_slice id, text; /* the text has escapes, except with line_ids, json or csv */
	uint64_t ill_formed;      /* halves of surrogate pairs that became U+FFFD in the text */
};

/* Memory for the strings of sh_document_parse(). Ready when zeroed. Each thread needs its own. */
struct sh_document_room {
	struct sh_buf id, text;
	struct sh_buf joined; /* several text fields */
	struct sh_buf line;   /* for a line that the caller reads */
};

void sh_document_room_free(struct sh_document_room *room);

/* Parses "ID,TEXT" or "ID,TEXT,TEXT..." and fills the fields of the form that choose fields. Each
 * part is the number of a field; with form->json or form->columns its name. No two parts may be
 * equal. With form->line_ids all parts are names of text fields, "TEXT" or "TEXT,TEXT...". The form
 * borrows spec. */
int sh_document_form_parse(const char *spec, struct sh_document_form *form, struct sh_error *err);

/* Fills form->columns, which is set, from a header without byte order mark and LF
 * (sh_header_bare()). SH_ERR_RECORD: the header lacks a field of the form, or has it twice. */
int sh_document_header(
    const struct sh_document_form *form, struct sh_slice header, struct sh_error *err);

/* Parses a line without its LF. number: the number of the line in the input, from 1, for the id
 * with line_ids. The document is valid as long as the line, and until `room` is used again.
 * SH_ERR_RECORD: the line is no document of this form; err->line is 0. */
int sh_document_parse(const struct sh_document_form *form, struct sh_slice line, uint64_t number,
    struct sh_document_room *room, struct sh_document *doc, struct sh_error *err);

#endif
