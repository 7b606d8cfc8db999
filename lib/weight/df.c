/* SPDX-License-Identifier: MIT */
#include "weight/df.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "io/keysort.h"
#include "io/parallel.h"
#include "io/runs.h"
#include "record/fields.h"

enum {
	MEMORY_MIN = 4 << 20, /* least number of bytes of a counter */
	RANGE = 1 << 16,      /* features of a range in memory, about */
	DF = 8,               /* bytes of a df in a run */
};

struct count {
	uint64_t df;
	uint64_t last; /* the last document of the counter that has the feature */
};

struct sh_df_counter {
	struct sh_df_count *all;
	size_t memory; /* bytes, about the most */
	struct sh_hmap features;
	struct count *counts; /* by the index of the feature */
	size_t cap;
	uint32_t n;         /* counts that are set */
	uint64_t documents; /* number of documents that began */
	uint64_t words;     /* of the widest feature */
	bool begins;        /* no feature of the current document was counted */
	bool failed;
	struct sh_error failure;
};

struct sh_df_count {
	unsigned n;
	struct sh_df_counter *counter;
	struct sh_runs runs;
	/* After sh_df_count_finish(), when there are no runs: the features of all counters, in
	 * bytewise order. */
	struct sh_keysort_place *places;
	size_t n_places;
};

struct sh_df_count *sh_df_count_new(
    unsigned counters, size_t memory, const char *dir, struct sh_error *err)
{
	struct sh_df_count *c = calloc(1, sizeof *c);

	if (c) {
		sh_runs_init(&c->runs, dir);
		c->counter = calloc(counters, sizeof *c->counter);
	}
	if (!c || !c->counter) {
		sh_error_nomem(err);
		sh_df_count_delete(c);
		return NULL;
	}
	c->n = counters;
	for (unsigned i = 0; i < counters; i++) {
		struct sh_df_counter *x = &c->counter[i];

		x->all = c;
		x->memory = memory / counters > MEMORY_MIN ? memory / counters : MEMORY_MIN;
		if (sh_hmap_init(&x->features, err) < 0) {
			sh_df_count_delete(c);
			return NULL;
		}
	}
	return c;
}

void sh_df_count_delete(struct sh_df_count *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->n; i++) {
		sh_hmap_free(&c->counter[i].features);
		free(c->counter[i].counts);
	}
	sh_runs_free(&c->runs);
	free(c->counter);
	free(c->places);
	free(c);
}

struct sh_df_counter *sh_df_counter(struct sh_df_count *c, unsigned i)
{
	return &c->counter[i];
}

/* ---- counting ---- */

void sh_df_document(struct sh_df_counter *c)
{
	c->documents++;
	c->begins = true;
}

/* Returns whether the counter and the places that sort it exceed its memory. */
static bool is_full(const struct sh_df_counter *c)
{
	size_t each = sizeof *c->counts + 2 * sizeof(struct sh_keysort_place) + sizeof(uint16_t);

	return sh_hmap_bytes(&c->features) + c->features.n * each > c->memory;
}

static int write_run(const struct sh_df_counter *c, struct sh_run_writer *w,
    const struct sh_keysort_place *p, struct sh_error *err)
{
	for (size_t i = 0; i < c->features.n; i++) {
		char df[DF];

		sh_put_le64(df, c->counts[p[i].index].df);
		if (sh_run_add(w, sh_keysort_text(&p[i]), sh_slice(df, DF), err) < 0)
			return -1;
	}
	return sh_run_end(w, err) < 0 ? -1 : sh_runs_put(&c->all->runs, w, 1, err);
}

/* Writes all counts to a run, and removes them. */
static int spill(struct sh_df_counter *c, struct sh_error *err)
{
	const struct sh_hmap *map = &c->features;
	struct sh_keysort_place *places = sh_keysort_maps(&map, 1, 1, err);
	struct sh_run_writer w;
	int status;

	if (!places)
		return -1;
	sh_run_begin(&w, &c->all->runs);
	status = write_run(c, &w, places, err);
	sh_run_free(&w);
	free(places);
	sh_hmap_clear(&c->features);
	c->n = 0;
	return status;
}

/* Counts the feature with this index. */
static int count(
    struct sh_df_counter *c, struct sh_slice feature, uint32_t index, struct sh_error *err)
{
	struct count *n;

	if (SH_RESERVE(c->counts, c->cap, (size_t)index + 1, err) < 0)
		return -1;
	n = &c->counts[index];
	if (index == c->n) {
		uint64_t words = sh_feature_words(feature);

		*n = (struct count){ 1, c->documents };
		c->n++;
		c->words = words > c->words ? words : c->words;
	} else if (n->last != c->documents) {
		n->last = c->documents;
		n->df++;
	}
	return 0;
}

/* Counts n <= SH_HMAP_MANY features. Spills only before a document: a document that was in two runs
 * would be counted twice. */
static int count_some(
    struct sh_df_counter *c, const struct sh_slice *feature, size_t n, struct sh_error *err)
{
	uint32_t index[SH_HMAP_MANY];

