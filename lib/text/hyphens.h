/* SPDX-License-Identifier: MIT */
/* Joins words that a hyphen cuts at the end of a line: "co-\nefficient" becomes "coefficient".
 *
 * A word is joined when a letter or mark, one hyphen, one line end and a letter follow one another.
 * Blanks may stand before the line end and behind it. The hyphens are U+002D, U+00AD, U+2010,
 * U+2011, U+058A, U+2E17, and U+00AC, which OCR writes. A line end is LF, CR or CR LF, and the
 * escapes of them unless opts.raw is set.
 *
 * A capital behind the line end joins only a capital: "Jean-\nPaul" is two words, "CHAP-\nTER" is
 * one. Digits and characters that are tokens of their own (Chinese, Thai) are never joined. */
#ifndef SH_TEXT_HYPHENS_H
#define SH_TEXT_HYPHENS_H

#include "base/error.h"
#include "base/slice.h"

struct sh_tokenizer;

/* Replaces *text by a copy in t->whole when a word is joined, and then maps the places of the copy
 * to the text. */
int sh_join_hyphens(struct sh_tokenizer *t, struct sh_slice *text, struct sh_error *err);

#endif
