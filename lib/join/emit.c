#include "join/emit.h"

#include <pthread.h>

#include "join/level.h"

enum { AT_ONCE = 64 }; /* pairs whose ids are prefetched together */

static inline int compare(struct sh_slice x, struct sh_slice y)
{
	uint64_t a = sh_nodes_prefix(x), b = sh_nodes_prefix(y);

	return a != b ? (a < b ? -1 : 1) : sh_slice_cmp(x, y);
}

static int ordered(const struct sh_emit *e, struct sh_job *job, struct sh_slice x,
    struct sh_slice y, unsigned distance, struct sh_error *err)
{
	int c = compare(x, y);

	if (c == 0)
		return 0;
	return c < 0 ? e->pair(job, x, y, distance, err) : e->pair(job, y, x, distance, err);
}

/* Writes the pairs of one id with the ids of n records of b. */
static int one_with_many(const struct sh_emit *e, struct sh_job *job, struct sh_slice id,
    const uint32_t *record, uint32_t n, unsigned distance, struct sh_error *err)
{
	for (uint32_t i = 0; i < n; i++) {
		char room[SH_ID_ROOM];
		struct sh_slice other = sh_node_ids_get(&e->b->ids, record[i], room);
		int status = e->same_set ? ordered(e, job, id, other, distance, err)
					 : e->pair(job, id, other, distance, err);

		if (status < 0)
			return -1;
	}
	return 0;
}

/* Writes the pairs of the ids of two nodes. */
static int one_hit(const struct sh_emit *e, struct sh_job *job, const uint32_t *who_a,
    const uint32_t *who_b, unsigned distance, struct sh_error *err)
{
	uint32_t na, nb;
	const uint32_t *a = sh_nodes_records(e->a, who_a, &na);
	const uint32_t *b = sh_nodes_records(e->b, who_b, &nb);

	for (uint32_t i = 0; i < na; i++) {
		char room[SH_ID_ROOM];

		if (one_with_many(
			e, job, sh_node_ids_get(&e->a->ids, a[i], room), b, nb, distance, err) < 0)
			return -1;
	}
	return 0;
}

/* The cache misses of a batch of pairs overlap. See sh_node_ids_fetch() for the attribute. */
#define FETCH static inline __attribute__((always_inline)) void

FETCH fetch_place(const struct sh_nodes *s, uint32_t who)
{
	if (who < SH_NODES_GROUP)
		sh_node_ids_fetch(&s->ids, who);
	else
		__builtin_prefetch(&s->group_at[who - SH_NODES_GROUP]);
}

FETCH fetch_id(const struct sh_nodes *s, uint32_t who)
{
	if (who < SH_NODES_GROUP)
		sh_node_ids_fetch_text(&s->ids, who);
	else
		__builtin_prefetch(&s->member[s->group_at[who - SH_NODES_GROUP]]);
}

/* Memory for the two ids of a pair that are numbers. */
typedef char rooms[2][SH_ID_ROOM];

/* Finds the ids of n pairs: id1 is from a, and id2 from b. Returns false when a node has several
 * ids. */
static inline bool find_ids(const struct sh_emit *e, const struct sh_join_pair *hit, size_t n,
    struct sh_id_pair *pair, rooms *room)
{
	for (size_t i = 0; i < n; i++) {
		if ((hit[i].a | hit[i].b) >= SH_NODES_GROUP)
			return false;
		pair[i] = (struct sh_id_pair){ sh_node_ids_get(&e->a->ids, hit[i].a, room[i][0]),
			sh_node_ids_get(&e->b->ids, hit[i].b, room[i][1]), hit[i].distance };
		__builtin_prefetch(pair[i].id1.p);
		__builtin_prefetch(pair[i].id2.p);
	}
	return true;
}

/* Makes id1 the lesser id. Returns false when the ids are equal. The order is random, so a branch
 * on it would often be mispredicted. */
static inline bool in_order(struct sh_id_pair *pair)
{
	struct sh_slice s = pair->id1, t = pair->id2;
	uint64_t x = sh_nodes_prefix(s), y = sh_nodes_prefix(t);
	uintptr_t p = (uintptr_t)s.p ^ (uintptr_t)t.p;
	size_t n = s.n ^ t.n, swap = x > y;
	bool none = false;

	if (__builtin_expect(x == y, 0)) {
		int c = sh_slice_cmp(s, t);

		swap = c > 0;
		none = c == 0;
	}
	p &= -(uintptr_t)swap;
	n &= -swap;
	pair->id1.p = (const char *)((uintptr_t)s.p ^ p);
	pair->id1.n = s.n ^ n;
	pair->id2.p = (const char *)((uintptr_t)t.p ^ p);
	pair->id2.n = t.n ^ n;
	return !none;
}

