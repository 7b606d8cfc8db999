#include "weight/df.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/compare.h"
#include "io/runs.h"
#include "record/fields.h"

enum { MEMORY_MIN = 4 << 20 };

/* The count of a feature, with the numbers of the first and last document that were counted. A
 * document may be divided between two runs. Then both runs may count the document: `last` of one
 * run is `first` of the next. */
struct count {
	uint64_t df, first, last;
};

struct sh_df_counter {
	struct sh_hmap features;
	struct count *counts; /* by the index of the feature */
	size_t cap;
	size_t memory;
	uint64_t document;
	uint64_t words; /* see sh_df_words() */
	struct sh_runs runs;
};

struct sh_df_counter *sh_df_counter_new(size_t memory, const char *dir, struct sh_error *err)
{
	struct sh_df_counter *c = calloc(1, sizeof *c);

	if (!c) {
		sh_error_nomem(err);
		return NULL;
	}
	if (sh_hmap_init(&c->features, err) < 0) {
		free(c);
		return NULL;
	}
	c->memory = memory > MEMORY_MIN ? memory : MEMORY_MIN;
	sh_runs_init(&c->runs, dir);
	return c;
}

void sh_df_counter_delete(struct sh_df_counter *c)
{
	if (!c)
		return;
	sh_hmap_free(&c->features);
	free(c->counts);
	sh_runs_free(&c->runs);
	free(c);
}

void sh_df_document(struct sh_df_counter *c)
{
	c->document++;
}

/* A feature to be sorted, with its first bytes: most comparisons then need no key. */
struct place {
	uint64_t prefix; /* first 8 bytes, big-endian, padded with zeros */
	uint32_t index;
};

/* Bytes to sort a feature: its struct place, and the copy that qsort_r() makes. */
enum { SORT_BYTES = 2 * sizeof(struct place) };

static struct place place_of(const struct sh_hmap *m, uint32_t index)
{
	struct sh_slice key = sh_hmap_key(m, index);
	char first[8] = { 0 };

	memcpy(first, key.p, key.n < sizeof first ? key.n : sizeof first);
	return (struct place){ sh_be64(first), index };
}

static int by_feature(const void *a, const void *b, void *arg)
{
	const struct place *x = a, *y = b;
	const struct sh_hmap *m = arg;

	if (x->prefix != y->prefix)
		return sh_compare(x->prefix, y->prefix);
	return sh_slice_cmp(sh_hmap_key(m, x->index), sh_hmap_key(m, y->index));
}

/* Returns the features in bytewise order. The caller frees the result. Returns NULL on failure. */
static struct place *sorted(struct sh_df_counter *c, struct sh_error *err)
{
	struct place *order = malloc((size_t)c->features.n * sizeof *order + 1);

	if (!order) {
		sh_error_nomem(err);
		return NULL;
	}
	for (uint32_t i = 0; i < c->features.n; i++)
		order[i] = place_of(&c->features, i);
	qsort_r(order, c->features.n, sizeof *order, by_feature, &c->features);
	return order;
}

enum { PACKED = 3 * 8 };

static void pack(char out[PACKED], const struct count *n)
{
	sh_put_le64(out, n->df);
	sh_put_le64(out + 8, n->first);
	sh_put_le64(out + 16, n->last);
}

static struct count unpack(const char *p)
{
	return (struct count){ sh_le64(p), sh_le64(p + 8), sh_le64(p + 16) };
}

/* Writes all counts as a run. */
static int spill(struct sh_df_counter *c, struct sh_error *err)
{
	struct place *order = sorted(c, err);
	int status = order ? sh_runs_begin(&c->runs, err) : -1;

	for (uint32_t i = 0; status == 0 && i < c->features.n; i++) {
		char value[PACKED];

		pack(value, &c->counts[order[i].index]);
		status = sh_runs_add(&c->runs, sh_hmap_key(&c->features, order[i].index),
		    sh_slice(value, PACKED), err);
	}
	if (status == 0)
		status = sh_runs_end(&c->runs, err);
	free(order);
	sh_hmap_clear(&c->features);
	return status;
}

int sh_df_feature(struct sh_df_counter *c, struct sh_slice feature, struct sh_error *err)
{
	uint64_t words = sh_feature_words(feature);
	uint32_t i;
	bool fresh;

	if (words > c->words)
		c->words = words;
	if (sh_hmap_bytes(&c->features) + c->features.n * (sizeof *c->counts + SORT_BYTES) >
		c->memory &&
	    spill(c, err) < 0)
		return -1;
	if (sh_hmap_put(&c->features, feature, &i, &fresh, err) < 0)
		return -1;
	if (fresh) {
		if (i >= c->cap && sh_grow((void **)&c->counts, &c->cap, (size_t)i + 1,
				       sizeof *c->counts, err) < 0)
			return -1;
		c->counts[i] = (struct count){ 1, c->document, c->document };
	} else if (c->counts[i].last != c->document) {
		c->counts[i].last = c->document;
		c->counts[i].df++;
	}
	return 0;
}

uint64_t sh_df_words(const struct sh_df_counter *c)
{
	return c->words;
}

/* Sums the counts of each feature over all runs. */
struct summing {
	sh_df_emit *emit;
	void *arg;
	struct sh_buf feature;
	struct count sum;
	bool pending;
};

static int emit_sum(struct summing *s, struct sh_error *err)
{
	if (!s->pending)
		return 0;
	return s->emit(s->arg, sh_buf_slice(&s->feature), s->sum.df, err);
}

static int add_up(void *arg, struct sh_slice feature, struct sh_slice value, struct sh_error *err)
{
	struct summing *s = arg;
	struct count n = unpack(value.p);

	if (s->pending && sh_slice_eq(feature, sh_buf_slice(&s->feature))) {
		s->sum.df += n.df - (n.first == s->sum.last);
		s->sum.last = n.last;
		return 0;
	}
	if (emit_sum(s, err) < 0)
		return -1;
	s->sum = n;
	s->pending = true;
	s->feature.n = 0;
	return sh_buf_add(&s->feature, feature.p, feature.n, err);
}

static int finish_runs(struct sh_df_counter *c, sh_df_emit *emit, void *arg, struct sh_error *err)
{
	struct summing s = { .emit = emit, .arg = arg };
	int status = c->features.n ? spill(c, err) : 0;

	if (status == 0)
		status = sh_runs_merge(&c->runs, add_up, &s, err);
	if (status == 0)
		status = emit_sum(&s, err);
	sh_buf_free(&s.feature);
	return status;
}

int sh_df_finish(struct sh_df_counter *c, sh_df_emit *emit, void *arg, struct sh_error *err)
{
	struct place *order;
	int status;

	if (emit(arg, sh_slice("", 0), c->document, err) < 0)
		return -1;
	if (c->runs.n)
		return finish_runs(c, emit, arg, err);
	order = sorted(c, err);
	status = order ? 0 : -1;
	for (uint32_t i = 0; status == 0 && i < c->features.n; i++)
		status = emit(arg, sh_hmap_key(&c->features, order[i].index),
		    c->counts[order[i].index].df, err);
	free(order);
	return status;
}
