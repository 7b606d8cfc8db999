/* SPDX-License-Identifier: MIT */
#include "stream/weigher.h"

#include <string.h>

#include "published/sums.h"

/* Fills *t from the tables. Returns false when the feature must be dropped. */
static bool look_up(const struct sh_weigher *w, struct sh_slice feature, struct sh_term *t)
{
	if (w->idf) {
		t->idf = sh_idf_lookup(w->idf, feature, w->idf->median);
		return true;
	}
	if (!w->df)
		return true;
	t->docs = w->df->documents;
	t->df = sh_df_lookup(w->df, feature);
	if (t->df == 0) {
		t->df = 1;
		if (t->docs == 0)
			t->docs = 1;
		return !w->drop_absent;
	}
	return sh_df_within(&w->min, &w->max, t->df, t->docs);
}

static int no_whole_count(const struct sh_weigher *w, struct sh_slice id, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "-w %s needs whole counts, but document '%.*s' has a count with a fraction",
	    w->scheme->name, sh_shown(id, 80), id.p);
}

int sh_weigh_real(const struct sh_weigher *w, struct sh_slice id, struct sh_slice feature,
    int64_t *weight, struct sh_error *err)
{
	double idf = sh_idf_real(w->idf, feature, w->idf->real_mean);

	if (*weight % SH_WEIGHT_ONE)
		return no_whole_count(w, id, err);
	*weight = sh_double_key((double)(*weight / SH_WEIGHT_ONE) * idf);
	return 0;
}

int sh_weigh(const struct sh_weigher *w, struct sh_slice id, struct sh_slice feature,
    int64_t tokens, int64_t *weight, struct sh_error *err)
{
	struct sh_term t = { .tf = 1, .tokens = 1 };

	if (!look_up(w, feature, &t))
		return 0;
	if (*weight == 0 || w->scheme->additive)
		return 1;
	if (w->scheme->needs_count) {
		if (*weight % SH_WEIGHT_ONE || tokens % SH_WEIGHT_ONE)
			return no_whole_count(w, id, err);
		t.tf = (uint64_t)(*weight / SH_WEIGHT_ONE);
		t.tokens = (uint64_t)(tokens / SH_WEIGHT_ONE);
	}
	return w->scheme->weigh(&t, weight, err) < 0 ? -1 : 1;
}

void sh_weigher_prepare(struct sh_weigher *w)
{
	struct sh_error err;

	w->real = w->profile->real && w->idf && strcmp(w->scheme->name, w->profile->weight) == 0;
	if (w->df || w->idf || w->top || w->scheme->needs_tokens || w->scheme->needs_df)
		return;
	for (int64_t count = 1; count < SH_WEIGHER_COUNTS; count++) {
		struct sh_term t = { .tf = (uint64_t)count, .tokens = (uint64_t)count };
		struct sh_weight_text *shown = &w->by_count[count];
		char text[SH_NUM_CHARS + 2] = "\t";
		int64_t weight = count * SH_WEIGHT_ONE;
		size_t n;

		if (!w->scheme->additive && w->scheme->weigh(&t, &weight, &err) < 0)
			return;
		n = 1 + sh_print_weight(text + 1, weight);
		text[n++] = '\n';
		if (n > SH_WEIGHER_SHOWN)
			return;
		memcpy(shown->text, text, n);
		shown->n = (uint8_t)n;
	}
}
