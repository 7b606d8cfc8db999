/* SPDX-License-Identifier: MIT */
#include "match/align.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"

#define NONE UINT32_MAX

enum {
	BITS = 64,
	/* Most words of masks when each token has masks: 1 MiB, so that a second-level cache holds
	 * the masks. Above it, rare tokens have none. */
	MASKS_MAX = 1 << 17
};

struct sh_aligner {
	uint32_t *slot;   /* table of the tokens of x: their numbers; 0: empty */
	uint64_t *token;  /* by number */
	uint32_t *number; /* of the tokens of x, then of y, in order; 0: x lacks the token */
	uint32_t *times;  /* by token: its occurrences in x */
	uint32_t *first;  /* by token: its first occurrence, or NONE */
	uint32_t *next;   /* by row: the next occurrence of its token, or NONE */
	uint32_t *cursor; /* by token: the first occurrence that the band has not left, or NONE */
	size_t *masks_at; /* by token: index of its first word in mask[], or SIZE_MAX: no masks */
	uint64_t *mask;   /* `stride` words a token, one bit a row of the matrix; token 0: zeros */
	uint64_t *up, *rise; /* vertical differences in the band: see struct column */
	uint64_t *scratch;   /* the masks of a rare token in the band */
	size_t slot_cap, token_cap, number_cap, times_cap, cursor_cap, first_cap, next_cap,
	    masks_at_cap, mask_cap, up_cap, rise_cap, scratch_cap;
};

/* The two texts, without their common beginning and end. Cell (i, j) of the matrix is the cost of
 * turning the first i tokens of x into the first j tokens of y. A path through the matrix is an
 * alignment. Diagonal k has the cells (i, i + k). */
struct matrix {
	const uint64_t *x, *y;
	size_t rows, columns; /* rows <= columns */
	uint32_t tokens;      /* distinct tokens of x */
	size_t pad;           /* zero bits before the first row in the masks of a token */
	size_t stride;        /* words of the masks of one token */
	bool some;            /* rare tokens have no masks */
};

/* ---- memory ---- */

struct sh_aligner *sh_aligner_new(struct sh_error *err)
{
	struct sh_aligner *a = calloc(1, sizeof *a);

	if (!a) {
		sh_error_nomem(err);
		return NULL;
	}
	return a;
}

void sh_aligner_delete(struct sh_aligner *a)
{
	if (!a)
		return;
	free(a->slot);
	free(a->token);
	free(a->number);
	free(a->times);
	free(a->cursor);
	free(a->first);
	free(a->next);
	free(a->masks_at);
	free(a->mask);
	free(a->up);
	free(a->rise);
	free(a->scratch);
	free(a);
}

#define ROOM(name, n) SH_RESERVE(a->name, a->name##_cap, n, err)

/* ---- the tokens of both texts as numbers ---- */

/* The table of the tokens of x. */
struct numbers {
	uint32_t *restrict slot;  /* by hash: a token's number, or 0 */
	uint64_t *restrict token; /* by number */
	size_t last;              /* slots - 1; the number of slots is a power of two */
};

/* Returns the slot of the token, or the empty slot for it. An empty slot compares as equal, so that
 * the loop has one branch. At most a quarter of the slots are in use: the first slot nearly always
 * fits. The factor is 2^64 / golden ratio (Fibonacci hashing). */
static inline uint32_t *find_slot(const struct numbers *n, uint64_t token)
{
	size_t i = (size_t)(token * UINT64_C(0x9E3779B97F4A7C15) >> 32);

	for (;; i++) {
		uint32_t *slot = &n->slot[i & n->last];

		if (__builtin_expect(((n->token[*slot] ^ token) & -(uint64_t)(*slot > 0)) == 0, 1))
			return slot;
	}
}

/* Fills a->number for both texts. Sets m->tokens. Has no branch on the tokens. */
static void number_both(struct sh_aligner *a, struct matrix *m, size_t slots)
{
	struct numbers n = { a->slot, a->token, slots - 1 };
	uint32_t *restrict number = a->number, tokens = 0;

	memset(n.slot, 0, slots * sizeof *n.slot);
	n.token[0] = 0;
	for (size_t i = 0; i < m->rows; i++) {
		uint32_t *slot = find_slot(&n, m->x[i]), t = *slot;

		tokens += t == 0;
		t += tokens & -(uint32_t)(t == 0);
		*slot = t;
		n.token[t] = m->x[i];
		number[i] = t;
	}
	for (size_t j = 0; j < m->columns; j++)
		number[m->rows + j] = *find_slot(&n, m->y[j]);
	m->tokens = tokens;
}

