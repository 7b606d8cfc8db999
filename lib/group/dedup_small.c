#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "fp/features.h"
#include "group/dedup_state.h"
#include "hash/mix.h"
#include "io/parallel.h"

/* A task gathers the sets of STRETCH vertices. A round has STRETCHES_EACH tasks per thread. */
enum { STRETCH = 512, STRETCHES_EACH = 16 };

/* The sets of the vertices of a task. */
struct stretch {
	struct sh_dedup_small small, bags;
};

/* The tasks between two moves of sets to sh_dedup.small and sh_dedup.bags. */
struct round {
	struct sh_dedup *dedup;
	struct stretch *stretch;     /* by task */
	struct sh_small_sets **sets; /* by task: scratch memory */
	size_t n;                    /* largest number of tasks */
	uint32_t from;               /* first vertex of task 0 */
	size_t up_to;                /* largest number of features of a small document */
};

/* The arguments of a thread that gathers sets. */
struct gatherer {
	struct sh_dedup_worker *worker;
	const struct round *round;
};

static int add_set(
    struct sh_dedup_small *small, uint32_t v, const uint64_t *hash, size_t n, struct sh_error *err)
{
	if (small->sets.n == small->cap &&
	    sh_tables_grow(small->sets.tables, (void **)&small->vertex, &small->cap,
		small->sets.n + 1, sizeof *small->vertex, err) < 0)
		return -1;
	small->vertex[small->sets.n] = v;
	return sh_small_add(&small->sets, hash, n, err);
}

/* Adds the bag of a vertex's tokens as a set: each occurrence of a token is an element of its own.
 * So two sets have the same number of common elements as the two bags. */
static int add_bag(
    struct sh_dedup_small *bags, uint32_t v, const struct sh_feature_set *set, struct sh_error *err)
{
	uint64_t *bag = malloc(set->n_ordered * sizeof *bag + 1), last = 0;
	uint32_t times = 0;
	int status;

	if (!bag)
		return sh_error_nomem(err);
	memcpy(bag, set->ordered, set->n_ordered * sizeof *bag);
	qsort(bag, set->n_ordered, sizeof *bag, sh_compare_u64);
	for (size_t i = 0; i < set->n_ordered; i++) {
		times = i && bag[i] == last ? times + 1 : 0;
		last = bag[i];
		bag[i] = sh_mix_word(last, times);
	}
	status = add_set(bags, v, bag, set->n_ordered, err);
	free(bag);
	return status;
}

static int gather_one(
    struct sh_dedup_worker *w, struct stretch *to, uint32_t v, struct sh_error *err)
{
	struct sh_dedup *d = w->dedup;
	const struct sh_measure *m = d->opts.how.measure;
	struct sh_feature_set set;

	if (sh_verifier_set(w->verifier, d->vertex[v], &set, err) < 0)
		return -1;
	if (!m->ordered && add_set(&to->small, v, set.hash, set.n, err) < 0)
		return -1;
	return m->ordered || m->any ? add_bag(&to->bags, v, &set, err) : 0;
}

static int gather_stretches(void *gatherer, size_t from, size_t to, struct sh_error *err)
{
	const struct gatherer *g = gatherer;
	const struct round *r = g->round;
	const struct sh_dedup *d = r->dedup;

	for (size_t task = from; task < to; task++) {
		uint32_t v = r->from + (uint32_t)task * STRETCH,
			 end = d->n_vertices - v < STRETCH ? d->n_vertices : v + STRETCH;

		for (; v < end; v++)
			if (d->features[d->vertex[v]] <= r->up_to &&
			    gather_one(g->worker, &r->stretch[task], v, err) < 0)
				return -1;
	}
	return 0;
}

/* Appends the vertices of sets, and counts the sets of few features. */
static int append_vertices(struct sh_dedup *d, struct sh_dedup_small *to,
    const struct sh_dedup_small *from, size_t at, struct sh_error *err)
{
	const struct sh_small_sets *s = &from->sets;

	if (at + s->n > to->cap && sh_tables_grow(to->sets.tables, (void **)&to->vertex, &to->cap,
				       at + s->n, sizeof *to->vertex, err) < 0)
		return -1;
	if (s->n)
		memcpy(to->vertex + at, from->vertex, s->n * sizeof *to->vertex);
	for (size_t i = 0; i < s->n; i++)
		d->stats.small += s->start[i + 1] - s->start[i] < d->opts.few;
	return 0;
}

