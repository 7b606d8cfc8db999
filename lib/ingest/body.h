/* SPDX-License-Identifier: MIT */
/* The text of a body: of a file, of a part of a mail, or of the response of a web server. Input is
 * bytes of some kind, with or without a declared charset. Output is UTF-8. Its line ends are LF,
 * and it ends without white space. */
#ifndef SH_INGEST_BODY_H
#define SH_INGEST_BODY_H

#include "base/hmap.h"
#include "ingest/charset.h"

/* ---- counts of a few names, in the order of their first occurrence ---- */

enum { SH_TALLY_NAMES = 1000 }; /* most names; further names count as one more, "others" */

struct sh_tally {
	struct sh_hmap names; /* by index in count */
	uint64_t *count;
	size_t cap;
};

int sh_tally_init(struct sh_tally *t, struct sh_error *err);
void sh_tally_free(struct sh_tally *t);
/* Add n occurrences of a name, or one occurrence. */
int sh_tally_add_many(struct sh_tally *t, struct sh_slice name, uint64_t n, struct sh_error *err);
static inline int sh_tally_add(struct sh_tally *t, struct sh_slice name, struct sh_error *err)
{
	return sh_tally_add_many(t, name, 1, err);
}

/* ---- bodies ---- */

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
