/* Text in columns of a terminal. */
#ifndef SH_UNICODE_COLUMNS_H
#define SH_UNICODE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Returns whether the character may be a command to a terminal or change the order of other text:
 * control characters (C0, DEL, C1), line and paragraph separators, and the marks, embeddings, overrides
 * and isolates of bidirectional text. */
bool sh_commands_terminal(uint32_t c);

/* Appends the characters of *text that fit in `width` columns, and blanks up to this width. Removes
 * these characters from *text. Writes commands to a terminal as blanks, ill-formed bytes as U+FFFD. */
int sh_columns(struct sh_slice *text, unsigned width, struct sh_buf *out, struct sh_error *err);

/* Returns the greatest start of a character at or before `at`. */
size_t sh_columns_start(struct sh_slice text, size_t at);

#endif
