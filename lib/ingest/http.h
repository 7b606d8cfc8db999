/* SPDX-License-Identifier: MIT */
/* The response of a web server, as web archives store it: status line, header fields, body. */
#ifndef SH_INGEST_HTTP_H
#define SH_INGEST_HTTP_H

#include "base/buf.h"
#include "ingest/header.h"

struct sh_http {
	unsigned status;
	struct sh_slice head; /* the header fields */
	size_t body;          /* offset of the body */
	struct sh_media media;
};

/* Parses the head of a response. `in` must hold the whole head. The views in *h point into `in`.
 * SH_ERR_RECORD: `in` does not begin with a status line. */
int sh_http_parse(struct sh_slice in, struct sh_http *h, struct sh_error *err);

/* Sets *body to the body without chunks and content codings. in: the response, as for
 * sh_http_parse(). The body is a view of `in` or of one of the two rooms, which are overwritten.
 * With `cut` the input may end anywhere, since the archive has only its beginning. SH_ERR_RECORD:
 * the body is damaged, or has more than max bytes after a content coding. */
int sh_http_body(const struct sh_http *h, struct sh_slice in, bool cut, size_t max,
    struct sh_buf room[2], struct sh_slice *body, struct sh_error *err);

/* Appends the bytes of the chunks. Returns 1. Returns 0 and appends nothing when the first line is
 * not the size of a chunk: archives often remove the chunks from a body and keep the header field.
 * Returns -1 when a later chunk is malformed. With `cut` the input may end anywhere. */
int sh_dechunk(struct sh_slice in, bool cut, struct sh_buf *out, struct sh_error *err);

/* Appends the decoded body of the coding "gzip", "deflate", "br" or "zstd". Returns 1. Returns 0
 * and appends nothing when the coding has another name, or the first bytes are not in this coding.
 * Returns -1 with SH_ERR_RECORD when later bytes are damaged, the body has more than max bytes, or
 * the build lacks the library. With `cut` the input may end anywhere. */
int sh_content_decode(struct sh_slice coding, struct sh_slice in, bool cut, size_t max,
    struct sh_buf *out, struct sh_error *err);

#endif
