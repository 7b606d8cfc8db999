/* What a web server sent, as archives keep it: status line, header fields, body. */
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

/* The head of a response, of which `in` is at least that. The views live as long as it. */
int sh_http_parse(struct sh_slice in, struct sh_http *h, struct sh_error *err);

/* The body without chunks and content codings: a view of `in`, or of one of the two rooms. At most
 * max bytes; with `cut` what the archive kept of it may end anywhere. */
int sh_http_body(const struct sh_http *h, struct sh_slice in, bool cut, size_t max,
    struct sh_buf room[2], struct sh_slice *body, struct sh_error *err);

#endif
