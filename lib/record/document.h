/* The document record: id<TAB>text, or two chosen fields of a wider one, or a bare line. */
#ifndef SH_RECORD_DOCUMENT_H
#define SH_RECORD_DOCUMENT_H

#include "record/fields.h"

#define SH_FIELD_MAX 1024 /* highest field number that can be chosen */

/* How a line becomes a document. All zero: exactly the two fields id and text. */
struct sh_document_form {
	unsigned id_field, text_field; /* from 1; 0 when not chosen */
	bool line_ids;                 /* the whole line is text, its number in the input the id */
	bool crlf;                     /* take one CR off the line's end */
};

struct sh_document {
	struct sh_slice id, text; /* text with its escapes, or raw when line_ids */
};

/* "ID,TEXT", two different field numbers. */
int sh_document_form_parse(const char *spec, struct sh_document_form *form, struct sh_error *err);

/* Not for line_ids, where the line is the text and the caller has its number. */
int sh_document_parse(const struct sh_document_form *form, struct sh_slice line,
    struct sh_document *doc, struct sh_error *err);

#endif