static struct sh_dedup_small *part_of(struct stretch *s, bool bags)
{
	return bags ? &s->bags : &s->small;
}

/* Moves the feature sets, or the bags, of n stretches to the end of `to`. */
static int append(
    const struct round *r, struct sh_dedup_small *to, size_t n, bool bags, struct sh_error *err)
{
	size_t at = to->sets.n;

	for (size_t i = 0; i < n; i++) {
		struct sh_dedup_small *from = part_of(&r->stretch[i], bags);

		if (append_vertices(r->dedup, to, from, at, err) < 0)
			return -1;
		at += from->sets.n;
		r->sets[i] = &from->sets;
	}
	return sh_small_move(&to->sets, r->sets, n, err);
}

/* Gathers the sets of one round: the vertices from r->from on, in at most r->n tasks. */
static int gather_round(const struct round *r, struct gatherer *g, struct sh_error *err)
{
	struct sh_dedup *d = r->dedup;
	size_t tasks = (d->n_vertices - r->from + STRETCH - 1) / STRETCH;

	tasks = tasks < r->n ? tasks : r->n;
	if (sh_parallel(g, sizeof *g, d->opts.jobs, tasks, 1, gather_stretches, err) < 0 ||
	    append(r, &d->small, tasks, false, err) < 0)
		return -1;
	return append(r, &d->bags, tasks, true, err);
}

static void free_stretch(struct stretch *s)
{
	sh_small_free(&s->small.sets);
	sh_small_free(&s->bags.sets);
	free(s->small.vertex);
	free(s->bags.vertex);
}

static int gather_all(struct sh_dedup *d, size_t up_to, struct sh_error *err)
{
	size_t n = (size_t)d->opts.jobs * STRETCHES_EACH;
	struct round r = { .dedup = d, .n = n, .up_to = up_to };
	struct gatherer *g = calloc(d->opts.jobs, sizeof *g);
	int status = 0;

	r.stretch = calloc(n, sizeof *r.stretch);
	r.sets = calloc(n, sizeof *r.sets);
	if (!r.stretch || !r.sets || !g)
		status = sh_error_nomem(err);
	for (unsigned i = 0; g && i < d->opts.jobs; i++)
		g[i] = (struct gatherer){ &d->worker[i], &r };
	for (uint64_t from = 0; status == 0 && from < d->n_vertices; from += n * STRETCH) {
		r.from = (uint32_t)from;
		status = gather_round(&r, g, err);
	}
	for (size_t i = 0; r.stretch && i < n; i++)
		free_stretch(&r.stretch[i]);
	free(r.stretch);
	free(r.sets);
	free(g);
	return status;
}

/* Returns the Jaccard threshold of bags. Texts of edit similarity T, whose longer one has n tokens,
 * share at least T n tokens. So the Jaccard similarity of their bags is at least T / (2 - T). */
static uint64_t bag_threshold(const struct sh_dedup_opts *opts)
{
	uint64_t edit = opts->how.measure->any ? opts->edit_threshold : opts->threshold;

	return edit * UINT64_C(1000000) / (2000000 - edit);
}

size_t sh_dedup_few_up_to(const struct sh_dedup_opts *opts)
{
	const struct sh_measure *m = opts->how.measure;
	uint64_t least = opts->threshold, bags = bag_threshold(opts);

	if (m->ordered || (m->any && bags < least))
		least = bags;
	return opts->few && least ? (size_t)((opts->few - 1) * UINT64_C(1000000) / least) : 0;
}

struct counting {
	const struct sh_dedup *dedup;
	size_t up_to;
};

static size_t count_small(void *arg, size_t from, size_t to, size_t at)
{
	const struct counting *c = arg;
	const struct sh_dedup *d = c->dedup;
	size_t n = 0;

	(void)at;
	for (size_t v = from; v < to; v++)
		n += d->features[d->vertex[v]] <= c->up_to;
	return n;
}

