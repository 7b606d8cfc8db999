/* SPDX-License-Identifier: MIT */
/* Reads the records of a WARC file (ISO 28500), such as a WET file. A record is a head of fields,
 * and a block of Content-Length bytes.
 *
 *     while ((got = sh_warc_next(r, &w, err)) > 0)
 *             ... sh_warc_peek() ...
 */
#ifndef SH_INGEST_WARC_H
#define SH_INGEST_WARC_H

#include "ingest/ingest.h"

struct sh_warc {
	struct sh_buf head; /* version line, fields, empty line, as they stand in the file */
	uint64_t length;    /* of the block, in bytes */
	uint64_t at;        /* offset of the record in the decompressed file */
	bool unread;        /* the block was not skipped yet */
};

void sh_warc_free(struct sh_warc *w);

/* Skips the rest of the previous record and reads the next head. Returns 1, 0 at the end, or -1. */
int sh_warc_next(struct sh_reader *r, struct sh_warc *w, struct sh_error *err);

/* Sets *start to the first n bytes of the block, or to the whole block. Consumes none of these
 * bytes, which are valid until the next read. */
int sh_warc_peek(struct sh_reader *r, const struct sh_warc *w, size_t n, struct sh_slice *start,
    struct sh_error *err);

/* Makes documents of one record, whose head was read. */
int sh_ingest_warc_record(
    struct sh_ingest *in, struct sh_reader *r, const struct sh_warc *w, struct sh_error *err);

/* As sh_ingest_resume(). After a record that is broken: looks for the next record. */
int sh_ingest_warc_resume(
    struct sh_ingest *in, struct sh_reader *r, struct sh_warc *w, struct sh_error *err);

#endif
