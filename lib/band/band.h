/* SPDX-License-Identifier: MIT */
/* Bands: after a sort by their keys, all pairs within a Hamming distance are adjacent.
 *
 * A fingerprint of B bits is cut into M blocks, M > K. Two fingerprints that differ in at most K
 * bits agree on at least M-K whole blocks (pigeonhole principle; Manku, Jain, Das Sarma, "Detecting
 * near-duplicates for web crawling", WWW 2007). There is one table for each choice of M-K blocks,
 * C(M, K) tables in all. The key of a fingerprint in a table is its bits in these blocks.
 * Fingerprints with equal keys are candidates. A pair within K shares a key in at least one table,
 * and is reported in the lowest-numbered one. So no list of pairs is kept in memory.
 *
 * Block i, from 0, is the bits floor(B*i/M) .. floor(B*(i+1)/M)-1. Table t is the t-th combination
 * of M-K blocks in lexicographic order.
 *
 * A key as text is lower-case hexadecimal. All keys of a layout have one width:
 *     k (2 digits) M (2 digits) table number, key bits
 * The table number has the same number of digits as tables-1. The key bits have the same number of
 * digits as in the widest table: the table's bits in ascending order, then zero bits.
 *
 * The last two digits of the fingerprint's tag (fp/tag.h) may follow the key bits. The join does
 * not compare them: a key with a tag and the same key without one belong to one bucket, and a sort
 * makes them adjacent. The length of a key shows whether it has a tag. */
#ifndef SH_BAND_BAND_H
#define SH_BAND_BAND_H

#include "record/fields.h"
#include "record/fingerprint.h"

enum {
	SH_BAND_MAX_BLOCKS = 255,
	SH_BAND_MAX_TABLES = 10000, /* each table adds one line per fingerprint */
	SH_BAND_MAX_KEY = 4 + 6 + SH_FP_MAX_BITS / 4,
	SH_BAND_LAYOUT = 4, /* bytes of a key that name the layout: k and M */
	SH_BAND_TAG_DIGITS = 2,
	SH_BAND_TAG_MASK = 0xff, /* the part of a tag that a key holds */
};

/* Bits from .. to-1 of a fingerprint. */
struct sh_band_run {
	uint16_t from, to;
};

struct sh_band_table {
	uint32_t number; /* from 0 */
	unsigned key_bits;
	unsigned runs; /* elements of run[]: the ranges of key bits, ascending */
	/* elements of skip[]: the other blocks before the table's last block, at most K */
	unsigned skipped;
	/* numbers of the table's M-K blocks, ascending */
	uint8_t block[SH_BAND_MAX_BLOCKS];
	struct sh_band_run run[SH_BAND_MAX_BLOCKS / 2 + 1];
	struct sh_band_run skip[SH_BAND_MAX_BLOCKS];
};

struct sh_band {
	unsigned bits, words; /* of a fingerprint */
	unsigned k;           /* K: every pair within it shares a key */
	unsigned blocks;      /* M */
	unsigned chosen;      /* blocks in a key, M-K */
	uint32_t tables;      /* C(M, K) */
	unsigned key_bits_min, key_bits_max;
	unsigned table_digits, bits_digits, key_len; /* of the text form, in bytes */
	char layout[SH_BAND_LAYOUT];                 /* the beginning of every key; no NUL */
	uint16_t start[SH_BAND_MAX_BLOCKS + 1];      /* first bit of each block; start[M]: bits */
	struct sh_band_table *table;                 /* by number */
};

/* Makes the layout of M = `blocks` for fingerprints of `bits` bits. SH_ERR_PARAM: the parameters
 * are impossible; the text says what to choose instead. After a failure there is nothing to free,
 * and sh_band_free() does no harm. Threads may share the layout. */
int sh_band_init(
    struct sh_band *b, unsigned bits, unsigned k, unsigned blocks, struct sh_error *err);
void sh_band_free(struct sh_band *b);

/* Writes the key of fp in table t, without a tag: b->key_len bytes. */
void sh_band_key(
    const struct sh_band *b, const struct sh_band_table *t, const uint64_t *fp, char *out);

/* Makes the layout that a key names, with or without a tag, for fingerprints of `bits` bits.
 * SH_ERR_RECORD: the key names none. After a failure there is nothing to free. */
int sh_band_from_key(struct sh_band *b, struct sh_slice key, unsigned bits, struct sh_error *err);

/* Removes the tag from a key of the layout. Returns the tag's last two digits as a number, 0 to
 * 255, or SH_NO_TAG when the key has none. */
int sh_band_cut_tag(const struct sh_band *b, struct sh_slice *key);

/* Checks a key, with or without a tag, against the layout, but for its key bits. Stores its table
 * number. SH_ERR_RECORD: a field is wrong. */
int sh_band_parse(
    const struct sh_band *b, struct sh_slice key, uint32_t *number, struct sh_error *err);

/* Checks that `key`, without a tag, is the key of a fingerprint in table t. sh_band_parse() must
 * have accepted it. SH_ERR_RECORD: it is not. */
int sh_band_check_key(const struct sh_band *b, const struct sh_band_table *t, struct sh_slice key,
    const uint64_t *fp, struct sh_error *err);

/* Appends a band record with its LF for each table. The fingerprint must have the width of the
 * layout. */
int sh_band_lines_add(const struct sh_band *band, const struct sh_fp_record *r, struct sh_buf *out,
    struct sh_error *err);

/* Returns whether the line is a band record whose key, with or without a tag, is that of its
 * fingerprint. */
bool sh_is_band_record(struct sh_slice line);

/* Returns whether x and y have the same key in table t. */
static inline bool sh_band_same_key(
    const struct sh_band_table *t, const uint64_t *x, const uint64_t *y)
{
	for (unsigned i = 0; i < t->runs; i++)
		if (!sh_fp_agree(x, y, t->run[i].from, t->run[i].to))
			return false;
	return true;
}

/* Returns whether no table before t has equal keys for x and y. Their keys in t must be equal. Then
 * t is the lowest one when x and y differ in every block that t skips. */
static inline bool sh_band_lowest(
    const struct sh_band_table *t, const uint64_t *x, const uint64_t *y)
{
	for (unsigned i = 0; i < t->skipped; i++)
		if (sh_fp_agree(x, y, t->skip[i].from, t->skip[i].to))
			return false;
	return true;
}

#endif
