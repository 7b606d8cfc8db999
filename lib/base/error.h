/* The error value of the library.
 *
 * The library never prints and never exits. A function that can fail has a `struct sh_error *` as its last
 * parameter. On failure it returns -1 (or NULL) and describes the error there: what is wrong, where, and
 * what to do. Only bin/ prints it. */
#ifndef SH_BASE_ERROR_H
#define SH_BASE_ERROR_H

#include <stdint.h>

enum sh_err {
	SH_OK = 0,
	SH_ERR_NOMEM,  /* an allocation failed */
	SH_ERR_IO,     /* a system call failed */
	SH_ERR_RECORD, /* a line is not a record of the expected form */
	SH_ERR_PARAM,  /* a parameter is out of its range or contradicts another */
	SH_ERR_RANGE,  /* a number overflows */
};

struct sh_error {
	enum sh_err code;
	const char *file; /* borrowed name of the input, or NULL */
	uint64_t line;    /* from 1; 0: the error has no line */
	char text[512];   /* without program name, file or line; no final newline */
};

/* Fills *err, clears file and line, returns -1. A text that is too long loses bytes of its middle. */
int sh_error_set(struct sh_error *err, enum sh_err code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends ": " and the text of errno. The code is SH_ERR_IO. */
int sh_error_sys(struct sh_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Fills *err for a failed allocation, returns -1. */
int sh_error_nomem(struct sh_error *err);

#endif
