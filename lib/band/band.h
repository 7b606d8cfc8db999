/* Bands: the tables by which a sort finds every pair within a Hamming distance.
 *
 * Cut the B bits of a fingerprint into M blocks, M > K. Two fingerprints that
 * differ in at most K bits agree on at least M-K whole blocks (pigeonhole; Manku,
 * Jain, Das Sarma, "Detecting near-duplicates for web crawling", WWW 2007). So
 * make one table for each choice of M-K blocks, C(M, K) of them: the key of a
 * fingerprint in a table is its bits in those blocks, and fingerprints with equal
 * keys are candidates. Each pair within K meets in at least one table, and is
 * written by the lowest-numbered one in which it meets: no memory of pairs.
 *
 * Block i (0-based) is bits floor(B*i/M) .. floor(B*(i+1)/M)-1. Table t is the
 * t-th combination of M-K blocks in lexicographic order.
 *
 * Where K is large the tables are many. A layout for an expected recall has fewer, with
 * key bits drawn at random: see bandrecall.c for how.
 *
 * A key in text is lower-case hex of a width that is fixed by the layout:
 *     k (2 digits) M (2 digits) table number key bits
 *     k (2 digits) 00 tables (3) bits of a key (2) seed (4) table number key bits
 * the second for tables drawn at random. The table number has as many digits as
 * tables-1 needs, the key bits as many as the widest table needs: the table's bits in
 * ascending order, the first bit first, filled up with zero bits at the end.
 *
 * Behind the key bits may stand the last two digits of the fingerprint's tag (fp/tag.h). They are not
 * compared: a bare key and a tagged one of the same bits belong to one bucket, and sort next to each
 * other. The length of a key tells whether it has a tag. */
#ifndef SH_BAND_BAND_H
#define SH_BAND_BAND_H

#include "base/error.h"
#include "base/slice.h"
#include "record/fingerprint.h"

enum {
	SH_BAND_MAX_BLOCKS = 255,
	SH_BAND_MAX_TABLES = 1 << 24,
	SH_BAND_MAX_KEY = 4 + 6 + SH_FP_MAX_BITS / 4,
	SH_BAND_MAX_DRAWN = 4095,    /* tables drawn at random */
	SH_BAND_MAX_DRAWN_BITS = 64, /* and bits of their keys */
	SH_BAND_MAX_SEED = 65535,
	SH_BAND_HEAD = 16, /* bytes of a key before its bits, at most */
	SH_BAND_TAG_DIGITS = 2,
	SH_BAND_TAG_MASK = 0xff, /* the part of a tag that a key holds */
};

/* Bits from .. to-1 of a fingerprint. */
struct sh_band_run {
	uint16_t from, to;
};

struct sh_band_table {
	uint32_t number;
	unsigned key_bits;
	unsigned runs;           /* its blocks, adjacent ones joined */
	unsigned skipped;        /* blocks before its last that are not its own: at most K */
	const uint64_t *earlier; /* the bits of each table before it, or NULL: by blocks */
	unsigned words;
	uint8_t block[SH_BAND_MAX_BLOCKS]; /* its M-K blocks, ascending */
	struct sh_band_run run[SH_BAND_MAX_BLOCKS / 2 + 1];
	struct sh_band_run skip[SH_BAND_MAX_BLOCKS];
};

struct sh_band {
	unsigned bits, words; /* of a fingerprint */
	unsigned k;           /* the distance guaranteed */
	unsigned blocks;      /* M */
	unsigned chosen;      /* blocks in a key, M-K */
	uint32_t tables;      /* C(M, K) */
	unsigned key_bits_min, key_bits_max;
	unsigned table_digits, bits_digits, key_len; /* of the text form, in bytes */
	char layout[SH_BAND_HEAD]; /* what each key begins with, layout_len bytes */
	unsigned layout_len;
	bool drawn; /* at random, for an expected recall; then blocks are 0 */
	unsigned seed;
	uint64_t *mask;                         /* drawn: by table, which bits its keys have */
	uint16_t start[SH_BAND_MAX_BLOCKS + 1]; /* of each block, and the end */
	struct sh_band_table *cache;            /* all tables when they are few, or NULL */
};

/* A layout of fingerprints of `bits` bits. Impossible parameters (M <= K, M > bits,
 * too many tables, ...) are an error that says what to choose instead. */
int sh_band_init(
    struct sh_band *b, unsigned bits, unsigned k, unsigned blocks, struct sh_error *err);
void sh_band_free(struct sh_band *b);

/* A layout of `tables` tables with `key_bits` bits drawn at random, the same for the same
 * arguments everywhere: see sh_band_recall() for what it finds. */
