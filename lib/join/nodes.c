#include "join/nodes.h"

#include <stdlib.h>

#include "base/siphash.h"
#include "io/parallel.h"
#include "join/distinct.h"
#include "join/fpsort.h"
#include "join/join.h"

enum {
	MANY_COPIES = 1 << 14, /* several threads make groups when there are more copies */
	SOME = 256,            /* groups that a thread orders at a time */
};

#define DROPPED UINT32_MAX /* a member whose id is repeated */

int sh_nodes_init(struct sh_nodes *s, unsigned words, struct sh_side *room, struct sh_error *err)
{
	uint64_t key[2];

	*s = (struct sh_nodes){ .words = words, .room = room, .threads = 1 };
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
	*s = (struct sh_nodes){
		.words = s->words, .room = s->room, .threads = s->threads, .hash_key = s->hash_key
	};
}

void sh_nodes_clear(struct sh_nodes *s)
{
	s->n = s->records = s->groups = 0;
	sh_node_ids_clear(&s->ids);
	s->repeated = 0;
}

/* Reserves memory for the fingerprints of `more` records. */
static int reserve(struct sh_nodes *s, size_t more, struct sh_error *err)
{
	size_t n = s->records + more, words = n * s->words + SH_JOIN_PAD;

	if (n > SH_NODES_MAX)
		return sh_error_set(
		    err, SH_ERR_RANGE, "more than %u fingerprints at once", SH_NODES_MAX);
	return SH_RESERVE(s->fp, s->fp_cap, words, err);
}

int sh_nodes_add(struct sh_nodes *s, const uint64_t *fp, struct sh_slice id, struct sh_error *err)
{
	if (reserve(s, 1, err) < 0 || sh_node_ids_add(&s->ids, id, err) < 0)
		return -1;
	memcpy(s->fp + s->records * s->words, fp, s->words * sizeof *fp);
	s->records++;
	return 0;
}

int sh_nodes_append(
    struct sh_nodes *s, const struct sh_fp_chunk *c, size_t from, size_t n, struct sh_error *err)
{
	if (reserve(s, n, err) < 0 || sh_node_ids_append(&s->ids, &c->ids, from, n, err) < 0)
		return -1;
	memcpy(
	    s->fp + s->records * s->words, c->fp + from * s->words, n * s->words * sizeof *s->fp);
	s->records += n;
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

/* Copies from .. to-1: the task of a thread. */
struct stretch {
	struct sh_nodes *nodes;
	const struct sh_copy *copy; /* all copies; the copies of a node are adjacent */
	size_t from, to;
	size_t groups; /* number of groups that begin in the stretch */
	size_t group;  /* index of the first of these groups */
};

static bool begins_node(const struct sh_copy *copy, size_t i)
{
	return i == 0 || copy[i].at != copy[i - 1].at;
}

static int count_groups(void *stretches, size_t from, size_t to, struct sh_error *err)
{
	(void)err;
	for (size_t k = from; k < to; k++) {
		struct stretch *t = (struct stretch *)stretches + k;

		for (size_t i = t->from; i < t->to; i++)
			t->groups += begins_node(t->copy, i);
	}
	return 0;
}

/* Makes the groups that begin in a stretch, and stores the members for its copies. The first member
 * of a group is the node's own record; `who` of the node becomes the group. So the members of copy
 * i and of group g are preceded by i copies and g own records. */
static int fill_groups(void *stretches, size_t from, size_t to, struct sh_error *err)
{
	(void)err;
	for (size_t k = from; k < to; k++) {
		const struct stretch *t = (struct stretch *)stretches + k;
		struct sh_nodes *s = t->nodes;
		size_t group = t->group;

		for (size_t i = t->from; i < t->to; i++) {
			uint32_t *who = &s->who[t->copy[i].at];

			if (begins_node(t->copy, i)) {
				s->group_at[group] = (uint32_t)(i + group);
				s->member[i + group] = *who;
				*who = SH_NODES_GROUP + (uint32_t)group++;
			}
			s->member[i + group] = t->copy[i].record;
		}
	}
	return 0;
}

static int allocate_groups(struct sh_nodes *s, size_t groups, size_t members, struct sh_error *err)
{
	free(s->group_at);
	free(s->member);
	s->group_at = malloc((groups + 1) * sizeof *s->group_at);
	/* One element more, because fetch_group() reads two members of each group. */
	s->member = malloc((members + 1) * sizeof *s->member);
	if (!s->group_at || !s->member)
		return sh_error_nomem(err);
	s->groups = groups;
	s->group_at[groups] = (uint32_t)members;
	s->member[members] = 0;
	return 0;
}

/* Makes a group of each node that has copies. */
static int begin_groups(struct sh_nodes *s, const struct sh_copies *c, struct sh_error *err)
{
	unsigned threads = c->n > MANY_COPIES ? s->threads : 1;
	struct stretch *t = calloc(threads, sizeof *t);
	size_t groups = 0;
	int status;

	if (!t)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < threads; i++)
		t[i] =
		    (struct stretch){ s, c->p, c->n * i / threads, c->n * (i + 1) / threads, 0, 0 };
	status = sh_parallel(t, 0, threads, threads, 1, count_groups, err);
	for (unsigned i = 0; i < threads; i++) {
		t[i].group = groups;
		groups += t[i].groups;
	}
	if (status == 0)
		status = allocate_groups(s, groups, groups + c->n, err);
	if (status == 0)
		status = sh_parallel(t, 0, threads, threads, 1, fill_groups, err);
	free(t);
	return status;
}

