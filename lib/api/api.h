/* Declarations that the files of the public library share. */
#ifndef SH_API_API_H
#define SH_API_API_H

#include "base/error.h"
#include "simhash.h"

/* Copies an internal error, without file and line, to a public one, which may be NULL. Returns -1. */
int sh_api_fail(struct simhash_error *out, const struct sh_error *err);

#endif
