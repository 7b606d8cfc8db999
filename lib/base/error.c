#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static void fill(
    struct sh_error *err, enum sh_err code, const char *fmt, va_list ap)
{
	char text[sizeof err->text]; /* what is put into the message may be err's own text */

	vsnprintf(text, sizeof text, fmt, ap);
	err->code = code;
	err->file = NULL;
	err->line = 0;
	memcpy(err->text, text, sizeof text);
}

int sh_error_set(struct sh_error *err, enum sh_err code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, code, fmt, ap);
	va_end(ap);
	return -1;
}

int sh_error_sys(struct sh_error *err, const char *fmt, ...)
{
	int saved = errno;
	size_t used;
	va_list ap;

	va_start(ap, fmt);
	fill(err, SH_ERR_IO, fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(saved));
	return -1;
}

int sh_error_nomem(struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_NOMEM, "out of memory");
}
