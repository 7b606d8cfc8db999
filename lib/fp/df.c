#include "fp/df.h"

#include <stdlib.h>
#include <unistd.h>

#include "fp/df_run.h"

enum { MEMORY_MIN = 4 << 20 };

struct count {
	uint64_t df, first, last; /* as in struct sh_df_entry */
};

struct sh_df_counter {
	struct sh_hmap features;
	struct count *counts; /* by the feature's index */
	size_t cap;
	size_t memory;
	uint64_t document;
	struct sh_df_runs runs;
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
	sh_df_runs_init(&c->runs, dir);
	return c;
}

void sh_df_counter_delete(struct sh_df_counter *c)
{
	if (!c)
		return;
	sh_hmap_free(&c->features);
	free(c->counts);
	sh_df_runs_free(&c->runs);
	free(c);
}

void sh_df_document(struct sh_df_counter *c)
{
	c->document++;
}

static int by_feature(const void *a, const void *b, void *arg)
{
	const struct sh_hmap *m = arg;

	return sh_slice_cmp(
	    sh_hmap_key(m, *(const uint32_t *)a), sh_hmap_key(m, *(const uint32_t *)b));
}

/* The indexes of the features in bytewise order, to be freed; NULL on failure. */
static uint32_t *sorted(struct sh_df_counter *c, struct sh_error *err)
{
	uint32_t *order = malloc((size_t)c->features.n * sizeof *order + 1);

	if (!order) {
		sh_error_nomem(err);
		return NULL;
	}
	for (uint32_t i = 0; i < c->features.n; i++)
		order[i] = i;
	qsort_r(order, c->features.n, sizeof *order, by_feature, &c->features);
	return order;
}

static struct sh_df_entry entry_of(const struct sh_df_counter *c, uint32_t i)
{
	const struct count *n = &c->counts[i];

	return (struct sh_df_entry){ sh_hmap_key(&c->features, i), n->df, n->first, n->last };
}

static int spill(struct sh_df_counter *c, struct sh_error *err)
{
	uint32_t *order = sorted(c, err);
	int status = order ? sh_df_runs_begin(&c->runs, err) : -1;

	for (uint32_t i = 0; status == 0 && i < c->features.n; i++) {
		struct sh_df_entry e = entry_of(c, order[i]);

		status = sh_df_runs_add(&c->runs, &e, err);
	}
	if (status == 0)
		status = sh_df_runs_end(&c->runs, err);
	free(order);
	sh_hmap_clear(&c->features);
	return status;
}

int sh_df_feature(struct sh_df_counter *c, struct sh_slice feature, struct sh_error *err)
{
	uint32_t i;
	bool fresh;

	/* Sorting will need four bytes a feature more. */
	if (sh_hmap_bytes(&c->features) + c->features.n * (sizeof *c->counts + 4) > c->memory &&
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

int sh_df_finish(struct sh_df_counter *c, sh_df_emit *emit, void *arg, struct sh_error *err)
{
	uint32_t *order;
	int status;

	if (emit(arg, sh_slice("", 0), c->document, err) < 0)
		return -1;
	if (c->runs.n) {
		if (c->features.n && spill(c, err) < 0)
			return -1;
		return sh_df_runs_merge(&c->runs, emit, arg, err);
	}
	order = sorted(c, err);
	status = order ? 0 : -1;
	for (uint32_t i = 0; status == 0 && i < c->features.n; i++)
		status =
		    emit(arg, sh_hmap_key(&c->features, order[i]), c->counts[order[i]].df, err);
	free(order);
	return status;
}
