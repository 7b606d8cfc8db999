/* SPDX-License-Identifier: MIT */
/* Parses real numbers in files of other programs: dictionaries, models, tables of weights. */
#ifndef SH_BASE_REAL_H
#define SH_BASE_REAL_H

#include <stdint.h>

#include "base/slice.h"

enum { SH_REAL_CHARS = 63 }; /* most bytes that sh_parse_real() accepts */

/* Parses the whole slice by strtod() in the C locale. So it accepts "inf", "nan", a sign and blanks
 * before the number. A number that is too large gives infinity. Returns 0 or -1. */
int sh_parse_real(struct sh_slice s, double *x);

/* Parses digits, perhaps with a point and more digits, or a power of ten as in 8e-05. Rounds to the
 * nearest millionth, halves up. Returns a code of enum sh_num (base/num.h). */
int sh_parse_rounded(struct sh_slice s, int64_t *millionths);

#endif
