/* SPDX-License-Identifier: MIT */
/* The page of a report, part by part: one file that fetches nothing. Its style and script are
 * page.css and page.js, which the Makefile makes strings of C.
 *
 * The order: sh_page_begin(), sh_page_texts(), pairs, sh_page_rows(), rows, sh_page_end(). */
#ifndef SH_REPORT_PAGE_H
#define SH_REPORT_PAGE_H

#include "report/beside.h"
#include "report/pairs.h"

/* Writes the head: counts, bars, groups. */
void sh_page_begin(struct sh_html *h, const struct sh_report *p, struct sh_slice title);

/* Begins the pairs with texts. shown: their number. documents: the texts were given. */
void sh_page_texts(struct sh_html *h, const struct sh_report *p, size_t shown, bool documents);

/* Begins a pair. at: its position in the order, from 0. After the texts or passages call
 * sh_page_pair_end(). */
void sh_page_pair(struct sh_html *h, const struct sh_report *p, size_t at);
void sh_page_pair_end(struct sh_html *h);

/* Draws the positions of n spans in each document of a pair, as a strip. length: bytes of the
 * texts. */
void sh_page_strips(
    struct sh_html *h, const struct sh_report_span *span, size_t n, const size_t length[2]);

/* Begins the rows of pairs. shown: number of rows. texts: number of pairs with texts, the first
 * rows. */
void sh_page_rows(struct sh_html *h, const struct sh_report *p, size_t shown, size_t texts);
/* Appends a row. at: position of the pair in the order, from 0. */
void sh_page_row(struct sh_html *h, const struct sh_report *p, size_t at);
void sh_page_end(struct sh_html *h);

#endif
