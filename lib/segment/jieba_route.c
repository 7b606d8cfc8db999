#include "segment/jieba_route.h"

#include <float.h>

double sh_jieba_route(const struct sh_jieba *j, const uint16_t *code, size_t n, uint16_t *step,
    double *ring, size_t mask)
{
	const struct sh_jieba_node *node = j->node;
	const double log_total = j->h.log_total, unknown = 0.0 - log_total;
	const uint32_t n_nodes = j->h.n_nodes;
	const size_t max_len = j->h.max_len;
	double best = 0.0; /* log probability of the route from code k + 1 on */

	ring[n & mask] = 0.0;
	for (size_t k = n; k-- > 0;) {
		size_t len = 1, best_len = 1;
		uint32_t at = code[k], child;
		double next = best;

		best = 0.0;
		if (at >= SH_CODE_GAP) {
			ring[k & mask] = 0.0;
			step[k] = 0;
			continue;
		}
		/* The log_freq of a prefix is -INFINITY, so it never wins. On a
		 * tie the longer word wins. */
		best = node[at].log_freq - log_total + next;
		child = node[at].base + code[k + 1];
		while (child < n_nodes && node[child].check == at) {
			double sum;

			at = child;
			if (++len > n - k || len > max_len) /* only in a damaged dictionary */
				break;
			sum = node[at].log_freq - log_total + ring[(k + len) & mask];
			if (sum >= best) {
				best = sum;
				best_len = len;
			}
			child = node[at].base + code[k + len];
		}
		if (best < -DBL_MAX) {
			best = unknown + next;
			best_len = 1;
		}
		ring[k & mask] = best;
		step[k] = (uint16_t)best_len;
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
