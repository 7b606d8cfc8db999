/* SPDX-License-Identifier: MIT */
/* Tells the charsets of the Latin alphabet apart. Detectors compare frequencies of letters, which a
 * few accents do not show. The letters of languages are a better witness: in windows-1252 "één" has
 * letters of Dutch, in MAC-CENTRALEUROPE it is "ťťn". */
#ifndef SH_INGEST_LATIN_H
#define SH_INGEST_LATIN_H

#include <stddef.h>

/* Returns the languages of a charset: 'W' of western Europe, 'C' of central Europe, 'T' Turkish,
 * 'B' Baltic; 0 when the charset does not encode the Latin alphabet, a byte a character. */
char sh_latin_family(const char *charset);

/* The charsets to compare with the guess of a detector; NULL ends them. */
extern const char *const sh_latin_charsets[];

/* Returns how many of the letters beyond ASCII, in text of UTF-8, do not belong to the language of
 * the family that suits the text best. A symbol within a word counts as such a letter. Adds the
 * number of all letters beyond ASCII to *letters. */
size_t sh_latin_misses(const char *text, size_t n, char family, size_t *letters);

#endif
