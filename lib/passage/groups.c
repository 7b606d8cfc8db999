/* SPDX-License-Identifier: MIT */
#include "passage/groups.h"

#include <stdlib.h>

#include "base/compare.h"

/* Adds the group of n postings. */
static int add_group(struct sh_groups *g, const struct sh_sorter *postings, const char *record,
    size_t n, struct sh_error *err)
{
	if (g->n_members + n >= UINT32_MAX)
		return sh_error_set(err, SH_ERR_RANGE, "more than %lu seeds that documents share",
		    (unsigned long)UINT32_MAX - 1);
	if (SH_TABLES_RESERVE(g->tables, g->key, g->key_cap, g->n + 1, err) < 0 ||
	    SH_TABLES_RESERVE(g->tables, g->start, g->start_cap, g->n + 2, err) < 0 ||
	    SH_TABLES_RESERVE(g->tables, g->member, g->member_cap, g->n_members + n, err) < 0)
		return -1;
	g->key[g->n++] = sh_be64(record);
	for (size_t i = 0; i < n; i++, record += postings->size) {
		struct sh_posting p = sh_posting_at(postings, record);

		g->member[g->n_members++] = (struct sh_group_member){ p.document, p.token };
	}
	g->start[g->n] = (uint32_t)g->n_members;
	return 0;
}

int sh_groups_make(struct sh_groups *g, struct sh_tables *tables, struct sh_sorter *postings,
    bool alone, struct sh_error *err)
{
	struct sh_sorted sorted = { 0 };
	int status;

	*g = (struct sh_groups){ .tables = tables };
	if (SH_TABLES_RESERVE(tables, g->start, g->start_cap, 1, err) < 0)
		return -1;
	g->start[0] = 0;
	status = sh_sorter_finish(postings, SH_POSTING_KEY_SIZE, err);
	for (size_t range = 0; status == 0 && range < postings->ranges; range++) {
		const char *record;

		status = sh_sorter_load(postings, range, &sorted, err);
		record = sorted.record;
		for (size_t left = sorted.n, n; status == 0 && left; left -= n) {
			n = sh_postings_group(postings, record, left);
			if (alone ||
			    sh_posting_at(postings, record).document !=
				sh_posting_at(postings, record + (n - 1) * postings->size).document)
				status = add_group(g, postings, record, n, err);
			record += n * postings->size;
		}
	}
	sh_sorted_free(&sorted);
	return status;
}

static int by_token(const void *x, const void *y)
{
	const struct sh_group_place *a = x, *b = y;

	return sh_compare(a->token, b->token);
}

int sh_groups_list(struct sh_groups *g, size_t documents, struct sh_error *err)
{
	uint64_t sum = 0;

	g->at = sh_tables_get(g->tables, documents + 1, sizeof *g->at, err);
	g->place = g->at ? sh_tables_get(g->tables, g->n_members + 1, sizeof *g->place, err) : NULL;
	if (!g->place)
		return -1;
	for (size_t i = 0; i < g->n_members; i++)
		g->at[g->member[i].document]++;
	for (size_t d = 0; d <= documents; d++) {
		uint64_t n = g->at[d];

		g->at[d] = sum;
		sum += n;
	}
	for (uint32_t group = 0; group < g->n; group++) {
		const struct sh_group_member *m = g->member + g->start[group];
		uint32_t n = (uint32_t)sh_group_size(g, group), before = 0;

		for (uint32_t i = 0; i < n; i++) {
			before = i && m[i].document != m[i - 1].document ? i : before;
			g->place[g->at[m[i].document]++] =
			    (struct sh_group_place){ m[i].token, group, before };
		}
	}
	/* at[d] is now the end of document d. */
	memmove(g->at + 1, g->at, documents * sizeof *g->at);
	g->at[0] = 0;
	for (size_t d = 0; d < documents; d++)
		if (g->at[d + 1] - g->at[d] > 1)
			qsort(g->place + g->at[d], (size_t)(g->at[d + 1] - g->at[d]),
			    sizeof *g->place, by_token);
	return 0;
}

void sh_groups_free(struct sh_groups *g)
{
	sh_tables_put(g->tables, g->key);
	sh_tables_put(g->tables, g->start);
	sh_tables_put(g->tables, g->member);
	sh_tables_put(g->tables, g->place);
	sh_tables_put(g->tables, g->at);
	*g = (struct sh_groups){ 0 };
}

int sh_groups_hits(const struct sh_groups *g, uint32_t document, const struct sh_hits_opts *opts,
    struct sh_matcher *m, struct sh_error *err)
{
	uint32_t few = 1 + opts->nearest, covered = 0;

	for (uint64_t i = g->at[document]; i < g->at[document + 1]; i++) {
		const struct sh_group_place *p = &g->place[i];
		const struct sh_group_member *first = g->member + g->start[p->group];
		bool all = sh_group_size(g, p->group) <= opts->bound;
		uint32_t n = all || p->before < few ? p->before : few;

		if (!all && p->token + opts->longest <= covered)
			continue;
		for (uint32_t k = 0; k < n; k++) {
			const struct sh_group_member *other = &first[k ? p->before - n + k : 0];
			struct sh_match match;

			if (sh_matcher_hit(
				m, other->document, p->token, other->token, &match, err) < 0)
				return -1;
			if (!all && match.n >= opts->enough && match.from + match.n > covered)
				covered = match.from + match.n;
		}
	}
	return 0;
}
