/* SPDX-License-Identifier: MIT */
#include "passage/match.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/bits.h"
#include "base/buf.h"
#include "base/compare.h"

enum {
	CHAIN_BACK = 40, /* number of earlier matches that are tried as predecessor of a match */
	CHAIN_GAP = 40,  /* most tokens between two matches of a chain */
	CHAIN_SKEW = 12, /* largest difference of their diagonals */
	MERGE_ROUNDS = 16,
};

/* A maximal exact match. */
struct exact {
	uint32_t document, from, at, n;
	int32_t score;
	uint32_t before; /* the preceding match of its chain, or NONE */
	bool used;
};

#define NONE UINT32_MAX

/* A recent exact match, on a diagonal with a document: hits within it are redundant. */
struct recent {
	uint64_t place;
	uint32_t from, to;
};

enum { RECENT_BITS = 10 };

struct sh_matcher {
	struct sh_match_opts opts;
	const struct sh_texts *others;
	struct sh_token_hashes side;
	struct recent recent[1 << RECENT_BITS];
	struct exact *exact;
	size_t n_exact, exact_cap;
	uint64_t *order; /* of the exact matches of a pair: by score, descending */
	size_t order_cap;
	struct sh_span *span;
	size_t n_spans, span_cap;
	struct sh_span *part; /* the spans of one pair before they are merged */
	uint32_t *best;       /* by part: matched tokens of the best sequence that ends with it */
	size_t part_cap, best_cap;
	uint64_t *covered;
	size_t covered_cap;
};

uint64_t sh_span_identity(const struct sh_span *s)
{
	uint32_t a = s->to - s->from, b = s->end - s->at, longer = a > b ? a : b;

	return longer ? s->matched * UINT64_C(1000000) / longer : 0;
}

struct sh_matcher *sh_matcher_new(
    const struct sh_match_opts *opts, const struct sh_texts *others, struct sh_error *err)
{
	struct sh_matcher *m = calloc(1, sizeof *m);

	if (!m) {
		sh_error_nomem(err);
		return NULL;
	}
	m->opts = *opts;
	m->others = others;
	return m;
}

void sh_matcher_delete(struct sh_matcher *m)
{
	if (!m)
		return;
	free(m->exact);
	free(m->order);
	free(m->span);
	free(m->part);
	free(m->best);
	free(m->covered);
	free(m);
}

/* ---- exact matches ---- */

enum { STRIDE = 8 };

uint32_t sh_match_forward(
    struct sh_token_hashes a, uint32_t i, struct sh_token_hashes b, uint32_t j)
{
	size_t n = a.n - i < b.n - j ? a.n - i : b.n - j, k = 0;

	while (n - k >= STRIDE &&
	       memcmp(a.token + i + k, b.token + j + k, STRIDE * sizeof *a.token) == 0)
		k += STRIDE;
	while (k < n && a.token[i + k] == b.token[j + k])
		k++;
	return (uint32_t)k;
}

uint32_t sh_match_backward(
    struct sh_token_hashes a, uint32_t i, struct sh_token_hashes b, uint32_t j)
{
	uint32_t n = i < j ? i : j, k = 0;

	while (n - k >= STRIDE && memcmp(a.token + i - k - STRIDE, b.token + j - k - STRIDE,
				      STRIDE * sizeof *a.token) == 0)
		k += STRIDE;
	while (k < n && a.token[i - k - 1] == b.token[j - k - 1])
		k++;
	return k;
}

void sh_matcher_begin(struct sh_matcher *m, struct sh_token_hashes side)
{
	m->side = side;
	if (m->n_exact)
		memset(m->recent, 0, sizeof m->recent);
	m->n_exact = 0;
	m->n_spans = 0;
}

static int by_document(const void *x, const void *y)
{
	const struct exact *a = x, *b = y;

	if (a->document != b->document)
		return sh_compare(a->document, b->document);
	return a->from != b->from ? sh_compare(a->from, b->from) : sh_compare(a->at, b->at);
}

