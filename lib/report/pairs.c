/* SPDX-License-Identifier: MIT */
#include "report/pairs.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/bits.h"
#include "base/compare.h"
#include "base/num.h"
#include "match/measure.h"

int sh_report_init(struct sh_report *p, struct sh_error *err)
{
	*p = (struct sh_report){ 0 };
	return sh_hmap_init(&p->ids, err) < 0 ? -1 : sh_hmap_init(&p->keys, err);
}

void sh_report_free(struct sh_report *p)
{
	sh_hmap_free(&p->ids);
	sh_hmap_free(&p->keys);
	free(p->pair);
	free(p->span);
}

/* ---- records ---- */

static struct sh_report_pair *new_pair(
    struct sh_report *p, uint32_t a, uint32_t b, struct sh_error *err)
{
	struct sh_report_pair *x;

	if (p->n == UINT32_MAX) {
		sh_error_set(err, SH_ERR_RANGE, "more than 2^32-1 pairs");
		return NULL;
	}
	if (SH_RESERVE(p->pair, p->cap, p->n + 1, err) < 0)
		return NULL;
	x = &p->pair[p->n];
	*x = (struct sh_report_pair){ .a = a,
		.b = b,
		.similarity = SH_REPORT_UNKNOWN,
		.coverage = { SH_REPORT_UNKNOWN, SH_REPORT_UNKNOWN },
		.number = (uint32_t)p->n };
	p->n++;
	return x;
}

static int add_pair(struct sh_report *p, struct sh_slice line, struct sh_error *err)
{
	struct sh_pair_record r;
	const struct sh_measure *m;
	struct sh_report_pair *x;
	uint32_t a, b;

	if (sh_record_pair(line, &r, err) < 0)
		return -1;
	if (r.distance > INT32_MAX)
		return sh_error_set(err, SH_ERR_RECORD, "a distance of 2^31 or more");
	if (sh_hmap_put(&p->ids, r.id1, &a, NULL, err) < 0 ||
	    sh_hmap_put(&p->ids, r.id2, &b, NULL, err) < 0)
		return -1;
	x = new_pair(p, a, b, err);
	if (!x)
		return -1;
	x->distance = (int32_t)r.distance;
	for (size_t i = 0; (m = sh_measure_at(i)); i++)
		if (sh_slice_eq(r.measure, sh_slice_str(m->name)))
			x->measure = m->name;
	if (r.similarity >= 0)
		x->similarity = (int32_t)((r.similarity + 50) / 100);
	return 0;
}

/* Parses a span record, but for the pair. Sets id[] to views of the line. */
static int parse_span(
    struct sh_slice line, struct sh_slice id[2], struct sh_report_span *s, struct sh_error *err)
{
	struct sh_slice f[8];
	uint64_t place[4], matched;
	int64_t identity;

	if (sh_fields_split(line, f, 8) != 8)
		return sh_error_set(err, SH_ERR_RECORD,
		    "expected id1<TAB>start1<TAB>end1<TAB>id2<TAB>start2<TAB>end2<TAB>matched"
		    "<TAB>identity, as in the first record");
	for (int i = 0; i < 2; i++) {
		uint64_t *at = place + 2 * i;

		if (sh_id_check(f[3 * i], err) < 0)
			return -1;
		if (sh_parse_u64(f[3 * i + 1], &at[0]) < 0 ||
		    sh_parse_u64(f[3 * i + 2], &at[1]) < 0 || at[0] > at[1] || at[1] > INT32_MAX)
			return sh_error_set(err, SH_ERR_RECORD,
			    "start%d and end%d: expected numbers of bytes, start first", i + 1,
			    i + 1);
		id[i] = f[3 * i];
		s->from[i] = (uint32_t)at[0];
		s->to[i] = (uint32_t)at[1];
	}
	if (sh_parse_u64(f[6], &matched) < 0 || matched > INT32_MAX ||
	    sh_parse_weight(f[7], &identity) < 0 || identity > 1000000)
		return sh_error_set(err, SH_ERR_RECORD,
		    "matched and identity: expected a number and a share from 0 to 1");
	s->matched = (uint32_t)matched;
	s->identity = (uint32_t)(identity / 100);
	return 0;
}

