/* SPDX-License-Identifier: MIT */
#include "stream/df_watch.h"

#include <stdlib.h>

#include "base/buf.h"

int sh_df_watch_init(struct sh_df_watch *w, const struct sh_df_table *table, struct sh_error *err)
{
	*w = (struct sh_df_watch){ .table = table };
	if (!table)
		return 0;
	if (sh_hmap_init(&w->absent, err) < 0)
		return -1;
	w->seen = calloc((size_t)table->features.n + 1, 1);
	return w->seen ? 0 : sh_error_nomem(err);
}

void sh_df_watch_free(struct sh_df_watch *w)
{
	if (!w->table)
		return;
	sh_hmap_free(&w->absent);
	free(w->seen);
	free(w->count);
}

bool sh_df_watch_document(struct sh_df_watch *w)
{
	if (!w->table || w->documents == SH_DF_WATCH_DOCUMENTS)
		return false;
	w->documents++;
	return true;
}

int sh_df_watch_feature(struct sh_df_watch *w, struct sh_slice feature, struct sh_error *err)
{
	uint32_t i;
	bool fresh;

	if (sh_hmap_find(&w->table->features, feature, &i)) {
		w->seen[i] = 1;
		return 0;
	}
	if (w->documents > SH_DF_WATCH_FIRST) {
		if (sh_hmap_find(&w->absent, feature, &i))
			w->count[i]++;
		return 0;
	}
	if (sh_hmap_put(&w->absent, feature, &i, &fresh, err) < 0)
		return -1;
	if (SH_RESERVE(w->count, w->cap, (size_t)i + 1, err) < 0)
		return -1;
	w->count[i] = fresh ? 1 : w->count[i] + 1;
	return 0;
}

/* Returns whether a feature is common on one side, where `with` of `all` documents have it,
 * and is not absent by chance from the n documents of the other side. If all documents came
 * from one collection, all `with` documents would be on one side with a probability of about
 * (all / (all + n)) ^ with. */
static bool shows_difference(uint64_t with, uint64_t all, uint64_t n)
{
	double base = (double)all / ((double)all + (double)n), chance = 1;

	if (with < SH_DF_WATCH_LEAST || with < all / SH_DF_WATCH_COMMON)
		return false;
	for (; with; with >>= 1, base *= base)
		if (with & 1)
			chance *= base;
	return chance <= 1e-9;
}

bool sh_df_watch_missing(const struct sh_df_watch *w, struct sh_slice *feature, uint64_t *df)
{
	const struct sh_df_table *t = w->table;
	uint32_t top = UINT32_MAX;

	for (uint32_t i = 0; t && i < t->features.n; i++)
		if (!w->seen[i] && (top == UINT32_MAX || t->df[i] > t->df[top]))
			top = i;
	if (top == UINT32_MAX || !shows_difference(t->df[top], t->documents, w->documents))
		return false;
	*feature = sh_hmap_key(&t->features, top);
	*df = t->df[top];
	return true;
}

bool sh_df_watch_absent(const struct sh_df_watch *w, struct sh_slice *feature, uint64_t *count)
{
	uint32_t top = 0;

	if (!w->table || w->absent.n == 0)
		return false;
	for (uint32_t i = 1; i < w->absent.n; i++)
		if (w->count[i] > w->count[top])
			top = i;
	if (!shows_difference(w->count[top], w->documents, w->table->documents))
		return false;
	*feature = sh_hmap_key(&w->absent, top);
	*count = w->count[top];
	return true;
}
