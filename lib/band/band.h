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
 * A large K makes many tables. A layout for an expected recall has fewer tables, whose key bits are
 * drawn at random (bandrecall.c).
 *
 * A key as text is lower-case hexadecimal. All keys of a layout have one width:
 *     k (2 digits) M (2 digits) table number, key bits
 *     k (2 digits) 00 tables (3) bits of a key (2) seed (4) table number, key bits
 * Keys of the second form belong to tables drawn at random. The table number has the same number of
 * digits as tables-1. The key bits have the same number of digits as in the widest table: the
 * table's bits in ascending order, then zero bits.
 *
 * The last two digits of the fingerprint's tag (fp/tag.h) may follow the key bits. The join does
 * not compare them: a key with a tag and the same key without one belong to one bucket, and a sort
 * makes them adjacent. The length of a key shows whether it has a tag. */
#ifndef SH_BAND_BAND_H
#define SH_BAND_BAND_H

#include "base/error.h"
#include "base/slice.h"
#include "record/fingerprint.h"

enum {
	SH_BAND_MAX_BLOCKS = 255,
	SH_BAND_MAX_TABLES = 1 << 24,
	SH_BAND_MAX_KEY = 4 + 6 + SH_FP_MAX_BITS / 4,
	SH_BAND_MAX_DRAWN = 4095,    /* most tables drawn at random */
	SH_BAND_MAX_DRAWN_BITS = 64, /* most bits of their keys */
	SH_BAND_MAX_SEED = 65535,
	SH_BAND_HEAD = 16, /* most bytes of a key before its bits */
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
	/* elements of skip[]: the other blocks before the table's last block, at most K; 0:
	 * drawn */
	unsigned skipped;
	/* drawn: masks of the key bits of tables 0 .. number-1, `words` words each; else NULL */
	const uint64_t *earlier;
	unsigned words;
	/* numbers of the table's M-K blocks, ascending; not set when drawn */
	uint8_t block[SH_BAND_MAX_BLOCKS];
	struct sh_band_run run[SH_BAND_MAX_BLOCKS / 2 + 1];
	struct sh_band_run skip[SH_BAND_MAX_BLOCKS];
};

struct sh_band {
	unsigned bits, words; /* of a fingerprint */
	unsigned k;           /* K: every pair within it shares a key; drawn: most pairs */
	unsigned blocks;      /* M */
	unsigned chosen;      /* blocks in a key, M-K */
	uint32_t tables;      /* C(M, K), or the number drawn */
	unsigned key_bits_min, key_bits_max;
	unsigned table_digits, bits_digits, key_len; /* of the text form, in bytes */
	char layout[SH_BAND_HEAD];                   /* the first layout_len bytes of every key */
	unsigned layout_len;
	bool drawn; /* key bits are drawn at random, and blocks is 0 */
	unsigned seed;
	uint64_t *mask;                         /* drawn: by table, its key bits; else NULL */
	uint16_t start[SH_BAND_MAX_BLOCKS + 1]; /* first bit of each block; start[M]: bits */
	struct sh_band_table *cache;            /* all tables; NULL for more than 512 of blocks */
};

/* Makes the layout of M = `blocks` for fingerprints of `bits` bits. SH_ERR_PARAM: the parameters
 * are impossible; the text says what to choose instead. */
int sh_band_init(
    struct sh_band *b, unsigned bits, unsigned k, unsigned blocks, struct sh_error *err);
void sh_band_free(struct sh_band *b);

/* Makes a layout of `tables` tables whose `key_bits` bits are drawn at random. Equal arguments give
 * equal layouts on every machine. sh_band_recall() has the recall. */
int sh_band_draw(struct sh_band *b, unsigned bits, unsigned k, unsigned key_bits, unsigned tables,
    unsigned seed, struct sh_error *err);

/* Returns the expected share of the pairs at this distance that share a key in a layout of
 * sh_band_draw(). */
double sh_band_recall(unsigned bits, unsigned key_bits, unsigned tables, unsigned distance);

/* Returns the smallest number of tables with this expected recall at this distance; 0 when
 * SH_BAND_MAX_DRAWN tables do not have it. */
unsigned sh_band_tables_for(unsigned bits, unsigned key_bits, unsigned distance, double recall);

/* Returns table `number` < b->tables. It belongs to b, or is written to *room. */
const struct sh_band_table *sh_band_table(
    const struct sh_band *b, uint32_t number, struct sh_band_table *room);

/* Replaces *t by the next table, of blocks. Returns false after the last table, and leaves *t as it
 * is. */
bool sh_band_table_next(const struct sh_band *b, struct sh_band_table *t);

/* Writes the key of fp in table t, without a tag: b->key_len bytes. */
void sh_band_key(
    const struct sh_band *b, const struct sh_band_table *t, const uint64_t *fp, char *out);

