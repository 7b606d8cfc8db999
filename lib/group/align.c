#include "group/align.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "weight/weight.h"

#define NONE UINT32_MAX

enum {
	BITS = 64,
	/* Costs of the two ways, in the same unit, as measured: of a diagonal, of a block of a column,
	 * of a token that is looked up. */
	DIAGONAL_COST = 6,
	BLOCK_COST = 8,
	TOKEN_COST = 10,
};

/* A slot of the table of tokens. */
struct slot {
	uint64_t token;
	uint32_t number;
};

struct sh_aligner {
	int32_t *reach;    /* by diagonal: the row that was reached */
	struct slot *slot; /* tokens of x and their numbers; NONE: empty */
	uint32_t *number;  /* of the tokens of x, then of y, in order; NONE: x lacks the token */
	uint32_t *first; /* place[first[t]] .. place[first[t + 1] - 1]: where token t stands in x */
	uint32_t *place; /* ascending for each token */
	uint32_t *cursor;    /* by token: the first of its places that the band has not left */
	uint32_t *row;       /* by token: its row of masks, or NONE */
	uint64_t *mask;      /* rows of masks, one bit a row of the matrix, for frequent tokens */
	uint64_t *up, *down; /* vertical differences of +1 and -1, a bit a row */
	uint64_t *scratch;   /* the mask of a rare token; zero between columns */
	size_t reach_cap, slot_cap, number_cap, first_cap, place_cap, cursor_cap, row_cap, mask_cap,
	    up_cap, down_cap, scratch_cap;
};

/* The two texts, without their common beginning and end. */
struct matrix {
	const uint64_t *x, *y;
	size_t rows, columns; /* rows <= columns */
	uint32_t tokens;      /* different ones in x */
};

/* ---- bags ---- */

/* Any bits of a token would do: they are hashes. */
void sh_bag_fill(struct sh_bag *bag, struct sh_sequence text)
{
	*bag = (struct sh_bag){ .n = text.n };
	for (size_t i = 0; i < text.n; i++) {
		uint8_t *times = &bag->times[text.token[i] >> 56];

		*times = (uint8_t)(*times + (*times < UINT8_MAX));
	}
}

/* Let one text have `more` tokens that the other lacks, and the other `less`: the distance is at least
 * the larger of them. The differences sum to more + less, the lengths differ by more - less. */
size_t sh_bag_distance(const struct sh_bag *x, const struct sh_bag *y)
{
	size_t lengths = x->n > y->n ? x->n - y->n : y->n - x->n;
	int sum = 0;

	for (size_t i = 0; i < sizeof x->times; i++)
		sum += abs(x->times[i] - y->times[i]);
	return ((size_t)sum + lengths + 1) / 2;
}

/* ---- memory ---- */

struct sh_aligner *sh_aligner_new(struct sh_error *err)
{
	struct sh_aligner *a = calloc(1, sizeof *a);

	if (!a)
		sh_error_nomem(err);
	return a;
}