	if (c->begins && is_full(c) && spill(c, err) < 0)
		return -1;
	c->begins = false;
	if (sh_hmap_put_many(&c->features, feature, n, index, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (index[i] < c->n)
			__builtin_prefetch(&c->counts[index[i]]);
	for (size_t i = 0; i < n; i++)
		if (count(c, feature[i], index[i], err) < 0)
			return -1;
	return 0;
}

int sh_df_features(
    struct sh_df_counter *c, const struct sh_slice *feature, size_t n, struct sh_error *err)
{
	for (size_t i = 0; i < n && !c->failed; i += SH_HMAP_MANY)
		c->failed = count_some(c, feature + i, n - i < SH_HMAP_MANY ? n - i : SH_HMAP_MANY,
				&c->failure) < 0;
	if (c->failed)
		*err = c->failure;
	return c->failed ? -1 : 0;
}

/* ---- the end ---- */

static int spill_rest(void *arg, size_t from, size_t to, struct sh_error *err)
{
	struct sh_df_count *c = arg;

	for (size_t i = from; i < to; i++)
		if (c->counter[i].features.n && spill(&c->counter[i], err) < 0)
			return -1;
	return 0;
}

static int sort_counters(struct sh_df_count *c, unsigned threads, struct sh_error *err)
{
	const struct sh_hmap **map = malloc(c->n * sizeof *map);

	if (!map)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < c->n; i++) {
		map[i] = &c->counter[i].features;
		c->n_places += map[i]->n;
	}
	c->places = sh_keysort_maps(map, c->n, threads, err);
	free(map);
	return c->places ? 0 : -1;
}

int sh_df_count_finish(struct sh_df_count *c, unsigned threads, struct sh_error *err)
{
	if (c->runs.n == 0)
		return sort_counters(c, threads, err);
	if (sh_parallel(c, 0, threads, c->n, 1, spill_rest, err) < 0)
		return -1;
	return sh_runs_close(&c->runs, SIZE_MAX, threads, err);
}

uint64_t sh_df_count_documents(const struct sh_df_count *c)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < c->n; i++)
		n += c->counter[i].documents;
	return n;
}

uint64_t sh_df_count_words(const struct sh_df_count *c)
{
	uint64_t words = 0;

	for (unsigned i = 0; i < c->n; i++)
		words = c->counter[i].words > words ? c->counter[i].words : words;
	return words;
}

size_t sh_df_count_ranges(const struct sh_df_count *c)
{
	return c->runs.n ? c->runs.ranges : c->n_places / RANGE + 1;
}

/* ---- emitting ---- */

/* Sums the counts of each feature over all counters and runs. */
struct summing {
	sh_df_emit *emit;
	void *arg;
	struct sh_buf feature;
	uint64_t df; /* 0 before the first feature */
};

static int emit_sum(const struct summing *s, struct sh_error *err)
{
	return s->df ? s->emit(s->arg, sh_buf_slice(&s->feature), s->df, err) : 0;
}

static int add(struct summing *s, struct sh_slice feature, uint64_t df, struct sh_error *err)
{
	if (s->df && sh_slice_eq(feature, sh_buf_slice(&s->feature))) {
		s->df += df;
		return 0;
	}
	if (emit_sum(s, err) < 0)
		return -1;
	s->df = df;
	s->feature.n = 0;
	return sh_buf_add(&s->feature, feature.p, feature.n, err);
}

static int add_entry(void *arg, struct sh_slice feature, struct sh_slice df, struct sh_error *err)
{
	return add(arg, feature, sh_le64(df.p), err);
}

/* Returns the first place of a range: a feature of several counters is in one range. */
static size_t range_start(const struct sh_df_count *c, size_t range)
{
	const struct sh_keysort_place *p = c->places;
	size_t i = range * RANGE;

	while (
	    i && i < c->n_places && sh_slice_eq(sh_keysort_text(&p[i - 1]), sh_keysort_text(&p[i])))
		i++;
	return i < c->n_places ? i : c->n_places;
}

static int add_places(
    const struct sh_df_count *c, size_t range, struct summing *s, struct sh_error *err)
{
	size_t end = range_start(c, range + 1);

	for (size_t i = range_start(c, range); i < end; i++) {
		const struct sh_keysort_place *p = &c->places[i];

		if (add(s, sh_keysort_text(p), c->counter[p->map].counts[p->index].df, err) < 0)
			return -1;
	}
	return 0;
}

int sh_df_count_emit(
    struct sh_df_count *c, size_t range, sh_df_emit *emit, void *arg, struct sh_error *err)
{
	struct summing s = { .emit = emit, .arg = arg };
	int status = c->runs.n ? sh_runs_merge(&c->runs, range, add_entry, &s, err)
			       : add_places(c, range, &s, err);

	if (status == 0)
		status = emit_sum(&s, err);
	sh_buf_free(&s.feature);
	return status;
}
