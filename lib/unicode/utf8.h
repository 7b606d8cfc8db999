/* SPDX-License-Identifier: MIT */
/* Reads and writes UTF-8.
 *
 * Counts ill-formed input as the Unicode standard does (3.9, "U+FFFD substitution of maximal
 * subparts"), and WHATWG. The first bytes of a well-formed sequence whose other bytes are missing
 * are one ill-formed sequence. Any other bad byte is one ill-formed sequence. */
#ifndef SH_UNICODE_UTF8_H
#define SH_UNICODE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "unicode/encoding.h"

enum {
	SH_UTF8_REPLACEMENT = 0xFFFD,
	SH_UTF8_ILL = 0x110000, /* stands for an ill-formed sequence */
	SH_UTF8_LIMIT,          /* SH_UTF8_ILL + 1 */
};

/* Returns the code point at *p, or SH_UTF8_ILL for an ill-formed sequence. Moves *p behind the
 * sequence. *p must be less than end. */
uint32_t sh_utf8_next_checked(const uint8_t **p, const uint8_t *end);

/* Returns whether c is a byte of a sequence behind the first, 80..BF. */
static inline bool sh_utf8_is_tail(uint8_t c)
{
	return (c & 0xC0) == 0x80;
}

/* Returns the greatest offset, at most `at`, where a character of the text starts. at <= text.n. */
static inline size_t sh_utf8_start(struct sh_slice text, size_t at)
{
	while (at > 0 && at < text.n && sh_utf8_is_tail((uint8_t)text.p[at]))
		at--;
	return at;
}

/* As sh_utf8_next_checked(), but decodes sequences of 1 to 3 bytes inline. */
static inline uint32_t sh_utf8_next(const uint8_t **pp, const uint8_t *end)
{
	const uint8_t *p = *pp;
	uint32_t c = p[0];

	if (c < 0x80) {
		*pp = p + 1;
		return c;
	}
	if (end - p >= 3 && sh_utf8_is_tail(p[1])) {
		if ((c & 0xF0) == 0xE0 && sh_utf8_is_tail(p[2])) {
			c = (c & 15) << 12 | (uint32_t)(p[1] & 63) << 6 | (p[2] & 63);
			if (c >= 0x800 && c - 0xD800 >= 0x800) {
				*pp = p + 3;
				return c;
			}
		} else if (c >= 0xC2 && c < 0xE0) {
			*pp = p + 2;
			return (c & 31) << 6 | (p[1] & 63);
		}
	}
	return sh_utf8_next_checked(pp, end);
}

/* Writes c, which must be less than 0x110000 and no surrogate. Returns its length, 1 to 4 bytes. */
static inline size_t sh_utf8_put(uint8_t *p, uint32_t c)
{
	if (c < 0x80) {
		p[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		p[0] = (uint8_t)(0xC0 | c >> 6);
		p[1] = (uint8_t)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		p[0] = (uint8_t)(0xE0 | c >> 12);
		p[1] = (uint8_t)(0x80 | (c >> 6 & 63));
		p[2] = (uint8_t)(0x80 | (c & 63));
		return 3;
	}
	p[0] = (uint8_t)(0xF0 | c >> 18);
	p[1] = (uint8_t)(0x80 | (c >> 12 & 63));
	p[2] = (uint8_t)(0x80 | (c >> 6 & 63));
	p[3] = (uint8_t)(0x80 | (c & 63));
	return 4;
}

/* Returns the number of ill-formed sequences in n bytes. */
uint64_t sh_utf8_count_ill(const char *p, size_t n);

static inline bool sh_utf8_valid(const char *p, size_t n)
{
	return sh_utf8_count_ill(p, n) == 0;
}

/* Returns the text without a byte order mark at its beginning. */
static inline struct sh_slice sh_utf8_skip_bom(struct sh_slice s)
{
	return s.n >= 3 && memcmp(s.p, "\xEF\xBB\xBF", 3) == 0 ? sh_slice(s.p + 3, s.n - 3) : s;
}

#endif
