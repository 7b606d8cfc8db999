/* SPDX-License-Identifier: MIT */
/* TAP for unit tests: ok(condition, "the property, %d", ...), then done_testing(); must() for
 * conditions that no test is about. */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 4, 5))) static inline int tap_ok(
    int good, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", good ? "" : "not ", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	if (!good) {
		printf("\n# at %s:%d", file, line);
		tap_failed++;
	}
	putchar('\n');
	return good;
}

#define ok(cond, ...) tap_ok(!!(cond), __FILE__, __LINE__, __VA_ARGS__)

static inline void must(int good)
{
	if (!good) {
		fputs("Bail out! the test itself failed\n", stdout);
		exit(99);
	}
}

static inline int done_testing(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

#endif
