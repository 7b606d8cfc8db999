/* Text in columns of a terminal. */
#ifndef SH_UNICODE_COLUMNS_H
#define SH_UNICODE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Whether a terminal may take the character for a command, or shows other text in another order because of
 * it: control characters (C0, DEL, C1), separators of lines and paragraphs, and the marks, embeddings,
 * overrides and isolates of bidirectional text. */
bool sh_commands_terminal(uint32_t c);

/* Appends the characters of *text that fit in `width` columns, and blanks up to that width. *text moves
 * behind these characters. Commands to a terminal become blanks, ill-formed bytes U+FFFD. */
int sh_columns(struct sh_slice *text, unsigned width, struct sh_buf *out, struct sh_error *err);

/* Returns the greatest start of a character at or before `at`. */
size_t sh_columns_start(struct sh_slice text, size_t at);

#endif