/* Numbers the tokens of x from 1. Tokens that x lacks have the number 0. */
static int number_tokens(struct sh_aligner *a, struct matrix *m, struct sh_error *err)
{
	size_t slots = 16;

	while (slots < 4 * m->rows)
		slots *= 2;
	if (ROOM(slot, slots) < 0 || ROOM(number, m->rows + m->columns) < 0 ||
	    ROOM(token, m->rows + 1) < 0)
		return -1;
	number_both(a, m, slots);
	return 0;
}

/* ---- the band of the matrix ---- */

/* Returns the words of a band that contains all paths of at most `limit` edits. These paths lie on
 * limit + 1 diagonals at most. */
static size_t words_for(size_t limit)
{
	return limit / BITS + 1;
}

/* A band of 64 * words diagonals. Cell i of the band in column j is cell (j - above + i, j) of the
 * matrix: the band moves down by one row a column, and cell i stays on one diagonal. All paths end
 * in cell `end`. */
struct band {
	ptrdiff_t above; /* rows of the band above row 0 of the matrix in column 0 */
	size_t end, words;
	ptrdiff_t most;
	ptrdiff_t cost; /* of cell `end` in the last column computed */
};

/* Returns the `above` of a band of the diagonals above - limit .. above. The first one is as far
 * from diagonal 0 as the last one is from diagonal `longer`. */
static size_t rows_above(const struct matrix *m, size_t limit)
{
	return (limit + m->columns - m->rows) / 2;
}

/* Links and counts the occurrences of each token of x. */
static int link_rows(struct sh_aligner *a, const struct matrix *m, struct sh_error *err)
{
	if (ROOM(first, m->tokens + (size_t)1) < 0 || ROOM(next, m->rows) < 0 ||
	    ROOM(times, m->tokens + (size_t)1) < 0 || ROOM(cursor, m->tokens + (size_t)1) < 0)
		return -1;
	memset(a->first, 0xff, (m->tokens + (size_t)1) * sizeof *a->first);
	memset(a->times, 0, (m->tokens + (size_t)1) * sizeof *a->times);
	for (size_t i = m->rows; i-- > 0;) {
		a->times[a->number[i]]++;
		a->next[i] = a->first[a->number[i]];
		a->first[a->number[i]] = (uint32_t)i;
	}
	return 0;
}

/* Sets the bit of each row of the matrix in the masks of its token. */
static void fill_masks(struct sh_aligner *a, const struct matrix *m)
{
	const size_t *restrict at = a->masks_at, words = m->pad / BITS, rows = m->rows;
	const uint32_t *restrict number = a->number;
	uint64_t *restrict mask = a->mask + words;

	for (size_t i = 0; i < rows; i++)
		if (at[number[i]] != SIZE_MAX)
			mask[at[number[i]] + i / BITS] |= UINT64_C(1) << i % BITS;
}

/* Makes the masks of all tokens. Leaves out rare tokens when all masks exceed MASKS_MAX. A token
 * is rare when it occurs less than once in two words of its masks. The masks of the other
 * tokens then have at most two words a row of the matrix. */
static int make_masks(struct sh_aligner *a, struct matrix *m, size_t limit, struct sh_error *err)
{
	size_t sets = 1; /* of masks; set 0 is that of the tokens that x lacks */

	m->pad = (rows_above(m, limit) + BITS - 1) / BITS * BITS;
	m->stride = (m->pad + m->columns) / BITS + words_for(limit) + 1;
	m->some = (m->tokens + (size_t)1) * m->stride > MASKS_MAX;
	if (ROOM(masks_at, m->tokens + (size_t)1) < 0 || (m->some && link_rows(a, m, err) < 0))
		return -1;
	a->masks_at[0] = 0;
	for (uint32_t t = 1; t <= m->tokens; t++)
		a->masks_at[t] =
		    m->some && 2 * (size_t)a->times[t] < m->stride ? SIZE_MAX : m->stride * sets++;
	if (ROOM(mask, sets * m->stride) < 0)
		return -1;
	memset(a->mask, 0, sets * m->stride * sizeof *a->mask);
	fill_masks(a, m);
	return 0;
}

static int reserve_band(struct sh_aligner *a, size_t words, struct sh_error *err)
{
	return ROOM(up, words) < 0 || ROOM(rise, words) < 0 || ROOM(scratch, words + 1) < 0 ? -1
											    : 0;
}