static int emit_pairs(const struct sh_emit *e, struct sh_job *job, struct sh_id_pair *pair,
    size_t n, struct sh_error *err)
{
	size_t many = 0;

	for (size_t i = 0; e->same_set && i < n; i++) {
		bool good = in_order(&pair[i]);

		if (many < i)
			pair[many] = pair[i];
		many += good;
	}
	n = e->same_set ? many : n;
	return n ? e->pairs(job, pair, n, err) : 0;
}

/* Prefetches the ids as words. Returns false when there are no words or a node has several ids. */
static bool fetch_words(const struct sh_emit *e, const struct sh_join_pair *hit, size_t n)
{
	const uint64_t *a = e->a->ids.word, *b = e->b->ids.word;
	uint32_t who = 0;

	if (!e->words || !a || !b)
		return false;
	for (size_t i = 0; i < n; i++) {
		who |= hit[i].a | hit[i].b;
		__builtin_prefetch(a + hit[i].a % SH_NODES_GROUP);
		__builtin_prefetch(b + hit[i].b % SH_NODES_GROUP);
	}
	return who < SH_NODES_GROUP;
}

static int emit_words(const struct sh_emit *e, struct sh_job *job, const struct sh_join_pair *hit,
    size_t n, struct sh_error *err)
{
	const uint64_t *a = e->a->ids.word, *b = e->b->ids.word;
	struct sh_word_pair pair[AT_ONCE];
	uint64_t same = -(uint64_t)e->same_set;
	size_t many = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t x = a[hit[i].a], y = b[hit[i].b];
		/* The order is random, so a branch on it would often be mispredicted. */
		uint64_t swap = (x ^ y) & -(uint64_t)(x > y) & same;

		pair[many].id1 = x ^ swap;
		pair[many].id2 = y ^ swap;
		pair[many].distance = hit[i].distance;
		many += !same || x != y;
	}
	return many ? e->words(job, pair, many, err) : 0;
}

static int emit_some(const struct sh_emit *e, struct sh_job *job, const struct sh_join_pair *hit,
    size_t n, bool words, struct sh_error *err)
{
	struct sh_id_pair pair[AT_ONCE];
	rooms room[AT_ONCE];

	if (words && fetch_words(e, hit, n))
		return emit_words(e, job, hit, n, err);
	for (size_t i = 0; i < n; i++) {
		fetch_place(e->a, hit[i].a);
		fetch_place(e->b, hit[i].b);
	}
	if (e->pairs && find_ids(e, hit, n, pair, room))
		return emit_pairs(e, job, pair, n, err);
	for (size_t i = 0; i < n; i++) {
		fetch_id(e->a, hit[i].a);
		fetch_id(e->b, hit[i].b);
	}
	for (size_t i = 0; i < n; i++)
		if (one_hit(e, job, &hit[i].a, &hit[i].b, hit[i].distance, err) < 0)
			return -1;
	return 0;
}

/* The state of one join. */
struct run {
	const struct sh_emit *emit;
	pthread_mutex_t lock;
	size_t left; /* pairs before the ids are converted to words; 0: they were converted */
};

static void run_init(struct run *r, const struct sh_emit *e, size_t left)
{
	*r = (struct run){ .emit = e, .left = left };
	pthread_mutex_init(&r->lock, NULL);
}

static int run_end(struct run *r, int status)
{
	pthread_mutex_destroy(&r->lock);
	return status;
}

/* Converts the ids to words when there were enough pairs to pay for it. Returns whether it has
 * done so; ids that are no words were left as they are. */
static bool count_pairs(struct run *r, size_t pairs)
{
	bool words;

	pthread_mutex_lock(&r->lock);
	if (r->left > 0 && r->left <= pairs) {
		sh_node_ids_make_words(&r->emit->a->ids);
		sh_node_ids_make_words(&r->emit->b->ids);
	}
	r->left -= r->left < pairs ? r->left : pairs;
	words = r->left == 0;
	pthread_mutex_unlock(&r->lock);
	return words;
}

/* Receives pairs of values of who[]. */
static int emit_named(
    void *ctx, struct sh_job *job, const struct sh_join_pair *hit, size_t n, struct sh_error *err)
{
	struct run *run = ctx;
	bool words = count_pairs(run, n);

	for (size_t i = 0; i < n; i += AT_ONCE)
		if (emit_some(
			run->emit, job, hit + i, n - i < AT_ONCE ? n - i : AT_ONCE, words, err) < 0)
			return -1;
	return 0;
}

/* Receives pairs of numbers of nodes. */
static int emit_numbered(
    void *ctx, struct sh_job *job, const struct sh_join_pair *hit, size_t n, struct sh_error *err)
{
	const struct sh_emit *e = ((struct run *)ctx)->emit;

	for (size_t i = 0; i < n; i++)
		if (one_hit(e, job, &e->a->who[hit[i].a], &e->b->who[hit[i].b], hit[i].distance,
			err) < 0)
			return -1;
	return 0;
}

