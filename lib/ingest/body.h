/* SPDX-License-Identifier: MIT */
/* The text of a body: of a file, of a part of a mail, or of the response of a web server. Input is
 * bytes of some kind, with or without a declared charset. Output is UTF-8. Its line ends are LF,
 * and it ends without white space. */
#ifndef SH_INGEST_BODY_H
#define SH_INGEST_BODY_H

#include "ingest/charset.h"
#include "ingest/tally.h"

enum sh_body_kind {
	SH_BODY_UNKNOWN, /* only the bytes show the kind: sh_body_sniff() */
	SH_BODY_TEXT,
	SH_BODY_HTML,
	SH_BODY_OTHER, /* no text: pictures, programs, archives */
};

/* Converts bodies to text and counts what it assumed. A zeroed struct is ready. It serves one
 * thread. */
struct sh_body {
	struct sh_charset charset; /* the caller may set charset.forced */
	struct sh_buf room;        /* scratch */
	/* Set by the caller: counts texts by "CHARSET (reason)"; NULL: no count. Texts in UTF-8
	 * do not count. */
	struct sh_tally *assumed;
	uint64_t ill; /* ill-formed sequences replaced, in all texts */
	/* "html, WINDOWS-1252 (declared)" of each body, separated by "; ", until the caller empties
	 * it */
	struct sh_buf notes;
};

void sh_body_free(struct sh_body *b);

/* Returns the kind of a media type such as "text/html", in lower case. Of a word that is no media
 * type, such as "" or "html", it is SH_BODY_UNKNOWN. */
enum sh_body_kind sh_body_kind_of(const char *type);

/* Sets *kind to HTML, text or other, by the first 4096 bytes, of which `head` may have fewer.
 * charset: declared outside of the body, or NULL. */
int sh_body_sniff(struct sh_body *b, struct sh_slice head, const char *charset,
    enum sh_body_kind *kind, struct sh_error *err);

/* Appends the text of a body of kind SH_BODY_TEXT or SH_BODY_HTML. charset: declared outside of the
 * body, or NULL. SH_ERR_RECORD: see sh_charset_decode() and sh_page_text(). */
int sh_body_text(struct sh_body *b, enum sh_body_kind kind, struct sh_slice in, const char *charset,
    struct sh_buf *out, struct sh_error *err);

#endif
