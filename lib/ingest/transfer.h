/* SPDX-License-Identifier: MIT */
/* Undoes the encodings of mail and HTTP: base64 and quoted-printable (RFC 2045), flowed lines (RFC
 * 3676), chunks and content codings (RFC 9112). A content coding needs its library in the build. */
#ifndef SH_INGEST_TRANSFER_H
#define SH_INGEST_TRANSFER_H

#include "base/buf.h"

/* Append the decoded bytes. Both accept any input. The base64 decoder skips characters outside of
 * its alphabet, as RFC 2045 requires, and stops at the padding, or before lines of text, such as
 * the footer of a mailing list. The quoted-printable decoder copies
 * a "=" that begins no escape. */
int sh_base64_decode(struct sh_slice in, struct sh_buf *out, struct sh_error *err);
int sh_quoted_printable_decode(struct sh_slice in, struct sh_buf *out, struct sh_error *err);

/* Appends the lines of format=flowed; delsp=yes (RFC 3676), and joins the lines that the sender
 * broke. A line that ends in a space continues on the next line. The space is dropped, since the
 * break may be within a word. */
int sh_unflow(struct sh_slice in, struct sh_buf *out, struct sh_error *err);

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
