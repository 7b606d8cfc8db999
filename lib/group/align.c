#include "group/align.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define NONE UINT32_MAX

enum {
	BITS = 64,
	DIRECTORY_BITS = 11,
};

struct sh_aligner {
	uint32_t *map;       /* by token of y: the token of x, or NONE */
	uint32_t *cursor;    /* by token of x: the first of its places that the band has not left */
	uint32_t *row;       /* by token of x: its row of masks, or NONE */
	uint64_t *mask;      /* rows of masks, one bit a row of the matrix, for frequent tokens */
	uint64_t *up, *down; /* vertical differences of +1 and -1, a bit a row */
	uint64_t *scratch;   /* the mask of a rare token; zero between columns */
	size_t map_cap, cursor_cap, row_cap, mask_cap, up_cap, down_cap, scratch_cap;
};

/* ---- sequences ---- */

/* The tokens whose hashes begin with the same bits: hash[start[k]] .. hash[start[k + 1] - 1]. */
struct directory {
	unsigned shift;
	uint32_t start[(1 << DIRECTORY_BITS) + 1];
};

static void make_directory(struct directory *d, const struct sh_sequence *s)
{
	unsigned bits = 1;
	size_t t = 0;

	while (bits < DIRECTORY_BITS && s->distinct >> bits)
		bits++;
	d->shift = 64 - bits;
	for (size_t k = 0; k < (size_t)1 << bits; k++) {
		while (t < s->distinct && s->hash[t] >> d->shift < k)
			t++;
		d->start[k] = (uint32_t)t;
	}
	d->start[(size_t)1 << bits] = (uint32_t)s->distinct;
}

/* The hash is one of the sequence. */
static uint32_t find_token(const struct directory *d, const struct sh_sequence *s, uint64_t hash)
{
	size_t lo = d->start[hash >> d->shift], hi = d->start[(hash >> d->shift) + 1];

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->hash[mid] <= hash)
			lo = mid;
		else
			hi = mid;
	}
	return (uint32_t)lo;
}

void sh_sequence_index(struct sh_sequence *s, const uint64_t *token, size_t n, uint32_t *room)
{
	uint32_t *first = room, *place = first + s->distinct + 1, *own = place + n, sum = 0;
	struct directory d;

	make_directory(&d, s);
	memset(first, 0, (s->distinct + 1) * sizeof *first);
	for (size_t i = 0; i < n; i++) {
		own[i] = find_token(&d, s, token[i]);
		first[own[i] + 1]++;
	}
	for (size_t t = 0; t <= s->distinct; t++)
		sum = first[t] += sum;
	/* first[t] moves on to first[t + 1], and is put back. */
	for (size_t i = 0; i < n; i++)
		place[first[own[i]]++] = (uint32_t)i;
	memmove(first + 1, first, s->distinct * sizeof *first);
	first[0] = 0;
	s->first = first;
	s->place = place;
	s->token = own;
	s->n = n;
}

/* ---- room ---- */

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
	free(a->map);
	free(a->cursor);
	free(a->row);
	free(a->mask);
	free(a->up);
	free(a->down);
	free(a->scratch);
	free(a);
}

static int room32(uint32_t **array, size_t *cap, size_t n, struct sh_error *err)
{
	return n > *cap ? sh_grow((void **)array, cap, n, sizeof **array, err) : 0;
}

static int room64(uint64_t **array, size_t *cap, size_t n, struct sh_error *err)
{
	return n > *cap ? sh_grow((void **)array, cap, n, sizeof **array, err) : 0;
}

/* ---- the bag of tokens ---- */

static size_t times(const struct sh_sequence *s, size_t t)
{
	return s->first[t + 1] - s->first[t];
}

/* Fills a->map. Returns the tokens that one text has too many of, without regard to their order: no
 * distance is below that. Stops above the limit. */
static size_t match_tokens(
    struct sh_aligner *a, const struct sh_sequence *x, const struct sh_sequence *y, size_t limit)
{
	size_t i = 0, j = 0, extra_x = 0, extra_y = 0;

