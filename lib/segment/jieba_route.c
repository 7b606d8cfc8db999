/* SPDX-License-Identifier: MIT */
#include "segment/jieba_route.h"

#include <float.h>

#include "segment/jieba_state.h"
#include "unicode/utf8.h"

/* ---- routes ---- */

struct route {
	const struct sh_jieba *j;
	const uint16_t *code;
	size_t n;
	double *ring; /* by place & mask: log probability of the route from there on */
	size_t mask;
};

/* Returns the length of the word at k with which the best route begins, and sets *best to the log
 * probability of this route. `next` is the log probability of the route from k + 1 on. */
static inline size_t best_word(const struct route *r, size_t k, double next, double *best)
{
	const struct sh_jieba_node *node = r->j->node;
	const double log_total = r->j->h.log_total;
	uint32_t at = r->code[k], child = node[at].base + r->code[k + 1];
	size_t len = 1, best_len = 1;

	/* The log_freq of a prefix is -INFINITY, so it never wins. On a tie the longer word
	 * wins. */
	*best = node[at].log_freq - log_total + next;
	while (child < r->j->h.n_nodes && node[child].check == at) {
		double sum;

		at = child;
		if (++len > r->n - k || len > r->j->h.max_len) /* only in a damaged dictionary */
			break;
		sum = node[at].log_freq - log_total + r->ring[(k + len) & r->mask];
		if (sum >= *best) {
			*best = sum;
			best_len = len;
		}
		child = node[at].base + r->code[k + len];
	}
	if (*best >= -DBL_MAX)
		return best_len;
	*best = 0.0 - log_total + next; /* an unknown character */
	return 1;
}

double sh_jieba_route(const struct sh_jieba *j, const uint16_t *code, size_t n, uint16_t *step,
    double *ring, size_t mask)
{
	const struct route r = { j, code, n, ring, mask };
	double best = 0.0; /* log probability of the route from code k + 1 on */

	ring[n & mask] = 0.0;
	for (size_t k = n; k-- > 0;) {
		if (code[k] >= SH_CODE_GAP) {
			best = 0.0;
			step[k] = 0;
		} else {
			step[k] = (uint16_t)best_word(&r, k, best, &best);
		}
		ring[k & mask] = best;
	}
	return best;
}

size_t sh_jieba_edges(const struct sh_jieba *j, const uint16_t *code, size_t n, uint16_t *lengths)
{
	uint32_t at = SH_NODE_ROOT;
	size_t count = 0;

	if (n > j->h.max_len)
		n = j->h.max_len;
	for (size_t len = 1; len <= n; len++) {
		at = sh_jieba_child(j, at, code[len - 1]);
		if (at == 0)
			break;
		if (j->node[at].log_freq > -DBL_MAX)
			lengths[count++] = (uint16_t)len;
	}
	if (count == 0)
		lengths[count++] = 1;
	return count;
}

/* ---- the model ---- */

enum { B = SH_HMM_B, E = SH_HMM_E, M = SH_HMM_M, S = SH_HMM_S };

/* The two predecessors of each state. On a tie the second is chosen: the later letter. */
static const uint8_t prior[SH_HMM_STATES][2] = {
	[B] = { E, S },
	[E] = { B, M },
	[M] = { B, M },
	[S] = { E, S },
};

/* Chooses the more probable predecessor of state `to`. Bit `to` of bits is 1 for the second one. */
#define STEP(to, lo, hi)                                                                           \
	do {                                                                                       \
		double a = v[lo] + trans[lo][to] + emit[to];                                       \
		double b = v[hi] + trans[hi][to] + emit[to];                                       \
		next[to] = b >= a ? b : a;                                                         \
		bits |= (unsigned)(b >= a) << (to);                                                \
	} while (0)

double sh_hmm_path(const struct sh_jieba *j, const uint16_t *code, size_t n, uint8_t *path)
{
	const double(*trans)[SH_HMM_STATES] = j->h.trans;
	const double *emit = j->emit[code[0] - SH_CODE_HAN];
	double v[SH_HMM_STATES], next[SH_HMM_STATES];
	unsigned state;

	for (int y = 0; y < SH_HMM_STATES; y++)
		v[y] = j->h.start[y] + emit[y];
	for (size_t i = 1; i < n; i++) {
		unsigned bits = 0;

		emit = j->emit[code[i] - SH_CODE_HAN];
		STEP(B, E, S);
		STEP(E, B, M);
		STEP(M, B, M);
		STEP(S, E, S);
		memcpy(v, next, sizeof v);
		path[i] = (uint8_t)bits;
	}
	state = v[S] >= v[E] ? S : E;
	for (size_t i = n - 1; i > 0; i--) {
		unsigned bits = path[i];

		path[i] = (uint8_t)state;
		state = prior[state][bits >> state & 1];
	}
	path[0] = (uint8_t)state;
	return v[S] >= v[E] ? v[S] : v[E];
}

