/* A fingerprint in text. Only hex makes fingerprint records; the others are for people
 * and for systems that keep fingerprints so. */
#ifndef SH_FP_FORMAT_H
#define SH_FP_FORMAT_H

#include "record/fingerprint.h"

/* Bytes that the longest form needs: one a bit. */
#define SH_FORMAT_MAX SH_FP_MAX_BITS

struct sh_format {
	const char *name;
	/* Write the fingerprint, no final NUL; the number of bytes. */
	size_t (*print)(char *out, const uint64_t *fp, unsigned bits);
};

/* The bit string as a number, bit 0 the most significant:
 *
 *   hex   in (bits + 3) / 4 digits. A width that is no multiple of 4 has zero bits in front,
 *         so that it is the number that other systems print, but for leading zeros
 *   bare  the same without leading zeros, as printf's %x
 *   dec   in decimal, without leading zeros
 *   bin   bits digits, bit 0 first
 *   nib   bits digits, bit 0 last
 *
 * NULL when there is none of that name. */
const struct sh_format *sh_format_find(const char *name);

#endif
