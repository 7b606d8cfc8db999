/* SPDX-License-Identifier: MIT */
/* Declarations for the files of the public library. */
#ifndef SH_API_API_H
#define SH_API_API_H

#include "base/error.h"
#include "simhash.h"

/* Copies code and text of an error to *out. out may be NULL. Returns -1. */
int sh_api_fail(struct simhash_error *out, const struct sh_error *err);

#endif