/* ---- rows of a text ---- */

/* Reads text into rows of codes. */

enum { ROW = 256 }; /* characters of a row, when a stretch ends within them */

/* Reads at most n characters of three bytes each. Returns their number. This loop reads most of a
 * Chinese text, with its punctuation, so that branches are predicted well. It prefetches the nodes
 * that sh_jieba_route() will read. */
static size_t read_three(
    const struct sh_jieba *j, const char *p, size_t n, uint16_t *code, uint32_t *off)
{
	const uint32_t marks =
	    0xE0u << 12 | 0x80u << 6 | 0x80u; /* the fixed bits of the three bytes */
	const unsigned char *c = (const unsigned char *)p;
	uint32_t base = 0, at = off[0];
	size_t i;

	for (i = 0; i < n; i++, c += 3) {
		uint32_t cp = ((uint32_t)c[0] << 12) + ((uint32_t)c[1] << 6) + c[2] - marks;

		if (((c[1] ^ 0x80) | (c[2] ^ 0x80)) > 0x3F || cp - 0x800 >= 0x10000 - 0x800)
			break;
		code[i] = j->code[cp];
		if (code[i] == 0) /* a surrogate */
			break;
		__builtin_prefetch(&j->node[base + code[i]]);
		base = j->node[code[i]].base;
		off[i + 1] = at += 3;
	}
	return i;
}

/* Reads at most n ASCII characters other than \r. Returns their number. */
static size_t read_ascii(
    const struct sh_jieba *j, const char *p, size_t n, uint16_t *code, uint32_t *off)
{
	uint32_t at = off[0];
	size_t i;

	for (i = 0; i < n && (unsigned char)p[i] < 0x80 && p[i] != '\r'; i++) {
		code[i] = j->code[(unsigned char)p[i]];
		off[i + 1] = ++at;
	}
	return i;
}

/* Reads one gap. \r\n counts as one character. Returns the number of bytes. */
static size_t read_gap(
    const struct sh_jieba *j, const char *p, const char *end, uint16_t *code, uint32_t *off)
{
	const uint8_t *q = (const uint8_t *)p;
	uint32_t cp = sh_utf8_next(&q, (const uint8_t *)end);
	size_t bytes = (size_t)((const char *)q - p);

	if (cp == '\r' && end - p > 1 && p[1] == '\n')
		bytes = 2;
	*code = cp < 0x10000 ? j->code[cp] : SH_CODE_GAP;
	off[1] = off[0] + (uint32_t)bytes;
	return bytes;
}

/* Reads at most `room` characters. */
static void read_chars(struct sh_segmenter *s, size_t room)
{
	const char *p = s->at, *end = s->end;
	uint16_t *code = s->code + s->have;
	uint32_t *off = s->off + s->have;
	size_t n = 0;

	while (n < room && p < end) {
		size_t left = (size_t)(end - p) / 3, three, ascii;

		three = read_three(s->j, p, left < room - n ? left : room - n, code + n, off + n);
		n += three;
		p += 3 * three;
		left = (size_t)(end - p);
		ascii = read_ascii(s->j, p, left < room - n ? left : room - n, code + n, off + n);
		n += ascii;
		p += ascii;
		if (three + ascii == 0) {
			p += read_gap(s->j, p, end, code + n, off + n);
			n++;
		}
	}
	s->have += n;
	s->at = p;
	code[n] = SH_CODE_GAP;
}

static int make_room(struct sh_segmenter *s, size_t chars, struct sh_error *err)
{
	if ((size_t)(s->at - s->row_text) > UINT32_MAX - 4 * chars)
		return sh_error_set(err, SH_ERR_RANGE, "more than 2 GiB of text without a break");
	chars += s->have + 1;
	if (SH_RESERVE(s->code, s->code_cap, chars, err) < 0 ||
	    SH_RESERVE(s->off, s->off_cap, chars, err) < 0)
		return -1;
	if (s->have == 0)
		s->off[0] = 0;
	return 0;
}

/* Moves the incomplete stretch at the row's end to the row's start. */
static void keep_rest(struct sh_segmenter *s)
{
	size_t rest = s->have - s->n;
	uint32_t start = s->have ? s->off[s->n] : 0;

	s->row_text += start;
	for (size_t i = 0; i < rest; i++) {
		s->code[i] = s->code[s->n + i];
		s->off[i] = s->off[s->n + i] - start;
	}
	if (s->have)
		s->off[rest] = s->off[s->have] - start;
	s->have = rest;
	s->n = 0;
}

