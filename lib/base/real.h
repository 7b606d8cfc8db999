/* Real numbers in text that others have written: dictionaries, models, tables of weights. */
#ifndef SH_BASE_REAL_H
#define SH_BASE_REAL_H

#include <stdint.h>

#include "base/slice.h"

enum { SH_REAL_CHARS = 63 }; /* the longest that is taken */

/* The whole slice, as strtod() takes it in the C locale whatever the program's is: 0, or -1. */
int sh_parse_real(struct sh_slice s, double *x);

/* A number as other programs print it, to the nearest millionth, halves up: digits, and perhaps a
 * point and any number of digits, or a power of ten as in 8e-05. 0, or one of num.h's codes. */
int sh_parse_rounded(struct sh_slice s, int64_t *millionths);

#endif
