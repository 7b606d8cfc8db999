/* Marks a document with its keeper, instead of dropping the document. */
#ifndef SH_RECORD_KEEPER_MARK_H
#define SH_RECORD_KEEPER_MARK_H

#include "record/document.h"

struct sh_keeper_mark {
	struct sh_slice keeper;     /* id of the keeper; empty: the document stays */
	struct sh_slice similarity; /* 0.0000 to 1.0000; empty: unknown */
};

/* Appends the line with its mark to *out, without LF. A line of JSON gets one more field of this name at its
 * end: {"keeper":ID,"similarity":NUMBER} or null. The id is a number when the document's own id is a number.
 * Other lines get two more fields, keeper and similarity. Both are empty for a document that stays.
 * SH_ERR_RECORD: the object has a field of this name. doc: as sh_document_parse() filled it from the line. */
int sh_keeper_mark_add(const struct sh_document_form *form, struct sh_slice name,
    struct sh_slice line, const struct sh_document *doc, const struct sh_keeper_mark *mark,
    struct sh_buf *out, struct sh_error *err);

/* Appends the header with the names of the two fields: `name`, and `name` with "_similarity". */
int sh_keeper_mark_header(const struct sh_document_form *form, struct sh_slice name,
    struct sh_slice header, struct sh_buf *out, struct sh_error *err);

#endif
