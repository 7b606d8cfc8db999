/* Text forms of a fingerprint. Fingerprint records have the form hex. The other forms are for people
 * and for other systems. */
#ifndef SH_FP_FORMAT_H
#define SH_FP_FORMAT_H

#include "record/fingerprint.h"

/* Bytes of the longest form: one for each bit. */
#define SH_FORMAT_MAX SH_FP_MAX_BITS

struct sh_fp_format {
	const char *name;
	/* Writes the fingerprint without a final NUL. Returns the number of bytes. */
	size_t (*print)(char *out, const uint64_t *fp, unsigned bits);
};

/* Returns the form of this name, or NULL. A fingerprint is a number whose most significant bit is
 * bit 0:
 *
 *   hex   hexadecimal, (bits + 3) / 4 digits. A width that is not a multiple of 4 gets leading zero
 *         bits
 *   bare  hexadecimal without leading zeros, as printf's %x
 *   dec   decimal without leading zeros
 *   bin   binary, one digit for each bit, bit 0 first
 *   nib   binary, one digit for each bit, bit 0 last */
const struct sh_fp_format *sh_fp_format_find(const char *name);

#endif
