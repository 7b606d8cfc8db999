/* Escapes of text in records: \t \n \r \\ stand for TAB, LF, CR and a backslash. Any other backslash
 * stands for itself. */
#ifndef SH_RECORD_ESCAPE_H
#define SH_RECORD_ESCAPE_H

#include "base/buf.h"

#include <stdint.h>

/* Append the text without escapes (sh_unescape()) or with them (sh_escape()) to *out. Return 0, or -1 when
 * memory is short. */
int sh_unescape(struct sh_slice text, struct sh_buf *out, struct sh_error *err);
int sh_escape(struct sh_slice text, struct sh_buf *out, struct sh_error *err);

/* Returns the number of bytes of the text without escapes. */
uint64_t sh_unescaped_length(struct sh_slice text);

/* Returns whether the text is as sh_escape() writes it: no backslashes but in escapes. */
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
