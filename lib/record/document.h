/* The document record: id<TAB>text; or two chosen fields of more; or two named fields of a JSON object; or
 * a line of plain text. */
#ifndef SH_RECORD_DOCUMENT_H
#define SH_RECORD_DOCUMENT_H

#include "base/buf.h"
#include "record/columns.h"
#include "record/fields.h"

/* The form of a document in a line. All zero: exactly the two fields id and text. */
struct sh_document_form {
	unsigned id_field, text_field; /* from 1; 0 when not chosen */
	bool line_ids;                 /* the number of the line is the id */
	bool crlf;                     /* a CR at the end of the line is dropped */
	bool json;                     /* the line is an object, see record/json.h */
	bool csv;                      /* the line is a record of CSV; `columns` is set */
	struct sh_columns *columns;    /* of files with a header; borrowed; NULL: there is none */
	/* Names or paths (sh_json_find()) of its fields; borrowed; "id" and "text" if empty. */
	struct sh_slice id_name, text_name;
	/* Further fields of text: the text is all of them in this order, parted by blanks. */
	unsigned more, more_field[SH_DOCUMENT_MORE];
	struct sh_slice more_name[SH_DOCUMENT_MORE];
};

struct sh_document {
	struct sh_slice id, text; /* the text has escapes, but not with line_ids or json */
	uint64_t ill_formed;      /* halves of surrogate pairs in JSON: U+FFFD in the text */
};

/* Memory for the strings of JSON that have escapes. Ready when zeroed; one per thread. */
struct sh_document_room {
	struct sh_buf id, text;
	struct sh_buf joined; /* several fields of text */
	struct sh_buf line;   /* for a line that the caller reads */
};

void sh_document_room_free(struct sh_document_room *room);

/* Parses "ID,TEXT" or "ID,TEXT,TEXT...": different numbers of fields. With form->json or form->columns they are
 * names. With line_ids the form is "TEXT". */
int sh_document_form_parse(const char *spec, struct sh_document_form *form, struct sh_error *err);

/* Fills form->columns from the header, whose byte order mark and LF are left out. */
int sh_document_header(
    const struct sh_document_form *form, struct sh_slice header, struct sh_error *err);

/* Parses a line. number: its number in the input, from 1. The document is valid as long as the line, and
 * until `room` is used again. */
int sh_document_parse(const struct sh_document_form *form, struct sh_slice line, uint64_t number,
    struct sh_document_room *room, struct sh_document *doc, struct sh_error *err);

#endif
