/* Files of many forms to documents: what shdoc(1) does.
 *
 * A file is plain text or a page, one document; lines or an array of JSON, an mbox or a WARC file,
 * with many.
 * Documents are handed on in the order of the file. Memory is that of the largest record. */
#ifndef SH_INGEST_INGEST_H
#define SH_INGEST_INGEST_H

#include "ingest/forms.h"

/* All documents of a file, which is open as fd unless that is -1; id is for those without one of their own. What ends the file early
 * is an error: SH_ERR_IO or SH_ERR_RECORD, after which the next file can be read. */
int sh_ingest_file(
    struct sh_ingest *in, const char *path, int fd, struct sh_slice id, struct sh_error *err);

/* The same from a reader, of a format that is not AUTO. */
int sh_ingest_read(struct sh_ingest *in, enum sh_format format, struct sh_reader *r,
    struct sh_slice id, struct sh_error *err);

/* What this build cannot read, for want of which libraries; "" when it reads all. */
const char *sh_ingest_lacks(void);

#endif
