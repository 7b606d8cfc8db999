/* Reads the messages of an mbox file, and the text of a message (RFC 5322, MIME).
 *
 * A message of a file begins at a line "From ..." with a time of day in it, at the file's beginning or after an
 * empty line. Content-Length is ignored, since it is often wrong. A line that begins with one or more ">" and
 * "From " loses one ">" (mboxrd). In the mboxo form this is wrong for lines that began with ">From " before
 * they were quoted. */
#ifndef SH_INGEST_MAIL_H
#define SH_INGEST_MAIL_H

#include "ingest/body.h"
#include "io/reader.h"

struct sh_mbox {
	struct sh_buf message; /* without the From_ line, its lines unquoted */
	uint64_t number;       /* from 1 */
	size_t size; /* bytes of the message in the file; they are ready in the reader, not taken */
	bool too_large; /* `message` has only the first lines, up to the limit */
	bool cut;       /* the first line alone exceeds the limit */
	bool quoted;    /* a From_ line was found; a message without one has no quoted lines */
};

void sh_mbox_free(struct sh_mbox *m);

/* Reads the next message, of at most max bytes. Returns 1, 0 at the end, or -1. A file that does not begin with a
 * From_ line is one message. */
int sh_mbox_next(struct sh_reader *r, struct sh_mbox *m, size_t max, struct sh_error *err);

/* Returns whether the line has the form of a From_ line. */
bool sh_mbox_from(struct sh_slice line);

/* Sets *id to the Message-ID without its < >, a view of `room`. It is empty when the message has no id that a
 * record can hold. */
int sh_mail_id(
    struct sh_slice message, struct sh_buf *room, struct sh_slice *id, struct sh_error *err);

/* Appends the text of all parts that are text and no attachments. Of alternatives the plain text is preferred.
 * Parts that are left out are counted by media type. */
int sh_mail_text(struct sh_body *b, struct sh_slice message, struct sh_tally *left_out,
    struct sh_buf *out, struct sh_error *err);

#endif
