/* What text is wrapped in on its way: base64 and quoted-printable of mail (RFC 2045), its flowed lines, the chunks of
 * HTTP (RFC 9112), and the content codings of HTTP, through the libraries that the build has. */
#ifndef SH_INGEST_TRANSFER_H
#define SH_INGEST_TRANSFER_H

#include "base/buf.h"

/* Append what was encoded. Both take any bytes: what base64 does not know is skipped, as RFC 2045
 * wants, and its padding ends it; what is no escape stands for itself. */
int sh_base64_decode(struct sh_slice in, struct sh_buf *out, struct sh_error *err);
int sh_quoted_printable_decode(struct sh_slice in, struct sh_buf *out, struct sh_error *err);

/* Append the lines of format=flowed; delsp=yes (RFC 3676), with those put together again that were broken
 * at a space of their own: it may stand within a word. */
int sh_unflow(struct sh_slice in, struct sh_buf *out, struct sh_error *err);

/* Append the chunks' bytes: 1, or 0 when the first line is no chunk's size (archives often hold
 * such bodies, without their chunks but with the header field), or -1 when chunks go wrong
 * later. With `cut` the input may end anywhere. */
int sh_dechunk(struct sh_slice in, bool cut, struct sh_buf *out, struct sh_error *err);

/* Appends the decoded body, at most max bytes, of the coding "gzip", "deflate", "br" or "zstd". Returns 1; 0 when
 * the coding has another name, or the bytes are in no such coding; or -1. With `cut` the input may end
 * anywhere. */
int sh_content_decode(struct sh_slice coding, struct sh_slice in, bool cut, size_t max,
    struct sh_buf *out, struct sh_error *err);

#endif
