/* Real numbers in text that others have written: dictionaries, models, tables of weights. */
#ifndef SH_BASE_REAL_H
#define SH_BASE_REAL_H

#include "base/slice.h"

enum { SH_REAL_CHARS = 63 }; /* the longest that is taken */

/* The whole slice, as strtod() takes it in the C locale whatever the program's is: 0, or -1. */
int sh_parse_real(struct sh_slice s, double *x);

#endif
