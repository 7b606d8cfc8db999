/* SPDX-License-Identifier: MIT */
/* Sorts records by digits of their keys. A record has 8 or 16 bytes, and begins with its key, a
 * uint64_t. */
#ifndef SH_IO_RADIX_H
#define SH_IO_RADIX_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum {
	SH_RADIX_PART_BITS = 8, /* bits of the digit of sh_radix_parts() */
	SH_RADIX_PARTS = 1 << SH_RADIX_PART_BITS,
	SH_RADIX_DIGIT = 11, /* bits of the digit of sh_radix_pass() */
	SH_RADIX_DIGITS = 1 << SH_RADIX_DIGIT,
};

/* Where records are and where they go: arrays of n records that do not overlap. */
struct sh_radix {
	const void *from;
	void *to;
	size_t n;
	size_t size;    /* bytes of a record: 8 or 16 */
	unsigned shift; /* lowest bit of the digit */
};

/* Sorts the records by a digit of SH_RADIX_DIGIT bits. Records with the same digit keep their
 * order. */
void sh_radix_pass(const struct sh_radix *r);

/* Sorts the records by a digit of SH_RADIX_PART_BITS bits, by threads >= 1 threads. Records with
 * the same digit keep their order. Part i has the records with digit i: records start[i] ..
 * start[i + 1] - 1 of r->to. start[] has SH_RADIX_PARTS + 1 elements. Returns 0; or -1 when memory
 * is short, and then r->to and start[] are undefined. */
int sh_radix_parts(const struct sh_radix *r, unsigned threads, size_t *start, struct sh_error *err);

#endif
