/* SPDX-License-Identifier: MIT */
/* The text of an HTML page as a reader sees it, by the parser of libxml2. Any UTF-8 is a page.
 *
 * White space collapses as in a browser. Each block, line break and table row ends a line, at any
 * depth. The lines of <pre> stay. The text of these is left out: title, scripts, styles, templates,
 * <noscript>, elements with the attribute `hidden`, and elements whose own style has display: none
 * or visibility: hidden. References such as &eacute; become characters. As in browsers, &eacute
 * needs no semicolon, and &#146; is a character of windows-1252.
 *
 * One page at a time is read in a process: the parser's functions for memory are global. */
#ifndef SH_INGEST_PAGE_H
#define SH_INGEST_PAGE_H

#include "base/buf.h"
#include "ingest/charset.h"

/* Appends the text of a page in UTF-8, as UTF-8. SH_ERR_RECORD: the page needs too much time, or
 * has more than INT_MAX bytes; or the build is without libxml2. */
int sh_page_text(struct sh_slice page, struct sh_buf *out, struct sh_error *err);

/* Sets the functions with which libxml2 allocates memory, in the whole process. Call it before the
 * first page. libxml2 crashes or loops after some failed allocations. So only functions that end
 * the process are safe then. Without libxml2 it does nothing. */
struct sh_page_memory {
	void *(*get)(size_t n);
	void *(*resize)(void *p, size_t n);
	char *(*copy)(const char *text);
	void (*put)(void *p);
};
void sh_page_allocate_with(const struct sh_page_memory *m);

/* sh_page_memory.resize() must call this first, with its arguments. The page fails with
 * SH_ERR_RECORD when a tag has too many attributes. */
void sh_page_watch(const void *p, size_t n);

/* Stores the charsets that the page declares in an XML declaration and in the first <meta> that has
 * one, within its first 4096 bytes, in lower case. Stores "" where there is none of this length. */
void sh_page_charset(struct sh_slice page, char xml[SH_CHARSET_NAME], char meta[SH_CHARSET_NAME]);

#endif
