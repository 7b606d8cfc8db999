/* SPDX-License-Identifier: MIT */
/* Rewrites an HTML page such that libxml2's parser reads it as browsers do. The parser is older
 * than the HTML standard. It misreads these:
 *
 *     a NUL byte                     as the end of the page
 *     "&eacute" without semicolon    as text
 *     "&comma;", unknown in HTML 4   as text
 *     "<!-->"                        as the beginning of a longer comment
 *     "<![if !supportLists]>"        as text; browsers treat it as a comment
 *     "<script>" or "<!--" in a title, <textarea> or <iframe>
 *                                    as markup that hides all text behind it
 *
 *     "<![CDATA[" in <svg>, <math>   as markup; elsewhere it is a comment
 *
 * The rewritten page has none of these, and the text that browsers show. */
#ifndef SH_INGEST_MARKUP_H
#define SH_INGEST_MARKUP_H

#include "base/buf.h"

enum { SH_MARKUP_ROOMS = 3 };

/* Returns whether c is white space in HTML. */
static inline bool sh_is_html_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
}

/* Rewrites the page. *page becomes a view of one of the rooms, unless nothing was changed. The
 * rooms must be empty. */
int sh_markup_rewrite(
    struct sh_slice *page, struct sh_buf room[SH_MARKUP_ROOMS], struct sh_error *err);

#endif
