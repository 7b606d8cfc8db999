#include "pair/nodes.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/siphash.h"
#include "pair/distinct.h"
#include "pair/fpsort.h"
#include "pair/join.h"
#include "pair/same.h"
#include "record/fpline.h"

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
	free(s->id_base);
	free(s->id_at);
	free(s->who);
	free(s->group_at);
	free(s->member);
	sh_buf_free(&s->ids);
	*s = (struct sh_nodes){ .words = s->words, .room = s->room, .hash_key = s->hash_key };
}

void sh_nodes_clear(struct sh_nodes *s)
{
	s->n = s->records = s->groups = 0;
	s->ids.n = 0;
	s->repeated = 0;
}

/* Have room for `more` records and the end of the last one's id. */
static int reserve(struct sh_nodes *s, size_t more, struct sh_error *err)
{
	size_t n = s->records + more, words = n * s->words + SH_JOIN_PAD;

	if (n > SH_NODES_MAX)
		return sh_error_set(
		    err, SH_ERR_RANGE, "more than %u fingerprints at once", SH_NODES_MAX);
	if (words > s->fp_cap &&
	    sh_grow((void **)&s->fp, &s->fp_cap, words, sizeof *s->fp, err) < 0)
		return -1;
	if (n + 1 > s->id_cap &&
	    sh_grow((void **)&s->id_at, &s->id_cap, n + 1, sizeof *s->id_at, err) < 0)
		return -1;
	if (n / SH_NODES_STRIDE + 1 > s->base_cap)
		return sh_grow((void **)&s->id_base, &s->base_cap, n / SH_NODES_STRIDE + 1,
		    sizeof *s->id_base, err);
	return 0;
}

/* The next record's id begins at the end of those that there are. */
static inline void begin_id(struct sh_nodes *s)
{
	size_t r = s->records;

	if (r % SH_NODES_STRIDE == 0)
		s->id_base[r / SH_NODES_STRIDE] = s->ids.n;
	s->id_at[r] = (uint32_t)(s->ids.n - s->id_base[r / SH_NODES_STRIDE]);
}

int sh_nodes_add(struct sh_nodes *s, const uint64_t *fp, struct sh_slice id, struct sh_error *err)
{
	if (reserve(s, 1, err) < 0)
		return -1;
	begin_id(s);
	if (sh_buf_reserve(&s->ids, id.n + SH_NODES_PAD, err) < 0 ||
	    sh_buf_add(&s->ids, id.p, id.n, err) < 0)
		return -1;
	memcpy(s->fp + s->records * s->words, fp, s->words * sizeof *fp);
	s->records++;
	begin_id(s);
	return 0;
}

/* Records of the lines p .. end-1, at most `max`; returns the place behind the last one taken. What is
 * written may be anything, the compiler thinks: so *s is not used meanwhile. */
static inline __attribute__((always_inline)) const char *take_lines(
    struct sh_nodes *s, const char *p, const char *end, unsigned digits, size_t max)
{
	char *ids = s->ids.p, *to = ids + s->ids.n;
	size_t r = s->records, last = r + max;
	uint64_t *fp = s->fp + r * s->words;
	uint64_t *base = s->id_base, origin = r ? base[(r - 1) / SH_NODES_STRIDE] : 0;
	uint32_t *id_at = s->id_at;
	unsigned words = s->words;

	for (; r < last; r++) {
		size_t n = sh_fp_line(p, end, digits, fp);

		if (n == 0)
			break;
		if (r % SH_NODES_STRIDE == 0)
			base[r / SH_NODES_STRIDE] = origin = (uint64_t)(to - ids);
		id_at[r] = (uint32_t)((uint64_t)(to - ids) - origin);
		fp += words;
		p += digits + 1;
		for (size_t i = 0; i < n; i += 16)
			memcpy(to + i, p + i, 16);
		to += n;
		p += n + 1;
	}
	s->ids.n = (size_t)(to - ids);
	s->records = r;
	return p;
}

