/* SPDX-License-Identifier: MIT */
#include "weight/df.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "io/sorter.h"
#include "record/fields.h"

enum {
	MEMORY_MIN = 4 << 20, /* least number of bytes of a counter */
	DF = 8,               /* bytes of a df in a record of the sorter, after the feature */
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
	unsigned n, given; /* counters, and how many sh_df_counter() has returned */
	struct sh_df_counter *counter;
	pthread_mutex_t lock; /* of the sorter, while documents are counted */
	struct sh_sorter sorter;
};

struct sh_df_count *sh_df_count_new(
    unsigned counters, size_t memory, const char *dir, struct sh_error *err)
{
	struct sh_df_count *c = calloc(1, sizeof *c);

	if (c) {
		pthread_mutex_init(&c->lock, NULL);
		/* The counters take the rest. */
		c->sorter = (struct sh_sorter){
			.tail = DF, .memory = memory / 3, .threads = counters, .dir = dir
		};
		sh_sorter_init(&c->sorter);
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
		x->memory = memory / 3 * 2 / counters;
		x->memory = x->memory > MEMORY_MIN ? x->memory : MEMORY_MIN;
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
	for (unsigned i = 0; c->counter && i < c->n; i++) {
		sh_hmap_free(&c->counter[i].features);
		free(c->counter[i].counts);
	}
	sh_sorter_free(&c->sorter);
	pthread_mutex_destroy(&c->lock);
	free(c->counter);
	free(c);
}

struct sh_df_counter *sh_df_counter(struct sh_df_count *c)
{
	return &c->counter[c->given++];
}

/* ---- counting ---- */

void sh_df_document(struct sh_df_counter *c)
{
	c->documents++;
	c->begins = true;
}

static bool is_full(const struct sh_df_counter *c)
{
	return sh_hmap_bytes(&c->features) + c->features.n * sizeof *c->counts > c->memory;
}

/* Moves all counts to the sorter. */
static int spill(struct sh_df_counter *c, struct sh_error *err)
{
	int status = 0;

	pthread_mutex_lock(&c->all->lock);
	for (uint32_t i = 0; i < c->features.n && status == 0; i++) {
		char df[DF];

		sh_put_le64(df, c->counts[i].df);
		status = sh_sorter_add(
		    &c->all->sorter, sh_hmap_key(&c->features, i), sh_slice(df, DF), err);
	}
	pthread_mutex_unlock(&c->all->lock);
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

int sh_df_count_finish(struct sh_df_count *c, uint64_t *documents, uint64_t *words, size_t *ranges,
    struct sh_error *err)
{
	*documents = *words = 0;
	for (unsigned i = 0; i < c->n; i++) {
		struct sh_df_counter *x = &c->counter[i];

		*documents += x->documents;
		*words = x->words > *words ? x->words : *words;
		if (spill(x, err) < 0)
			return -1;
	}
	if (sh_sorter_finish(&c->sorter, SIZE_MAX, err) < 0)
		return -1;
	*ranges = c->sorter.ranges;
	return 0;
}

/* ---- emitting ---- */

int sh_df_count_emit(
    const struct sh_df_count *c, size_t range, sh_df_emit *emit, void *arg, struct sh_error *err)
{
	struct sh_sorted sorted = { 0 };
	struct sh_slice record, feature = { 0 };
	uint64_t df = 0; /* of `feature`; 0 before the first one */
	int status = sh_sorter_load(&c->sorter, range, &sorted, err);

	/* Sums the counts of each feature over all counters. */
	while (status == 0 && sh_sorted_next(&sorted, &record)) {
		struct sh_slice next = sh_slice(record.p, record.n - DF);

		if (df && !sh_slice_eq(next, feature)) {
			status = emit(arg, feature, df, err);
			df = 0;
		}
		feature = next;
		df += sh_le64(record.p + feature.n);
	}
	if (status == 0 && df)
		status = emit(arg, feature, df, err);
	sh_sorted_free(&sorted);
	return status;
}
