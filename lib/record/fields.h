/* SPDX-License-Identifier: MIT */
/* The record forms: fields between TABs, one record per line (simhash-records(5)).
 *
 * Parsers get a line without its LF, and return 0 or -1. Slices of a result point into the line. A
 * line of another form is SH_ERR_RECORD: the text says what was found, what was expected and what
 * to do. The caller adds file and line to the error. */
#ifndef SH_RECORD_FIELDS_H
#define SH_RECORD_FIELDS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/slice.h"

#define SH_ID_MAX     4096 /* most bytes of an id */
#define SH_FP_HEX_MAX 256  /* hex digits of the widest fingerprint, 1024 bits */

/* Splits a line at its TABs. Fills at most max elements. Returns the number of all fields. */
size_t sh_fields_split(struct sh_slice line, struct sh_slice *fields, size_t max);

/* Sets the top bit of each byte of x that equals c. Bits above the lowest bit set may be wrong. */
static inline uint64_t sh_bytes_like(uint64_t x, unsigned char c)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	x ^= ones * c;
	return (x - ones) & ~x & ones << 7;
}

/* Returns the number of bytes from p to the first LF, TAB or CR; any number above SH_ID_MAX when
 * there are more than SH_ID_MAX. An LF must follow p, with SH_PAD readable bytes behind the LF. */
static inline size_t sh_field_length(const char *p)
{
	size_t n = 0;

	for (; n <= SH_ID_MAX; n += 8) {
		uint64_t x = sh_le64(p + n);
		uint64_t end =
		    sh_bytes_like(x, '\n') | sh_bytes_like(x, '\t') | sh_bytes_like(x, '\r');

		if (end != 0)
			return n + (unsigned)__builtin_ctzll(end) / 8;
	}
	return SH_ID_MAX + 1;
}

/* Appends a line of n fields: a TAB between two of them, and LF at the end. */
int sh_fields_add(struct sh_buf *to, const struct sh_slice *field, size_t n, struct sh_error *err);

/* Checks an id, a field of a line: 1 to SH_ID_MAX bytes, no CR. */
int sh_id_check(struct sh_slice id, struct sh_error *err);

/* Returns -1 with SH_ERR_RECORD for a line that ends in CR, else 0. */
int sh_dos_check(struct sh_slice line, struct sh_error *err);

/* feature record: id, feature, weight in millionths. A document without features has one record,
 * with an empty feature and weight 0. */
struct sh_feature {
	struct sh_slice id, text;
	int64_t weight;
};

/* The functions sh_record_*() parse a line without its LF. Slices of the result point into the
 * line. Return 0; or -1 with SH_ERR_RECORD, and err->line is 0. */
int sh_record_feature(struct sh_slice line, struct sh_feature *f, struct sh_error *err);

/* A faster reader for successive records of one document. prefix: the id and a TAB. Reads the
 * record at p when it begins with the prefix and has a feature. Returns the beginning of the next
 * line; NULL for other lines, also some valid records: sh_record_feature() reads them. p < end. The
 * byte before `end` must be an LF, and SH_PAD bytes behind it must be readable. */
const char *sh_feature_line(
    struct sh_slice prefix, const char *p, const char *end, struct sh_slice *text, int64_t *weight);

/* Returns the number of words of a feature: its blanks plus 1. */
uint64_t sh_feature_words(struct sh_slice text);

/* Returns whether a line has three fields, and the last field is a number in any notation, also one
 * that sh_record_feature() refuses. */
bool sh_is_like_feature(struct sh_slice line);

/* Returns whether a line is a fingerprint record with a tag. The fingerprint must have 32, 64, 128
 * or 256 bits and a digit from a to f. */
bool sh_is_like_tagged_fp(struct sh_slice line);

/* document frequency record: feature, df. The df of the empty feature is the number of documents,
 * and its record may have a third field: words of the widest feature. The line may end in CR. */
struct sh_df_record {
	struct sh_slice text;
	uint64_t df;
	uint64_t words; /* of the widest feature; 0: unknown */
};

int sh_record_df(struct sh_slice line, struct sh_df_record *r, struct sh_error *err);

/* Returns the first field of a line, without a CR: the id in a list of ids. It may be empty. */
struct sh_slice sh_record_listed(struct sh_slice line);

/* fingerprint record: fp in lower-case hex, id, and optionally a tag. */
enum { SH_NO_TAG = -1, SH_TAG_DIGITS = 4 };

struct sh_fp_record {
	struct sh_slice hex, id;
	unsigned bits;                   /* 4 for each digit */
	int tag;                         /* 0 to 65535, or SH_NO_TAG; see fp/tag.h */
	uint64_t fp[SH_FP_HEX_MAX / 16]; /* left-aligned (record/fingerprint.h) */
};

int sh_record_fp(struct sh_slice line, struct sh_fp_record *r, struct sh_error *err);

/* Returns why a valid fingerprint record may be something else; NULL when there is no doubt.
 * records: the record and known records behind it, as lines. */
const char *sh_record_fp_doubt(struct sh_slice records);

/* Returns -1 with SH_ERR_RECORD when the fingerprint does not have *bits bits, else 0. *bits may be
 * 0 before the first fingerprint, which then sets *bits. */
int sh_same_width(unsigned *bits, const struct sh_fp_record *r, struct sh_error *err);

/* band record: key, fp, id. The key may end in a part of the tag; of.tag is SH_NO_TAG. */
struct sh_band_record {
	struct sh_slice key;
	struct sh_fp_record of;
};

int sh_record_band(struct sh_slice line, struct sh_band_record *r, struct sh_error *err);

/* The records of a pair, by their fields:
 *     pair           id1, id2, distance
 *     verified pair  id1, id2, distance, similarity, measure
 *     report         id1, id2, similarity, measure, perhaps size of the group (shdedup --counts)
 *     coverage       id1, id2, matched, coverage1, coverage2, both with a point (shspan --pairs)
 * A distance is a number, or "-" where keys made the pair. A measure begins with a letter a to
 * z. */
struct sh_pair_record {
	struct sh_slice id1, id2;
	int64_t distance;        /* -1: unknown; coverage: 0 */
	int64_t similarity;      /* 0 to 1, in millionths; -1: unknown; coverage: the greater one */
	struct sh_slice measure; /* of the similarity; empty: unknown */
	bool coverage;           /* the record is a coverage record */
};

int sh_record_pair(struct sh_slice line, struct sh_pair_record *r, struct sh_error *err);

#endif
