#include "weight/df.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "io/keysort.h"
#include "io/parallel.h"
#include "io/runs.h"
#include "record/fields.h"

enum {
	MEMORY_MIN = 4 << 20, /* least number of bytes of a counter */
	RANGE = 1 << 16,      /* features of a range, about */
	RANGES_MAX = 1024,    /* most ranges */
	AHEAD = 16,           /* number of features ahead whose counts are prefetched */
};

struct count {
	uint64_t df;
	uint64_t last; /* the last document that was counted */
};

struct sh_df_counter {
	struct sh_df_count *all;
	uint32_t number; /* of this counter */
	unsigned round;  /* the last round of spills in which it spilled */
	size_t memory;   /* bytes, about the most */
	struct sh_hmap features;
	struct count *counts; /* by the index of the feature */
	size_t cap;
	uint32_t n;         /* counts that are set */
	uint64_t documents; /* number of documents that began */
	/* number of the current document, unique among the documents of all counters; 0: none */
	uint64_t document;
	uint64_t words; /* of the widest feature */
	/* A spill may cut a document: a feature may then be counted for it before and after the
	 * spill. cut: the document that the last spill cut; 0: none. After the spill, this document
	 * was the first one that had each of the features with an index below cut_n. */
	uint64_t cut;
	uint32_t cut_n;
	bool failed;
	struct sh_error failure;
	/* After sh_df_count_finish(), when there are no runs: the features of range r are the
	 * places start[r] .. start[r + 1] - 1. */
	struct sh_keysort_place *places;
	size_t start[RANGES_MAX + 1];
};

struct sh_df_count {
	struct sh_keysort_ranges ranges; /* when there are no runs */
	struct sh_runs runs;
	/* Rounds of spills: a counter that is full begins a round, and all others join in it when
	 * they are half full. They fill at about the same rate, so that the threads spill at the
	 * same time, and none waits for the thread that spills. 0: there are no runs. */
	atomic_uint round;
	unsigned n;
	struct sh_df_counter *counter;
};

/* ---- counting ---- */

static int init_counters(struct sh_df_count *c, size_t memory, struct sh_error *err)
{
	c->counter = calloc(c->n, sizeof *c->counter);
	if (!c->counter)
		return sh_error_nomem(err);
	for (unsigned i = 0; i < c->n; i++) {
		struct sh_df_counter *x = &c->counter[i];

		x->all = c;
		x->number = i;
		x->memory = memory / c->n > MEMORY_MIN ? memory / c->n : MEMORY_MIN;
		if (sh_hmap_init(&x->features, err) < 0)
			return -1;
	}
	return 0;
}

struct sh_df_count *sh_df_count_new(
    unsigned counters, size_t memory, const char *dir, struct sh_error *err)
{
	struct sh_df_count *c = calloc(1, sizeof *c);

	if (!c) {
		sh_error_nomem(err);
		return NULL;
	}
	c->n = counters;
	sh_runs_init(&c->runs, dir);
	if (init_counters(c, memory, err) < 0) {
		sh_df_count_delete(c);
		return NULL;
	}
	return c;
}

void sh_df_count_delete(struct sh_df_count *c)
{
	if (!c)
		return;
	for (unsigned i = 0; c->counter && i < c->n; i++) {
		sh_hmap_free(&c->counter[i].features);
		free(c->counter[i].counts);
		free(c->counter[i].places);
	}
	sh_runs_free(&c->runs);
	sh_keysort_ranges_free(&c->ranges);
	free(c->counter);
	free(c);
}

struct sh_df_counter *sh_df_counter(struct sh_df_count *c, unsigned i)
{
	return &c->counter[i];
}

void sh_df_document(struct sh_df_counter *c)
{
	if (c->document == c->cut)
		c->cut_n = c->features.n;
	c->document = ++c->documents * c->all->n + c->number;
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

		*n = (struct count){ 1, c->document };
		c->n++;
		c->words = words > c->words ? words : c->words;
	} else if (n->last != c->document) {
		n->last = c->document;
		n->df++;
	}
	return 0;
}

static int spill(struct sh_df_counter *c, struct sh_error *err);

static bool is_full(const struct sh_df_counter *c)
{
	bool joins = c->round != atomic_load_explicit(&c->all->round, memory_order_relaxed);

	return sh_hmap_bytes(&c->features) +
		   c->features.n * (sizeof *c->counts + sizeof *c->places + sizeof(uint16_t)) >
	       (joins ? c->memory / 2 : c->memory);
}

/* Counts n <= SH_HMAP_MANY features. */
static int count_some(
    struct sh_df_counter *c, const struct sh_slice *feature, size_t n, struct sh_error *err)
{
	uint32_t index[SH_HMAP_MANY];

