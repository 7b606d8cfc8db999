/* SPDX-License-Identifier: MIT */
/* Parses real numbers in files of other programs: dictionaries, models, tables of weights. */
#ifndef SH_BASE_REAL_H
#define SH_BASE_REAL_H

#include <stdint.h>

#include "base/slice.h"

enum { SH_REAL_CHARS = 63 }; /* most bytes that sh_parse_real() accepts */

/* Parses the whole slice by strtod() in the C locale, whatever the program's locale is. So it
 * accepts "inf", "nan", "0x1p-3", a sign and blanks before the number. A number that is too large
 * gives infinity. Returns 0. Returns -1 when the slice is empty, has more than SH_REAL_CHARS bytes
 * or is no number, or memory is short; *x may have changed. Any thread may call it. */
int sh_parse_real(struct sh_slice s, double *x);

/* Parses digits, perhaps with a point and more digits, or a power of ten as in 8e-05. Accepts no
 * sign and no blank. Rounds to the nearest millionth, halves up. Returns SH_NUM_OK,
 * SH_NUM_MALFORMED or SH_NUM_RANGE (base/num.h). The number is malformed when it has a power of ten
 * and more than SH_REAL_CHARS bytes. *millionths may have changed after an error. */
int sh_parse_rounded(struct sh_slice s, int64_t *millionths);

#endif
