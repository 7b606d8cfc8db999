/* SPDX-License-Identifier: MIT */
/* Writes HTML. Text of documents cannot become markup or script, whatever bytes it has.
 *
 *     struct sh_html h = { 0 };
 *     sh_html_raw(&h, "<p>");
 *     sh_html_text(&h, text);
 *     if (h.failed) ... h.err says why ...
 *
 * A failure is kept: the functions do nothing after the first one. */
#ifndef SH_REPORT_HTML_H
#define SH_REPORT_HTML_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct sh_html {
	struct sh_buf buf;
	struct sh_error err;
	bool failed;
};

void sh_html_free(struct sh_html *h);

/* Append markup of the program itself. Nothing is escaped. sh_html_format() appends at most 511
 * bytes. */
void sh_html_raw(struct sh_html *h, const char *markup);
void sh_html_format(struct sh_html *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends text, for an element or an attribute in double quotes. Ill-formed UTF-8 and control
 * characters become U+FFFD. CR and CR LF become LF. */
void sh_html_text(struct sh_html *h, struct sh_slice text);

/* Appends text as a string of JSON with its quotes. The string has no '<', '>' and '&', so it
 * cannot end a script element. */
void sh_html_json(struct sh_html *h, struct sh_slice text);

enum { SH_HTML_COUNT = 32 };

/* Prints a number with commas: 12,345. Returns `to`. */
const char *sh_html_count(char to[SH_HTML_COUNT], uint64_t n);

/* Returns ` lang="zh"` and the like for text in Han characters, kana or Hangul; otherwise "". */
const char *sh_html_lang(struct sh_slice text);

#endif