	if ((is_full(c) && spill(c, err) < 0) ||
	    sh_hmap_put_many(&c->features, feature, n, index, err) < 0)
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

int sh_df_feature(struct sh_df_counter *c, struct sh_slice feature, struct sh_error *err)
{
	return sh_df_features(c, &feature, 1, err);
}

/* ---- runs ---- */

/* The value of an entry of a run, whose key is a feature. A document cut by a spill is in two runs
 * and may be counted in both. */
struct entry {
	uint64_t df;   /* documents counted in this run */
	uint64_t head; /* the cut document that the run begins with, if it was counted; else 0 */
	uint64_t tail; /* the document that the run ends with, if it was counted; else 0 */
};

enum { PACKED = 3 * 8 };

static void pack(char out[PACKED], const struct entry *e)
{
	sh_put_le64(out, e->df);
	sh_put_le64(out + 8, e->head);
	sh_put_le64(out + 16, e->tail);
}

static struct entry unpack(const char *p)
{
	return (struct entry){ sh_le64(p), sh_le64(p + 8), sh_le64(p + 16) };
}

static int add_run(const struct sh_df_counter *c, struct sh_run_writer *w,
    const struct sh_keysort_place *p, struct sh_error *err)
{
	for (size_t i = 0; i < c->features.n; i++) {
		uint32_t index = p[i].index;
		const struct count *k = &c->counts[index];
		struct entry e = { k->df, index < c->cut_n ? c->cut : 0,
			k->last == c->document ? c->document : 0 };
		char value[PACKED];

		pack(value, &e);
		if (sh_run_add(w, sh_keysort_text(&p[i]), sh_slice(value, PACKED), err) < 0)
			return -1;
	}
	return sh_run_end(w, err);
}

static int write_run(
    const struct sh_df_counter *c, const struct sh_keysort_place *p, struct sh_error *err)
{
	struct sh_run_writer w;
	int status;

	sh_run_begin(&w, &c->all->runs);
	status = add_run(c, &w, p, err);
	if (status == 0)
		status = sh_runs_put(&c->all->runs, &w, 1, err);
	sh_run_free(&w);
	return status;
}

/* Sets c->places to all features, range after range. */
static int split(struct sh_df_counter *c, struct sh_error *err)
{
	c->places =
	    sh_keysort_ranges_split(&c->all->ranges, &c->features, c->number, c->start, err);
	return c->places ? 0 : -1;
}

/* Joins in the round of spills that others have begun, or begins one. */
static void join_round(struct sh_df_counter *c)
{
	unsigned round = c->round;

	if (atomic_compare_exchange_strong(&c->all->round, &round, round + 1))
		round++;
	c->round = round;
}

/* Writes all counts to a run, and removes them. */
static int spill(struct sh_df_counter *c, struct sh_error *err)
{
	struct sh_keysort_ranges one = { .n = 1 };
	int status;

	join_round(c);
	if (c->document == c->cut)
		c->cut_n = c->features.n;
	c->places = sh_keysort_ranges_split(&one, &c->features, c->number, c->start, err);
	status = c->places ? 0 : -1;
	if (status == 0) {
		sh_keysort(c->places, c->features.n);
		status = write_run(c, c->places, err);
	}
	free(c->places);
	c->places = NULL;
	sh_hmap_clear(&c->features);
	c->n = c->cut_n = 0;
	c->cut = c->document;
	return status;
}

/* ---- the end ---- */

static int finish_counter(void *arg, size_t from, size_t to, struct sh_error *err)
{
	struct sh_df_count *c = arg;
	int status = 0;

	for (size_t i = from; status == 0 && i < to; i++)
		status = c->round ? spill(&c->counter[i], err) : split(&c->counter[i], err);
	return status;
}

static const struct sh_df_counter *largest(const struct sh_df_count *c)
{
	const struct sh_df_counter *most = c->counter;

	for (unsigned i = 1; i < c->n; i++)
		if (c->counter[i].features.n > most->features.n)
			most = &c->counter[i];
	return most;
}

/* Chooses ranges that hold about RANGE features of all counters. */
static int choose_ranges(struct sh_df_count *c, struct sh_error *err)
{
	size_t n = 0, ranges;

	for (unsigned i = 0; i < c->n; i++)
		n += c->counter[i].features.n;
	ranges = n / RANGE + 1;
	return sh_keysort_ranges_choose(
	    &c->ranges, ranges < RANGES_MAX ? ranges : RANGES_MAX, &largest(c)->features, err);
}

int sh_df_count_finish(struct sh_df_count *c, unsigned threads, struct sh_error *err)
{
	if ((!c->round && choose_ranges(c, err) < 0) ||
	    sh_parallel(c, 0, threads, c->n, 1, finish_counter, err) < 0)
		return -1;
	return c->round ? sh_runs_close(&c->runs, SIZE_MAX, threads, err) : 0;
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
	return c->round ? c->runs.ranges : c->ranges.n;
}

/* ---- emitting ---- */

/* Sums the counts of each feature over all runs or counters. */
struct summing {
	sh_df_emit *emit;
	void *arg;
	struct sh_slice feature; /* in text, or in a map; p is NULL before the first one */
	struct sh_buf text;
	uint64_t df;
	uint64_t *cut; /* cut documents that were counted for this feature */
	size_t n, cap;
};

static int emit_sum(const struct summing *s, struct sh_error *err)
{
	return s->feature.p ? s->emit(s->arg, s->feature, s->df, err) : 0;
}

/* Returns whether the document was counted in an earlier run. */
static bool was_counted(const struct summing *s, uint64_t document)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->cut[i] == document)
			return true;
	return false;
}

