/* Mail: the messages of an mbox file, and the text of a message (RFC 5322, MIME).
 *
 * A message of a file begins at a line "From ..." with a time in it, at the file's beginning or after
 * an empty line; Content-Length is not looked at, since it is wrong too often. In the lines,
 * ">From " loses one ">" however many there are (mboxrd; in mboxo this is right but for
 * quoted lines that began so already). */
#ifndef SH_INGEST_MAIL_H
#define SH_INGEST_MAIL_H

#include "ingest/body.h"
#include "io/reader.h"

struct sh_mbox {
	struct sh_buf message; /* without the From_ line, its quoting undone */
	uint64_t number;       /* from 1 */
	size_t size;           /* of the message in the file, ready in the reader, not yet taken */
	bool too_large;        /* only so many of its lines as the limit allows are there */
	bool cut;              /* not even its first one */
	bool quoted; /* a From_ line was met: what stands alone has its lines as they are */
};

void sh_mbox_free(struct sh_mbox *m);

/* The next message, of at most max bytes: 1, 0 at the end, -1. A file that does not begin
 * with a From_ line is one message. */
int sh_mbox_next(struct sh_reader *r, struct sh_mbox *m, size_t max, struct sh_error *err);

/* Whether a line begins a message, by its form alone. */
bool sh_mbox_from(struct sh_slice line);

/* The id that the message has, without its < >; empty when it has none that a record can hold.
 * A view of `room`. */
int sh_mail_id(
    struct sh_slice message, struct sh_buf *room, struct sh_slice *id, struct sh_error *err);

/* Append the text: of alternatives the plain one where it has any, of other parts all that are text
 * and no attachment, one after the other. What is left out is counted by its media type. */
int sh_mail_text(struct sh_body *b, struct sh_slice message, struct sh_tally *left_out,
    struct sh_buf *out, struct sh_error *err);

#endif
