/* Text in columns of a terminal. */
#ifndef SH_UNICODE_COLUMNS_H
#define SH_UNICODE_COLUMNS_H

#include "base/buf.h"

/* Append the characters at *text that fill at most `width` columns, and blanks up to it.
 * *text moves on. White space and control characters become blanks, ill-formed bytes U+FFFD. */
int sh_columns(struct sh_slice *text, unsigned width, struct sh_buf *out, struct sh_error *err);

/* The greatest start of a character at or before `at`. */
size_t sh_columns_start(struct sh_slice text, size_t at);

#endif
