/* SPDX-License-Identifier: MIT */
/* Files of many forms to documents: the engine of shdoc(1).
 *
 * A text or a page is one document. A file of JSON, an mbox and a WARC file hold many documents.
 * Documents are handed on in the order of the file. Memory is that of the largest record. */
#ifndef SH_INGEST_INGEST_H
#define SH_INGEST_INGEST_H

#include "ingest/forms.h"

/* Reads all documents from a reader, which stays open. The format is not SH_FORMAT_AUTO. */
int sh_ingest_read(struct sh_ingest *in, enum sh_format format, struct sh_reader *r,
    struct sh_slice id, struct sh_error *err);

/* Returns a static text: "; FORM (LIBRARY)" for each form that this build cannot read; "" when it
 * reads all forms. */
const char *sh_ingest_lacks(void);

#endif
