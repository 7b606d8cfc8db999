#include "group/align.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buf.h"
#include "group/align_kernel.h"
#include "weight/weight.h"

#define NONE UINT32_MAX

enum {
	BITS = 64,
	DIAGONALS_ONE_IN = 8, /* columns for each diagonal that the first way may look at */
	MASKS_MAX = 1 << 17   /* words of masks, when each token has masks: 1 MiB */
};

struct sh_aligner {
	const struct sh_align_kernel *kernel;
	int32_t *reach;   /* by diagonal: the row that was reached */
	uint32_t *slot;   /* table of the tokens of x: their numbers; 0: empty */
	uint64_t *token;  /* by number */
	uint32_t *number; /* of the tokens of x, then of y, in order; 0: x lacks the token */
	uint32_t *times;  /* by token: its occurrences in x */
	uint32_t *first;  /* by token: its first occurrence, or NONE */
	uint32_t *next;   /* by row: the next occurrence of its token, or NONE */
	uint32_t *cursor; /* by token: the first occurrence that the band has not left, or NONE */
	size_t *row;      /* by token: where its masks begin, or NONE */
	uint64_t *mask;   /* rows of masks, one bit a row of the matrix; row 0 is zero */
	uint64_t *up, *rise; /* vertical differences in the band: see struct sh_align_column */
	uint64_t *scratch;   /* the masks of a rare token in the band */
	size_t reach_cap, slot_cap, token_cap, number_cap, times_cap, cursor_cap, first_cap,
	    next_cap, row_cap, mask_cap, up_cap, rise_cap, scratch_cap;
};

/* The two texts, without their common beginning and end. */
struct matrix {
	const uint64_t *x, *y;
	size_t rows, columns; /* rows <= columns */
	uint32_t tokens;      /* different ones in x */
	size_t pad, stride;   /* zero bits before the masks of a token, and words of all */
	bool some;            /* only some tokens have masks */
};

/* ---- variants ---- */

static struct sh_align_equal column_plain(
    const struct sh_align_column *c, const uint64_t *mask, unsigned shift, size_t end)
{
	return sh_align_column(c, mask, shift, end);
}

const struct sh_align_kernel sh_align_plain = { { "plain", SH_NEEDS_NOTHING }, column_plain };

static const struct sh_variant *const kernels[] = {
#if defined(__x86_64__)
	&sh_align_avx512.variant,
#endif
	&sh_align_plain.variant,
};

const struct sh_align_kernel *sh_align_kernel_at(unsigned i)
{
	return (const struct sh_align_kernel *)sh_variant_at(
	    kernels, sizeof kernels / sizeof *kernels, i);
}

/* ---- memory ---- */

struct sh_aligner *sh_aligner_new(struct sh_error *err)
{
	struct sh_aligner *a = calloc(1, sizeof *a);

	if (!a) {
		sh_error_nomem(err);
		return NULL;
	}
	a->kernel = sh_align_kernel_at(0);
	return a;
}

void sh_aligner_delete(struct sh_aligner *a)
{
	if (!a)
		return;
	free(a->reach);
	free(a->slot);
	free(a->token);
	free(a->number);
	free(a->times);
	free(a->cursor);
	free(a->first);
	free(a->next);
	free(a->row);
	free(a->mask);
	free(a->up);
	free(a->rise);
	free(a->scratch);
	free(a);
}

static int room(void *array, size_t *cap, size_t n, size_t size, struct sh_error *err)
{
	return n > *cap ? sh_grow(array, cap, n, size, err) : 0;
}

#define ROOM(name, n) room((void **)&a->name, &a->name##_cap, n, sizeof *a->name, err)

/* ---- by diagonals ---- */

/* The band of diagonals that a way of at most `limit` edits can cross after e of them. Diagonal k has
 * the cells (row, row + k); the way begins on diagonal 0 and ends on diagonal `longer`. */
struct diagonals {
	ptrdiff_t low, high;
};

static struct diagonals diagonals_after(ptrdiff_t e, ptrdiff_t longer, ptrdiff_t limit)
{
	struct diagonals d = { -((limit - longer) / 2), (limit + longer) / 2 };

	d.low = d.low > -e ? d.low : -e;
	d.high = d.high < e ? d.high : e;
	d.low = d.low > longer - (limit - e) ? d.low : longer - (limit - e);
	d.high = d.high < longer + (limit - e) ? d.high : longer + (limit - e);
	return d;
}

/* The row that equal tokens reach on diagonal k, from this row on. */
static inline ptrdiff_t slide(const struct matrix *m, ptrdiff_t row, ptrdiff_t k)
{
	ptrdiff_t end = (ptrdiff_t)m->columns - k, rows = (ptrdiff_t)m->rows;

	end = end < rows ? end : rows;
	row = row < end ? row : end;
	while (row < end && m->x[row] == m->y[row + k])
		row++;
	return row;
}

