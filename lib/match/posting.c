/* SPDX-License-Identifier: MIT */
#include "match/posting.h"

#include <stdlib.h>
#include <string.h>

#include "base/numsort.h"
#include "io/spill.h"

enum {
	BLOCK = 1 << 14,      /* documents whose packed keys are written to the file at once */
	CHUNK = 1 << 12,      /* least number of further postings of a column written at once */
	LEAST_PART = 1 << 17, /* postings of a part, at least, however little the memory */
	SMALL = 32,           /* postings of one prefix that are sorted by insertion */
	PREFIX = 2 * SH_NUMSORT_BITS, /* upper bits of the hash that are sorted by digits */
};

/* No key: the hash of no document, see pack_hash(). */
#define ABSENT ((UINT64_C(1) << SH_KEYS_BITS) - 1)

/* The packed keys of BLOCK documents: for each column BLOCK lower halves, then BLOCK first
 * bytes. */
struct block {
	uint8_t *p;  /* NULL: in the file */
	uint64_t at; /* offset in the file */
};

/* A further posting: hash and is_short in 41 bits, the document in 32. */
struct further {
	uint32_t low, document;
	uint32_t high; /* the first byte of the hash; is_short is bit 8 */
};

struct chunk {
	uint64_t at;
	size_t n;
};

/* The further postings of a column. */
struct column {
	struct chunk *chunk; /* in the file */
	size_t n_chunks, chunk_cap;
	struct further *further; /* in memory, after those of the chunks */
	size_t n, cap;
	uint64_t all;  /* in memory and file */
	unsigned bits; /* the parts are ranges of this number of upper bits of the hash */
	size_t part;   /* the first part */
};

struct sh_key_postings {
	unsigned packed;
	size_t memory, used; /* bytes */
	const char *dir;
	int fd;
	uint64_t end; /* of the file */
	struct block *block;
	size_t n_blocks, block_cap;
	uint64_t documents;
	struct column column[SH_COLUMNS + 1];
	/* set by sh_key_postings_divide() */
	unsigned from, to, rank_bits;
};

struct sh_key_postings *sh_key_postings_new(
    unsigned packed, size_t memory, const char *dir, struct sh_error *err)
{
	struct sh_key_postings *p = calloc(1, sizeof *p);

	if (!p) {
		sh_error_nomem(err);
		return NULL;
	}
	*p = (struct sh_key_postings){ .packed = packed, .memory = memory, .dir = dir, .fd = -1 };
	return p;
}

void sh_key_postings_delete(struct sh_key_postings *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_blocks; i++)
		free(p->block[i].p);
	for (unsigned i = 0; i < SH_COLUMNS; i++) {
		free(p->column[i].chunk);
		free(p->column[i].further);
	}
	sh_spill_close(p->fd);
	free(p->block);
	free(p);
}

/* ---- adding ---- */

size_t sh_key_postings_row(const struct sh_key_postings *p)
{
	return (size_t)(p->packed + 1) * SH_POSTING_BYTES;
}

static bool is_packed(const struct sh_key_postings *p, unsigned column)
{
	return column < p->packed || column == SH_COLUMN_TEXT;
}

static void pack_hash(uint8_t *to, uint64_t hash)
{
	uint32_t low = (uint32_t)hash;

	memcpy(to, &low, sizeof low);
	to[sizeof low] = (uint8_t)(hash >> 32);
}

/* Returns the place of a packed column in a row. */
static unsigned slot_of(const struct sh_key_postings *p, unsigned column)
{
	return column == SH_COLUMN_TEXT ? p->packed : column;
}

int sh_posting_pack(const struct sh_key_postings *p, const struct sh_doc_key *key, size_t n,
    uint32_t document, uint8_t *row, struct sh_buf *more, struct sh_error *err)
{
	int last = -1; /* the last column that was filled */

	memset(row, 0xff, sh_key_postings_row(p));
	for (size_t i = 0; i < n; i++) {
		struct sh_key_posting further = { key[i].hash, document, key[i].column,
			key[i].is_short };

		if (is_packed(p, key[i].column) && key[i].column != last && key[i].hash != ABSENT) {
			pack_hash(row + (size_t)slot_of(p, key[i].column) * SH_POSTING_BYTES,
			    key[i].hash);
			last = key[i].column;
		} else if (sh_buf_add(more, &further, sizeof further, err) < 0) {
			return -1;
		}
	}
	return 0;
}