void sh_aligner_delete(struct sh_aligner *a)
{
	if (!a)
		return;
	free(a->reach);
	free(a->slot);
	free(a->number);
	free(a->first);
	free(a->place);
	free(a->cursor);
	free(a->row);
	free(a->mask);
	free(a->up);
	free(a->down);
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

static struct slot *find_slot(const struct sh_aligner *a, size_t mask, uint64_t token)
{
	size_t i = (size_t)(token * UINT64_C(0x9E3779B97F4A7C15) >> 32);

	while (a->slot[i & mask].number != NONE && a->slot[i & mask].token != token)
		i++;
	return &a->slot[i & mask];
}

/* Fills a->number, and counts each token of x in first[number + 1]. */
static int number_tokens(struct sh_aligner *a, struct matrix *m, struct sh_error *err)
{
	size_t slots = 16;

	while (slots < 2 * m->rows)
		slots *= 2;
	if (ROOM(slot, slots) < 0 || ROOM(number, m->rows + m->columns) < 0 ||
	    ROOM(first, m->rows + 1) < 0 || ROOM(cursor, m->rows + 1) < 0)
		return -1;
	for (size_t i = 0; i < slots; i++)
		a->slot[i].number = NONE;
	memset(a->first, 0, (m->rows + 1) * sizeof *a->first);
	m->tokens = 0;
	for (size_t i = 0; i < m->rows; i++) {
		struct slot *s = find_slot(a, slots - 1, m->x[i]);

		if (s->number == NONE)
			*s = (struct slot){ m->x[i], m->tokens++ };
		a->number[i] = s->number;
		a->first[s->number + 1]++;
	}
	for (size_t j = 0; j < m->columns; j++)
		a->number[m->rows + j] = find_slot(a, slots - 1, m->y[j])->number;
	return 0;
}

/* The tokens that y has too many of, without regard to their order: no distance is below that, for y
 * is the longer text. */
static size_t count_extra(struct sh_aligner *a, const struct matrix *m)
{
	const uint32_t *y = a->number + m->rows;
	size_t extra = 0;

	memcpy(a->cursor, a->first, (m->tokens + (size_t)1) * sizeof *a->cursor);
	for (size_t j = 0; j < m->columns; j++) {
		if (y[j] == NONE || a->cursor[y[j] + 1] == 0)
			extra++;
		else
			a->cursor[y[j] + 1]--;
	}
	return extra;
}

/* Fills a->first and a->place. */
static int list_places(struct sh_aligner *a, const struct matrix *m, struct sh_error *err)
{
	if (ROOM(place, m->rows) < 0)
		return -1;
	for (uint32_t t = 0; t < m->tokens; t++)
		a->first[t + 1] += a->first[t];
	memcpy(a->cursor, a->first, m->tokens * sizeof *a->cursor);
	for (size_t i = 0; i < m->rows; i++)
		a->place[a->cursor[a->number[i]]++] = (uint32_t)i;
	return 0;
}

/* ---- the band of the matrix ---- */

/* The blocks of 64 rows that the band crosses in one column, and the cost at their lower end. */
struct band {
	size_t above, below; /* rows that the band reaches above and below the diagonal */
	size_t first, end;   /* blocks first .. end - 1 */
	size_t cost;
};

/* Rows of masks for tokens that stand in many blocks: at most 16 bytes a row of the matrix. */
static int make_masks(struct sh_aligner *a, const struct matrix *m, struct sh_error *err)
{
	size_t blocks = (m->rows + BITS - 1) / BITS, rows = 0;

	for (uint32_t t = 0; t < m->tokens; t++)
		a->row[t] = 2 * (a->first[t + 1] - a->first[t]) >= blocks ? (uint32_t)rows++ : NONE;
	if (ROOM(mask, rows * blocks) < 0)
		return -1;
	if (rows)
		memset(a->mask, 0, rows * blocks * sizeof *a->mask);
	for (size_t i = 0; i < m->rows; i++) {
		uint32_t row = a->row[a->number[i]];

		if (row != NONE)
			a->mask[row * blocks + i / BITS] |= UINT64_C(1) << i % BITS;
	}
	return 0;
}

/* Places of a rare token, from .. end - 1, that lie in the blocks of the band. */
struct places {
	const uint32_t *from, *end;
};

static struct places find_places(struct sh_aligner *a, const struct band *b, uint32_t t)
{
	const uint32_t *last = a->place + a->first[t + 1];
	struct places p = { a->place + a->cursor[t], NULL };

	while (p.from < last && *p.from < b->first * BITS)
		p.from++;
	a->cursor[t] = (uint32_t)(p.from - a->place);
	for (p.end = p.from; p.end < last && *p.end < b->end * BITS;)
		p.end++;
	return p;
}

/* A horizontal difference, as two bits. */
struct step {
	uint64_t plus, minus;
};

/* Computes one column of one block. in: the horizontal difference at its upper end; bit: the last of its
 * rows. Returns the difference at the last row. */
static inline struct step advance(
    uint64_t *up, uint64_t *down, uint64_t match, struct step in, unsigned bit)
{
	uint64_t vertical = match | *down, horizontal, plus, minus;
	struct step out;

	match |= in.minus;
	horizontal = (((match & *up) + *up) ^ *up) | match;
	plus = *down | ~(horizontal | *up);
	minus = *up & horizontal;
	out = (struct step){ plus >> bit & 1, minus >> bit & 1 };
	plus = plus << 1 | in.plus;
	minus = minus << 1 | in.minus;
	*up = minus | ~(vertical | plus);
	*down = plus & vertical;
	return out;
}

static void move_band(struct sh_aligner *a, const struct matrix *m, struct band *b, size_t column)
{
	size_t top = column > b->below ? column - b->below : 0;
	size_t bottom = column + 1 + b->above < m->rows ? column + 1 + b->above : m->rows;

	b->first = top / BITS;
	for (; b->end * BITS < bottom; b->end++) {
		size_t left = m->rows - b->end * BITS;

		a->up[b->end] = UINT64_MAX;
		a->down[b->end] = 0;
		b->cost += left < BITS ? left : BITS;
	}
}

static inline void add_column(
    struct sh_aligner *a, const struct matrix *m, struct band *b, const uint64_t *match)
{
	uint64_t *up = a->up, *down = a->down;
	size_t last = b->end - 1, left = m->rows - last * BITS;
	/* above the band, as above the matrix, each column costs 1 more */
	struct step s = { 1, 0 };

	for (size_t i = b->first; i < last; i++)
		s = advance(&up[i], &down[i], match[i], s, BITS - 1);
	s = advance(
	    &up[last], &down[last], match[last], s, (left < BITS ? (unsigned)left : BITS) - 1);
	b->cost += s.plus - s.minus;
}

static void add_rare(struct sh_aligner *a, const struct matrix *m, struct band *b, uint32_t t)
{
	struct places p = find_places(a, b, t);

	for (const uint32_t *i = p.from; i < p.end; i++)
		a->scratch[*i / BITS] |= UINT64_C(1) << *i % BITS;
	add_column(a, m, b, a->scratch);
	for (const uint32_t *i = p.from; i < p.end; i++)
		a->scratch[*i / BITS] = 0;
}

/* Returns the least cost of the paths within the band: the distance, when it is at most limit. */
static size_t cross(struct sh_aligner *a, const struct matrix *m, size_t limit)
{
	size_t blocks = (m->rows + BITS - 1) / BITS, longer = m->columns - m->rows;
	struct band b = { .above = (limit - longer) / 2, .below = (limit + longer) / 2 };
	const uint32_t *y = a->number + m->rows;

	memcpy(a->cursor, a->first, m->tokens * sizeof *a->cursor);
	for (size_t j = 0; j < m->columns; j++) {
		move_band(a, m, &b, j);
		if (y[j] == NONE)
			add_column(a, m, &b, a->scratch);
		else if (a->row[y[j]] != NONE)
			add_column(a, m, &b, a->mask + a->row[y[j]] * blocks);
		else
			add_rare(a, m, &b, y[j]);
	}
	return b.cost;
}

/* Reserves the memory of make_masks() and cross(). */
static int prepare(struct sh_aligner *a, const struct matrix *m, struct sh_error *err)
{
	size_t blocks = (m->rows + BITS - 1) / BITS, had = a->scratch_cap;

	if (ROOM(row, m->tokens) < 0 || ROOM(up, blocks) < 0 || ROOM(down, blocks) < 0 ||
	    ROOM(scratch, blocks) < 0)
		return -1;
	if (a->scratch_cap > had)
		memset(a->scratch + had, 0, (a->scratch_cap - had) * sizeof *a->scratch);
	return make_masks(a, m, err);
}

/* Most near-duplicates lie within a narrow band: it is tried first. */
static int cross_blocks(
    struct sh_aligner *a, struct matrix *m, size_t limit, size_t *distance, struct sh_error *err)
{
	size_t least, narrow;

	if (number_tokens(a, m, err) < 0)
		return -1;
	least = count_extra(a, m);
	*distance = limit + 1;
	if (least > limit)
		return 0;
	if (list_places(a, m, err) < 0 || prepare(a, m, err) < 0)
		return -1;
	narrow = least + least / 2 + 16;
	if (2 * narrow < limit) {
		*distance = cross(a, m, narrow);
		if (*distance <= narrow)
			return 0;
	}
	*distance = cross(a, m, limit);
	if (*distance > limit)
		*distance = limit + 1;
	return 0;
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

/* The diagonals that may be looked at before the blocks of the band cost less. */
static size_t diagonals_worth(const struct matrix *m, size_t least, size_t limit)
{
	size_t tokens = (m->rows + m->columns) * TOKEN_COST;
	size_t blocks = (m->rows < limit ? m->rows : limit) / BITS + 1;

	if (2 * least > limit && limit * limit / 2 * DIAGONAL_COST > tokens)
		return 0;
	return (m->columns * blocks * BLOCK_COST + tokens) / DIAGONAL_COST;
}

int sh_align(struct sh_aligner *a, struct sh_sequence x, struct sh_sequence y, size_t least,
    size_t limit, size_t *distance, struct sh_error *err)
{
	struct matrix m = { x.token, y.token, x.n, y.n, 0 };
	size_t most;
	int known = 0;

	if (x.n > y.n)
		m = (struct matrix){ y.token, x.token, y.n, x.n, 0 };
	*distance = limit + 1;
	if (m.columns - m.rows > limit)
		return 0;
	trim(&m);
	if (m.rows == 0) {
		*distance = m.columns;
		return 0;
	}
	/* No distance is above the length: a greater limit would only widen the band. */
	limit = limit < m.columns ? limit : m.columns;
	most = diagonals_worth(&m, least, limit);
	if (most)
		known = cross_diagonals(a, &m, limit, most, distance, err);
	if (known < 0)
		return -1;
	return known ? 0 : cross_blocks(a, &m, limit, distance, err);
}

size_t sh_align_limit(size_t longer, uint64_t threshold)
{
	return longer - (size_t)((threshold * longer + SH_WEIGHT_ONE - 1) / SH_WEIGHT_ONE);
}

int sh_align_similarity(struct sh_aligner *a, struct sh_sequence x, struct sh_sequence y,
    size_t least, size_t limit, struct sh_similarity *s, struct sh_error *err)
{
	size_t longer = x.n > y.n ? x.n : y.n, distance;

	if (sh_align(a, x, y, least, limit, &distance, err) < 0)
		return -1;
	*s = (struct sh_similarity){ .a = sh_wide(longer), .b = sh_wide(longer) };
	if (distance <= limit && x.n && y.n)
		s->num = sh_wide(longer - distance);
	return 0;
}