/* One more edit. reach: by diagonal, the furthest row with at most e - 1 edits; then with e. */
static void add_edit(const struct matrix *m, struct diagonals d, int32_t *reach)
{
	ptrdiff_t left = reach[d.low - 1], here = reach[d.low];

	for (ptrdiff_t k = d.low; k <= d.high; k++) {
		ptrdiff_t right = reach[k + 1], row = (here > right ? here : right) + 1;

		row = row > left ? row : left;
		reach[k] = (int32_t)slide(m, row, k);
		left = here;
		here = right;
	}
}

/* Ukkonen 1985, Landau and Vishkin 1989. *distance is the distance when that is at most limit, else
 * limit + 1. Returns 0 when it looked at `most` diagonals and does not know the distance yet. */
static int cross_diagonals(struct sh_aligner *a, const struct matrix *m, size_t limit, size_t most,
    size_t *distance, struct sh_error *err)
{
	ptrdiff_t longer = (ptrdiff_t)(m->columns - m->rows), low = -(ptrdiff_t)limit - 1;
	size_t width = 2 * limit + 3, looked = 0;
	int32_t *reach;

	if (ROOM(reach, width) < 0)
		return -1;
	/* -1 - limit: a row that no edit brings into the matrix. */
	for (size_t i = 0; i < width; i++)
		a->reach[i] = (int32_t)low;
	reach = a->reach - low;
	for (size_t e = 0; e <= limit && looked <= most; e++) {
		struct diagonals d = diagonals_after((ptrdiff_t)e, longer, (ptrdiff_t)limit);

		if (e == 0)
			reach[0] = (int32_t)slide(m, 0, 0);
		else
			add_edit(m, d, reach);
		looked += (size_t)(d.high - d.low) + 1;
		*distance = e;
		if (reach[longer] == (int32_t)m->rows)
			return 1;
	}
	*distance = limit + 1;
	return looked <= most;
}

/* ---- the tokens of both texts as numbers ---- */

/* The table of the tokens of x. */
struct numbers {
	uint32_t *restrict slot;  /* by hash: a token's number, or 0 */
	uint64_t *restrict token; /* by number */
	size_t mask;
};

/* Returns the slot of the token, or the empty one where it belongs. At most a quarter of the slots are in use, so
 * nearly always it is the first one. There is no other branch. */
static inline uint32_t *find_slot(const struct numbers *n, uint64_t token)
{
	size_t i = (size_t)(token * UINT64_C(0x9E3779B97F4A7C15) >> 32);

	for (;; i++) {
		uint32_t *slot = &n->slot[i & n->mask];

		if (__builtin_expect(((n->token[*slot] ^ token) & -(uint64_t)(*slot > 0)) == 0, 1))
			return slot;
	}
}

/* Fills a->number. */
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

/* Words of a band that all ways of at most `limit` edits stay in. */
static size_t words_for(size_t limit)
{
	return limit / BITS + 1;
}

/* A band of 64 * words rows, which moves down by a row a column: bit i of column j is row j - above + i. All ways end
 * on the diagonal of bit `end`. Words at the upper and lower end are dropped when no way through them costs at
 * most `most`. */
struct band {
	ptrdiff_t above;
	size_t end, words;
	ptrdiff_t most;
	size_t column;  /* columns so far */
	ptrdiff_t cost; /* the cost on the diagonal of bit `end` */
	ptrdiff_t high,
	    low; /* the same of the first word's last bit, and of the last word's first bit */
};

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

/* Marks the rows of the matrix in the masks of their tokens. */
static void fill_masks(struct sh_aligner *a, const struct matrix *m)
{
	const size_t *restrict row = a->row, words = m->pad / BITS, rows = m->rows;
	const uint32_t *restrict number = a->number;
	uint64_t *restrict mask = a->mask + words;

	for (size_t i = 0; i < rows; i++)
		if (row[number[i]] != SIZE_MAX)
			mask[row[number[i]] + i / BITS] |= UINT64_C(1) << i % BITS;
}

/* Tokens have a row of masks each. When these take much memory, rare tokens have none: the others take
 * at most 16 bytes a row of the matrix. */
