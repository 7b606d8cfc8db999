/* SPDX-License-Identifier: MIT */
/* Text in columns of a terminal. */
#ifndef SH_UNICODE_TERMINAL_H
#define SH_UNICODE_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Returns whether the code point may be a command to a terminal or change the order of other text:
 * control characters (C0, DEL, C1), line and paragraph separators, and the marks, embeddings,
 * overrides and isolates of bidirectional text. */
bool sh_commands_terminal(uint32_t c);

/* Appends to *out the first characters of *text that fit in `width` columns, and blanks up to this
 * width. Moves *text behind these characters. Commands to a terminal become blanks, ill-formed
 * sequences U+FFFD. */
int sh_terminal_columns(
    struct sh_slice *text, unsigned width, struct sh_buf *out, struct sh_error *err);

#endif