static int add_span(struct sh_report *p, struct sh_slice line, struct sh_error *err)
{
	struct sh_report_span s;
	struct sh_slice id[2];
	uint32_t key[2];
	bool fresh;

	if (parse_span(line, id, &s, err) < 0)
		return -1;
	p->spans = true;
	if (sh_hmap_put(&p->ids, id[0], &key[0], NULL, err) < 0 ||
	    sh_hmap_put(&p->ids, id[1], &key[1], NULL, err) < 0 ||
	    sh_hmap_put(&p->keys, sh_slice((char *)key, sizeof key), &s.pair, &fresh, err) < 0 ||
	    (fresh && !new_pair(p, key[0], key[1], err)) ||
	    SH_RESERVE(p->span, p->spans_cap, p->n_spans + 1, err) < 0)
		return -1;
	p->span[p->n_spans++] = s;
	p->pair[s.pair].matched += s.matched;
	p->pair[s.pair].distance++;
	return 0;
}

int sh_report_add(struct sh_report *p, struct sh_slice line, struct sh_error *err)
{
	struct sh_slice f[1];
	bool spans = p->n ? p->spans : sh_fields_split(line, f, 1) == 8;

	return (spans ? add_span : add_pair)(p, line, err);
}

/* ---- spans ---- */

static int by_pair(const void *x, const void *y)
{
	const struct sh_report_span *a = x, *b = y;
	int c = sh_compare(a->pair, b->pair);

	for (int i = 0; i < 2; i++) {
		c = c ? c : sh_compare(a->from[i], b->from[i]);
		c = c ? c : sh_compare(a->to[i], b->to[i]);
	}
	return c;
}

void sh_report_order_spans(struct sh_report *p)
{
	if (p->n_spans)
		qsort(p->span, p->n_spans, sizeof *p->span, by_pair);
}

const struct sh_report_span *sh_report_spans(
    const struct sh_report *p, const struct sh_report_pair *pair, size_t *n)
{
	size_t lo = 0, hi = p->n_spans;

	SH_BISECT(lo, hi, middle, p->span[middle].pair < pair->number);
	*n = (size_t)pair->distance;
	return p->span + lo;
}

static int by_matched(const void *x, const void *y)
{
	const struct sh_report_span *a = x, *b = y;

	return a->matched != b->matched ? sh_compare(b->matched, a->matched) : by_pair(x, y);
}

int sh_report_cover(
    struct sh_report *p, struct sh_report_pair *pair, const size_t length[2], struct sh_error *err)
{
	size_t n, longest = length[0] > length[1] ? length[0] : length[1];
	const struct sh_report_span *span = sh_report_spans(p, pair, &n);
	struct sh_report_span *best = malloc(n * sizeof *best + 1);
	uint64_t *bytes = malloc(sh_bits_words(longest) * sizeof *bytes + 1);

	if (!best || !bytes) {
		free(best);
		free(bytes);
		return sh_error_nomem(err);
	}
	if (n) {
		memcpy(best, span, n * sizeof *best);
		qsort(best, n, sizeof *best, by_matched);
	}
	for (int i = 0; i < 2; i++) {
		uint64_t sum = 0;

		if (length[i] == 0)
			continue;
		memset(bytes, 0, sh_bits_words(length[i]) * sizeof *bytes);
		for (size_t j = 0; j < n; j++)
			sum += (uint64_t)best[j].identity *
			       sh_bits_put_range(bytes, best[j].from[i], best[j].to[i]);
		pair->coverage[i] = (int32_t)(sum / length[i]);
		if (pair->coverage[i] > pair->similarity)
			pair->similarity = pair->coverage[i];
	}
	free(best);
	free(bytes);
	return 0;
}

/* ---- order and counts ---- */

static int by_doubt(const void *x, const void *y, void *arg)
{
	const struct sh_report_pair *a = x, *b = y;
	const struct sh_report *p = arg;
	bool unknown = a->similarity < 0, unknown2 = b->similarity < 0;

	if (unknown != unknown2)
		return unknown ? 1 : -1;
	if (a->similarity != b->similarity)
		return (a->similarity < b->similarity) == p->spans ? 1 : -1;
	if (a->matched != b->matched)
		return a->matched > b->matched ? -1 : 1;
	if (a->distance != b->distance)
		return a->distance > b->distance ? -1 : 1;
	return sh_compare(a->number, b->number);
}