static int make_masks(struct sh_aligner *a, struct matrix *m, size_t limit, struct sh_error *err)
{
	size_t words = words_for(limit), rows = 1;

	m->pad = (rows_above(m, limit) + BITS - 1) / BITS * BITS;
	m->stride = (m->pad + m->columns) / BITS + words + 1;
	m->some = (m->tokens + (size_t)1) * m->stride > MASKS_MAX;
	if (ROOM(row, m->tokens + (size_t)1) < 0 || (m->some && link_rows(a, m, err) < 0))
		return -1;
	a->row[0] = 0;
	for (uint32_t t = 1; t <= m->tokens; t++)
		a->row[t] =
		    m->some && 2 * (size_t)a->times[t] < m->stride ? SIZE_MAX : m->stride * rows++;
	if (ROOM(mask, rows * m->stride + SH_ALIGN_SLACK) < 0 ||
	    ROOM(up, words + SH_ALIGN_SLACK) < 0 || ROOM(rise, words + SH_ALIGN_SLACK) < 0 ||
	    ROOM(scratch, words + 1 + SH_ALIGN_SLACK) < 0)
		return -1;
	memset(a->mask, 0, rows * m->stride * sizeof *a->mask);
	fill_masks(a, m);
	return 0;
}

/* The masks of a rare token for the rows of the band, which begins at row `top`. */
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

/* Returns the largest low that keeps the last word, and the largest high that keeps the first word. A cell that lies i
 * diagonals from the last one needs i more edits. */
static ptrdiff_t most_low(const struct band *b)
{
	size_t bit = (b->words - 1) * BITS;

	return bit > b->end ? b->most - (ptrdiff_t)(bit - b->end) : PTRDIFF_MAX;
}

static ptrdiff_t most_high(const struct band *b)
{
	return b->end >= BITS ? b->most - (ptrdiff_t)(b->end - (BITS - 1)) : PTRDIFF_MAX;
}

/* Computes columns until the last one, or the cost is above `most`, or a word can be dropped. c: the band in the
 * column before. */
static inline __attribute__((always_inline)) void cross_columns(struct sh_aligner *a,
    const struct matrix *m, struct band *b, struct sh_align_column c,
    struct sh_align_equal (*column)(
	const struct sh_align_column *, const uint64_t *, unsigned, size_t))
{
	const size_t end = b->end / BITS, columns = m->columns,
		     pad = (size_t)((ptrdiff_t)m->pad - b->above);
	const unsigned end_bit = b->end % BITS;
	const uint32_t *y = a->number + m->rows;
	const uint64_t *masks = a->mask;
	const size_t *rows = a->row;
	ptrdiff_t cost = b->most - b->cost, high = most_high(b) - b->high,
		  low = most_low(b) - b->low;
	size_t j = b->column;

	/* Each counts down what is left. */
	while (j < columns && cost >= 0 && (c.words == 1 || (high | low) >= 0)) {
		size_t row = rows[y[j]];
		const uint64_t *mask;
		unsigned shift = (pad + j) % BITS;
		struct sh_align_equal equal;

		if (__builtin_expect(row == SIZE_MAX, 0)) {
			mask = find_rare(a, c.words, (ptrdiff_t)j - b->above, &a->cursor[y[j]]);
			shift = 0;
		} else {
			mask = masks + row + (pad + j) / BITS;
		}
		equal = column(&c, mask, shift, end);
		cost -= (ptrdiff_t)(~equal.end >> end_bit & 1);
		if (c.words > 1) {
			high -= (ptrdiff_t)(~equal.first >> (BITS - 1));
			low -= (ptrdiff_t)(~equal.last & 1);
		}
		j++;
	}
	b->column = j;
	b->cost = b->most - cost;
	b->high = most_high(b) - high;
	b->low = most_low(b) - low;
}

/* Drops words that no way within the limit goes through. */
static void drop_words(struct band *b, uint64_t *up, uint64_t *rise)
{
	while (b->low > most_low(b)) {
		b->words--;
		b->low -= (ptrdiff_t)(sh_count_bits(up[b->words - 1]) +
				      sh_count_bits(rise[b->words - 1])) -
			  BITS;
	}
	while (b->high > most_high(b)) {
		b->words--;
		b->high += (ptrdiff_t)((up[0] >> (BITS - 1)) + (rise[0] >> (BITS - 1)) +
				       sh_count_bits(up[1] << 1) + sh_count_bits(rise[1] << 1)) -
			   BITS;
		b->above -= BITS;
		b->end -= BITS;
		memmove(up, up + 1, b->words * sizeof *up);
		memmove(rise, rise + 1, b->words * sizeof *rise);
	}
}

/* The words of narrow bands stay in registers. */
#define CROSS(n)                                                                                   \
	case n: {                                                                                  \
		uint64_t up[n], rise[n];                                                           \
                                                                                                   \
		memcpy(up, a->up, sizeof up);                                                      \
		memcpy(rise, a->rise, sizeof rise);                                                \
		cross_columns(a, m, b, (struct sh_align_column){ n, up, rise }, sh_align_column);  \
		memcpy(a->up, up, sizeof up);                                                      \
		memcpy(a->rise, rise, sizeof rise);                                                \
		break;                                                                             \
	}