ssize_t sh_nodes_take(struct sh_nodes *s, struct sh_slice text, unsigned digits, size_t max,
    size_t *lines, struct sh_error *err)
{
	const char *p = text.p, *end = text.p + text.n;
	size_t fits = text.n / (digits + 3), before = s->records;

	*lines = 0;
	while (end > p && end[-1] != '\n')
		end--;
	if (max > fits)
		max = fits;
	/* Ids are copied by whole words. */
	if (reserve(s, max, err) < 0 || sh_buf_reserve(&s->ids, text.n + SH_NODES_PAD, err) < 0)
		return -1;
	p = digits == 16 ? take_lines(s, p, end, 16, max) : take_lines(s, p, end, digits, max);
	*lines = s->records - before;
	begin_id(s);
	return p - text.p;
}

/* ---- nodes of several ids ---------------------------------------------------- */

static int by_id(const void *arg, uint32_t x, uint32_t y)
{
	const struct sh_nodes *s = arg;

	return sh_slice_cmp(sh_nodes_id(s, x), sh_nodes_id(s, y));
}

/* Number the groups of twins: a node's record becomes the group's number, its own record the
 * group's first. Twins of one node stand together. */
static int begin_groups(struct sh_nodes *s, const struct sh_twins *t, struct sh_error *err)
{
	size_t groups = 0, at = 0;

	for (size_t i = 0; i < t->n; i++)
		groups += i == 0 || t->p[i].at != t->p[i - 1].at;
	free(s->group_at);
	free(s->member);
	s->groups = groups;
	s->group_at = malloc((groups + 1) * sizeof *s->group_at);
	/* One more, so that two members of any group can be looked at. */
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

/* The members of each group in order of their ids, each id once. */
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
			m.id[i] = s->member[from + i];
			m.word[i] = sh_nodes_prefix(sh_nodes_id(s, m.id[i]));
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

static int make_groups(struct sh_nodes *s, const struct sh_twins *t, struct sh_error *err)
{
	s->groups = 0;
	if (t->n == 0)
		return 0;
	return begin_groups(s, t, err) < 0 ? -1 : order_members(s, err);
}

/* ---- nodes ------------------------------------------------------------------- */

/* From first[i], the first record like record i, to nodes. first[] is overwritten: behind i it
 * holds the node of each record that is a node's first. */
static int make_nodes(
    struct sh_nodes *s, uint32_t *first, struct sh_twins *twins, struct sh_error *err)
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
		} else if (sh_twins_add(twins, first[f], (uint32_t)i, err) < 0) {
			return -1;
		}
	}
	return sh_twins_sort(twins->p, twins->n, err);
}

static int close_wide(struct sh_nodes *s, struct sh_twins *twins, struct sh_error *err)
{
	uint32_t *first = malloc(s->records * sizeof *first + 1);
	int status;

	if (!first)
		return sh_error_nomem(err);
	status = sh_same_first(s->fp, s->records, s->words, s->hash_key, first, err);
	if (status == 0)
		status = make_nodes(s, first, twins, err);
	free(first);
	return status;
}

static int close_narrow(struct sh_nodes *s, struct sh_twins *twins, struct sh_error *err)
{
	struct sh_side side = {
		.words = 1, .n = (uint32_t)s->records, .word = s->fp, .id = s->who
	};
	int status = sh_distinct(&side, s->room, s->hash_key, twins, err);

	s->n = side.n;
	return status;
}

int sh_nodes_close(struct sh_nodes *s, struct sh_error *err)
{
	struct sh_twins twins = { 0 };
	size_t want = s->records + SH_JOIN_PAD;
	int status = 0;

	s->n = s->groups = 0;
	if (s->records == 0)
		return 0;
	if (want > s->who_cap)
		status = sh_grow((void **)&s->who, &s->who_cap, want, sizeof *s->who, err);
	if (status == 0)
		status = s->words == 1 ? close_narrow(s, &twins, err) : close_wide(s, &twins, err);
	if (status == 0)
		status = make_groups(s, &twins, err);
	/* What is read beyond the end is masked out; defined it should be all the same. */
	if (status == 0 && s->words == 1)
		memset(s->fp + s->n, 0, SH_JOIN_PAD * sizeof *s->fp);
	free(twins.p);
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
	return s->records * (s->words * sizeof *s->fp + sizeof *s->id_at + sizeof *s->who) +
	       s->ids.n;
}
