/* The error value that every fallible library function fills.
 *
 * The library never prints and never exits: a function that can fail takes a
 * `struct sh_error *` last, returns -1 (or NULL) and describes there what went
 * wrong, where, and what to do about it. Only bin/ turns it into a message. */
#ifndef SH_BASE_ERROR_H
#define SH_BASE_ERROR_H

#include <stdint.h>

enum sh_err {
	SH_OK = 0,
	SH_ERR_NOMEM,  /* an allocation failed */
	SH_ERR_IO,     /* a system call failed */
	SH_ERR_RECORD, /* the input breaks its record form */
	SH_ERR_PARAM,  /* a parameter is out of its range or contradicts another */
	SH_ERR_RANGE,  /* a number overflows */
};

struct sh_error {
	enum sh_err code;
	const char *file; /* borrowed name of the input, or NULL */
	uint64_t line;    /* 1-based, 0 when none */
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
