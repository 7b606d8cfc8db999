/* SipHash-1-3 (Aumasson, Bernstein 2012): a keyed hash for tables whose keys come
 * from user data, so that nobody can choose keys that all collide. Never part of
 * a fingerprint: its key is random. */
#ifndef SH_BASE_SIPHASH_H
#define SH_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

uint64_t sh_siphash(const uint64_t key[2], const void *p, size_t n);

/* A key from the kernel's random numbers. */
int sh_random_key(uint64_t key[2], struct sh_error *err);

#endif