/* Returns the masks of a rare token for the band, whose first row is `top`. Moves *first to the
 * token's first occurrence from row `top` on: `top` only grows from call to call. */
static const uint64_t *find_rare(struct sh_aligner *a, size_t words, ptrdiff_t top, uint32_t *first)
{
	ptrdiff_t end = top + (ptrdiff_t)(words * BITS);

	memset(a->scratch, 0, (words + 1) * sizeof *a->scratch);
	while (*first != NONE && (ptrdiff_t)*first < top)
		*first = a->next[*first];
	for (uint32_t i = *first; i != NONE && (ptrdiff_t)i < end; i = a->next[i])
		a->scratch[((ptrdiff_t)i - top) / BITS] |= UINT64_C(1)
							   << ((ptrdiff_t)i - top) % BITS;
	return a->scratch;
}

/* The band in one column, as differences of the costs of adjacent cells. Bit i of word w stands for
 * b = 64 * w + i: cost of cell b + 1 less cost of cell b, which is -1, 0 or +1. */
struct column {
	size_t words;   /* at least 1 */
	uint64_t *up;   /* bits of the differences +1 */
	uint64_t *rise; /* bits of the differences 0 and +1 */
};

/* Computes the vertical differences of a word in the next column. A horizontal difference is the
 * cost of a cell less the cost to its left. minus: a bit is 1 when the horizontal difference is
 * -1. no_plus: a bit is 1 when it is not +1. below: a bit is 1 when cell b + 1 of the new column
 * costs as much as in the column before; otherwise it costs 1 more. */
static inline void shift_word(
    uint64_t *up, uint64_t *rise, uint64_t below, uint64_t minus, uint64_t no_plus)
{
	*up = minus | (no_plus & ~below);
	*rise = no_plus | ~below;
}

/* Hyyro 2003. Replaces the vertical differences by those of the next column, in which the band lies
 * one row lower. mask: words + 1 words, a bit is 1 when the row's token is the token of the next
 * column. Bit `shift`, below 64, of the first word belongs to cell 0. end: index of a word, below
 * `words`. Returns its bits: a bit is 1 when the cell of the new column costs as much as the same
 * cell of the column before, which is the cell before it on its diagonal.
 *
 * The words stay in registers when `words` is constant. Names in the papers of Myers and Hyyro: up
 * is VP, ~rise is VN, zero is D0, ~no_plus is HP, minus is HN. The addition carries along runs of
 * up: a diagonal stays equal below a match. Word w - 1 is finished in step w, because its last bit
 * needs the first bit of `zero` of word w. */
static inline __attribute__((always_inline)) uint64_t next_column(
    const struct column *c, const uint64_t *mask, unsigned shift, size_t end)
{
	uint64_t *restrict up = c->up, *restrict rise = c->rise;
	uint64_t carry = 0, equal = 0, no_plus = 0, minus = 0, at_end = 0;

#pragma GCC unroll 4
	for (size_t w = 0; w < c->words; w++) {
		uint64_t match = mask[w] >> shift | mask[w + 1] << 1 << (63 - shift);
		uint64_t x = match & up[w], sum = x + up[w], all = sum + carry, zero;

		carry = (sum < x) | (all < carry);
		zero = (all ^ up[w]) | match | ~rise[w];
		if (w)
			shift_word(
			    &up[w - 1], &rise[w - 1], equal >> 1 | zero << 63, minus, no_plus);
		equal = zero;
		no_plus = (zero | up[w]) & rise[w];
		minus = zero & up[w];
		at_end = w == end ? zero : at_end;
	}
	shift_word(&up[c->words - 1], &rise[c->words - 1], equal >> 1, minus, no_plus);
	return at_end;
}

/* Computes columns. Stops behind the last column, or when the cost is above `most`. c: the vertical
 * differences of column 0. */
static inline __attribute__((always_inline)) void cross_columns(
    struct sh_aligner *a, const struct matrix *m, struct band *b, struct column c)
{
	const size_t end = b->end / BITS, columns = m->columns,
		     pad = (size_t)((ptrdiff_t)m->pad - b->above);
	const unsigned end_bit = b->end % BITS;
	const uint32_t *y = a->number + m->rows;
	const uint64_t *masks = a->mask;
	const size_t *masks_at = a->masks_at;

	for (size_t j = 0; j < columns && b->cost <= b->most; j++) {
		size_t at = masks_at[y[j]];
		const uint64_t *mask;
		unsigned shift = (pad + j) % BITS;

		if (__builtin_expect(at == SIZE_MAX, 0)) {
			mask = find_rare(a, c.words, (ptrdiff_t)j - b->above, &a->cursor[y[j]]);
			shift = 0;
		} else {
			mask = masks + at + (pad + j) / BITS;
		}
		b->cost += (ptrdiff_t)(~next_column(&c, mask, shift, end) >> end_bit & 1);
	}
}

