/* Records of a WARC file (ISO 28500), WET files among them: a head of fields, and a block of as
 * many bytes as its Content-Length says.
 *
 *     while ((got = sh_warc_next(r, &w, err)) > 0)
 *             ... sh_warc_peek(), as far as the record is of interest ...
 */
#ifndef SH_INGEST_WARC_H
#define SH_INGEST_WARC_H

#include "io/reader.h"

struct sh_warc {
	struct sh_buf head; /* version line, fields, empty line, as they stand in the file */
	uint64_t length;    /* of the block */
	uint64_t at;        /* of the record in the file, counted from 0 */
	bool unread;        /* the block is still to come */
};

void sh_warc_free(struct sh_warc *w);

/* The next record's head; what was not read of the one before is skipped: 1, 0 at the end, -1.
 * Where the frame breaks, no later record can be found: SH_ERR_IO. */
int sh_warc_next(struct sh_reader *r, struct sh_warc *w, struct sh_error *err);

/* The first bytes of the block, at most n; nothing is taken. Valid until the next read. */
int sh_warc_peek(struct sh_reader *r, const struct sh_warc *w, size_t n, struct sh_slice *start,
    struct sh_error *err);

/* A field's value, without the < > that some writers put around URIs; empty when absent. */
struct sh_slice sh_warc_field(const struct sh_warc *w, const char *name);

#endif
