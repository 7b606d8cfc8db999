/* SPDX-License-Identifier: MIT */
#include "segment/jieba_trie.h"

#include <float.h>

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
static const uint8_t before[SH_HMM_STATES][2] = {
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
		state = before[state][bits >> state & 1];
	}
	path[0] = (uint8_t)state;
	return v[S] >= v[E] ? v[S] : v[E];
}