int sh_jieba_read_row(struct sh_segmenter *s, struct sh_error *err)
{
	size_t room = ROW;

	keep_rest(s);
	do {
		size_t before = s->have, end;

		if (make_room(s, room, err) < 0)
			return -1;
		read_chars(s, room);
		end = s->have;
		while (s->at < s->end && end > before && !sh_code_is_gap(s->code[end - 1]))
			end--;
		if (end > before)
			s->n = end;
		room = s->have;
	} while (s->n == 0);
	s->x = s->run_end = s->model_end = s->covered = 0;
	return 0;
}

/* ---- cut_all() ---- */

/* jieba's cut_all(): each occurrence of each dictionary word. */

static int give_english(struct sh_segmenter *s, struct sh_error *err)
{
	struct sh_slice word = s->english;

	if (word.n && s->joined.n) {
		char *copy = sh_arena_room(&s->made, word.n, err);

		if (!copy)
			return -1;
		memcpy(copy, word.p, word.n);
		word.p = copy;
		s->joined.n = 0;
	}
	s->english.n = 0;
	return word.n ? sh_jieba_give(s, word.p, word.n, err) : 0;
}

/* Appends letters to the word that may be continued. */
static int add_english(struct sh_segmenter *s, const char *p, size_t n, struct sh_error *err)
{
	if (s->english.n == 0) {
		s->english = sh_slice(p, n);
		return 0;
	}
	if (s->joined.n == 0 && s->english.p + s->english.n == p) {
		s->english.n += n;
		return 0;
	}
	if (s->joined.n == 0 && sh_buf_add(&s->joined, s->english.p, s->english.n, err) < 0)
		return -1;
	if (sh_buf_add(&s->joined, p, n, err) < 0)
		return -1;
	s->english = sh_buf_slice(&s->joined);
	return 0;
}

/* Appends the words that start at character x of a stretch, as jieba's __cut_all() does. */
static int cut_stretch(struct sh_segmenter *s, struct sh_error *err)
{
	size_t x = s->x, n = sh_jieba_edges(s->j, s->code + x, s->n - x, s->edges);
	bool alnum = sh_code_is_alnum(s->code[x]);

	if (!alnum && give_english(s, err) < 0)
		return -1;
	if (n == 1 && x >= s->covered) {
		const uint32_t *off = s->off + x;

		s->covered = x + s->edges[0];
		if (alnum)
			return add_english(s, s->row_text + off[0], off[s->edges[0]] - off[0], err);
		return sh_jieba_give_chars(s, x, s->edges[0], err);
	}
	for (size_t i = 0; i < n; i++) {
		if (s->edges[i] == 1)
			continue;
		if (sh_jieba_give_chars(s, x, s->edges[i], err) < 0)
			return -1;
		s->covered = x + s->edges[i];
	}
	return 0;
}

/* Ends a word of gaps, at `end`. A SH_CODE_SPACE is a word of its own. It ends the word of gaps
 * before it and begins another one. A word of gaps may be empty. */
static int end_gaps(struct sh_segmenter *s, const char *end, struct sh_error *err)
{
	const char *from = s->gaps;

	s->gaps = NULL;
	return from ? sh_jieba_give(s, from, (size_t)(end - from), err) : 0;
}

static int cut_gap(struct sh_segmenter *s, struct sh_error *err)
{
	const char *p = s->row_text + s->off[s->x];

	if (give_english(s, err) < 0)
		return -1;
	if (!s->gaps)
		s->gaps = p;
	if (s->code[s->x] != SH_CODE_SPACE)
		return 0;
	if (end_gaps(s, p, err) < 0 || sh_jieba_give_chars(s, s->x, 1, err) < 0)
		return -1;
	s->gaps = s->row_text + s->off[s->x + 1];
	return 0;
}

int sh_jieba_cut_all(struct sh_segmenter *s, struct sh_error *err)
{
	for (; s->x < s->n && s->n_words < s->limit; s->x++) {
		if (sh_code_is_gap(s->code[s->x])) {
			if (cut_gap(s, err) < 0)
				return -1;
		} else if (end_gaps(s, s->row_text + s->off[s->x], err) < 0 ||
			   cut_stretch(s, err) < 0) {
			return -1;
		}
	}
	if (s->x < s->n || s->at < s->end)
		return 0;
	return give_english(s, err) < 0 ? -1 : end_gaps(s, s->end, err);
}
