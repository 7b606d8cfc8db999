/* SPDX-License-Identifier: MIT */
#include "passage/exact.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "hash/mix.h"
#include "io/parallel.h"

enum {
	/* Longest default k. A greater k leaves fewer k-grams a window, and so more anchors; a
	 * smaller k lets more anchors repeat without their windows. */
	K_MAX = 40,
	STATE_EVERY = 16, /* tokens between two hash states that are stored */
	SLOT_BITS_MIN = 6,
	GRAIN = 1 << 10, /* postings in a task */
};

/* Shared by all workers. */
struct finder {
	const struct sh_texts *t;
	const struct sh_exact_opts *opts;
	struct sh_groups groups;
	uint64_t power;  /* K^length, where K is the factor of sh_mix_step() */
	uint64_t *state; /* hash states of the first 0, STATE_EVERY, ... tokens of all texts */
	uint32_t *marked;
};

struct slot {
	uint64_t hash, at; /* of a window; its first token + 1; 0: the slot is empty */
};

struct worker {
	struct finder *f;
	struct slot *slot; /* hash table of the different windows of a group, at most half full */
	size_t used, cap;
	unsigned slot_bits;
};

struct sh_seed_opts sh_exact_seeds(uint32_t length, unsigned k)
{
	/* Half of the window: such a k-gram is rare, and the window still has many to choose from.
	 * 3 more tokens make the k-grams of short windows rarer. */
	if (k == 0)
		k = length / 2 + 3 < K_MAX ? length / 2 + 3 : K_MAX;
	if (k > length)
		k = length;
	return (struct sh_seed_opts){ .k = k, .window = length - k + 1 };
}

/* ---- the windows of an anchor ---- */

/* Replaces the second index in the keys of groups by the number of windows of the posting: at most
 * up to the next anchor that occurs again. */
static void count_windows(struct finder *f)
{
	const struct sh_groups *g = &f->groups;

	for (uint32_t d = 0; d < g->documents; d++) {
		size_t n = sh_texts_tokens(f->t, d).n;
		uint64_t end = n < f->opts->length ? 0 : n - f->opts->length + 1;

		for (uint64_t i = g->at[d + 1]; i-- > g->at[d];) {
			struct sh_posting *p = &g->posting[g->order[i]];
			uint64_t windows = end > p->token ? end - p->token : 0;

			end = p->token;
			if (windows > f->opts->window)
				windows = f->opts->window;
			p->key = (uint64_t)sh_group_first(p) << 32 | windows;
		}
	}
}

static int store_states(struct finder *f, struct sh_error *err)
{
	const size_t n = (size_t)f->t->at[f->t->n];
	uint64_t state = 0;

	f->state = sh_tables_get(f->t->tables, n / STATE_EVERY + 1, sizeof *f->state, err);
	if (!f->state)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (i % STATE_EVERY == 0)
			f->state[i / STATE_EVERY] = state;
		state = sh_mix_step(state, f->t->token[i]);
	}
	if (n % STATE_EVERY == 0)
		f->state[n / STATE_EVERY] = state;
	return 0;
}

/* Returns the hash state of the tokens before token `at`. */
static uint64_t state_of(const struct finder *f, uint64_t at)
{
	uint64_t state = f->state[at / STATE_EVERY];

	for (uint64_t i = at - at % STATE_EVERY; i < at; i++)
		state = sh_mix_step(state, f->t->token[i]);
	return state;
}

/* ---- a group ---- */

static int grow_table(struct worker *w, struct sh_error *err)
{
	size_t n = (size_t)1 << w->slot_bits, mask = 2 * n - 1;
	struct slot *old = w->slot, *new = calloc(2 * n, sizeof *new);

	if (!new)
		return sh_error_nomem(err);
	for (size_t i = 0; i < n; i++) {
		size_t s = (size_t)old[i].hash & mask;

		while (old[i].at && new[s].at)
			s = (s + 1) & mask;
		if (old[i].at)
			new[s] = old[i];
	}
	free(old);
	w->slot = new;
	w->cap = 2 * n;
	w->slot_bits++;
	return 0;
}

/* Empties the table, and makes it small again: most groups are. */
static int reset_table(struct worker *w, struct sh_error *err)
{
	w->slot_bits = SLOT_BITS_MIN;
	w->used = 0;
	if (SH_RESERVE(w->slot, w->cap, (size_t)1 << SLOT_BITS_MIN, err) < 0)
		return -1;
	memset(w->slot, 0, sizeof *w->slot << SLOT_BITS_MIN);
	return 0;
}

static bool same_window(const struct finder *f, uint64_t a, uint64_t b)
{
	return memcmp(f->t->token + a, f->t->token + b, f->opts->length * sizeof *f->t->token) == 0;
}

/* Returns the first window of the group that equals the window at token `at`. Returns `at` when
 * there is no earlier one. The previous window equals the window before `expected`. */
