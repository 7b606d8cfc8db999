/* A page in the words of libxml2's parser, which is older than the rules that browsers share.
 *
 * It takes a NUL for the page's end, "&eacute" without a semicolon and "&comma;", which HTML 4 did not have,
 * for text, "<!-->" for a comment that goes on, "<![if !supportLists]>", which is a comment to browsers,
 * for text, and "<script>" or "<!--" in a title, a <textarea> or an <iframe>, where they are text, for
 * what hides all that follows. None of these is in a page that was settled, and no other text is; but
 * CDATA, which browsers take for a comment too, stays text: it is that in XML. */
#ifndef SH_INGEST_MARKUP_H
#define SH_INGEST_MARKUP_H

#include "base/buf.h"

enum { SH_MARKUP_ROOMS = 3 };

/* White space, as HTML has it. */
static inline bool sh_is_html_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
}

/* The page becomes another, in the rooms, which are empty at first, where it must. */
int sh_markup_settle(
    struct sh_slice *page, struct sh_buf room[SH_MARKUP_ROOMS], struct sh_error *err);

#endif