int sh_band_draw(struct sh_band *b, unsigned bits, unsigned k, unsigned key_bits, unsigned tables,
    unsigned seed, struct sh_error *err);

/* The expected share of the pairs at this distance that such a layout finds. */
double sh_band_recall(unsigned bits, unsigned key_bits, unsigned tables, unsigned distance);

/* The fewest tables that are expected to find this share of the pairs at this distance, 0 when
 * SH_BAND_MAX_DRAWN do not. */
unsigned sh_band_tables_for(unsigned bits, unsigned key_bits, unsigned distance, double recall);

/* Table `number` < b->tables. The answer is either held by b or written to *room. */
const struct sh_band_table *sh_band_table(
    const struct sh_band *b, uint32_t number, struct sh_band_table *room);

/* The next table in order, in place; false after the last. */
bool sh_band_table_next(const struct sh_band *b, struct sh_band_table *t);

/* Write the key of fp in table t: exactly b->key_len bytes. */
void sh_band_key(
    const struct sh_band *b, const struct sh_band_table *t, const uint64_t *fp, char *out);

/* What keys of a table begin with: b->key_len - b->bits_digits bytes. */
void sh_band_head(const struct sh_band *b, uint32_t number, char *out);

/* The bits of a key of at most 64, left-aligned. */
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

/* The layout that a key declares, for fingerprints of `bits` bits. */
int sh_band_from_key(struct sh_band *b, struct sh_slice key, unsigned bits, struct sh_error *err);

/* Takes the tag off a key of the layout. Returns the tag's last two digits, or SH_NO_TAG. */
int sh_band_cut_tag(const struct sh_band *b, struct sh_slice *key);

/* Checks every field of a key, with or without a tag, against the layout, and stores its table
 * number. sh_band_key_is() tells whether it is the key of a given fingerprint. */
int sh_band_parse(
    const struct sh_band *b, struct sh_slice key, uint32_t *number, struct sh_error *err);

/* Whether `key`, without a tag, is the key of fp in table t. */
bool sh_band_key_is(const struct sh_band *b, const struct sh_band_table *t, struct sh_slice key,
    const uint64_t *fp);

/* Whether x and y meet in none of the tables before number n, whose bits these are. */
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

/* Whether t is the lowest table in which x and y, which agree on t's bits, meet: with
 * blocks so, when they differ in every block that t skips. O(K), or O(tables) when drawn. */
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

/* What a layout costs for `count` distinct, uniformly distributed fingerprints, in
 * seconds of one core of a common server of 2023; only the ratio decides:
 *     sort      bytes * log2(lines) * SH_COST_SORT   (GNU sort, LC_ALL=C, whole line)
 *     compare   tables * 2^key_bits buckets, each joined by the plan that the join makes
 *               for its mean size (plan.h): candidates * SH_COST_COMPARE while buckets
 *               are small, far less than that when they are large */
#define SH_COST_SORT    1.9e-9
#define SH_COST_COMPARE 0.15e-9

struct sh_band_cost {
	unsigned blocks; /* 0: drawn at random */
	uint32_t tables;
	unsigned key_bits;     /* of the narrowest table */
	double recall;         /* expected at distance k */
	unsigned record_bytes; /* a line, with an id of id_bytes bytes */
	double stream_bytes;
	double candidates; /* expected pairs with equal keys, all tables */
	double bucket;     /* mean size, count / 2^key_bits */
	double bucket_max; /* with chance 999 in 1000 no bucket of any table is larger */
	double sort_seconds, compare_seconds;
};

/* Fill *c for M = blocks. 0 or -1, as sh_band_init(). */
int sh_band_cost(struct sh_band_cost *c, unsigned bits, unsigned k, unsigned blocks, double count,
    unsigned id_bytes, struct sh_error *err);

/* Price every M worth considering and store the rows, in order of M, in row[0 .. room-1]:
 * returns how many, *best is the index of the cheapest. 0 when there is no layout (k >= bits);
 * -1 and *err when memory is short: what is chosen must not depend on that. */
int sh_band_choose(struct sh_band_cost *row, unsigned room, unsigned *best, unsigned bits,
    unsigned k, double count, unsigned id_bytes, struct sh_error *err);

/* The same for tables drawn at random that are expected to find this share of the pairs at
 * distance k, a row for each number of key bits; 0 when there are none. */
int sh_band_choose_drawn(struct sh_band_cost *row, unsigned room, unsigned *best, unsigned bits,
    unsigned k, double recall, double count, unsigned id_bytes, struct sh_error *err);

#endif
