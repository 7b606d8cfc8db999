/* What the parts of the public library share. */
#ifndef SH_API_API_H
#define SH_API_API_H

#include "base/error.h"
#include "simhash.h"

/* The public error is the internal one without its place; out may be NULL. Returns -1. */
int sh_api_fail(struct simhash_error *out, const struct sh_error *err);

#endif