int sh_matcher_hit(struct sh_matcher *m, uint32_t document, uint32_t token, uint32_t at,
    uint32_t *from, uint32_t *to, struct sh_error *err)
{
	uint64_t place = (uint64_t)document << 32 | (at - token);
	struct recent *r = &m->recent[place * UINT64_C(0x9E3779B97F4A7C15) >> (64 - RECENT_BITS)];
	struct sh_token_hashes other;
	uint32_t n, before;

	/* A slot that was never filled has to == 0, because no match is empty. */
	if (r->place != place || token < r->from || token >= r->to) {
		other = sh_texts_tokens(m->others, document);
		n = sh_match_forward(m->side, token, other, at);
		if (n < m->opts.shortest) {
			*from = *to = token;
			return 0;
		}
		before = sh_match_backward(m->side, token, other, at);
		if (SH_RESERVE(m->exact, m->exact_cap, m->n_exact + 1, err) < 0)
			return -1;
		*r = (struct recent){ place, token - before, token + n };
		m->exact[m->n_exact++] =
		    (struct exact){ document, r->from, at - before, before + n, 0, NONE, false };
	}
	*from = r->from;
	*to = r->to;
	return 0;
}

/* Sorts the exact matches by document and place, and drops repeated ones. */
static void sort_exact(struct sh_matcher *m)
{
	size_t n = 0;

	if (m->n_exact < 2)
		return;
	qsort(m->exact, m->n_exact, sizeof *m->exact, by_document);
	for (size_t i = 0; i < m->n_exact; i++)
		if (n == 0 || by_document(&m->exact[n - 1], &m->exact[i]) != 0)
			m->exact[n++] = m->exact[i];
	m->n_exact = n;
}

/* ---- between exact matches ---- */

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

/* ---- beyond the ends of a chain ---- */

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
	s->matched += (uint32_t)(right.cell & (POINT - 1)) + (uint32_t)(left.cell & (POINT - 1));
}

/* ---- chains ---- */

/* Returns how many tokens from (from, at) on lie before (to, end), on the side with more. */
static uint32_t overlap(uint32_t to, uint32_t end, uint32_t from, uint32_t at)
{
	uint32_t a = to > from ? to - from : 0, b = end > at ? end - at : 0;

	return a > b ? a : b;
}

/* Returns the score of a chain that ends with match i behind match j; negative when i cannot follow
 * j. A token in both matches counts once. */
static int32_t score_behind(const struct exact *j, const struct exact *i)
{
	uint32_t to = j->from + j->n, end = j->at + j->n, over, gap_a, gap_b, gap, skew;

	if (i->from <= j->from || i->at <= j->at)
		return -1;
	over = overlap(to, end, i->from, i->at);
	if (over >= i->n)
		return -1;
	gap_a = i->from + over - to;
	gap_b = i->at + over - end;
	gap = gap_a > gap_b ? gap_a : gap_b;
	skew = gap_a > gap_b ? gap_a - gap_b : gap_b - gap_a;
	if (gap > CHAIN_GAP || skew > CHAIN_SKEW)
		return -1;
	return j->score + (int32_t)(i->n - over) - (int32_t)(gap / 4 + skew / 2);
}

static void score_all(struct exact *exact, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct exact *e = &exact[i];

		e->score = (int32_t)e->n;
		for (size_t j = i; j-- > 0 && i - j <= CHAIN_BACK;) {
			int32_t score = score_behind(&exact[j], e);

			if (score > e->score) {
				e->score = score;
				e->before = (uint32_t)j;
			}
		}
	}
}

/* Makes the span of the chain that ends with match `last`. Marks its matches, and the matches
 * within it, as used. */
static void mark_chain(struct exact *exact, size_t n, size_t last, struct sh_token_hashes a,
    struct sh_token_hashes b, struct sh_span *span)
{
	struct exact *e = &exact[last];
	size_t first = last, behind = last + 1;

