/* SPDX-License-Identifier: MIT */
/* Undoes the encodings of mail: base64 and quoted-printable (RFC 2045), flowed lines (RFC 3676). */
#ifndef SH_INGEST_TRANSFER_H
#define SH_INGEST_TRANSFER_H

#include "base/buf.h"

/* Append the decoded bytes. Both accept any input. The base64 decoder skips characters outside of
 * its alphabet, as RFC 2045 requires, and stops at the padding, or before lines of text, such as
 * the footer of a mailing list. The quoted-printable decoder copies a "=" that begins no escape. */
int sh_base64_decode(struct sh_slice in, struct sh_buf *out, struct sh_error *err);
int sh_quoted_printable_decode(struct sh_slice in, struct sh_buf *out, struct sh_error *err);

/* Appends the lines of format=flowed; delsp=yes (RFC 3676), and joins the lines that the sender
 * broke. A line that ends in a space continues on the next line. The space is dropped, since the
 * break may be within a word. */
int sh_unflow(struct sh_slice in, struct sh_buf *out, struct sh_error *err);

#endif
