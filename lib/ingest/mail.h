/* SPDX-License-Identifier: MIT */
/* Reads the messages of an mbox file, and the text of a message (RFC 5322, MIME).
 *
 * A message of a file begins at a line "From ..." with a time of day. The line begins the file, or
 * follows an empty line, or has a whole date and a header field follows. Content-Length is ignored,
 * since it is often wrong. A line that begins with one or more ">" and "From " loses one ">"
 * (mboxrd). In the mboxo form this is wrong for a line that began with ">From " before it was
 * quoted. */
#ifndef SH_INGEST_MAIL_H
#define SH_INGEST_MAIL_H

#include "ingest/body.h"
#include "io/reader.h"

struct sh_mbox {
	struct sh_buf message; /* without the From_ line, its lines unquoted */
	uint64_t number;       /* from 1 */
	size_t size;           /* bytes of the message in the file; sh_mbox_next() consumes them */
	bool too_large;        /* has more than max bytes: `message` has only the first lines */
	bool cut;    /* the first line alone has more than max bytes: `message` is empty */
	bool quoted; /* a From_ line was found; a message without one has no quoted lines */
};

void sh_mbox_free(struct sh_mbox *m);

/* Reads the next message. Returns 1, 0 at the end, or -1. A file that does not begin with a From_
 * line is one message. */
int sh_mbox_next(struct sh_reader *r, struct sh_mbox *m, size_t max, struct sh_error *err);

/* Returns whether the line, with or without its LF, has the form of a From_ line. */
bool sh_mbox_from(struct sh_slice line);

/* Returns whether the head is that of a message: at least three common header fields occur. more:
 * the head is only the beginning of the input. */
bool sh_mail_looks(struct sh_slice head, bool more);

/* Sets *id to the Message-ID without its < >, a view of `room`. It is empty when the message has no
 * id that a record can hold. */
int sh_mail_id(
    struct sh_slice message, struct sh_buf *room, struct sh_slice *id, struct sh_error *err);

/* Appends the text of all parts that are text and no attachments, converted by b. Of alternatives
 * the plain text is preferred. left_out counts the other parts by media type; NULL: no count.
 * SH_ERR_RECORD: parts nest too deep, or sh_body_text() fails. */
int sh_mail_text(struct sh_body *b, struct sh_slice message, struct sh_tally *left_out,
    struct sh_buf *out, struct sh_error *err);

/* ---- encodings of mail: RFC 2045 ---- */

/* Append the decoded bytes. Both accept any input. The base64 decoder skips characters outside of
 * its alphabet, as RFC 2045 requires, and stops at the padding, or before lines of text, such as
 * the footer of a mailing list. The quoted-printable decoder copies a "=" that begins no escape. */
int sh_base64_decode(struct sh_slice in, struct sh_buf *out, struct sh_error *err);
int sh_quoted_printable_decode(struct sh_slice in, struct sh_buf *out, struct sh_error *err);

#endif