static void count_pairs(struct sh_report *p)
{
	for (size_t i = 0; i < p->n; i++) {
		int32_t similarity = p->pair[i].similarity;
		unsigned bar = (unsigned)similarity * SH_REPORT_BARS / 10000;

		if (similarity < 0)
			p->unknown++;
		else
			p->bar[bar < SH_REPORT_BARS ? bar : SH_REPORT_BARS - 1]++;
	}
}

/* Orders the largest group first. */
static int by_size(const void *x, const void *y)
{
	const struct sh_report_group *a = x, *b = y;

	return a->size != b->size ? sh_compare(b->size, a->size) : sh_compare(a->id, b->id);
}

/* Fills group[i] for each id i that represents a group; for other ids its size is 0. degree: pairs
 * of each id. */
static void find_groups(
    struct sh_report *p, struct sh_union *u, struct sh_report_group *group, uint32_t *degree)
{
	for (uint32_t i = 0; i < p->ids.n; i++)
		group[i] = (struct sh_report_group){ .id = i, .least = SH_REPORT_UNKNOWN };
	for (size_t i = 0; i < p->n; i++) {
		struct sh_report_pair *x = &p->pair[i];
		struct sh_report_group *g = &group[sh_union_find(u, x->a)];

		degree[x->a]++;
		degree[x->b]++;
		g->pairs++;
		if (x->similarity >= 0 && (g->least < 0 || x->similarity < g->least))
			g->least = x->similarity;
	}
	for (uint32_t i = 0; i < p->ids.n; i++) {
		struct sh_report_group *g = &group[sh_union_find(u, i)];

		g->size++;
		if (degree[i] > degree[g->id])
			g->id = i;
	}
}

/* Finds out whether the first ids are documents and the second ids queries. */
static int count_sides(struct sh_report *p, struct sh_error *err)
{
	uint8_t *side = calloc((size_t)p->ids.n + 1, 1);

	if (!side)
		return sh_error_nomem(err);
	for (size_t i = 0; i < p->n; i++) {
		side[p->pair[i].a] |= 1;
		side[p->pair[i].b] |= 2;
	}
	p->apart = p->spans;
	for (uint32_t i = 0; i < p->ids.n; i++) {
		p->apart = p->apart && side[i] != 3;
		p->documents += side[i] & 1;
		p->seconds += side[i] >> 1;
	}
	free(side);
	return 0;
}

static int count_groups(struct sh_report *p, struct sh_error *err)
{
	struct sh_report_group *group = calloc((size_t)p->ids.n + 1, sizeof *group);
	uint32_t *degree = calloc((size_t)p->ids.n + 1, sizeof *degree);
	struct sh_union u = { 0 };
	int bad = 0;

	if (!group || !degree) {
		bad = sh_error_nomem(err);
	} else if (sh_union_grow(&u, p->ids.n, err) < 0) {
		bad = -1;
	} else {
		for (size_t i = 0; i < p->n; i++)
			sh_union_link(&u, p->pair[i].a, p->pair[i].b);
		find_groups(p, &u, group, degree);
		p->documents = p->ids.n;
		for (uint32_t i = 0; i < p->ids.n; i++)
			p->groups += group[i].size > 0;
		qsort(group, p->ids.n, sizeof *group, by_size);
		p->n_groups = p->groups < SH_REPORT_GROUPS ? (unsigned)p->groups : SH_REPORT_GROUPS;
		memcpy(p->group, group, p->n_groups * sizeof *group);
	}
	sh_union_free(&u);
	free(degree);
	free(group);
	return bad;
}

int sh_report_order(struct sh_report *p, struct sh_error *err)
{
	if (p->n)
		qsort_r(p->pair, p->n, sizeof *p->pair, by_doubt, p);
	count_pairs(p);
	if (count_sides(p, err) < 0)
		return -1;
	return p->apart ? 0 : count_groups(p, err);
}
