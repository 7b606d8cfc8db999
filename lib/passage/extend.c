/* SPDX-License-Identifier: MIT */
#include "passage/extend.h"

uint32_t sh_common(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
	uint32_t row[SH_COMMON_MAX + 1] = { 0 }, same = 0;
	size_t less = n < m ? n : m;

	for (size_t i = 0; i < less; i++)
		same += a[i] == b[i];
	if (2 * same >= less || n > SH_COMMON_MAX || m > SH_COMMON_MAX)
		return same;
	/* row[j]: the length of the longest common subsequence of a[0] .. a[i] and j tokens of b */
	for (size_t i = 0; i < n; i++) {
		uint32_t corner = 0;

		for (size_t j = 0; j < m; j++) {
			uint32_t above = row[j + 1], best = above > row[j] ? above : row[j];

			row[j + 1] = a[i] == b[j] ? corner + 1 : best;
			corner = above;
		}
	}
	return row[m];
}

/* ---- beyond the ends ---- */

enum { WIDTH = 2 * SH_EXTEND_BAND + 1 };

/* The best alignment that ends with two given tokens: its score in the upper bits and the number of
 * matching tokens in the lower 16 bits. So one comparison orders both. */
typedef int32_t cell;

#define POINT ((cell)1 << 16)
#define NEVER (-1000 * POINT)

struct best {
	cell cell;
	uint32_t a, b; /* tokens of each side */
};

static inline cell better(cell a, cell b)
{
	return a > b ? a : b;
}

/* Computes row i of the matrix: token i of a against tokens i - BAND .. i + BAND of b. With a step
 * of -1 both are read backwards. Returns the row's best cell. */
static cell fill_row(const cell *above, cell *row, uint32_t i, const uint32_t *a, const uint32_t *b,
    size_t n_b, int step)
{
	uint32_t token = a[step * (int64_t)(i - 1)];
	int64_t j = (int64_t)i - SH_EXTEND_BAND; /* tokens of b in use */
	cell most = NEVER, left = NEVER;

	for (int d = 0; d < WIDTH; d++, j++) {
		cell x = NEVER;

		if (j >= 0 && j <= (int64_t)n_b) {
			if (j > 0)
				x = above[d] + (token == b[step * (j - 1)] ? POINT + 1 : -POINT);
			x = better(x, better(above[d + 1], left) - POINT);
		}
		row[d] = left = x;
		most = better(most, x);
	}
	return most;
}

static struct best note(const cell *row, cell most, uint32_t i)
{
	uint32_t d = 0;

	while (row[d] != most)
		d++;
	return (struct best){ most, i, i + d - SH_EXTEND_BAND };
}

/* Extends from a[0] and b[0] on, over at most n_a and n_b tokens, in steps of 1 or -1. */
static struct best extend(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b, int step)
{
	cell rows[2][WIDTH + 1]; /* the last cell is beyond the band */
	struct best best = { 0, 0, 0 };

	rows[0][WIDTH] = rows[1][WIDTH] = NEVER;
	for (int d = 0; d < WIDTH; d++) {
		int j = d - SH_EXTEND_BAND;

		rows[0][d] = j < 0 || (size_t)j > n_b ? NEVER : -j * POINT;
	}
	for (uint32_t i = 1; i <= n_a; i++) {
		cell *row = rows[i % 2], most;

		most = fill_row(rows[(i - 1) % 2], row, i, a, b, n_b, step);
		/* Of equal scores the shorter extension is better. */
		if (most >> 16 > best.cell >> 16)
			best = note(row, most, i);
		if (most >> 16 <= (best.cell >> 16) - SH_EXTEND_DROP)
			break;
	}
	return best;
}

static uint32_t matched(const struct best *b)
{
	return (uint32_t)(b->cell & (POINT - 1));
}

static size_t at_most(size_t n, size_t most)
{
	return n < most ? n : most;
}

void sh_extend(struct sh_span *s, struct sh_token_hashes a, struct sh_token_hashes b)
{
	struct best right = { 0, 0, 0 }, left = right;
	size_t most = at_most(SH_EXTEND_FEW + 4 * (size_t)s->matched, SH_EXTEND_MAX);

	if (s->to < a.n && s->end < b.n)
		right = extend(
		    a.token + s->to, at_most(a.n - s->to, most), b.token + s->end, b.n - s->end, 1);
	if (s->from && s->at)
		left = extend(
		    a.token + s->from - 1, at_most(s->from, most), b.token + s->at - 1, s->at, -1);
	s->to += right.a;
	s->end += right.b;
	s->from -= left.a;
	s->at -= left.b;
	s->matched += matched(&right) + matched(&left);
}
