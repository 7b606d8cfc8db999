#include "join/nodes.h"

#include <stdlib.h>

#include "base/siphash.h"
#include "join/distinct.h"
#include "join/fpsort.h"
#include "join/join.h"

int sh_nodes_init(struct sh_nodes *s, unsigned words, struct sh_side *room, struct sh_error *err)
{
	uint64_t key[2];

	*s = (struct sh_nodes){ .words = words, .room = room };
	if (sh_random_key(key, err) < 0)
		return -1;
	s->hash_key = key[0] | 1;
	return 0;
}

void sh_nodes_free(struct sh_nodes *s)
{
	free(s->fp);
	free(s->who);
	free(s->group_at);
	free(s->member);
	sh_node_ids_free(&s->ids);
	*s = (struct sh_nodes){ .words = s->words, .room = s->room, .hash_key = s->hash_key };
}

void sh_nodes_clear(struct sh_nodes *s)
{
	s->n = s->records = s->groups = 0;
	sh_node_ids_clear(&s->ids);
	s->repeated = 0;
}

int sh_nodes_reserve(struct sh_nodes *s, size_t more, struct sh_error *err)
{
	size_t n = s->records + more, words = n * s->words + SH_JOIN_PAD;

	if (n > SH_NODES_MAX)
		return sh_error_set(
		    err, SH_ERR_RANGE, "more than %u fingerprints at once", SH_NODES_MAX);
	if (words <= s->fp_cap)
		return 0;
	return sh_grow((void **)&s->fp, &s->fp_cap, words, sizeof *s->fp, err);
}

int sh_nodes_add(struct sh_nodes *s, const uint64_t *fp, struct sh_slice id, struct sh_error *err)
{
	if (sh_nodes_reserve(s, 1, err) < 0 || sh_node_ids_add(&s->ids, id, err) < 0)
		return -1;
	memcpy(s->fp + s->records * s->words, fp, s->words * sizeof *fp);
	s->records++;
	return 0;
}

/* ---- nodes of several ids ---------------------------------------------------- */

static int by_id(const void *arg, uint32_t x, uint32_t y)
{
	const struct sh_nodes *s = arg;
	char room[2][SH_ID_ROOM];

	return sh_slice_cmp(
	    sh_node_ids_get(&s->ids, x, room[0]), sh_node_ids_get(&s->ids, y, room[1]));
}

/* Makes a group of each node that has copies. `who` of the node becomes the number of the group,
 * and its own record the first member. Copies of one node are adjacent. */
static int begin_groups(struct sh_nodes *s, const struct sh_copies *t, struct sh_error *err)
{
	size_t groups = 0, at = 0;

	for (size_t i = 0; i < t->n; i++)
		groups += i == 0 || t->p[i].at != t->p[i - 1].at;
	free(s->group_at);
	free(s->member);
	s->groups = groups;
	s->group_at = malloc((groups + 1) * sizeof *s->group_at);
	/* One member more: prefetching reads two members of each group. */
	s->member = calloc(groups + t->n + 1, sizeof *s->member);
	if (!s->group_at || !s->member) {
		s->groups = 0;
		return sh_error_nomem(err);
	}
	groups = 0;
	for (size_t i = 0; i < t->n; i++) {
		if (i == 0 || t->p[i].at != t->p[i - 1].at) {
			s->group_at[groups] = (uint32_t)at;
			s->member[at++] = s->who[t->p[i].at];
			s->who[t->p[i].at] = SH_NODES_GROUP + (uint32_t)groups++;
		}
		s->member[at++] = t->p[i].record;
	}
	s->group_at[groups] = (uint32_t)at;
	return 0;
}