static void cross_some(struct sh_aligner *a, const struct matrix *m, struct band *b)
{
	switch (b->words) {
		CROSS(1)
		CROSS(2)
		CROSS(3)
		CROSS(4)
	default:
		cross_columns(a, m, b, (struct sh_align_column){ b->words, a->up, a->rise },
		    a->kernel->column);
	}
}

static ptrdiff_t distance_of(ptrdiff_t a, ptrdiff_t b)
{
	return a > b ? a - b : b - a;
}

/* Returns the least cost of the ways in a band of width limit + 1 that cost at most `most`; otherwise any number above
 * `most`. */
static size_t cross(struct sh_aligner *a, const struct matrix *m, size_t limit, size_t most)
{
	size_t above = rows_above(m, limit), longer = m->columns - m->rows;
	struct band b = { .above = (ptrdiff_t)above,
		.end = above - longer,
		.words = words_for(limit),
		.most = (ptrdiff_t)most,
		.cost = (ptrdiff_t)longer };

	if (m->some)
		memcpy(a->cursor, a->first, (m->tokens + (size_t)1) * sizeof *a->cursor);
	/* Above the matrix, a row costs 1 more than the row below it. */
	for (size_t w = 0; w < b.words; w++) {
		size_t rows = above > w * BITS ? above - w * BITS : 0;

		a->up[w] = a->rise[w] = rows < BITS ? UINT64_MAX << rows : 0;
	}
	b.high = distance_of(BITS - 1, b.above);
	b.low = distance_of((ptrdiff_t)((b.words - 1) * BITS), b.above);
	while (b.column < m->columns && b.cost <= b.most) {
		drop_words(&b, a->up, a->rise);
		cross_some(a, m, &b);
	}
	return (size_t)b.cost;
}

/* Ukkonen 1985. Most near-duplicates lie within a band far below the limit: narrow ones are tried first. A way within a
 * band limits the next one. */
static int cross_bands(struct sh_aligner *a, struct matrix *m, struct sh_align_bound bound,
    size_t *distance, struct sh_error *err)
{
	size_t most = bound.most, limit = (m->columns - m->rows) | (BITS - 1), cost;

	*distance = most + 1;
	if (number_tokens(a, m, err) < 0 || make_masks(a, m, most, err) < 0)
		return -1;
	for (;; limit = 4 * limit + 3) {
		limit = limit < most ? limit : most;
		cost = cross(a, m, limit, most);
		if (cost <= most)
			*distance = most = cost;
		if (most <= limit || (bound.any && cost <= most))
			return 0;
	}
}

/* ---- both ---- */

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

int sh_align(struct sh_aligner *a, struct sh_sequence x, struct sh_sequence y,
    struct sh_align_bound bound, size_t *distance, struct sh_error *err)
{
	struct matrix m = { .x = x.token, .y = y.token, .rows = x.n, .columns = y.n };
	int known;

	if (x.n > y.n)
		m = (struct matrix){ .x = y.token, .y = x.token, .rows = y.n, .columns = x.n };
	*distance = bound.most + 1;
	if (m.columns - m.rows > bound.most)
		return 0;
	trim(&m);
	if (m.rows == 0) {
		*distance = m.columns;
		return 0;
	}
	/* No distance is above the length: a greater limit would only widen the band. */
	bound.most = bound.most < m.columns ? bound.most : m.columns;
	known = cross_diagonals(a, &m, bound.most, m.columns / DIAGONALS_ONE_IN, distance, err);
	if (known < 0)
		return -1;
	return known ? 0 : cross_bands(a, &m, bound, distance, err);
}

size_t sh_align_limit(size_t longer, uint64_t threshold)
{
	return longer - (size_t)((threshold * longer + SH_WEIGHT_ONE - 1) / SH_WEIGHT_ONE);
}

int sh_align_similarity(struct sh_aligner *a, struct sh_sequence x, struct sh_sequence y,
    struct sh_align_bound bound, struct sh_similarity *s, struct sh_error *err)
{
	size_t longer = x.n > y.n ? x.n : y.n, distance;

	if (sh_align(a, x, y, bound, &distance, err) < 0)
		return -1;
	*s = (struct sh_similarity){ .a = sh_wide(longer), .b = sh_wide(longer) };
	if (distance <= bound.most && x.n && y.n)
		s->num = sh_wide(longer - distance);
	return 0;
}
