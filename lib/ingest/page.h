/* HTML to the text that a reader sees, through libxml2's parser, which takes any bytes.
 *
 * Blanks collapse as in a browser; each block, line break and table row ends a line, however deep
 * it stands; lines of <pre> stay. Left out: the title, scripts, styles, templates, what is for
 * readers without scripts, and elements hidden by the attribute `hidden` or by display: none
 * and visibility: hidden in their own style. References such as &eacute; are resolved,
 * and &eacute and &#146; as browsers do it, the one for want of a semicolon, the other by
 * windows-1252. */
#ifndef SH_INGEST_PAGE_H
#define SH_INGEST_PAGE_H

#include "base/buf.h"

/* Append the text of a page, which is UTF-8. SH_ERR_RECORD in a build without libxml2. */
int sh_page_text(struct sh_slice page, struct sh_buf *out, struct sh_error *err);

/* What libxml2 is to allocate with, in the whole process, given before it reads the first page. It
 * does not withstand an allocation that fails: of some it dies, after others it goes on for ever. So
 * functions that do not return then are the only ones that are safe. Without libxml2: nothing. */
struct sh_page_memory {
	void *(*get)(size_t n);
	void *(*resize)(void *p, size_t n);
	char *(*copy)(const char *text);
	void (*put)(void *p);
};
void sh_page_allocate_with(const struct sh_page_memory *m);

/* The charset that the page declares in its first bytes, in <meta> or an XML declaration, in
 * lower case; "" when none. */
void sh_page_charset(struct sh_slice page, char *name, size_t room);

#endif