static size_t block_bytes(const struct sh_key_postings *p)
{
	return sh_key_postings_row(p) * BLOCK;
}

static int write_out(
    struct sh_key_postings *p, const void *bytes, size_t n, uint64_t *at, struct sh_error *err)
{
	if (p->fd < 0 && (p->fd = sh_spill_open(p->dir, err)) < 0)
		return -1;
	*at = p->end;
	p->end += n;
	return sh_spill_write_at(p->fd, bytes, n, *at, err);
}

/* Begins a block. Writes the full one before it to the file when memory is short. */
static int begin_block(struct sh_key_postings *p, struct sh_error *err)
{
	struct block *last;
	uint8_t *bytes;

	if (SH_RESERVE(p->block, p->block_cap, p->n_blocks + 1, err) < 0)
		return -1;
	last = p->n_blocks ? &p->block[p->n_blocks - 1] : NULL;
	if (last && p->used + block_bytes(p) > p->memory) {
		bytes = last->p;
		if (write_out(p, bytes, block_bytes(p), &last->at, err) < 0)
			return -1;
		last->p = NULL;
	} else {
		bytes = malloc(block_bytes(p));
		if (!bytes)
			return sh_error_nomem(err);
		p->used += block_bytes(p);
	}
	p->block[p->n_blocks++] = (struct block){ .p = bytes };
	return 0;
}

/* slot: the place of a packed column in a row. */
static uint8_t *slot_in(uint8_t *block, unsigned slot)
{
	return block + (size_t)slot * BLOCK * SH_POSTING_BYTES;
}

int sh_key_postings_add(
    struct sh_key_postings *p, const uint8_t *rows, size_t stride, size_t n, struct sh_error *err)
{
	while (n) {
		size_t at = (size_t)(p->documents % BLOCK), some = BLOCK - at < n ? BLOCK - at : n;
		uint8_t *block;

		if (at == 0 && begin_block(p, err) < 0)
			return -1;
		block = p->block[p->n_blocks - 1].p;
		for (unsigned c = 0; c <= p->packed; c++) {
			const uint8_t *from = rows + (size_t)c * SH_POSTING_BYTES;
			uint8_t *low = slot_in(block, c) + at * sizeof(uint32_t);
			uint8_t *high = slot_in(block, c) + BLOCK * sizeof(uint32_t) + at;

			for (size_t i = 0; i < some; i++, from += stride) {
				memcpy(low + i * sizeof(uint32_t), from, sizeof(uint32_t));
				high[i] = from[sizeof(uint32_t)];
			}
		}
		p->documents += some;
		rows += some * stride;
		n -= some;
	}
	return 0;
}

static int write_chunk(struct sh_key_postings *p, struct column *c, struct sh_error *err)
{
	struct chunk chunk = { .n = c->n };

	if (SH_RESERVE(c->chunk, c->chunk_cap, c->n_chunks + 1, err) < 0 ||
	    write_out(p, c->further, c->n * sizeof *c->further, &chunk.at, err) < 0)
		return -1;
	c->chunk[c->n_chunks++] = chunk;
	c->n = 0;
	return 0;
}

int sh_key_postings_add_more(struct sh_key_postings *p, const struct sh_key_posting *more, size_t n,
    uint32_t first, struct sh_error *err)
{
	for (size_t i = 0; i < n; i++) {
		struct column *c = &p->column[more[i].column];
		size_t cap = c->cap;

		if (c->n == c->cap && c->n >= CHUNK &&
		    p->used + c->n * sizeof *c->further > p->memory && write_chunk(p, c, err) < 0)
			return -1;
		if (SH_RESERVE(c->further, c->cap, c->n + 1, err) < 0)
			return -1;
		p->used += (c->cap - cap) * sizeof *c->further;
		c->further[c->n++] =
		    (struct further){ (uint32_t)more[i].hash, more[i].document + first,
			    (uint32_t)(more[i].hash >> 32) | (uint32_t)more[i].is_short << 8 };
		c->all++;
	}
	return 0;
}

