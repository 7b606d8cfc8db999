#include "passage/groups.h"

#include <stdlib.h>
#include <string.h>

#include "io/pages.h"
#include "io/parallel.h"

enum { PARTS = 256, DIGIT = 11, FEW = 32 };

/* ---- numbers ---- */

static void sort_few(uint64_t *a, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t x = a[i];
		size_t j = i;

		for (; j > 0 && a[j - 1] > x; j--)
			a[j] = a[j - 1];
		a[j] = x;
	}
}

/* One pass by 8 bits; false when all are the same there. */
static bool pass_numbers(const uint64_t *from, uint64_t *to, size_t n, unsigned shift)
{
	size_t at[256] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[from[i] >> shift & 255]++;
	if (at[from[0] >> shift & 255] == n)
		return false;
	for (size_t d = 0; d < 256; d++) {
		size_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i] >> shift & 255]++] = from[i];
	return true;
}

void sh_sort_numbers(uint64_t *a, uint64_t *tmp, size_t n)
{
	uint64_t *from = a, *to = tmp;

	if (n <= FEW) {
		sort_few(a, n);
		return;
	}
	for (unsigned shift = 0; shift < 64; shift += 8)
		if (pass_numbers(from, to, n, shift)) {
			uint64_t *other = from;

			from = to;
			to = other;
		}
	if (from != a)
		memcpy(a, from, n * sizeof *a);
}

/* ---- postings ---- */

static unsigned part_of(uint64_t key)
{
	return (unsigned)(key >> 56);
}

static bool is_before(const struct sh_posting *a, const struct sh_posting *b)
{
	if (a->of.key != b->of.key)
		return a->of.key < b->of.key;
	if (a->document != b->document)
		return a->document < b->document;
	return a->token < b->token;
}

static int compare(const void *x, const void *y)
{
	return is_before(x, y) ? -1 : is_before(y, x);
}

/* By the 11 bits of the key from `shift` on, stable. */
static void pass(const struct sh_posting *from, struct sh_posting *to, size_t n, unsigned shift)
{
	uint32_t at[1 << DIGIT] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[from[i].of.key >> shift & ((1 << DIGIT) - 1)]++;
	for (size_t d = 0; d < 1 << DIGIT; d++) {
		uint32_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i].of.key >> shift & ((1 << DIGIT) - 1)]++] = from[i];
}

/* Keys that differ below the bits of the passes, and postings that did not come by document: sorted by
 * comparisons, where need be. */
static void sort_ties(struct sh_posting *p, size_t n)
{
	const unsigned seen = 64 - 8 - 2 * DIGIT;

	for (size_t i = 0, j; i < n; i = j) {
		bool sorted = true;

		for (j = i + 1; j < n && p[j].of.key >> seen == p[i].of.key >> seen; j++)
			sorted = sorted && is_before(&p[j - 1], &p[j]);
		if (!sorted)
			qsort(p + i, j - i, sizeof *p, compare);
	}
}

struct sorting {
	struct sh_posting *p, *tmp;
	size_t at[PARTS + 1];
};

/* The parts lie in tmp, and go back to p. */
static int sort_parts(void *worker, size_t from, size_t to, struct sh_error *err)
{
	const struct sorting *s = worker;

	(void)err;
	for (size_t part = from; part < to; part++) {
		struct sh_posting *tmp = s->tmp + s->at[part], *p = s->p + s->at[part];
		size_t n = s->at[part + 1] - s->at[part];

		if (n == 0)
			continue;
		if (n > UINT32_MAX || n <= FEW) {
			memcpy(p, tmp, n * sizeof *p);
			qsort(p, n, sizeof *p, compare);
			continue;
		}
		pass(tmp, p, n, 64 - 8 - 2 * DIGIT);
		pass(p, tmp, n, 64 - 8 - DIGIT);
		memcpy(p, tmp, n * sizeof *p);
		sort_ties(p, n);
	}
	return 0;
}

