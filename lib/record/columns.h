/* The columns of CSV (RFC 4180), whose first record names them. */
#ifndef SH_RECORD_COLUMNS_H
#define SH_RECORD_COLUMNS_H

#include <sys/types.h>

#include "base/buf.h"

struct sh_columns {
	size_t n;        /* fields of each record; 0: no header was read yet */
	size_t id, text; /* indexes of the two columns, from 0 */
};

/* Stores the field with this index in *out, without quotes; `room` holds a field with doubled quotes;
 * when it is NULL, they stay doubled, which does not change the order of fields. Returns the
 * number of fields of the record. Returns -1 with SH_ERR_RECORD for quotes that RFC 4180 does not allow. */
ssize_t sh_csv_field(struct sh_slice record, size_t index, struct sh_buf *room,
    struct sh_slice *out, struct sh_error *err);

/* Stores the index of the column with this name. Returns -1 with SH_ERR_RECORD when the header lacks the name. */
int sh_csv_find(struct sh_slice header, struct sh_slice name, size_t *index, struct sh_error *err);

/* Appends one field, in quotes when it needs them. */
int sh_csv_add_field(struct sh_buf *out, struct sh_slice field, struct sh_error *err);

#endif
