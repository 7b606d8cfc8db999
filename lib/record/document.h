/* The document record: id<TAB>text, or two chosen fields of a wider one, or two named
 * fields of a JSON object, or a bare line. */
#ifndef SH_RECORD_DOCUMENT_H
#define SH_RECORD_DOCUMENT_H

#include "base/buf.h"
#include "record/fields.h"

#define SH_FIELD_MAX 1024 /* highest field number that can be chosen */

/* How a line becomes a document. All zero: exactly the two fields id and text. */
struct sh_document_form {
	unsigned id_field, text_field;      /* from 1; 0 when not chosen */
	bool line_ids;                      /* the line's number is the id, the rest is text */
	bool crlf;                          /* take one CR off the line's end */
	bool json;                          /* the line is an object, see record/json.h */
	struct sh_slice id_name, text_name; /* of its fields; borrowed; "id" and "text" if empty */
};

struct sh_document {
	struct sh_slice id, text; /* text with its escapes, or raw when line_ids or json */
	uint64_t ill_formed;      /* halves of surrogate pairs in JSON, U+FFFD in the text */
};

/* Where the strings of JSON go that cannot stay in their line. Zeroed it is ready; one
 * serves one thread. */
struct sh_document_room {
	struct sh_buf id, text;
};

void sh_document_room_free(struct sh_document_room *room);

/* "ID,TEXT": two different field numbers; names, when form->json, and with line_ids "TEXT" alone. */
int sh_document_form_parse(const char *spec, struct sh_document_form *form, struct sh_error *err);

/* The document of a line, which is the input's line of this number, from 1. It lives as long as
 * the line, and until the room is used again. */
int sh_document_parse(const struct sh_document_form *form, struct sh_slice line, uint64_t number,
    struct sh_document_room *room, struct sh_document *doc, struct sh_error *err);

#endif
