/* SPDX-License-Identifier: MIT */
/* The error value of the library.
 *
 * The library never prints and never exits. The last parameter of a function that can fail is a
 * `struct sh_error *`. On failure the function returns -1 or NULL and fills the struct: what is
 * wrong, where, and what to do. Only bin/ prints errors. */
#ifndef SH_BASE_ERROR_H
#define SH_BASE_ERROR_H

#include <stdint.h>

enum sh_err {
	SH_OK = 0,
	SH_ERR_NOMEM,  /* an allocation failed */
	SH_ERR_IO,     /* a system call failed, or a file changed or is cut short */
	SH_ERR_RECORD, /* wrong content: a bad record, or a bad file of an archive */
	SH_ERR_PARAM,  /* the user must change something: an option, a folder, a trailer */
	SH_ERR_RANGE,  /* a number overflows */
};

struct sh_error {
	enum sh_err code;
	const char *file; /* name of the input, or NULL; borrowed from the caller */
	uint64_t line;    /* from 1; 0: the error has no line */
	char text[512];   /* without program name, file or line; no final newline */
};

/* Fills *err, clears file and line, and returns -1. Cuts bytes out of the middle of a long text. */
int sh_error_set(struct sh_error *err, enum sh_err code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As sh_error_set() with SH_ERR_IO. Appends ": " and the reason of errno to the text. */
int sh_error_sys(struct sh_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As sh_error_set() with SH_ERR_NOMEM and "out of memory". */
int sh_error_nomem(struct sh_error *err);

#endif
