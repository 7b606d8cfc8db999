/* SPDX-License-Identifier: MIT */
/* A fast reader for fingerprint records of one width and tag: a join reads hundreds of millions. */
#ifndef SH_RECORD_FPLINE_H
#define SH_RECORD_FPLINE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/num.h"
#include "record/fields.h"

/* What all records have in common. */
struct sh_fp_form {
	unsigned digits; /* of the fingerprint */
	unsigned tail_n; /* bytes of the tail, which follows the id: LF, or TAB, the tag and LF */
	uint64_t tail;   /* the tail as sh_le64() reads it */
	uint64_t mask;   /* ones for the bytes of the tail */
};

/* Returns the form of records with this number of digits, 1 to SH_FP_HEX_MAX, and this tag: 0 to
 * 65535, or SH_NO_TAG. */
static inline struct sh_fp_form sh_fp_form(unsigned digits, int tag)
{
	struct sh_fp_form f = { .digits = digits };
	char tail[24] = "\n";

	f.tail_n = 1;
	if (tag != SH_NO_TAG) {
		tail[0] = '\t';
		sh_print_hex_number(tail + 1, (uint64_t)tag, SH_TAG_DIGITS);
		tail[1 + SH_TAG_DIGITS] = '\n';
		f.tail_n = 2 + SH_TAG_DIGITS;
	}
	f.mask = (UINT64_C(1) << 8 * f.tail_n) - 1;
	f.tail = sh_le64(tail) & f.mask;
	return f;
}

/* Reads the record at p into fp[], and sets *id, which points to the record. fp has room for
 * (digits + 15) / 16 words. Returns the bytes of the line with its LF. Returns 0 when the record
 * does not have the form, and fp[] and *id may have changed: then call sh_record_fp(). The byte
 * before `end` must be an LF. SH_PAD bytes behind `end` must be readable. */
static inline size_t sh_fp_line(const char *p, const char *end, const struct sh_fp_form *form,
    uint64_t *fp, struct sh_slice *id)
{
	unsigned digits = form->digits;
	size_t n;

	if ((size_t)(end - p) < digits + 1 + 1 + form->tail_n || p[digits] != '\t' ||
	    sh_parse_hex(sh_slice(p, digits), fp) < 0)
		return 0;
	n = sh_field_length(p + digits + 1);
	*id = sh_slice(p + digits + 1, n);
	if (n == 0 || n > SH_ID_MAX || ((sh_le64(id->p + n) & form->mask) != form->tail))
		return 0;
	return digits + 1 + n + form->tail_n;
}

#endif