	*span = (struct sh_span){ .from = e->from,
		.to = e->from + e->n,
		.at = e->at,
		.end = e->at + e->n,
		.matched = e->n };
	e->used = true;
	for (uint32_t i = e->before; i != NONE && !exact[i].used; i = exact[i].before) {
		struct exact *j = &exact[i];
		uint32_t to = j->from + j->n, end = j->at + j->n;
		uint32_t over = overlap(to, end, span->from, span->at);

		/* A match that lies wholly in the overlap adds no token and ends the chain. */
		if (over >= j->n)
			break;
		to -= over;
		end -= over;
		span->matched += j->n - over;
		span->matched +=
		    sh_common(a.token + to, span->from - to, b.token + end, span->at - end);
		span->from = j->from;
		span->at = j->at;
		j->used = true;
		first = i;
	}
	while (behind < n && exact[behind].from < span->to)
		behind++;
	for (size_t i = first; i < behind; i++) {
		struct exact *j = &exact[i];

		j->used = j->used || (j->from >= span->from && j->from + j->n <= span->to &&
					 j->at >= span->at && j->at + j->n <= span->end);
	}
}

static int spans_of_chains(struct sh_matcher *m, struct exact *exact, size_t n,
    struct sh_token_hashes b, struct sh_error *err)
{
	if (SH_RESERVE(m->order, m->order_cap, n, err) < 0)
		return -1;
	/* The best chain comes first; of equal ones the first. */
	for (size_t i = 0; i < n; i++)
		m->order[i] = (uint64_t)(INT32_MAX - exact[i].score) << 32 | i;
	if (n > 1)
		qsort(m->order, n, sizeof *m->order, sh_compare_u64);
	for (size_t i = 0; i < n; i++) {
		size_t last = (uint32_t)m->order[i];
		struct sh_span span;

		if (exact[last].used)
			continue;
		mark_chain(exact, n, last, m->side, b, &span);
		span.document = exact->document;
		sh_extend(&span, m->side, b);
		if (span.matched < m->opts.least || sh_span_identity(&span) < m->opts.identity)
			continue;
		if (SH_RESERVE(m->span, m->span_cap, m->n_spans + 1, err) < 0)
			return -1;
		m->span[m->n_spans++] = span;
	}
	return 0;
}

/* ---- spans of one pair ---- */

static int by_place(const void *x, const void *y)
{
	const struct sh_span *a = x, *b = y;

	if (a->document != b->document)
		return sh_compare(a->document, b->document);
	if (a->from != b->from)
		return sh_compare(a->from, b->from);
	if (a->at != b->at)
		return sh_compare(a->at, b->at);
	return a->to != b->to ? sh_compare(b->to, a->to) : sh_compare(b->end, a->end);
}

/* Returns the number of tokens between two stretches; 0 when they overlap. */
static uint32_t between(uint32_t from1, uint32_t to1, uint32_t from2, uint32_t to2)
{
	return from2 > to1 ? from2 - to1 : from1 > to2 ? from1 - to2 : 0;
}

/* Merges neighbouring spans from span `first` on, all of one pair. */
static void merge_once(struct sh_matcher *m, size_t first)
{
	size_t n = first;

	qsort(m->span + first, m->n_spans - first, sizeof *m->span, by_place);
	for (size_t i = first; i < m->n_spans; i++) {
		const struct sh_span *s = &m->span[i];
		size_t j = n;

		while (j > first && n - j < CHAIN_BACK) {
			struct sh_span *t = &m->span[j - 1];

			if (between(t->from, t->to, s->from, s->to) <= m->opts.merge &&
			    between(t->at, t->end, s->at, s->end) <= m->opts.merge) {
				t->from = t->from < s->from ? t->from : s->from;
				t->to = t->to > s->to ? t->to : s->to;
				t->at = t->at < s->at ? t->at : s->at;
				t->end = t->end > s->end ? t->end : s->end;
				break;
			}
			j--;
		}
		if (j == first || n - j == CHAIN_BACK)
			m->span[n++] = *s;
	}
	m->n_spans = n;
}

/* Returns how many matched tokens of `part` surely lie behind `before` on both sides; 0 when `part`
 * does not end behind it. At most the tokens of the longer overlap are lost. */
static uint32_t matched_behind(const struct sh_span *before, const struct sh_span *part)
{
	uint32_t over = overlap(before->to, before->end, part->from, part->at);

	return part->to > before->to && part->end > before->end && part->matched > over
		   ? part->matched - over
		   : 0;
}