/* Sets *joins to whether the vertices of at most up_to features are few enough to be joined by
 * their features. */
static int joins_small(const struct sh_dedup *d, size_t up_to, bool *joins, struct sh_error *err)
{
	struct counting c = { d, up_to };
	struct sh_selection s = {
		.threads = d->opts.jobs, .n = d->n_vertices, .fn = count_small, .arg = &c
	};

	if (sh_selection_count(&s, err) < 0)
		return -1;
	*joins = sh_dedup_joins_small(d, s.found);
	sh_selection_free(&s);
	return 0;
}

/* Gathers the vertices of few features, and the vertices that can be similar to one of them. */
int sh_dedup_gather_small(struct sh_dedup *d, struct sh_error *err)
{
	size_t up_to = sh_dedup_few_up_to(&d->opts);
	bool joins;

	d->small.sets.tables = d->bags.sets.tables = d->opts.tables;
	d->small.sets.jobs = d->bags.sets.jobs = d->opts.jobs;
	d->small.threshold = d->opts.threshold;
	d->bags.threshold = bag_threshold(&d->opts);
	if (!d->opts.verify || !up_to)
		return 0;
	if (joins_small(d, up_to, &joins, err) < 0)
		return -1;
	if (!joins)
		return 0;
	if (gather_all(d, up_to, err) < 0)
		return -1;
	if (sh_small_order(&d->small.sets, err) < 0)
		return -1;
	return sh_small_order(&d->bags.sets, err);
}

/* The context of add_small_pair(). */
struct joined {
	struct sh_dedup *dedup;
	const struct sh_dedup_small *small;
};

static int add_small_pair(void *arg, uint32_t a, uint32_t b, struct sh_error *err)
{
	const struct joined *j = arg;
	struct sh_dedup *d = j->dedup;
	uint32_t x = j->small->vertex[a], y = j->small->vertex[b];
	unsigned distance =
	    sh_fp_distance(sh_dedup_fp(d, d->vertex[x]), sh_dedup_fp(d, d->vertex[y]), d->words);

	return sh_dedup_has_found(d, x, y, distance) ? 0 : d->on_pair(d, x, y, distance, err);
}

/* Sets *part to the sets whose vertices are in the subset. The caller frees part->set, also after
 * a failure. */
static int find_part(struct sh_dedup *d, const struct sh_dedup_small *small,
    const struct sh_subset *c, struct sh_small_part *part, struct sh_error *err)
{
	size_t most = c->n < small->sets.n ? c->n : small->sets.n;

	*part = (struct sh_small_part){ .set = sh_tables_get(
					    d->opts.tables, most, sizeof *part->set, err) };
	if (!part->set)
		return -1;
	if (!c->vertex) {
		while (part->n < small->sets.n && small->vertex[part->n] < c->n) {
			part->set[part->n] = (uint32_t)part->n;
			part->n++;
		}
		return 0;
	}
	for (uint32_t i = 0, s = 0; i < c->n && s < small->sets.n;) {
		uint32_t v = c->vertex[i], w = small->vertex[s];

		if (v == w)
			part->set[part->n++] = s;
		i += v <= w;
		s += w <= v;
	}
	return 0;
}

static int join_sets(struct sh_dedup *d, const struct sh_dedup_small *small,
    const struct sh_subset *a, const struct sh_subset *b, struct sh_error *err)
{
	struct sh_small_part x = { 0 }, y = { 0 };
	struct joined j = { d, small };
	int status = -1;

	if (small->sets.n == 0)
		return 0;
	if (find_part(d, small, a, &x, err) == 0 && (!b || find_part(d, small, b, &y, err) == 0))
		status = sh_small_join(&small->sets, &x, b ? &y : NULL, small->threshold,
		    d->opts.few, add_small_pair, &j, err);
	sh_tables_put(d->opts.tables, x.set);
	sh_tables_put(d->opts.tables, y.set);
	return status;
}

int sh_dedup_join_small(
    struct sh_dedup *d, const struct sh_subset *a, const struct sh_subset *b, struct sh_error *err)
{
	return join_sets(d, &d->small, a, b, err) < 0 ? -1 : join_sets(d, &d->bags, a, b, err);
}
