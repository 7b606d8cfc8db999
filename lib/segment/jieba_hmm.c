/* SPDX-License-Identifier: MIT */
#include "segment/jieba_hmm.h"

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
