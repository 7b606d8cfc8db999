/* The text of a body, be it a file, a part of a mail or what a web server sent: bytes of a kind
 * and a declared charset to UTF-8 text, with plain line ends and none at its end. */
#ifndef SH_INGEST_BODY_H
#define SH_INGEST_BODY_H

#include "ingest/charset.h"
#include "ingest/tally.h"

enum sh_body_kind {
	SH_BODY_UNKNOWN, /* the bytes must tell: sh_body_sniff() */
	SH_BODY_TEXT,
	SH_BODY_HTML,
	SH_BODY_OTHER, /* no text: pictures, programs, archives */
};

/* What turns bodies into text, and what it assumed. Zeroed it is ready; one serves one thread. */
struct sh_body {
	struct sh_charset charset;
	struct sh_buf room;
	/* When set: texts by "CHARSET (reason)", but for UTF-8 about which nothing was assumed. */
	struct sh_tally *assumed;
	uint64_t ill;        /* sequences replaced in all texts */
	struct sh_buf notes; /* "html, WINDOWS-1252 (declared)" of each body since it was emptied */
};

void sh_body_free(struct sh_body *b);

/* By a media type such as "text/html", in lower case. "" is unknown. */
enum sh_body_kind sh_body_kind_of(const char *type);

/* *kind: HTML, text or neither, by the first bytes. charset: as it was declared outside of them, or
 * NULL. */
int sh_body_sniff(struct sh_body *b, struct sh_slice head, const char *charset,
    enum sh_body_kind *kind, struct sh_error *err);

/* Append the text of a body, SH_BODY_TEXT or SH_BODY_HTML; charset: as it was declared
 * outside of it, or NULL. */
int sh_body_text(struct sh_body *b, enum sh_body_kind kind, struct sh_slice in, const char *charset,
    struct sh_buf *out, struct sh_error *err);

#endif
