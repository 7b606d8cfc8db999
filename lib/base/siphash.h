/* SPDX-License-Identifier: MIT */
/* SipHash-1-3 (Aumasson, Bernstein 2012): a keyed hash for tables of user data. Nobody can choose
 * strings that collide under a random key. Fingerprints do not use SipHash. */
#ifndef SH_BASE_SIPHASH_H
#define SH_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Returns the hash of n bytes. */
uint64_t sh_siphash(const uint64_t key[2], const void *p, size_t n);

/* Fills key with random bits from getrandom(2). Returns 0 or -1. */
int sh_random_key(uint64_t key[2], struct sh_error *err);

#endif
