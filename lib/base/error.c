#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static void fill(
    struct sh_error *err, enum sh_err code, const char *fmt, va_list ap)
{
	err->code = code;
	err->file = NULL;
	err->line = 0;
	vsnprintf(err->text, sizeof err->text, fmt, ap);
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