static struct sh_named named(const struct sh_nodes *s)
{
	return (struct sh_named){ s->fp, s->who, s->n };
}

int sh_emit_self(const struct sh_emit *e, struct sh_join *j, struct sh_error *err)
{
	struct sh_named a = named(e->a);
	struct run run;

	if (a.n < 2)
		return 0;
	if (e->collapse)
		sh_nodes_collapse(e->a);
	run_init(&run, e, a.n / 2);
	sh_join_set_scratch(j, e->a->room);
	sh_join_set_out(j, e->a->words > 1 ? emit_numbered : emit_named, e->out);
	if (e->a->words > 1)
		return run_end(&run, sh_join_self(j, a.fp, a.n, NULL, &run, err));
	return run_end(&run, sh_join_self_named(j, &a, NULL, &run, err));
}

int sh_emit_cross(const struct sh_emit *e, struct sh_join *j, struct sh_error *err)
{
	struct sh_named a = named(e->a), b = named(e->b);
	struct run run;

	if (a.n == 0 || b.n == 0)
		return 0;
	if (e->collapse && e->same_set)
		sh_nodes_collapse(e->a);
	if (e->collapse)
		sh_nodes_collapse(e->b);
	run_init(&run, e, (a.n + b.n) / 2);
	sh_join_set_scratch(j, e->a->room);
	sh_join_set_out(j, e->a->words > 1 ? emit_numbered : emit_named, e->out);
	if (e->a->words > 1)
		return run_end(&run, sh_join_cross(j, a.fp, a.n, b.fp, b.n, NULL, &run, err));
	return run_end(&run, sh_join_cross_named(j, &a, &b, NULL, &run, err));
}

/* Prefetches the first two ids of n groups from g on; most groups have two. */
FETCH fetch_group(const struct sh_nodes *s, size_t g, size_t n)
{
	for (size_t i = g; i < s->groups && i < g + n; i++) {
		sh_node_ids_fetch(&s->ids, s->member[s->group_at[i]]);
		sh_node_ids_fetch(&s->ids, s->member[s->group_at[i] + 1]);
	}
	for (size_t i = g; i < s->groups && i < g + n; i++) {
		sh_node_ids_fetch_text(&s->ids, s->member[s->group_at[i]]);
		sh_node_ids_fetch_text(&s->ids, s->member[s->group_at[i] + 1]);
	}
}

/* Writes the pairs of one id with the ids of n records, all greater and of the same node. */
static int one_with_greater(const struct sh_emit *e, struct sh_job *job, struct sh_slice id,
    const uint32_t *record, uint32_t n, struct sh_error *err)
{
	struct sh_id_pair pair[AT_ONCE];
	char room[AT_ONCE][SH_ID_ROOM];
	uint32_t many = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct sh_slice other = sh_node_ids_get(&e->a->ids, record[i], room[many]);

		if (!e->pairs && e->pair(job, id, other, 0, err) < 0)
			return -1;
		pair[many++] = (struct sh_id_pair){ id, other, 0 };
		if (many < AT_ONCE && i + 1 < n)
			continue;
		if (e->pairs && e->pairs(job, pair, many, err) < 0)
			return -1;
		many = 0;
	}
	return 0;
}

/* Writes the pairs of group g. */
static int one_group(const struct sh_emit *e, struct sh_job *job, size_t g, struct sh_error *err)
{
	const struct sh_nodes *s = e->a;
	const uint32_t *r = s->member + s->group_at[g];
	uint32_t n = s->group_at[g + 1] - s->group_at[g];

	for (uint32_t i = 0; i + 1 < n && (i == 0 || !e->collapse); i++) {
		char room[SH_ID_ROOM];
		struct sh_slice id = sh_node_ids_get(&s->ids, r[i], room);

		if (one_with_greater(e, job, id, r + i + 1, n - i - 1, err) < 0)
			return -1;
	}
	return 0;
}

struct identical {
	const struct sh_emit *emit;
	size_t tasks;
};

static int identical_task(void *joiner, struct sh_job *job)
{
	const struct identical *t = ((struct sh_joiner *)joiner)->join->ctx;
	const struct sh_emit *e = t->emit;
	size_t from = e->a->groups * job->task / t->tasks;
	size_t to = e->a->groups * (job->task + 1) / t->tasks;

	for (size_t g = from; g < to; g++) {
		if ((g - from) % AT_ONCE == 0)
			fetch_group(e->a, g, AT_ONCE);
		if (one_group(e, job, g, &job->err) < 0)
			return -1;
	}
	return 0;
}

int sh_emit_identical(const struct sh_emit *e, struct sh_join *j, struct sh_error *err)
{
	struct identical t = { e, sh_join_cut(j, e->a->groups) };

	if (e->a->groups == 0)
		return 0;
	sh_join_set_out(j, NULL, e->out);
	j->ctx = &t;
	return sh_join_tasks(j, t.tasks, identical_task, err);
}