static uint64_t find_or_insert(struct worker *w, uint64_t hash, uint64_t at, uint64_t expected)
{
	const struct finder *f = w->f;
	size_t mask = ((size_t)1 << w->slot_bits) - 1, s = (size_t)hash & mask;
	uint32_t last = f->opts->length - 1;

	for (; w->slot[s].at; s = (s + 1) & mask) {
		uint64_t other = w->slot[s].at - 1;

		if (w->slot[s].hash != hash)
			continue;
		/* `expected` and `at` follow equal windows: only their last tokens may differ. */
		if (other == expected ? f->t->token[other + last] == f->t->token[at + last]
				      : same_window(f, other, at))
			return other;
	}
	w->slot[s] = (struct slot){ hash, at + 1 };
	w->used++;
	return at;
}

/* Tokens from .. to-1 of a passage: windows that follow each other. to = 0: none yet. */
struct stretch {
	uint64_t from, to;
};

/* Marks the tokens, and each of them but the last one as joined with the next one. Other workers
 * may set bits of the same words. */
static void mark(struct finder *f, const struct stretch *s)
{
	uint64_t from = 2 * s->from, to = s->to ? 2 * s->to - 1 : from;

	while (from < to) {
		uint64_t bit = from % 32, n = to - from < 32 - bit ? to - from : 32 - bit;
		uint32_t mask = UINT32_MAX >> (32 - n) << bit;

		__atomic_fetch_or(&f->marked[from / 32], mask, __ATOMIC_RELAXED);
		from += n;
	}
}

/* Adds a window to the stretch. Marks the stretch first when the window does not continue it:
 * windows of one token only touch. */
static void add_window(struct finder *f, struct stretch *s, uint64_t at)
{
	uint32_t length = f->opts->length;

	if (length > 1 && s->to == at + length - 1) {
		s->to++;
		return;
	}
	mark(f, s);
	*s = (struct stretch){ at, at + length };
}

/* Looks up the windows of a posting among those of the postings before it. */
static int find_windows(struct worker *w, const struct sh_posting *p, struct sh_error *err)
{
	struct finder *f = w->f;
	const uint32_t *token = f->t->token;
	uint64_t at = f->t->at[p->document] + p->token, end = at + (uint32_t)p->key;
	uint64_t before, behind, expected = UINT64_MAX;
	struct stretch again = { 0, 0 }, first = { 0, 0 };

	if (at == end)
		return 0;
	before = state_of(f, at);
	behind = state_of(f, at + f->opts->length);
	for (;; at++) {
		uint64_t hash = sh_mix_finish(behind - before * f->power), other;

		if (2 * w->used >= (size_t)1 << w->slot_bits && grow_table(w, err) < 0)
			return -1;
		other = find_or_insert(w, hash, at, expected);
		if (other != at) {
			add_window(f, &again, at);
			if (f->opts->every)
				add_window(f, &first, other);
		}
		expected = other == at ? UINT64_MAX : other + 1;
		if (at + 1 == end)
			break;
		before = sh_mix_step(before, token[at]);
		behind = sh_mix_step(behind, token[at + f->opts->length]);
	}
	mark(f, &again);
	mark(f, &first);
	return 0;
}

/* Handles the groups whose first postings are from .. to-1. */
static int find_groups(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct worker *w = worker;
	const struct sh_groups *g = &w->f->groups;

	while (from < to && sh_group_first(&g->posting[from]) != from)
		from++;
	for (size_t first = from; first < to; first = from) {
		if (reset_table(w, err) < 0)
			return -1;
		for (; from < g->n && sh_group_first(&g->posting[from]) == first; from++)
			if (find_windows(w, &g->posting[from], err) < 0)
				return -1;
	}
	return 0;
}

int sh_exact_find(const struct sh_texts *t, struct sh_sorter *seeds,
    const struct sh_exact_opts *opts, uint32_t *marked, struct sh_error *err)
{
	struct finder f = { .t = t, .opts = opts, .power = 1, .marked = marked };
	struct worker *workers = calloc(opts->jobs, sizeof *workers);
	int status = workers ? 0 : sh_error_nomem(err);

	for (uint32_t i = 0; i < opts->length; i++)
		f.power = sh_mix_step(f.power, 0);
	if (status == 0)
		status = sh_groups_make(&f.groups, t->tables, seeds, t->n, true, err);
	if (status == 0)
		status = store_states(&f, err);
	if (status == 0) {
		count_windows(&f);
		for (unsigned i = 0; i < opts->jobs; i++)
			workers[i].f = &f;
		status = sh_parallel(
		    workers, sizeof *workers, opts->jobs, f.groups.n, GRAIN, find_groups, err);
	}
	for (unsigned i = 0; workers && i < opts->jobs; i++)
		free(workers[i].slot);
	free(workers);
	sh_tables_put(t->tables, f.state);
	sh_groups_free(&f.groups);
	return status;
}
