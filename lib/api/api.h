/* SPDX-License-Identifier: MIT */
/* Declarations for the files of the public library. */
#ifndef SH_API_API_H
#define SH_API_API_H

#include "base/error.h"
#include "simhash.h"

/* Copies code and text of an error to *out. out may be NULL. Returns -1. */
int sh_api_fail(struct simhash_error *out, const struct sh_error *err);

/* Returns 0, or -1 with SH_ERR_PARAM when one of the n reserved members is not 0. */
int sh_api_reserved(const uint64_t *reserved, size_t n, struct sh_error *err);

/* Returns 0, or -1 with SH_ERR_PARAM when n-grams cannot have min to max tokens. */
int sh_api_ngrams(unsigned min, unsigned max, struct sh_error *err);

#endif