/* The state of a thread that orders members. */
struct orderer {
	struct sh_nodes *nodes;
	struct sh_side side, room;
	uint64_t repeated;
};

/* Orders the members of a group by their ids, and drops repeated ids. DROPPED fills the end of the
 * group. */
static int order_group(struct orderer *o, unsigned threads, size_t g, struct sh_error *err)
{
	struct sh_nodes *s = o->nodes;
	struct sh_side *m = &o->side;
	uint32_t *member = s->member + s->group_at[g], n = s->group_at[g + 1] - s->group_at[g];
	uint32_t out = 0;

	if (sh_side_reserve(m, n, err) < 0 || sh_side_reserve(&o->room, n, err) < 0)
		return -1;
	m->n = n;
	for (uint32_t i = 0; i < n; i++) {
		char room[SH_ID_ROOM];

		m->id[i] = member[i];
		m->word[i] = sh_nodes_prefix(sh_node_ids_get(&s->ids, m->id[i], room));
	}
	if (sh_side_sort_by(threads, m, &o->room, by_id, s, err) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++)
		if (i == 0 || m->word[i - 1] != m->word[i] || by_id(s, m->id[i - 1], m->id[i]) != 0)
			member[out++] = m->id[i];
	o->repeated += n - out;
	while (out < n)
		member[out++] = DROPPED;
	return 0;
}

static bool is_large(const struct sh_nodes *s, size_t g)
{
	return s->group_at[g + 1] - s->group_at[g] > SH_SIDE_CACHED;
}

static int order_small_groups(void *orderer, size_t from, size_t to, struct sh_error *err)
{
	struct orderer *o = orderer;
	int status = 0;

	for (size_t g = from; status == 0 && g < to; g++)
		if (!is_large(o->nodes, g))
			status = order_group(o, 1, g, err);
	return status;
}

/* First all threads together order each large group. Then each thread orders small groups. */
static int order_groups(struct orderer *o, unsigned threads, struct sh_error *err)
{
	const struct sh_nodes *s = o->nodes;
	int status = 0;

	for (size_t g = 0; status == 0 && g < s->groups; g++)
		if (is_large(s, g))
			status = order_group(o, s->threads, g, err);
	if (status == 0)
		status =
		    sh_parallel(o, sizeof *o, threads, s->groups, SOME, order_small_groups, err);
	return status;
}

/* Closes the gaps that repeated ids left. */
static void drop_repeated(struct sh_nodes *s)
{
	uint32_t out = 0;

	for (size_t g = 0; g < s->groups; g++) {
		uint32_t from = s->group_at[g], to = s->group_at[g + 1];

		s->group_at[g] = out;
		for (; from < to && s->member[from] != DROPPED; from++)
			s->member[out++] = s->member[from];
	}
	s->group_at[s->groups] = out;
	s->member[out] = 0; /* see allocate_groups() */
}

/* Orders the members of each group by their ids, and drops repeated ids. */
static int order_members(struct sh_nodes *s, struct sh_error *err)
{
	unsigned threads = s->groups > SOME ? s->threads : 1;
	struct orderer *o = calloc(threads, sizeof *o);
	int status;

	if (!o)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < threads; i++)
		o[i].nodes = s;
	status = order_groups(o, threads, err);
	for (unsigned i = 0; i < threads; i++) {
		s->repeated += o[i].repeated;
		sh_side_free(&o[i].side);
		sh_side_free(&o[i].room);
	}
	free(o);
	if (s->repeated)
		drop_repeated(s);
	return status;
}

static int make_groups(struct sh_nodes *s, const struct sh_copies *t, struct sh_error *err)
{
	s->groups = 0;
	if (t->n == 0)
		return 0;
	return begin_groups(s, t, err) < 0 ? -1 : order_members(s, err);
}

/* ---- nodes ------------------------------------------------------------------- */

/* Makes the nodes. first[i] is the first record whose fingerprint is equal to that of record i.
 * Overwrites it by the number of the node when it is i itself. */
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
	status = sh_distinct_wide(
	    s->threads, s->fp, s->records, s->words, s->hash_key, s->room, first, err);
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
	int status = sh_distinct(s->threads, &side, s->room, s->hash_key, copies, err);

	s->n = side.n;
	return status;
}

int sh_nodes_close(struct sh_nodes *s, struct sh_error *err)
{
	struct sh_copies copies = { 0 };
	size_t want = s->records + SH_JOIN_PAD;
	int status;

	s->n = s->groups = 0;
	if (s->records == 0)
		return 0;
	status = SH_RESERVE(s->who, s->who_cap, want, err);
	if (status == 0)
		status =
		    s->words == 1 ? close_narrow(s, &copies, err) : close_wide(s, &copies, err);
	if (status == 0)
		status = make_groups(s, &copies, err);
	/* The scan reads and ignores these elements beyond the end. */
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