/* Writes the beginning of the keys of a table: b->key_len - b->bits_digits bytes. */
void sh_band_head(const struct sh_band *b, uint32_t number, char *out);

/* Returns the bits of a key of at most 64 bits, left-aligned. */
static inline uint64_t sh_band_bits(const struct sh_band_table *t, const uint64_t *fp)
{
	uint64_t key = 0;
	unsigned left = 64;

	for (unsigned r = 0; r < t->runs; r++) {
		unsigned n = (unsigned)(t->run[r].to - t->run[r].from);

		left -= n;
		key |= sh_fp_bits(fp, t->run[r].from, n) << left;
	}
	return key;
}

/* Makes the layout that a key names, with or without a tag, for fingerprints of `bits` bits.
 * SH_ERR_RECORD: the key names none. */
int sh_band_from_key(struct sh_band *b, struct sh_slice key, unsigned bits, struct sh_error *err);

/* Removes the tag from a key of the layout. Returns the tag's last two digits as a number, 0 to
 * 255, or SH_NO_TAG when the key has none. */
int sh_band_cut_tag(const struct sh_band *b, struct sh_slice *key);

/* Checks every field of a key, with or without a tag, against the layout, and stores its table
 * number. SH_ERR_RECORD: a field is wrong. Call sh_band_key_is() to compare the key with a
 * fingerprint. */
int sh_band_parse(
    const struct sh_band *b, struct sh_slice key, uint32_t *number, struct sh_error *err);

/* Returns whether `key`, without a tag, is the key of fp in table t. */
bool sh_band_key_is(const struct sh_band *b, const struct sh_band_table *t, struct sh_slice key,
    const uint64_t *fp);

/* Returns whether x and y have different keys in each of n tables. mask[] has the key bits of each
 * table. */
static inline bool sh_band_first(
    const uint64_t *mask, uint32_t n, unsigned words, const uint64_t *x, const uint64_t *y)
{
	for (; n > 0; n--, mask += words) {
		uint64_t differ = 0;

		for (unsigned w = 0; w < words; w++)
			differ |= (x[w] ^ y[w]) & mask[w];
		if (differ == 0)
			return false;
	}
	return true;
}

/* Returns whether no table before t has equal keys for x and y. Their keys in t must be equal.
 * Tables of blocks: t is the lowest one when x and y differ in every block that t skips. Takes
 * O(K), or O(tables) when drawn. */
static inline bool sh_band_lowest(
    const struct sh_band_table *t, const uint64_t *x, const uint64_t *y)
{
	if (t->earlier)
		return sh_band_first(t->earlier, t->number, t->words, x, y);
	for (unsigned i = 0; i < t->skipped; i++)
		if (sh_fp_agree(x, y, t->skip[i].from, t->skip[i].to))
			return false;
	return true;
}

/* The cost of a layout for `count` distinct, uniformly distributed fingerprints, in seconds of one
 * core of a server of 2023. The choice depends only on the ratio of the two constants.
 *     sort      bytes * log2(lines) * SH_COST_SORT   (GNU sort, LC_ALL=C, whole line)
 *     compare   candidates * SH_COST_COMPARE, or less by the join's plan for a bucket of mean size
 *               (plan.h) */
#define SH_COST_SORT    1.9e-9
#define SH_COST_COMPARE 0.15e-9

struct sh_band_cost {
	unsigned blocks; /* 0: drawn at random */
	uint32_t tables;
	unsigned key_bits;     /* of the narrowest table */
	double recall;         /* expected at distance k */
	unsigned record_bytes; /* of a line with an id of id_bytes bytes */
	double stream_bytes;   /* of all lines */
	double candidates;     /* expected pairs with equal keys, all tables */
	double bucket;         /* mean size, count / 2^key_bits */
	double bucket_max; /* size that no bucket of any table exceeds, with probability 0.999 */
	double sort_seconds, compare_seconds;
};

/* Fills *c for M = blocks. Fails as sh_band_init() does. */
int sh_band_cost(struct sh_band_cost *c, unsigned bits, unsigned k, unsigned blocks, double count,
    unsigned id_bytes, struct sh_error *err);

/* Fills row[] with the costs of M = k + 1, k + 2, ... blocks: at most `room` rows, up to the first
 * row whose sort alone costs four times the cheapest row. Returns the number of rows; *best is the
 * index of the cheapest. Returns 0 when there is no layout (k >= bits), -1 when memory is short:
 * the choice must not depend on memory. */
int sh_band_choose(struct sh_band_cost *row, unsigned room, unsigned *best, unsigned bits,
    unsigned k, double count, unsigned id_bytes, struct sh_error *err);

/* Does the same for tables drawn at random with this expected recall at distance k, for keys of 1,
 * 2, ... bits. */
int sh_band_choose_drawn(struct sh_band_cost *row, unsigned room, unsigned *best, unsigned bits,
    unsigned k, double recall, double count, unsigned id_bytes, struct sh_error *err);

#endif
