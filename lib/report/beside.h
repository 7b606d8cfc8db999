/* SPDX-License-Identifier: MIT */
/* Two texts side by side, with the differing words marked.
 *
 * The texts become rows of two cells. Where they have many successive words in common, a line
 * replaces these words and shows the number of their characters. */
#ifndef SH_REPORT_BESIDE_H
#define SH_REPORT_BESIDE_H

#include "report/diff.h"
#include "report/html.h"

/* Most bytes of each text; a line reports the number of bytes left out. */
enum { SH_BESIDE_BYTES = 20000 };

/* A text, and the text shown before and behind it, which is not compared. Borrowed. */
struct sh_beside_text {
	struct sh_slice before, text, behind;
};

/* A zeroed struct is empty. */
struct sh_beside {
	struct sh_diff diff;
	bool ready; /* diff was initialised */
	struct sh_beside_stretch *stretch;
	size_t n, cap;
};

void sh_beside_free(struct sh_beside *b);

/* Appends the rows. Failures go to h. */
void sh_beside_add(struct sh_html *h, struct sh_beside *b, const struct sh_beside_text *x,
    const struct sh_beside_text *y);

#endif