/* ---- parts ---- */

size_t sh_key_postings_divide(
    struct sh_key_postings *p, unsigned from, unsigned to, uint32_t documents, size_t memory)
{
	size_t parts = 0;

	p->from = from;
	p->to = to;
	for (p->rank_bits = 1; p->rank_bits < 32 && documents >> p->rank_bits; p->rank_bits++) {
	}
	for (unsigned i = from; i < to; i++) {
		struct column *c = &p->column[i];
		uint64_t n = c->all + (is_packed(p, i) ? p->documents : 0);

		/* A word has rank, is_short and the rest of the hash. A part has two arrays. */
		c->bits =
		    SH_KEYS_BITS + p->rank_bits + 1 > 64 ? SH_KEYS_BITS + p->rank_bits - 63 : 0;
		while (c->bits < 16 && n >> c->bits > memory / (2 * sizeof(uint64_t)) &&
		       n >> c->bits > LEAST_PART)
			c->bits++;
		c->part = parts;
		parts += n ? (size_t)1 << c->bits : 0;
	}
	p->column[to].part = parts;
	return parts;
}

/* Which postings a part has, and how their words are made. */
struct part {
	unsigned column, bits, rank_bits;
	uint64_t range;
	const uint32_t *rank;
};

/* Appends the word of a posting, if the posting is in the part. */
static inline void add_word(const struct part *part, uint64_t *word, size_t *n, uint64_t hash,
    uint32_t document, bool is_short)
{
	unsigned below = SH_KEYS_BITS - part->bits;
	uint32_t rank;

	if (hash >> below != part->range)
		return;
	rank = part->rank ? part->rank[document] : document;
	if (rank == SH_NO_DOCUMENT)
		return;
	hash &= (UINT64_C(1) << below) - 1;
	word[(*n)++] = hash << (part->rank_bits + 1) | (uint64_t)rank << 1 | is_short;
}

/* Sets *low and *high to the packed keys of a block's column, in memory or read from the file. */
static int load_block(const struct sh_key_postings *p, size_t block, unsigned slot,
    struct sh_sort_room *room, const uint8_t **low, const uint8_t **high, struct sh_error *err)
{
	const struct block *b = &p->block[block];

	if (b->p) {
		*low = slot_in(b->p, slot);
	} else {
		if (SH_RESERVE(room->high, room->high_cap, (size_t)BLOCK * SH_POSTING_BYTES, err) <
			0 ||
		    sh_spill_read(p->fd, room->high, (size_t)BLOCK * SH_POSTING_BYTES,
			b->at + (uint64_t)slot * BLOCK * SH_POSTING_BYTES, err) < 0)
			return -1;
		*low = room->high;
	}
	*high = *low + BLOCK * sizeof(uint32_t);
	return 0;
}

static int gather_packed(const struct sh_key_postings *p, const struct part *part,
    struct sh_sort_room *room, size_t *n, struct sh_error *err)
{
	unsigned slot = slot_of(p, part->column);

	for (size_t b = 0; b < p->n_blocks; b++) {
		uint32_t first = (uint32_t)(b * BLOCK);
		size_t m = p->documents - first < BLOCK ? (size_t)(p->documents - first) : BLOCK;
		const uint8_t *low, *high;

		if (SH_RESERVE(room->word, room->word_cap, *n + m, err) < 0 ||
		    load_block(p, b, slot, room, &low, &high, err) < 0)
			return -1;
		for (size_t i = 0; i < m; i++) {
			uint32_t l;
			uint64_t hash;

			memcpy(&l, low + i * sizeof l, sizeof l);
			hash = (uint64_t)high[i] << 32 | l;
			if (hash != ABSENT)
				add_word(part, room->word, n, hash, first + (uint32_t)i, false);
		}
	}
	return 0;
}