int sh_postings_sort(struct sh_posting *p, size_t n, unsigned jobs, struct sh_error *err)
{
	struct sorting s = { p, sh_pages_get(n * sizeof *p + 1), { 0 } };
	void **workers = malloc(jobs * sizeof *workers);
	size_t at[PARTS];
	int status;

	if (!s.tmp || !workers) {
		if (s.tmp)
			sh_pages_put(s.tmp, n * sizeof *p + 1);
		free(workers);
		return sh_error_nomem(err);
	}
	for (size_t i = 0; i < n; i++)
		s.at[part_of(p[i].of.key) + 1]++;
	for (size_t part = 0; part < PARTS; part++) {
		s.at[part + 1] += s.at[part];
		at[part] = s.at[part];
	}
	for (size_t i = 0; i < n; i++)
		s.tmp[at[part_of(p[i].of.key)]++] = p[i];
	for (unsigned i = 0; i < jobs; i++)
		workers[i] = &s;
	status = sh_parallel(workers, jobs, PARTS, 1, sort_parts, err);
	sh_pages_put(s.tmp, n * sizeof *p + 1);
	free(workers);
	return status;
}

/* ---- groups ---- */

/* Keep postings from .. to-1, which have one key, as a group. */
static void keep(struct sh_groups *g, size_t from, size_t to)
{
	uint32_t first = (uint32_t)g->n, run = first;

	for (size_t i = from; i < to; i++, g->n++) {
		struct sh_posting p = g->posting[i];

		if (g->n > first && g->posting[g->n - 1].document != p.document)
			run = (uint32_t)g->n;
		p.of.in.first = first;
		p.of.in.run = run;
		g->posting[g->n] = p;
	}
}

/* Postings of a document in the order of tokens: they came by keys. */
static void order_document(struct sh_groups *g, size_t document, uint64_t *room, uint64_t *tmp)
{
	uint32_t *order = g->order + g->at[document];
	size_t n = (size_t)(g->at[document + 1] - g->at[document]);

	for (size_t i = 0; i < n; i++)
		room[i] = (uint64_t)g->posting[order[i]].token << 32 | order[i];
	sh_sort_numbers(room, tmp, n);
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)room[i];
}

static int order_all(struct sh_groups *g, struct sh_error *err)
{
	uint64_t *room, most = 0;

	g->at = calloc(g->documents + 1, sizeof *g->at);
	g->order = malloc(g->n * sizeof *g->order + 1);
	if (!g->at || !g->order)
		return sh_error_nomem(err);
	for (size_t i = 0; i < g->n; i++)
		g->at[g->posting[i].document]++;
	for (size_t d = 0, sum = 0; d <= g->documents; d++) {
		uint64_t count = g->at[d];

		most = count > most ? count : most;
		sum += count;
		g->at[d] = sum;
	}
	/* at[d] is the end of d; filling backwards makes it the begin. */
	for (size_t i = g->n; i-- > 0;)
		g->order[--g->at[g->posting[i].document]] = (uint32_t)i;
	room = malloc(2 * most * sizeof *room + 1);
	if (!room)
		return sh_error_nomem(err);
	for (size_t d = 0; d < g->documents; d++)
		order_document(g, d, room, room + most);
	free(room);
	return 0;
}

int sh_groups_make(
    struct sh_groups *g, struct sh_posting *p, size_t n, size_t documents, struct sh_error *err)
{
	*g = (struct sh_groups){ .posting = p, .documents = documents };
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && p[j].of.key == p[i].of.key; j++)
			;
		if (p[i].document == p[j - 1].document)
			continue;
		if (g->n + (j - i) >= UINT32_MAX)
			return sh_error_set(err, SH_ERR_RANGE,
			    "more than %lu seeds that documents share", (unsigned long)UINT32_MAX);
		keep(g, i, j);
	}
	return order_all(g, err);
}

void sh_groups_free(struct sh_groups *g)
{
	free(g->order);
	free(g->at);
	*g = (struct sh_groups){ 0 };
}

size_t sh_group_end(const struct sh_groups *g, size_t first)
{
	size_t i = first + 1, step = 1;

	/* Groups are consecutive, so `first` ascends. */
	while (i < g->n && g->posting[i].of.in.first == first) {
		i += step;
		step *= 2;
	}
	i = i < g->n ? i : g->n;
	while (g->posting[i - 1].of.in.first != first)
		i--;
	return i;
}

uint64_t sh_groups_exceeding(const struct sh_groups *g, size_t bound)
{
	uint64_t count = 0;

	for (size_t i = 0; i < g->n; i++)
		count += g->posting[i].of.in.first == i && sh_group_exceeds(g, (uint32_t)i, bound);
	return count;
}