/* The words of narrow bands stay in registers. Four words need 8 of the 16 registers of x86-64. */
#define CROSS(n)                                                                                   \
	case n: {                                                                                  \
		uint64_t up[n], rise[n];                                                           \
                                                                                                   \
		memcpy(up, a->up, sizeof up);                                                      \
		memcpy(rise, a->rise, sizeof rise);                                                \
		cross_columns(a, m, b, (struct column){ n, up, rise });                            \
		memcpy(a->up, up, sizeof up);                                                      \
		memcpy(a->rise, rise, sizeof rise);                                                \
		break;                                                                             \
	}

static void cross(struct sh_aligner *a, const struct matrix *m, struct band *b)
{
	switch (b->words) {
		CROSS(1)
		CROSS(2)
		CROSS(3)
		CROSS(4)
	default:
		cross_columns(a, m, b, (struct column){ b->words, a->up, a->rise });
	}
}

/* Returns the least cost of the paths in a band of at least limit + 1 diagonals. When this cost is
 * above `most`, returns any number above `most`. */
static size_t cross_band(struct sh_aligner *a, const struct matrix *m, size_t limit, size_t most)
{
	size_t above = rows_above(m, limit), longer = m->columns - m->rows;
	struct band b = { .above = (ptrdiff_t)above,
		.end = above - longer,
		.words = words_for(limit),
		.most = (ptrdiff_t)most,
		.cost = (ptrdiff_t)longer };

	if (m->some)
		memcpy(a->cursor, a->first, (m->tokens + (size_t)1) * sizeof *a->cursor);
	/* Column 0: the costs grow by 1 a row, away from row 0 of the matrix in both directions. */
	for (size_t w = 0; w < b.words; w++) {
		size_t rows = above > w * BITS ? above - w * BITS : 0;

		a->up[w] = a->rise[w] = rows < BITS ? UINT64_MAX << rows : 0;
	}
	cross(a, m, &b);
	return (size_t)b.cost;
}

/* Ukkonen 1985. Most near-duplicates lie within a band far narrower than the limit: narrow bands
 * are tried first. The cost of a path in a band limits the next band. Each band has four times the
 * width limit + 1: all narrower bands together cost at most a third of the last band. */
static int cross_bands(
    struct sh_aligner *a, struct matrix *m, size_t most, size_t *distance, struct sh_error *err)
{
	size_t limit = (m->columns - m->rows) | (BITS - 1), cost;

	*distance = most + 1;
	if (number_tokens(a, m, err) < 0 || make_masks(a, m, most, err) < 0 ||
	    reserve_band(a, words_for(most), err) < 0)
		return -1;
	for (;; limit = 4 * (limit + 1) - 1) {
		limit = limit < most ? limit : most;
		cost = cross_band(a, m, limit, most);
		if (cost <= most)
			*distance = most = cost;
		/* The band contains every path of at most `limit` edits. */
		if (most <= limit)
			return 0;
	}
}

/* Removes the common beginning and end of the two texts. */
static void trim(struct matrix *m)
{
	while (m->rows && *m->x == *m->y) {
		m->x++;
		m->y++;
		m->rows--;
		m->columns--;
	}
	while (m->rows && m->x[m->rows - 1] == m->y[m->columns - 1]) {
		m->rows--;
		m->columns--;
	}
}

int sh_align(struct sh_aligner *a, struct sh_sequence x, struct sh_sequence y, size_t most,
    size_t *distance, struct sh_error *err)
{
	struct matrix m = { .x = x.token, .y = y.token, .rows = x.n, .columns = y.n };

	if (x.n > y.n)
		m = (struct matrix){ .x = y.token, .y = x.token, .rows = y.n, .columns = x.n };
	*distance = most + 1;
	if (m.columns - m.rows > most)
		return 0;
	trim(&m);
	if (m.rows == 0) {
		*distance = m.columns;
		return 0;
	}
	/* No distance is above the length: a greater limit would only widen the band. */
	most = most < m.columns ? most : m.columns;
	return cross_bands(a, &m, most, distance, err);
}

size_t sh_align_limit(size_t longer, uint64_t threshold)
{
	return longer - (size_t)((threshold * longer + SH_WEIGHT_ONE - 1) / SH_WEIGHT_ONE);
}