static int gather_further(const struct part *part, const struct further *f, size_t m,
    struct sh_sort_room *room, size_t *n, struct sh_error *err)
{
	if (SH_RESERVE(room->word, room->word_cap, *n + m, err) < 0)
		return -1;
	for (size_t i = 0; i < m; i++)
		add_word(part, room->word, n, (uint64_t)(f[i].high & 0xff) << 32 | f[i].low,
		    f[i].document, f[i].high >> 8);
	return 0;
}

static int gather_chunk(const struct sh_key_postings *p, const struct part *part,
    const struct chunk *chunk, struct sh_sort_room *room, size_t *n, struct sh_error *err)
{
	enum { SOME = BLOCK * SH_POSTING_BYTES / sizeof(struct further) };
	struct further *some;

	if (SH_RESERVE(room->high, room->high_cap, (size_t)BLOCK * SH_POSTING_BYTES, err) < 0)
		return -1;
	some = (struct further *)(void *)room->high;
	for (size_t i = 0, m; i < chunk->n; i += m) {
		m = chunk->n - i < SOME ? chunk->n - i : SOME;
		if (sh_spill_read(
			p->fd, some, m * sizeof *some, chunk->at + i * sizeof *some, err) < 0 ||
		    gather_further(part, some, m, room, n, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- sorting ---- */

static bool ascends(const uint64_t *a, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (a[i] < a[i - 1])
			return false;
	return true;
}

/* Sorts words that agree above bit `shift`: mostly one or two words, or a large bucket in order. */
static void sort_prefixes(uint64_t *a, uint64_t *room, size_t n, unsigned shift)
{
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && a[j] >> shift == a[i] >> shift; j++) {
		}
		if (j - i <= SMALL)
			sh_numsort_insert(a + i, j - i);
		else if (!ascends(a + i, j - i)) {
			const uint64_t *sorted = sh_numsort(a + i, room, j - i);

			if (sorted != a + i)
				memcpy(a + i, sorted, (j - i) * sizeof *a);
		}
	}
}

/* Sorts by the first PREFIX bits of `top` bits by digits, and words of one prefix afterwards. */
static uint64_t *sort_words(uint64_t *a, uint64_t *room, size_t n, unsigned top)
{
	unsigned shift = top > PREFIX ? top - PREFIX : 0;

	if (n <= BLOCK / 8)
		return sh_numsort(a, room, n);
	sh_numsort_pass(a, room, n, shift, SH_NUMSORT_BITS);
	sh_numsort_pass(room, a, n, shift + SH_NUMSORT_BITS, SH_NUMSORT_BITS);
	sort_prefixes(a, room, n, shift);
	return a;
}

int sh_key_postings_sort(const struct sh_key_postings *p, size_t part, const uint32_t *rank,
    struct sh_sort_room *room, struct sh_sorted *sorted, struct sh_error *err)
{
	struct part how = { .column = p->to - 1, .rank_bits = p->rank_bits, .rank = rank };
	const struct column *c;
	size_t n = 0;

	while (p->column[how.column].part > part)
		how.column--;
	c = &p->column[how.column];
	how.bits = c->bits;
	how.range = part - c->part;
	if (is_packed(p, how.column) && gather_packed(p, &how, room, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < c->n_chunks; i++)
		if (gather_chunk(p, &how, &c->chunk[i], room, &n, err) < 0)
			return -1;
	if (gather_further(&how, c->further, c->n, room, &n, err) < 0 ||
	    SH_RESERVE(room->room, room->room_cap, n + 1, err) < 0)
		return -1;
	*sorted = (struct sh_sorted){ .n = n,
		.shift = p->rank_bits + 1,
		.column = how.column,
		.above = how.range << (SH_KEYS_BITS - how.bits) };
	sorted->word =
	    sort_words(room->word, room->room, n, SH_KEYS_BITS - how.bits + p->rank_bits + 1);
	return 0;
}

void sh_sort_room_free(struct sh_sort_room *r)
{
	free(r->word);
	free(r->room);
	free(r->high);
	*r = (struct sh_sort_room){ 0 };
}
