/* SPDX-License-Identifier: MIT */
#include "passage/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/numsort.h"
#include "io/parallel.h"
#include "io/radix.h"

enum {
	FEW = 32, /* at most FEW postings are sorted by comparisons: counters would cost more */
	/* lowest bit by which the passes sort */
	SEEN = 64 - SH_RADIX_PART_BITS - 2 * SH_RADIX_DIGIT,
};

/* ---- postings ---- */

static bool is_before(const struct sh_posting *a, const struct sh_posting *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	if (a->document != b->document)
		return a->document < b->document;
	return a->token < b->token;
}

static int compare(const void *x, const void *y)
{
	return is_before(x, y) ? -1 : is_before(y, x);
}

/* Completes the order by comparisons. Needs them for keys that differ only in bits that no pass
 * used, and for postings of one key that were not ordered by document. */
static void sort_ties(struct sh_posting *p, size_t n)
{
	for (size_t i = 0, j; i < n; i = j) {
		bool sorted = true;

		for (j = i + 1; j < n && p[j].key >> SEEN == p[i].key >> SEEN; j++)
			sorted = sorted && is_before(&p[j - 1], &p[j]);
		if (!sorted)
			qsort(p + i, j - i, sizeof *p, compare);
	}
}

/* Postings that agree in the upper bits of their keys are a part. One task sorts a part. */
struct sorting {
	struct sh_posting *p, *tmp;
	size_t start[SH_RADIX_PARTS + 1];
};

static void pass(struct sh_posting *from, struct sh_posting *to, size_t n, unsigned shift)
{
	sh_radix_pass(&(struct sh_radix){ from, to, n, sizeof *from, shift });
}

/* Sorts parts of s->tmp into s->p. */
static int sort_parts(void *sorting, size_t from, size_t to, struct sh_error *err)
{
	const struct sorting *s = sorting;

	(void)err;
	for (size_t part = from; part < to; part++) {
		struct sh_posting *tmp = s->tmp + s->start[part], *p = s->p + s->start[part];
		size_t n = s->start[part + 1] - s->start[part];

		if (n > FEW) {
			pass(tmp, p, n, SEEN);
			pass(p, tmp, n, SEEN + SH_RADIX_DIGIT);
		}
		memcpy(p, tmp, n * sizeof *p);
		if (n > FEW)
			sort_ties(p, n);
		else
			qsort(p, n, sizeof *p, compare);
	}
	return 0;
}

int sh_postings_sort(
    struct sh_tables *tables, unsigned jobs, struct sh_posting *p, size_t n, struct sh_error *err)
{
	struct sorting s = { .p = p };
	struct sh_radix upper = { p, NULL, n, sizeof *p, 64 - SH_RADIX_PART_BITS };
	int status;

	if (n == 0)
		return 0;
	upper.to = s.tmp = sh_tables_get(tables, n, sizeof *p, err);
	if (!s.tmp)
		return -1;
	status = sh_radix_parts(&upper, jobs, s.start, err);
	if (status == 0)
		status = sh_parallel(&s, 0, jobs, SH_RADIX_PARTS, 1, sort_parts, err);
	sh_tables_put(tables, s.tmp);
	return status;
}

/* ---- groups ---- */

/* Keeps the groups of two or more documents, or of two or more postings, and moves them
 * together. */
static int keep_groups(struct sh_groups *g, size_t n, bool within, struct sh_error *err)
{
	struct sh_posting *p = g->posting;

	for (size_t i = 0, j; i < n; i = j) {
		uint64_t key = p[i].key;
		uint32_t last = p[i].document, first = (uint32_t)g->n, run = first;

		for (j = i + 1; j < n && p[j].key == key; j++)
			;
		if (within ? j == i + 1 : p[j - 1].document == last)
			continue;
		if (g->n + (j - i) >= UINT32_MAX)
			return sh_error_set(err, SH_ERR_RANGE,
			    "more than %lu seeds that documents share",
			    (unsigned long)UINT32_MAX - 1);
		for (size_t k = i; k < j; k++) {
			if (p[k].document != last)
				run = (uint32_t)g->n;
			last = p[k].document;
			p[g->n++] =
			    (struct sh_posting){ (uint64_t)first << 32 | run, last, p[k].token };
		}
	}
	return 0;
}

/* Orders the postings of each document by token. */
static int order_documents(struct sh_groups *g, uint64_t most, struct sh_error *err)
{
	uint64_t *room = malloc(2 * most * sizeof *room + 1);

	if (!room)
		return sh_error_nomem(err);
	for (size_t d = 0; d < g->documents; d++) {
		uint32_t *order = g->order + g->at[d];
		size_t n = (size_t)(g->at[d + 1] - g->at[d]);
		const uint64_t *sorted;

		for (size_t i = 0; i < n; i++)
			room[i] = (uint64_t)g->posting[order[i]].token << 32 | order[i];
		sorted = sh_numsort(room, room + most, n);
		for (size_t i = 0; i < n; i++)
			order[i] = (uint32_t)sorted[i];
	}
	free(room);
	return 0;
}

/* Lists the postings of each document. */
static int list_documents(struct sh_groups *g, struct sh_error *err)
{
	uint64_t most = 0, sum = 0;

	g->at = sh_tables_get_zeroed(g->tables, g->documents + 1, sizeof *g->at, err);
	g->order = g->at ? sh_tables_get(g->tables, g->n + 1, sizeof *g->order, err) : NULL;
	if (!g->order)
		return -1;
	for (size_t i = 0; i < g->n; i++)
		g->at[g->posting[i].document]++;
	for (size_t d = 0; d <= g->documents; d++) {
		most = g->at[d] > most ? g->at[d] : most;
		sum += g->at[d];
		g->at[d] = sum;
	}
	/* at[d] is the end of document d; filling backwards turns it into the beginning. */
	for (size_t i = g->n; i-- > 0;)
		g->order[--g->at[g->posting[i].document]] = (uint32_t)i;
	return order_documents(g, most, err);
}

int sh_groups_make(struct sh_groups *g, struct sh_tables *tables, struct sh_posting *p, size_t n,
    size_t documents, bool within, struct sh_error *err)
{
	*g = (struct sh_groups){ .posting = p, .documents = documents, .tables = tables };
	return keep_groups(g, n, within, err) < 0 ? -1 : list_documents(g, err);
}

void sh_groups_free(struct sh_groups *g)
{
	sh_tables_put(g->tables, g->order);
	sh_tables_put(g->tables, g->at);
	*g = (struct sh_groups){ 0 };
}

size_t sh_group_end(const struct sh_groups *g, size_t first)
{
	size_t from = first + 1, step = 1, to;

	/* Groups are stored one after the other, so `first` ascends. */
	while (from + step < g->n && sh_group_first(&g->posting[from + step]) == first) {
		from += step;
		step *= 2;
	}
	to = from + step < g->n ? from + step : g->n;
	SH_BISECT(from, to, i, sh_group_first(&g->posting[i]) == first);
	return from;
}

uint64_t sh_groups_exceeding(const struct sh_groups *g, size_t bound)
{
	uint64_t count = 0;

	for (size_t i = 0; i < g->n; i++)
		count +=
		    sh_group_first(&g->posting[i]) == i && sh_group_exceeds(g, (uint32_t)i, bound);
	return count;
}
