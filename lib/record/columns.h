/* The columns of CSV (RFC 4180) and of TSV, whose first record names them. */
#ifndef SH_RECORD_COLUMNS_H
#define SH_RECORD_COLUMNS_H

#include <sys/types.h>

#include "base/buf.h"

#define SH_FIELD_MAX 1024 /* highest field number that can be chosen */

enum { SH_DOCUMENT_MORE = 15 }; /* most further fields of text of a document */

struct sh_columns {
	unsigned n;        /* fields of each record; 0: no header was read yet */
	unsigned id, text; /* indexes of the two columns, from 0; below SH_FIELD_MAX in TSV */
	unsigned more[SH_DOCUMENT_MORE]; /* of further columns of text */
};

/* Stores the field of CSV with this index in *out, without quotes; `room` holds a field with doubled quotes;
 * when it is NULL, they stay doubled, which does not change the order of fields. Returns the
 * number of fields of the record. Returns -1 with SH_ERR_RECORD for quotes that RFC 4180 does not allow. */
ssize_t sh_csv_field(struct sh_slice record, size_t index, struct sh_buf *room,
    struct sh_slice *out, struct sh_error *err);

/* Returns the number of columns, or -1 with SH_ERR_RECORD. */
ssize_t sh_columns_count(struct sh_slice header, bool csv, struct sh_error *err);

/* Stores the index of the column with this name. Returns -1 with SH_ERR_RECORD when the header lacks the name. */
int sh_columns_find(
    struct sh_slice header, bool csv, struct sh_slice name, unsigned *index, struct sh_error *err);

/* Appends one field of CSV, in quotes when it needs them. */
int sh_csv_add_field(struct sh_buf *out, struct sh_slice field, struct sh_error *err);

#endif
