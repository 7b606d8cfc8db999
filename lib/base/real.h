/* Parses real numbers in files of other programs: dictionaries, models, tables of weights. */
#ifndef SH_BASE_REAL_H
#define SH_BASE_REAL_H

#include <stdint.h>

#include "base/slice.h"

enum { SH_REAL_CHARS = 63 }; /* length of the longest accepted number, in bytes */

/* Parses the whole slice as strtod() does in the C locale. The locale of the program has no effect. Returns 0
 * or -1. */
int sh_parse_real(struct sh_slice s, double *x);

/* Parses a number as other programs print it: digits, and perhaps a point and more digits, or a power of ten
 * as in 8e-05. Rounds to the nearest millionth, halves up. Returns SH_NUM_OK or a reason (base/num.h). */
int sh_parse_rounded(struct sh_slice s, int64_t *millionths);

#endif
