/* Tells the charsets of the Latin alphabet apart. Detectors compare the frequencies of letters, which
 * few accents show badly. The accents of a language are a better witness: "één" has no letter that
 * Dutch lacks, but in MAC-CENTRALEUROPE it is "ťťn". */
#ifndef SH_INGEST_LATIN_H
#define SH_INGEST_LATIN_H

#include <stddef.h>

/* The languages of a charset: 'W' of western, 'C' of central Europe, 'T' Turkish, 'B' Baltic. Returns
 * 0 when charsets of this name do not encode the Latin alphabet, a byte a character. */
char sh_latin_family(const char *charset);

/* The charsets to compare with the guess of a detector; NULL ends them. */
extern const char *const sh_latin_charsets[];

/* Returns how many of the letters beyond ASCII, in text of UTF-8, do not belong to the language of
 * the family that suits the text best. A symbol within a word counts as such a letter. Adds the
 * number of all letters beyond ASCII to *letters. */
size_t sh_latin_misses(const char *text, size_t n, char family, size_t *letters);

#endif
