/* SPDX-License-Identifier: MIT */
/* Two texts side by side, with the differing words marked.
 *
 * The texts become rows of two cells. Where they have many successive words in common, a line
 * replaces these words and shows the number of their characters. */
#ifndef SH_REPORT_BESIDE_H
#define SH_REPORT_BESIDE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/hmap.h"
#include "report/html.h"

/* ---- the differing words ---- */

/* Marks the words in which two texts differ (Myers 1986, O(ND)).
 *
 * A word is a run of letters, marks and digits; in scripts without spaces it is one character. Any
 * other character is a word of its own. White space belongs to the word before it and is not
 * compared. */

struct sh_diff_word {
	uint32_t start, end; /* in the text; end: without its white space */
	uint32_t number;     /* equal words have equal numbers */
	bool differs;        /* the other side has no word that matches this one */
};

struct sh_diff_side {
	struct sh_slice text;      /* borrowed */
	struct sh_diff_word *word; /* word[n].start: the end of the text */
	size_t n, cap;             /* words */
};

struct sh_diff {
	struct sh_diff_side side[2];
	struct sh_hmap words;
	int32_t *reach; /* the furthest place on each diagonal */
	int32_t *trace; /* the values of `reach` after each edit */
	size_t reach_cap, trace_cap;
};

/* After this number of edits, the remaining words of both texts count as different. */
enum { SH_DIFF_EDITS = 1000 };

int sh_diff_init(struct sh_diff *d, struct sh_error *err);
void sh_diff_free(struct sh_diff *d);

/* Fills both sides. The words that do not differ are the same sequence on both sides. A text must
 * have less than 2^31 bytes, which is not checked. */
int sh_diff_texts(struct sh_diff *d, struct sh_slice x, struct sh_slice y, struct sh_error *err);

/* ---- side by side ---- */

/* Most bytes of each text; a line reports the number of bytes left out. */
enum { SH_BESIDE_BYTES = 20000 };

/* A text, and the text shown before and behind it, which is not compared. Borrowed. */
struct sh_beside_text {
	struct sh_slice before, text, behind;
};

/* Appends the rows, compared with d. Failures go to h. */
void sh_beside_add(struct sh_html *h, struct sh_diff *d, const struct sh_beside_text *x,
    const struct sh_beside_text *y);

#endif
