#include "passage/groups.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/numsort.h"
#include "io/pages.h"
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

/* Completes the order by comparisons. Needs them for keys that differ only in bits that no pass
 * used, and for postings of one key that were not ordered by document. */
static void sort_ties(struct sh_posting *p, size_t n)
{
	for (size_t i = 0, j; i < n; i = j) {
		bool sorted = true;

		for (j = i + 1; j < n && p[j].of.key >> SEEN == p[i].of.key >> SEEN; j++)
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

/* Returns scratch memory. Sets *pages when the memory has pages of 2 MiB, which is so when it fits
 * in the limit of the tables. */
static struct sh_posting *get_room(
    struct sh_tables *tables, size_t bytes, bool *pages, struct sh_error *err)
{
	struct sh_posting *p;

	*pages = !tables || bytes <= tables->memory - tables->used;
	if (!*pages)
		return sh_tables_get(tables, bytes, 1, err);
	p = sh_pages_get(bytes);
	if (!p)
		sh_error_nomem(err);
	return p;
}

int sh_postings_sort(
    const struct sh_grouping *how, struct sh_posting *p, size_t n, struct sh_error *err)
{
	struct sorting s = { .p = p };
	struct sh_radix upper = { p, NULL, n, sizeof *p, 64 - SH_RADIX_PART_BITS };
	size_t bytes = n * sizeof *p;
	bool pages;
	int status;

	if (n == 0)
		return 0;
	upper.to = s.tmp = get_room(how->tables, bytes, &pages, err);
	if (!s.tmp)
		return -1;
	status = sh_radix_parts(&upper, how->jobs, s.start, err);
	if (status == 0)
		status = sh_parallel(&s, 0, how->jobs, SH_RADIX_PARTS, 1, sort_parts, err);
	if (pages)
		sh_pages_put(s.tmp, bytes);
	else
		sh_tables_put(how->tables, s.tmp);
	return status;
}

/* ---- groups ---- */

/* Postings from .. to-1, of whole groups, that one task handles. */
struct share {
	size_t from, to;
	size_t n;    /* postings kept, which are then at from .. from + n - 1 */
	size_t base; /* their final position */
};

struct keeping {
	struct sh_groups *g;
	struct share *share;
	uint64_t most; /* postings of the document that has the most */
};

/* Appends the postings from .. to-1, which have one key, to the share as a group. Indexes of
 * postings count from the share's first one until rebase_shares(). */
static void keep_group(struct sh_posting *posting, struct share *s, size_t from, size_t to)
{
	uint32_t first = (uint32_t)s->n, run = first;
	struct sh_posting *kept = posting + s->from;

	for (size_t i = from; i < to; i++, s->n++) {
		struct sh_posting p = posting[i];

		if (s->n > first && kept[s->n - 1].document != p.document)
			run = (uint32_t)s->n;
		p.of.in.first = first;
		p.of.in.run = run;
		kept[s->n] = p;
	}
}

/* Keeps the groups of two or more documents. */
static int keep_shares(void *state, size_t from, size_t to, struct sh_error *err)
{
	const struct keeping *k = state;
	struct sh_posting *p = k->g->posting;

	(void)err;
	for (size_t t = from; t < to; t++) {
		struct share *s = &k->share[t];

		for (size_t i = s->from, j; i < s->to; i = j) {
			for (j = i + 1; j < s->to && p[j].of.key == p[i].of.key; j++)
				;
			if (p[i].document != p[j - 1].document)
				keep_group(p, s, i, j);
		}
	}
	return 0;
}

static int rebase_shares(void *state, size_t from, size_t to, struct sh_error *err)
{
	const struct keeping *k = state;

	(void)err;
	for (size_t t = from; t < to; t++)
		for (size_t i = 0; i < k->share[t].n; i++) {
			struct sh_posting *p = &k->g->posting[k->share[t].base + i];

			p->of.in.first += (uint32_t)k->share[t].base;
			p->of.in.run += (uint32_t)k->share[t].base;
		}
	return 0;
}

/* Returns the first element of share i of n elements. */
static size_t begin_of(size_t n, size_t shares, size_t i)
{
	return n / shares * i + (i < n % shares ? i : n % shares);
}

/* Cuts n sorted postings into shares of whole groups. */
static void plan_shares(const struct sh_posting *p, size_t n, struct share *share, size_t shares)
{
	size_t from = 0;

	for (size_t t = 0; t < shares; t++) {
		size_t to = begin_of(n, shares, t + 1);

		to = to < from ? from : to;
		while (to > 0 && to < n && p[to].of.key == p[to - 1].of.key)
			to++;
		share[t] = (struct share){ from, to, 0, 0 };
		from = to;
	}
}

/* Keeps the groups of all shares, and moves the shares together. */
static int keep_all(
    struct keeping *k, const struct sh_grouping *how, size_t n, struct sh_error *err)
{
	struct sh_groups *g = k->g;

	plan_shares(g->posting, n, k->share, how->jobs);
	if (sh_parallel(k, 0, how->jobs, how->jobs, 1, keep_shares, err) < 0)
		return -1;
	for (unsigned t = 0; t < how->jobs; t++) {
		struct share *s = &k->share[t];

		s->base = g->n;
		if (s->from != s->base)
			memmove(
			    g->posting + s->base, g->posting + s->from, s->n * sizeof *g->posting);
		g->n += s->n;
	}
	if (g->n >= UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "more than %lu seeds that documents share",
		    (unsigned long)UINT32_MAX - 1);
	return sh_parallel(k, 0, how->jobs, how->jobs, 1, rebase_shares, err);
}

/* Orders the postings of a document by token. */
static void order_document(
    const struct sh_groups *g, size_t document, uint64_t *room, uint64_t *tmp)
{
	uint32_t *order = g->order + g->at[document];
	size_t n = (size_t)(g->at[document + 1] - g->at[document]);

	for (size_t i = 0; i < n; i++)
		room[i] = (uint64_t)g->posting[order[i]].token << 32 | order[i];
	room = sh_numsort(room, tmp, n);
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)room[i];
}

enum { ORDER_TASK = 4096 }; /* documents of a task, which allocates scratch memory once */

static int order_documents(void *state, size_t from, size_t to, struct sh_error *err)
{
	const struct keeping *k = state;
	uint64_t *room = malloc(2 * k->most * sizeof *room + 1);

	if (!room)
		return sh_error_nomem(err);
	for (size_t d = from * ORDER_TASK; d < to * ORDER_TASK && d < k->g->documents; d++)
		order_document(k->g, d, room, room + k->most);
	free(room);
	return 0;
}

static int order_all(struct keeping *k, const struct sh_grouping *how, struct sh_error *err)
{
	struct sh_groups *g = k->g;

	g->at = sh_tables_get_zeroed(g->tables, g->documents + 1, sizeof *g->at, err);
	if (!g->at)
		return -1;
	g->order = sh_tables_get(g->tables, g->n + 1, sizeof *g->order, err);
	if (!g->order)
		return -1;
	for (size_t i = 0; i < g->n; i++)
		g->at[g->posting[i].document]++;
	for (size_t d = 0, sum = 0; d <= g->documents; d++) {
		uint64_t count = g->at[d];

		k->most = count > k->most ? count : k->most;
		sum += count;
		g->at[d] = sum;
	}
	/* at[d] is the end of document d; filling backwards turns it into the beginning. */
	for (size_t i = g->n; i-- > 0;)
		g->order[--g->at[g->posting[i].document]] = (uint32_t)i;
	return sh_parallel(
	    k, 0, how->jobs, (g->documents + ORDER_TASK - 1) / ORDER_TASK, 1, order_documents, err);
}

int sh_groups_make(struct sh_groups *g, const struct sh_grouping *how, struct sh_posting *p,
    size_t n, size_t documents, struct sh_error *err)
{
	struct keeping k = { g, calloc(how->jobs, sizeof *k.share), 0 };
	int status = -1;

	*g = (struct sh_groups){ .posting = p, .documents = documents, .tables = how->tables };
	if (!k.share)
		return sh_error_nomem(err);
	if (keep_all(&k, how, n, err) == 0)
		status = order_all(&k, how, err);
	free(k.share);
	return status;
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
	while (from + step < g->n && g->posting[from + step].of.in.first == first) {
		from += step;
		step *= 2;
	}
	to = from + step < g->n ? from + step : g->n;
	SH_BISECT(from, to, i, g->posting[i].of.in.first == first);
	return from;
}

uint64_t sh_groups_exceeding(const struct sh_groups *g, size_t bound)
{
	uint64_t count = 0;

	for (size_t i = 0; i < g->n; i++)
		count += g->posting[i].of.in.first == i && sh_group_exceeds(g, (uint32_t)i, bound);
	return count;
}