/* Orders the members of each group by their ids, and drops repeated ids. */
static int order_members(struct sh_nodes *s, struct sh_error *err)
{
	struct sh_side m = { .words = 1 };
	uint32_t out = 0;

	for (size_t g = 0; g < s->groups; g++) {
		uint32_t from = s->group_at[g], n = s->group_at[g + 1] - from;

		if (sh_side_reserve(&m, n, err) < 0 || sh_side_reserve(s->room, n, err) < 0) {
			sh_side_free(&m);
			return -1;
		}
		m.n = n;
		for (uint32_t i = 0; i < n; i++) {
			char room[SH_ID_ROOM];

			m.id[i] = s->member[from + i];
			m.word[i] = sh_nodes_prefix(sh_node_ids_get(&s->ids, m.id[i], room));
		}
		sh_side_sort(&m, s->room, by_id, s);
		s->group_at[g] = out;
		for (uint32_t i = 0; i < n; i++) {
			if (i && m.word[i - 1] == m.word[i] && by_id(s, m.id[i - 1], m.id[i]) == 0)
				s->repeated++;
			else
				s->member[out++] = m.id[i];
		}
	}
	s->group_at[s->groups] = out;
	sh_side_free(&m);
	return 0;
}

static int make_groups(struct sh_nodes *s, const struct sh_copies *t, struct sh_error *err)
{
	s->groups = 0;
	if (t->n == 0)
		return 0;
	return begin_groups(s, t, err) < 0 ? -1 : order_members(s, err);
}

/* ---- nodes ------------------------------------------------------------------- */

/* Makes nodes from first[i], the first record equal to record i. Overwrites first[]: the first
 * record of a node gets the node's number. */
static int make_nodes(
    struct sh_nodes *s, uint32_t *first, struct sh_copies *copies, struct sh_error *err)
{
	s->n = 0;
	for (size_t i = 0; i < s->records; i++) {
		uint32_t f = first[i], node;

		if (f == i) {
			node = (uint32_t)s->n++;
			first[i] = node;
			s->who[node] = (uint32_t)i;
			memmove(s->fp + node * (size_t)s->words, s->fp + i * s->words,
			    s->words * sizeof *s->fp);
		} else if (sh_copies_add(copies, first[f], (uint32_t)i, err) < 0) {
			return -1;
		}
	}
	return sh_copies_sort(copies->p, copies->n, err);
}

static int close_wide(struct sh_nodes *s, struct sh_copies *copies, struct sh_error *err)
{
	uint32_t *first = malloc(s->records * sizeof *first + 1);
	int status;

	if (!first)
		return sh_error_nomem(err);
	status = sh_distinct_wide(s->fp, s->records, s->words, s->hash_key, s->room, first, err);
	if (status == 0)
		status = make_nodes(s, first, copies, err);
	free(first);
	return status;
}

static int close_narrow(struct sh_nodes *s, struct sh_copies *copies, struct sh_error *err)
{
	struct sh_side side = {
		.words = 1, .n = (uint32_t)s->records, .word = s->fp, .id = s->who
	};
	int status = sh_distinct(&side, s->room, s->hash_key, copies, err);

	s->n = side.n;
	return status;
}

int sh_nodes_close(struct sh_nodes *s, struct sh_error *err)
{
	struct sh_copies copies = { 0 };
	size_t want = s->records + SH_JOIN_PAD;
	int status = 0;

	s->n = s->groups = 0;
	if (s->records == 0)
		return 0;
	if (want > s->who_cap)
		status = sh_grow((void **)&s->who, &s->who_cap, want, sizeof *s->who, err);
	if (status == 0)
		status =
		    s->words == 1 ? close_narrow(s, &copies, err) : close_wide(s, &copies, err);
	if (status == 0)
		status = make_groups(s, &copies, err);
	/* Defines what the scan reads beyond the end, and ignores. */
	if (status == 0 && s->words == 1)
		memset(s->fp + s->n, 0, SH_JOIN_PAD * sizeof *s->fp);
	free(copies.p);
	return status;
}

void sh_nodes_collapse(struct sh_nodes *s)
{
	for (size_t i = 0; s->groups > 0 && i < s->n; i++)
		if (s->who[i] >= SH_NODES_GROUP)
			s->who[i] = s->member[s->group_at[s->who[i] - SH_NODES_GROUP]];
}

size_t sh_nodes_bytes(const struct sh_nodes *s)
{
	return s->records * (s->words * sizeof *s->fp + sizeof *s->ids.at + sizeof *s->who) +
	       s->ids.text.n;
}
