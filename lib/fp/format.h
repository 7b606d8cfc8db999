/* SPDX-License-Identifier: MIT */
/* Text forms of a fingerprint. Fingerprint records have the form hex. The other forms are for
 * people and for other systems. */
#ifndef SH_FP_FORMAT_H
#define SH_FP_FORMAT_H

#include "record/fingerprint.h"

/* Bytes of the longest form: one per bit. */
#define SH_FORMAT_MAX SH_FP_MAX_BITS

struct sh_fp_format {
	const char *name;
	/* Writes at most SH_FORMAT_MAX bytes, without a final NUL. Returns the number of bytes.
	 * bits: 1 to SH_FP_MAX_BITS, of any width. */
	size_t (*print)(char *out, const uint64_t *fp, unsigned bits);
};

/* Returns the form of this name, or NULL. name: not NULL; upper and lower case differ. */
const struct sh_fp_format *sh_fp_format_find(const char *name);

/* Returns form i, from 0; NULL after the last. */
const struct sh_fp_format *sh_fp_format_at(unsigned i);

#endif
