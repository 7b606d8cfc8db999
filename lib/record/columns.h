/* SPDX-License-Identifier: MIT */
/* The columns of CSV (RFC 4180) and of TSV, whose first record names them. */
#ifndef SH_RECORD_COLUMNS_H
#define SH_RECORD_COLUMNS_H

#include <sys/types.h>

#include "base/buf.h"

#define SH_FIELD_MAX 1024 /* highest field number that the user can choose */

enum { SH_DOCUMENT_FIELDS = 17 }; /* most fields of a document: its id and its texts */

struct sh_columns {
	unsigned n;     /* fields of each record; 0: no header was read yet */
	char delimiter; /* between fields of CSV; 0: a comma */
	/* Indexes of the columns of the id and of the texts, from 0; in TSV below SH_FIELD_MAX. */
	unsigned index[SH_DOCUMENT_FIELDS];
};

/* Functions with `delimiter` process CSV whose fields this character separates; TSV when delimiter
 * is 0. */

/* Sets *out to the field of CSV with this index, from 0, without its quotes. Leaves *out alone when
 * the record has no such field. Copies a field with doubled quotes to `room`, with single quotes.
 * Without `room` quotes stay doubled: the fields still sort in the same order. Returns the number
 * of fields, or -1 with SH_ERR_RECORD for quotes that RFC 4180 does not allow. */
ssize_t sh_csv_field(struct sh_slice record, char delimiter, size_t index, struct sh_buf *room,
    struct sh_slice *out, struct sh_error *err);

/* Sets *index, from 0, to the column with this name. Returns the number of columns. Returns 0 with
 * SH_ERR_RECORD when there is no such column, or several; -1 when the header cannot be read. */
int sh_columns_find(struct sh_slice header, char delimiter, struct sh_slice name, unsigned *index,
    struct sh_error *err);

/* Appends a field of CSV, in quotes when it needs quotes. */
int sh_csv_add_field(
    struct sh_buf *out, char delimiter, struct sh_slice field, struct sh_error *err);

#endif
