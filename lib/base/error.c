/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
	WHOLE = 2 * 4096 + sizeof((struct sh_error *)NULL)->text, /* two paths and a message */
	REASON = 128,
};

static bool is_utf8_tail(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Copies the text. Cuts bytes out of the middle of a long text: the middle has names of files, the
 * end has the reason. */
static void copy_shortened(char *to, size_t room, const char *text)
{
	static const char gap[] = "...";
	size_t n = strlen(text), head = room / 3, tail;

	if (n < room) {
		memcpy(to, text, n + 1);
		return;
	}
	tail = room - 1 - head - strlen(gap);
	while (head && is_utf8_tail(text[head]))
		head--;
	while (tail && is_utf8_tail(text[n - tail]))
		tail--;
	memcpy(to, text, head);
	memcpy(to + head, gap, strlen(gap));
	memcpy(to + head + strlen(gap), text + n - tail, tail + 1);
}

/* Fills *err with the message. Appends ": " and the reason, unless the reason is NULL. */
__attribute__((format(printf, 4, 0))) static void fill(
    struct sh_error *err, enum sh_err code, const char *reason, const char *fmt, va_list ap)
{
	char text[WHOLE + REASON]; /* an argument may be err->text itself */

	if (vsnprintf(text, WHOLE, fmt, ap) < 0)
		text[0] = '\0';
	if (reason)
		snprintf(text + strlen(text), REASON, ": %s", reason);
	err->code = code;
	err->file = NULL;
	err->line = 0;
	copy_shortened(err->text, sizeof err->text, text);
}

int sh_error_set(struct sh_error *err, enum sh_err code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, code, NULL, fmt, ap);
	va_end(ap);
	return -1;
}

int sh_error_sys(struct sh_error *err, const char *fmt, ...)
{
	const char *reason = strerror(errno);
	va_list ap;

	va_start(ap, fmt);
	fill(err, SH_ERR_IO, reason, fmt, ap);
	va_end(ap);
	return -1;
}

int sh_error_nomem(struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_NOMEM, "out of memory");
}