	while (i < x->distinct && j < y->distinct && extra_x <= limit && extra_y <= limit) {
		uint64_t h = x->hash[i], k = y->hash[j];
		size_t n = h <= k ? times(x, i) : 0, m = k <= h ? times(y, j) : 0;

		a->map[j] = h == k ? (uint32_t)i : NONE;
		extra_x += n > m ? n - m : 0;
		extra_y += m > n ? m - n : 0;
		i += h <= k;
		j += k <= h;
	}
	if (extra_x > limit || extra_y > limit)
		return limit + 1;
	extra_x += x->n - x->first[i];
	extra_y += y->n - y->first[j];
	for (; j < y->distinct; j++)
		a->map[j] = NONE;
	return extra_x > extra_y ? extra_x : extra_y;
}

/* ---- the band of the matrix ---- */

/* What is left of both texts: rows of the matrix from x_from on, columns from y_from on. */
struct matrix {
	const struct sh_sequence *x, *y;
	size_t x_from, y_from, rows, columns; /* rows <= columns */
};

/* The blocks of 64 rows that the band crosses in one column, and the cost at their lower end. */
struct band {
	size_t above, below; /* rows that the band reaches above and below the diagonal */
	size_t first, end;   /* blocks first .. end - 1 */
	size_t cost;
};

static void trim(const struct sh_aligner *a, struct matrix *m)
{
	const uint32_t *x = m->x->token + m->x_from, *y = m->y->token + m->y_from;
	size_t n = m->rows, same = 0;

	while (same < n && a->map[y[same]] == x[same])
		same++;
	m->x_from += same;
	m->y_from += same;
	m->rows -= same;
	m->columns -= same;
	while (m->rows && a->map[y[same + m->columns - 1]] == x[same + m->rows - 1]) {
		m->rows--;
		m->columns--;
	}
}

/* Rows of masks for tokens that stand in many blocks: at most 16 bytes a row of the matrix. */
static int make_masks(struct sh_aligner *a, const struct matrix *m, struct sh_error *err)
{
	const struct sh_sequence *x = m->x;
	size_t blocks = (m->rows + BITS - 1) / BITS, rows = 0;

	for (size_t t = 0; t < x->distinct; t++)
		a->row[t] = 2 * times(x, t) >= blocks ? (uint32_t)rows++ : NONE;
	if (room64(&a->mask, &a->mask_cap, rows * blocks, err) < 0)
		return -1;
	if (rows)
		memset(a->mask, 0, rows * blocks * sizeof *a->mask);
	for (size_t i = 0; i < m->rows; i++) {
		uint32_t row = a->row[x->token[m->x_from + i]];

		if (row != NONE)
			a->mask[row * blocks + i / BITS] |= UINT64_C(1) << i % BITS;
	}
	return 0;
}

/* Places of a rare token, from .. end - 1 in x->place, that lie in the blocks of the band. */
struct places {
	const uint32_t *from, *end;
};

static struct places find_places(
    struct sh_aligner *a, const struct matrix *m, const struct band *b, uint32_t t)
{
	const uint32_t *place = m->x->place, *last = place + m->x->first[t + 1];
	size_t from = m->x_from + b->first * BITS, end = m->x_from + b->end * BITS;
	struct places p = { place + a->cursor[t], NULL };

	while (p.from < last && *p.from < from)
		p.from++;
	a->cursor[t] = (uint32_t)(p.from - place);
	for (p.end = p.from; p.end < last && *p.end < end;)
		p.end++;
	return p;
}

/* A horizontal difference, as two bits. */
struct step {
	uint64_t plus, minus;
};

/* One column of one block. in: the horizontal difference at its upper end; bit: the last of its rows.
 * Returns the difference there. */
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
	struct step s = { 1, 0 }; /* above the band, as above the matrix, a column costs 1 more */

	for (size_t i = b->first; i < last; i++)
		s = advance(&up[i], &down[i], match[i], s, BITS - 1);
	s = advance(
	    &up[last], &down[last], match[last], s, (left < BITS ? (unsigned)left : BITS) - 1);
	b->cost += s.plus - s.minus;
}

