/* SPDX-License-Identifier: MIT */
/* Marks a duplicate with its keeper, instead of dropping the duplicate. */
#ifndef SH_RECORD_KEEPER_MARK_H
#define SH_RECORD_KEEPER_MARK_H

#include "record/document.h"

struct sh_keeper_mark {
	struct sh_slice keeper;     /* id of the keeper; empty: the document is no duplicate */
	struct sh_slice similarity; /* "0.0000" to "1.0000"; empty: unknown */
	struct sh_slice measure;    /* its name; empty: unknown */
};

/* Appends the line, without LF, with its mark to *out. doc: as sh_document_parse() filled it from
 * the line. JSON: adds a field `name` with the value {"keeper":ID,"similarity":NUMBER,
 * "measure":NAME}, or null when the document is no duplicate. ID is a number when the id of the
 * document is a number. SH_ERR_RECORD: a field has this name. Other forms: adds the fields keeper,
 * similarity and measure, empty when the document is no duplicate. */
int sh_keeper_mark_add(const struct sh_document_form *form, struct sh_slice name,
    struct sh_slice line, const struct sh_document *doc, const struct sh_keeper_mark *mark,
    struct sh_buf *out, struct sh_error *err);

/* Appends the header, without LF, with three more names: `name`, `name` + "_similarity" and
 * `name` + "_measure". */
int sh_keeper_mark_header(const struct sh_document_form *form, struct sh_slice name,
    struct sh_slice header, struct sh_buf *out, struct sh_error *err);

#endif
