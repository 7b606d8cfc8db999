/* SPDX-License-Identifier: MIT */
#include "base/merge.h"

#include <stdlib.h>

static bool before(const struct sh_merge *m, size_t a, size_t b)
{
	int c = sh_slice_cmp(m->key[a], m->key[b]);

	return c ? c < 0 : a < b;
}

static void sift_down(struct sh_merge *m, size_t at)
{
	for (;;) {
		size_t child = 2 * at + 1, t;

		if (child >= m->n)
			return;
		if (child + 1 < m->n && before(m, m->heap[child + 1], m->heap[child]))
			child++;
		if (!before(m, m->heap[child], m->heap[at]))
			return;
		t = m->heap[at];
		m->heap[at] = m->heap[child];
		m->heap[child] = t;
		at = child;
	}
}

int sh_merge_init(struct sh_merge *m, size_t n, struct sh_error *err)
{
	m->n = 0;
	m->key = calloc(n + 1, sizeof *m->key);
	m->heap = calloc(n + 1, sizeof *m->heap);
	if (!m->key || !m->heap)
		return sh_error_nomem(err);
	for (size_t i = 0; i < n; i++) {
		int got = m->next(m->arg, i, &m->key[i], err);

		if (got < 0)
			return -1;
		if (got)
			m->heap[m->n++] = i;
	}
	for (size_t i = m->n / 2; i-- > 0;)
		sift_down(m, i);
	return 0;
}

void sh_merge_free(struct sh_merge *m)
{
	free(m->key);
	free(m->heap);
}

bool sh_merge_top(const struct sh_merge *m, size_t *cursor)
{
	if (m->n == 0)
		return false;
	*cursor = m->heap[0];
	return true;
}

int sh_merge_pop(struct sh_merge *m, struct sh_error *err)
{
	size_t top = m->heap[0];
	int got = m->next(m->arg, top, &m->key[top], err);

	if (got < 0)
		return -1;
	if (!got)
		m->heap[0] = m->heap[--m->n];
	sift_down(m, 0);
	return 0;
}
