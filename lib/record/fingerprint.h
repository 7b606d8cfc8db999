/* SPDX-License-Identifier: MIT */
/* A fingerprint: a big-endian string of `bits` bits in an array of 64-bit words.
 *
 * Bit 0 is the most significant bit of w[0]. w[0] prints as the first 16 hexadecimal digits. A
 * fingerprint is left-aligned: the unused low bits of its last word are zero. Arrays of
 * fingerprints are packed: fingerprint i begins at w + i * SH_FP_WORDS(bits).
 *
 * Widths in records are multiples of 4 from 4 to SH_FP_MAX_BITS: the text has bits/4 digits
 * (sh_print_hex(), base/num.h). fp/format.h puts zero bits before fingerprints of other widths. */
#ifndef SH_RECORD_FINGERPRINT_H
#define SH_RECORD_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SH_FP_MAX_BITS
#define SH_FP_MAX_BITS 1024
#endif
#ifndef SH_FP_WORDS
#define SH_FP_WORDS(bits) (((bits) + 63) / 64)
#endif
#define SH_FP_MAX_WORDS SH_FP_WORDS(SH_FP_MAX_BITS)

static inline bool sh_fp_width_ok(unsigned bits)
{
	return bits >= 4 && bits <= SH_FP_MAX_BITS && bits % 4 == 0;
}

/* Returns the number of bits in which a and b differ. words: SH_FP_WORDS(bits). */
static inline unsigned sh_fp_distance(const uint64_t *a, const uint64_t *b, unsigned words)
{
	unsigned d = 0;

	for (unsigned i = 0; i < words; i++)
		d += (unsigned)__builtin_popcountll(a[i] ^ b[i]);
	return d;
}

/* Returns n bits, 1 to 64, from bit `from` on, as a number. The first is the most significant. */
static inline uint64_t sh_fp_bits(const uint64_t *fp, unsigned from, unsigned n)
{
	unsigned word = from / 64, off = from % 64;
	uint64_t x = fp[word] << off;

	if (off + n > 64)
		x |= fp[word + 1] >> (64 - off);
	return x >> (64 - n);
}

/* Returns whether the bits from .. to-1 of a and b are equal. */
static inline bool sh_fp_agree(const uint64_t *a, const uint64_t *b, unsigned from, unsigned to)
{
	while (from < to) {
		unsigned n = to - from < 64 ? to - from : 64;

		if (sh_fp_bits(a, from, n) != sh_fp_bits(b, from, n))
			return false;
		from += n;
	}
	return true;
}

#endif
