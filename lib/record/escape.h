/* SPDX-License-Identifier: MIT */
/* Escapes of text in records: \t \n \r \\ stand for TAB, LF, CR and a backslash. A backslash before
 * any other byte stands for itself. */
#ifndef SH_RECORD_ESCAPE_H
#define SH_RECORD_ESCAPE_H

#include "base/buf.h"

#include <stdint.h>

/* Returns the character that a backslash and this letter stand for; 0 when they are no escape. */
static inline char sh_unescaped(char letter)
{
	switch (letter) {
	case 't':
		return '\t';
	case 'n':
		return '\n';
	case 'r':
		return '\r';
	default:
		return letter == '\\' ? letter : 0;
	}
}

/* Append the text to *out: sh_unescape() replaces escapes, sh_escape() writes escapes. Return 0, or
 * -1 when memory is short. */
int sh_unescape(struct sh_slice text, struct sh_buf *out, struct sh_error *err);
int sh_escape(struct sh_slice text, struct sh_buf *out, struct sh_error *err);

/* Returns the number of bytes of the text without escapes. */
uint64_t sh_unescaped_length(struct sh_slice text);

/* Returns whether sh_escape() can have written the text: no TAB, LF or CR, and no backslash that
 * stands for itself. */
bool sh_is_escaped(struct sh_slice text);

/* Returns whether sh_escape() would change the text. */
static inline bool sh_needs_escape(struct sh_slice text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] == '\\' || text.p[i] == '\t' || text.p[i] == '\n' ||
		    text.p[i] == '\r')
			return true;
	return false;
}

#endif