static int add_entry(
    void *arg, struct sh_slice feature, struct sh_slice value, struct sh_error *err)
{
	struct summing *s = arg;
	struct entry e = unpack(value.p);

	if (!s->feature.p || !sh_slice_eq(feature, s->feature)) {
		if (emit_sum(s, err) < 0)
			return -1;
		s->text.n = s->n = 0;
		s->df = 0;
		if (sh_buf_add(&s->text, feature.p, feature.n, err) < 0)
			return -1;
		s->feature = sh_buf_slice(&s->text);
	}
	s->df += e.df - (e.head && was_counted(s, e.head));
	if (!e.tail)
		return 0;
	if (SH_RESERVE(s->cut, s->cap, s->n + 1, err) < 0)
		return -1;
	s->cut[s->n++] = e.tail;
	return 0;
}

/* Fetches what add_places() reads of the place. */
static void fetch(const struct sh_df_count *c, const struct sh_keysort_place *p)
{
	__builtin_prefetch(p->text - SH_HMAP_LENGTH);
	__builtin_prefetch(&c->counter[p->map].counts[p->index]);
}

static int add_places(const struct sh_df_count *c, const struct sh_keysort_place *p, size_t n,
    struct summing *s, struct sh_error *err)
{
	for (size_t i = 0; i < n; i++) {
		struct sh_slice feature = sh_keysort_text(&p[i]);
		uint64_t df = c->counter[p[i].map].counts[p[i].index].df;

		if (i + AHEAD < n)
			fetch(c, &p[i + AHEAD]);
		if (s->feature.p && sh_slice_eq(feature, s->feature)) {
			s->df += df;
			continue;
		}
		if (emit_sum(s, err) < 0)
			return -1;
		s->feature = feature;
		s->df = df;
	}
	return 0;
}

/* Returns all places of the range, to be freed; NULL with *err. */
static struct sh_keysort_place *gather(
    const struct sh_df_count *c, size_t range, size_t *n, struct sh_error *err)
{
	struct sh_keysort_place *all;

	*n = 0;
	for (unsigned i = 0; i < c->n; i++)
		*n += c->counter[i].start[range + 1] - c->counter[i].start[range];
	all = malloc(*n * sizeof *all + 1);
	if (!all) {
		sh_error_nomem(err);
		return NULL;
	}
	*n = 0;
	for (unsigned i = 0; i < c->n; i++) {
		const struct sh_df_counter *x = &c->counter[i];
		size_t more = x->start[range + 1] - x->start[range];

		memcpy(all + *n, x->places + x->start[range], more * sizeof *all);
		*n += more;
	}
	return all;
}

static int emit_counters(
    const struct sh_df_count *c, size_t range, struct summing *s, struct sh_error *err)
{
	size_t n;
	struct sh_keysort_place *places = gather(c, range, &n, err);
	int status = places ? 0 : -1;

	if (places)
		sh_keysort(places, n);
	if (status == 0)
		status = add_places(c, places, n, s, err);
	if (status == 0)
		status = emit_sum(s, err);
	free(places);
	return status;
}

int sh_df_count_emit(
    struct sh_df_count *c, size_t range, sh_df_emit *emit, void *arg, struct sh_error *err)
{
	struct summing s = { .emit = emit, .arg = arg };
	int status;

	if (!c->round)
		return emit_counters(c, range, &s, err);
	status = sh_runs_merge(&c->runs, range, add_entry, &s, err);
	if (status == 0)
		status = emit_sum(&s, err);
	sh_buf_free(&s.text);
	free(s.cut);
	return status;
}