static void add_rare(struct sh_aligner *a, const struct matrix *m, struct band *b, uint32_t t)
{
	struct places p = find_places(a, m, b, t);

	for (const uint32_t *i = p.from; i < p.end; i++)
		a->scratch[(*i - m->x_from) / BITS] |= UINT64_C(1) << (*i - m->x_from) % BITS;
	add_column(a, m, b, a->scratch);
	for (const uint32_t *i = p.from; i < p.end; i++)
		a->scratch[(*i - m->x_from) / BITS] = 0;
}

/* The least cost of the ways within the band: the distance, when that is at most limit. */
static size_t cross(struct sh_aligner *a, const struct matrix *m, size_t limit)
{
	size_t blocks = (m->rows + BITS - 1) / BITS, longer = m->columns - m->rows;
	struct band b = { .above = (limit - longer) / 2, .below = (limit + longer) / 2 };

	memcpy(a->cursor, m->x->first, m->x->distinct * sizeof *a->cursor);
	for (size_t j = 0; j < m->columns; j++) {
		uint32_t t = a->map[m->y->token[m->y_from + j]];

		move_band(a, m, &b, j);
		if (t == NONE)
			add_column(a, m, &b, a->scratch);
		else if (a->row[t] != NONE)
			add_column(a, m, &b, a->mask + a->row[t] * blocks);
		else
			add_rare(a, m, &b, t);
	}
	return b.cost;
}

/* Room for what make_masks() and cross() need. */
static int prepare(struct sh_aligner *a, const struct matrix *m, struct sh_error *err)
{
	size_t blocks = (m->rows + BITS - 1) / BITS, had = a->scratch_cap;

	if (room32(&a->cursor, &a->cursor_cap, m->x->distinct, err) < 0 ||
	    room32(&a->row, &a->row_cap, m->x->distinct, err) < 0 ||
	    room64(&a->up, &a->up_cap, blocks, err) < 0 ||
	    room64(&a->down, &a->down_cap, blocks, err) < 0 ||
	    room64(&a->scratch, &a->scratch_cap, blocks, err) < 0)
		return -1;
	if (a->scratch_cap > had)
		memset(a->scratch + had, 0, (a->scratch_cap - had) * sizeof *a->scratch);
	return make_masks(a, m, err);
}

/* Most near-duplicates lie within a narrow band: it is tried first. */
static int align(struct sh_aligner *a, const struct matrix *m, size_t least, size_t limit,
    size_t *distance, struct sh_error *err)
{
	size_t narrow = least + least / 2 + 16;

	if (m->rows == 0) {
		*distance = m->columns;
		return 0;
	}
	if (prepare(a, m, err) < 0)
		return -1;
	if (2 * narrow < limit) {
		*distance = cross(a, m, narrow);
		if (*distance <= narrow)
			return 0;
	}
	*distance = cross(a, m, limit);
	return 0;
}

int sh_align(struct sh_aligner *a, const struct sh_sequence *x, const struct sh_sequence *y,
    size_t limit, size_t *distance, struct sh_error *err)
{
	struct matrix m;
	size_t least;

	*distance = limit + 1;
	if (x->n > y->n) {
		const struct sh_sequence *other = x;

		x = y;
		y = other;
	}
	if (y->n - x->n > limit)
		return 0;
	if (room32(&a->map, &a->map_cap, y->distinct, err) < 0)
		return -1;
	least = match_tokens(a, x, y, limit);
	if (least > limit)
		return 0;
	/* No distance is above the length: a greater limit would only widen the band. */
	limit = limit < y->n ? limit : y->n;
	m = (struct matrix){ x, y, 0, 0, x->n, y->n };
	trim(a, &m);
	if (align(a, &m, least, limit, distance, err) < 0)
		return -1;
	*distance = *distance <= limit ? *distance : limit + 1;
	return 0;
}
