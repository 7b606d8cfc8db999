/* Fingerprint records that are in order, read fast: joins read them by the hundred million. */
#ifndef SH_RECORD_FPLINE_H
#define SH_RECORD_FPLINE_H

#include <stdbool.h>

#include "base/hex.h"
#include "base/num.h"
#include "record/fields.h"

/* The top bit of each byte of x that is c; those above the lowest one may be wrong. */
static inline uint64_t sh_bytes_like(uint64_t x, unsigned char c)
{
	x ^= SH_HEX_BYTES((uint64_t)c);
	return (x - SH_HEX_BYTES(1)) & ~x & SH_HEX_BYTES(0x80);
}

/* The length of an id that an LF ends, from p on, or 0: this one is to be looked at with care.
 * SH_PAD bytes behind the text are readable, so that the search may go on there. */
static inline size_t sh_id_of_line(const char *p)
{
#ifdef __SSE2__
	for (size_t n = 0; n <= SH_ID_MAX; n += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + n));
		__m128i end = _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('\n')),
		    _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8('\t')),
			_mm_cmpeq_epi8(x, _mm_set1_epi8('\r'))));
		unsigned at = (unsigned)_mm_movemask_epi8(end);

		if (at != 0) {
			n += (unsigned)__builtin_ctz(at);
			return p[n] == '\n' && n <= SH_ID_MAX ? n : 0;
		}
	}
#else
	for (size_t n = 0; n <= SH_ID_MAX; n += 8) {
		uint64_t x = sh_le64(p + n), lf = sh_bytes_like(x, '\n');
		uint64_t bad = sh_bytes_like(x, '\t') | sh_bytes_like(x, '\r');

		if (((lf - 1) & ~lf & bad) != 0)
			return 0;
		if (lf != 0) {
			n += (unsigned)__builtin_ctzll(lf) / 8;
			return n <= SH_ID_MAX ? n : 0;
		}
	}
#endif
	return 0;
}

/* Whether a fingerprint of `digits` digits and a tab stand at p, and at least two bytes before `end`. */
static inline bool sh_fp_of_line(const char *p, const char *end, unsigned digits, uint64_t *fp)
{
	uint64_t bad = 0;

	if ((size_t)(end - p) < digits + 3 || p[digits] != '\t')
		return false;
	if (digits == 16)
		*fp = sh_unhex16(p, &bad);
	else
		bad = sh_parse_hex(sh_slice(p, digits), fp) != SH_NUM_OK;
	return bad == 0;
}

/* The record at p, of fingerprints of `digits` digits: the length of its id, which follows the
 * tab; or 0: no such record, or not surely. A whole line must stand between p and `end`, where
 * the last byte is an LF. */
static inline size_t sh_fp_line(const char *p, const char *end, unsigned digits, uint64_t *fp)
{
	return sh_fp_of_line(p, end, digits, fp) ? sh_id_of_line(p + digits + 1) : 0;
}

#endif