/* Computes `matched` of a merged span: the tokens of the best sequence of its parts that follow
 * each other on both sides. Parts in another order are not counted. n: number of parts. */
static void match_merged(struct sh_matcher *m, struct sh_span *span, size_t n)
{
	size_t i = 0, end = n;

	span->matched = 0;
	SH_BISECT(i, end, at, m->part[at].from < span->from);
	for (size_t first = i; i < n && m->part[i].from < span->to; i++) {
		const struct sh_span *part = &m->part[i];

		m->best[i] = 0;
		if (part->to > span->to || part->at < span->at || part->end > span->end)
			continue;
		m->best[i] = part->matched;
		for (size_t j = i; j-- > first && i - j <= CHAIN_BACK;) {
			uint32_t more = m->best[j] ? matched_behind(&m->part[j], part) : 0;

			if (more && m->best[j] + more > m->best[i])
				m->best[i] = m->best[j] + more;
		}
		span->matched = m->best[i] > span->matched ? m->best[i] : span->matched;
	}
}

/* Merges the spans from span `first` on, all of one pair. */
static int merge_spans(struct sh_matcher *m, size_t first, struct sh_error *err)
{
	size_t n = m->n_spans - first, before = SIZE_MAX;

	if (n < 2)
		return 0;
	if (SH_RESERVE(m->part, m->part_cap, n, err) < 0 ||
	    SH_RESERVE(m->best, m->best_cap, n, err) < 0)
		return -1;
	qsort(m->span + first, n, sizeof *m->span, by_place);
	memcpy(m->part, m->span + first, n * sizeof *m->part);
	/* A merged span may be near a further one. The limit keeps the work linear. */
	for (int i = 0; i < MERGE_ROUNDS && m->n_spans < before; i++) {
		before = m->n_spans;
		merge_once(m, first);
	}
	for (size_t i = first; i < m->n_spans; i++)
		match_merged(m, &m->span[i], n);
	return 0;
}

/* Finds the spans of one pair from n exact matches, ordered by place. */
static int spans_of_pair(struct sh_matcher *m, struct exact *exact, size_t n, struct sh_error *err)
{
	size_t first = m->n_spans;

	score_all(exact, n);
	if (spans_of_chains(m, exact, n, sh_texts_tokens(m->others, exact->document), err) < 0)
		return -1;
	return m->opts.merge ? merge_spans(m, first, err) : 0;
}

/* ---- all spans of a document ---- */

int sh_span_by_matched(const void *x, const void *y)
{
	const struct sh_span *a = x, *b = y;

	return a->matched != b->matched ? sh_compare(b->matched, a->matched) : by_place(x, y);
}

/* Drops spans whose tokens are all covered by better spans. */
static int drop_covered(struct sh_matcher *m, size_t tokens, struct sh_error *err)
{
	size_t words = sh_bits_words(tokens), n = 0;

	if (m->n_spans < 2)
		return 0;
	if (SH_RESERVE(m->covered, m->covered_cap, words, err) < 0)
		return -1;
	memset(m->covered, 0, words * sizeof *m->covered);
	qsort(m->span, m->n_spans, sizeof *m->span, sh_span_by_matched);
	for (size_t i = 0; i < m->n_spans; i++)
		if (sh_bits_put_range(m->covered, m->span[i].from, m->span[i].to) > 0)
			m->span[n++] = m->span[i];
	m->n_spans = n;
	return 0;
}

int sh_matcher_spans(struct sh_matcher *m, struct sh_span **spans, size_t *n, struct sh_error *err)
{
	sort_exact(m);
	for (size_t i = 0, j; i < m->n_exact; i = j) {
		for (j = i + 1; j < m->n_exact && m->exact[j].document == m->exact[i].document; j++)
			;
		if (spans_of_pair(m, &m->exact[i], j - i, err) < 0)
			return -1;
	}
	if (m->opts.drop_covered && drop_covered(m, m->side.n, err) < 0)
		return -1;
	if (m->n_spans > 1)
		qsort(m->span, m->n_spans, sizeof *m->span, by_place);
	*spans = m->span;
	*n = m->n_spans;
	return 0;
}
