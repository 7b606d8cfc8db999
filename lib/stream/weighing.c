/* SPDX-License-Identifier: MIT */
#include "stream/weighing.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "published/sums.h"
#include "weight/terms.h"

/* The state for one document at a time. */
struct weighing {
	struct sh_weigher *weigher; /* shared by all states */
	bool watched;               /* no more documents are watched */
	/* distinct features of the document with their counts in millionths */
	struct sh_terms features;
	int64_t tokens;            /* sum of the counts, in millionths */
	struct sh_heavy *distinct; /* the features that are not dropped, with their weights */
	size_t cap;
};

/* ---- the weigher ---- */

/* Prints the weights of small counts, when the count alone decides a weight. */
static void print_weights(struct sh_weigher *w)
{
	struct sh_error err;

	if (w->df || w->idf || w->top || w->scheme->needs_tokens || w->scheme->needs_df)
		return;
	for (int64_t count = 1; count < SH_WEIGHER_COUNTS; count++) {
		struct sh_term t = { .tf = (uint64_t)count, .tokens = (uint64_t)count };
		char text[SH_NUM_CHARS + 2] = "\t";
		int64_t weight = count * SH_WEIGHT_ONE;
		size_t n;

		if (!w->scheme->additive && w->scheme->weigh(&t, &weight, &err) < 0)
			return;
		n = 1 + sh_print_weight(text + 1, weight);
		text[n++] = '\n';
		if (n > SH_WEIGHER_SHOWN)
			return;
		memcpy(w->shown[count], text, n);
		w->shown_n[count] = (uint8_t)n;
	}
}

int sh_weigher_init(struct sh_weigher *w, struct sh_error *err)
{
	w->real = w->profile->real && w->idf && strcmp(w->scheme->name, w->profile->weight) == 0;
	print_weights(w);
	if (!w->df)
		return 0;
	if (sh_hmap_init(&w->absent, err) < 0)
		return -1;
	w->seen = calloc((size_t)w->df->features.n + 1, 1);
	return w->seen ? 0 : sh_error_nomem(err);
}

void sh_weigher_free(struct sh_weigher *w)
{
	if (w->df)
		sh_hmap_free(&w->absent);
	free(w->seen);
	free(w->count);
}

/* ---- signs of another kind of features ---- */

enum {
	WATCHED = 2000, /* documents that are watched, the first ones */
	FIRST = 32,     /* documents whose features are counted when the table lacks them */
	COMMON = 5,     /* a common feature is in at least 1 of 5 documents of its side, */
	LEAST = 10,     /* and in at least 10 documents */
};

static int watch_feature(struct sh_weigher *w, struct sh_slice feature, struct sh_error *err)
{
	uint32_t i;
	bool fresh = false;

	if (sh_hmap_find(&w->df->features, feature, &i)) {
		w->seen[i] = 1;
		return 0;
	}
	if (w->watched > FIRST && !sh_hmap_find(&w->absent, feature, &i))
		return 0;
	if (w->watched <= FIRST && (sh_hmap_put(&w->absent, feature, &i, &fresh, err) < 0 ||
				       SH_RESERVE(w->count, w->count_cap, (size_t)i + 1, err) < 0))
		return -1;
	w->count[i] = fresh ? 1 : w->count[i] + 1;
	return 0;
}

/* Watches the first documents of the run, in their order. */
static int watch(struct weighing *w, struct sh_job *job, struct sh_error *err)
{
	if (w->watched || w->features.n == 0)
		return 0;
	if (sh_job_turn(job, err) < 0)
		return -1;
	w->watched = w->weigher->watched == WATCHED;
	w->weigher->watched += !w->watched;
	for (uint32_t i = 0; !w->watched && i < w->features.n; i++)
		if (watch_feature(w->weigher, sh_terms_text(&w->features, i), err) < 0)
			return -1;
	return 0;
}

/* Returns whether a feature is common on one side, where `with` of `all` documents have it,
 * and is not absent by chance from the n documents of the other side. If all documents came
 * from one collection, all `with` documents would be on one side with a probability of about
 * (all / (all + n)) ^ with. */
static bool shows_difference(uint64_t with, uint64_t all, uint64_t n)
{
	double base = (double)all / ((double)all + (double)n), chance = 1;

	if (with < LEAST || with < all / COMMON)
		return false;
	for (; with; with >>= 1, base *= base)
		if (with & 1)
			chance *= base;
	return chance <= 1e-9;
}

bool sh_weigher_doubt(
    const struct sh_weigher *w, bool absent, struct sh_slice *feature, uint64_t *n)
{
	const struct sh_hmap *side = absent ? &w->absent : w->df ? &w->df->features : NULL;

	*n = 0;
	for (uint32_t i = 0; w->df && i < side->n; i++) {
		uint64_t with = absent ? w->count[i] : w->seen[i] ? 0 : w->df->df[i];

		if (with > *n) {
			*n = with;
			*feature = sh_hmap_key(side, i);
		}
	}
	return *n && (absent ? shows_difference(*n, w->watched, w->df->documents)
			     : shows_difference(*n, w->df->documents, w->watched));
}

/* ---- documents ---- */

static int init(void *own, void *weigher, struct sh_error *err)
{
	struct weighing *w = own;

	w->weigher = weigher;
	w->watched = !w->weigher->df;
	return sh_terms_init(&w->features, err);
}

static void release(void *own)
{
	struct weighing *w = own;

	sh_terms_free(&w->features);
	free(w->distinct);
}

/* ---- counting ---- */

static size_t add(struct sh_feature_doc *d, struct sh_error *err)
{
	struct weighing *w = d->own;
	struct sh_slice id = sh_feature_doc_id(d);

	for (size_t i = 0; i < d->n; i++)
		if (__builtin_add_overflow(w->tokens, d->weight[i], &w->tokens)) {
			sh_error_set(err, SH_ERR_RANGE, "the counts of document '%.*s' overflow",
			    sh_shown(id, 80), id.p);
			return i;
		}
	return sh_terms_add(&w->features, d->text, d->weight, d->n, err) < 0 ? 0 : d->n;
}

/* ---- weighing ---- */

/* Orders features bytewise. */
static int by_text(const void *a, const void *b, void *arg)
{
	const struct sh_heavy *x = a, *y = b;
	const struct sh_terms *features = arg;

	return sh_slice_cmp(sh_terms_text(features, x->index), sh_terms_text(features, y->index));
}

/* Orders features by descending weight, then bytewise. */
static int by_weight(const void *a, const void *b, void *arg)
{
	const struct sh_heavy *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return by_text(a, b, arg);
}

/* Orders features by descending weight, then by their first occurrence. */
static int by_place(const void *a, const void *b)
{
	const struct sh_heavy *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return sh_compare(x->index, y->index);
}

/* Moves the features that -t keeps to the front. Returns their number. */
static size_t keep_top(struct weighing *w, size_t n)
{
	const struct sh_weigher *how = w->weigher;
	size_t top = how->top < n ? (size_t)how->top : n;

	if (how->top == 0 || n == 0)
		return n;
	switch (how->profile->top_rule) {
	case SH_TOP_TEXT:
		qsort_r(w->distinct, n, sizeof *w->distinct, by_weight, &w->features);
		return top;
	case SH_TOP_HEAP:
		qsort_r(w->distinct, n, sizeof *w->distinct, by_text, &w->features);
		return sh_top_heap(w->distinct, n, top);
	default:
		qsort(w->distinct, n, sizeof *w->distinct, by_place);
		return top;
	}
}

/* Replaces the count in f->weight, in millionths, by the weight. id: for messages. Returns 1, 0 to
 * drop the feature, or -1. */
static int weigh(
    const struct weighing *w, struct sh_slice id, struct sh_heavy *f, struct sh_error *err)
{
	const struct sh_weigher *how = w->weigher;
	struct sh_slice text = sh_terms_text(&w->features, f->index);
	bool whole =
	    f->weight % SH_WEIGHT_ONE == 0 && (how->real || w->tokens % SH_WEIGHT_ONE == 0);
	struct sh_term t = { .tf = 1, .tokens = 1 };

	if (how->idf) {
		t.idf = sh_idf_lookup(how->idf, text, how->idf->median);
	} else if (how->df) {
		t.docs = how->df->documents ? how->df->documents : 1;
		t.df = sh_df_lookup(how->df, text);
		if (t.df ? !sh_df_within(&how->min, &how->max, t.df, t.docs) : how->drop_absent)
			return 0;
		t.df = t.df ? t.df : 1;
	}
	if (!how->real && (f->weight == 0 || how->scheme->additive))
		return 1;
	if (how->scheme->needs_count && !whole)
		return sh_error_set(err, SH_ERR_RECORD,
		    "-w %s needs whole counts, but document '%.*s' has a count with a fraction",
		    how->scheme->name, sh_shown(id, 80), id.p);
	if (how->scheme->needs_count) {
		t.tf = (uint64_t)(f->weight / SH_WEIGHT_ONE);
		t.tokens = (uint64_t)(w->tokens / SH_WEIGHT_ONE);
	}
	if (!how->real)
		return how->scheme->weigh(&t, &f->weight, err) < 0 ? -1 : 1;
	/* The sort key of a double (published/sums.h). */
	f->weight = sh_double_key(
	    (double)(f->weight / SH_WEIGHT_ONE) * sh_idf_real(how->idf, text, how->idf->real_mean));
	return 1;
}

/* Checks the document's features against the table of document frequencies. A feature with more
 * words than any feature of the table is an n-gram of another size, which is an error. It is also
 * an error when no feature of the document has the W words of the table's widest feature, and the
 * features are more than the n-grams of a text of W - 1 tokens. */
static int check_words(const struct weighing *w, struct sh_slice id, struct sh_error *err)
{
	uint64_t widest = 0, table = w->weigher->df ? w->weigher->df->words : 0;

	if (table == 0)
		return 0;
	for (uint32_t i = 0; i < w->features.n; i++) {
		uint64_t words = sh_feature_words(sh_terms_text(&w->features, i));

		widest = words > widest ? words : widest;
	}
	if (widest == table || (widest < table && w->features.n <= table * (table - 1) / 2))
		return 0;
	return sh_error_set(err, SH_ERR_PARAM,
	    "document '%.*s' has features of up to %llu word%s, but the table %s was counted on "
	    "features of up to %llu: use the same -n for both (shdf --bare makes tables that are "
	    "not checked)",
	    sh_shown(id, 80), id.p, (unsigned long long)widest, widest == 1 ? "" : "s",
	    w->weigher->df->name, (unsigned long long)table);
}

/* ---- writing ---- */

static int write_feature(struct sh_job *job, struct sh_slice prefix, struct sh_slice feature,
    int64_t weight, struct sh_error *err)
{
	char *p = sh_job_room(job, prefix.n + feature.n + SH_NUM_CHARS + 2, err);

	if (!p)
		return -1;
	memcpy(p, prefix.p, prefix.n);
	p += prefix.n;
	if (feature.n)
		memcpy(p, feature.p, feature.n);
	p += feature.n;
	*p++ = '\t';
	p += sh_print_weight(p, weight);
	*p++ = '\n';
	job->out.n = (size_t)(p - job->out.p);
	return 0;
}

/* Writes all features when each weight depends on the count alone and is in the table: returns 1.
 * Returns 0, and writes nothing, otherwise. Copies at least 16 bytes each time, which is faster
 * than the exact number: the next copy overwrites the surplus bytes. */
static int write_by_count(
    const struct weighing *w, struct sh_job *job, struct sh_slice prefix, struct sh_error *err)
{
	const struct sh_terms *t = &w->features;
	size_t need = t->n * (prefix.n + SH_WEIGHER_SHOWN + SH_TERMS_SHORT) + t->used + 64;
	char *p = sh_job_room(job, need, err);

	if (!p)
		return -1;
	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t count = (uint64_t)t->entry[i].sum / SH_WEIGHT_ONE;
		struct sh_slice text = sh_terms_text(t, i);
		size_t row = count < SH_WEIGHER_COUNTS ? count : 0;

		if (w->weigher->shown_n[row] == 0 ||
		    count * SH_WEIGHT_ONE != (uint64_t)t->entry[i].sum)
			return 0;
		memcpy(p, prefix.p, 16);
		if (prefix.n > 16)
			memcpy(p, prefix.p, prefix.n);
		p += prefix.n;
		memcpy(p, text.p, SH_TERMS_SHORT);
		if (text.n > SH_TERMS_SHORT)
			memcpy(p, text.p, text.n);
		p += text.n;
		memcpy(p, w->weigher->shown[row], SH_WEIGHER_SHOWN);
		p += w->weigher->shown_n[row];
	}
	job->out.n = (size_t)(p - job->out.p);
	return 1;
}

/* Writes the document. When no feature is kept, writes the empty feature. */
static int write_document(const struct sh_feature_doc *d, struct sh_job *job, struct sh_error *err)
{
	struct weighing *w = d->own;
	struct sh_slice id = sh_feature_doc_id(d), prefix = sh_slice(d->prefix, d->prefix_n);
	size_t n = 0;

	if (check_words(w, id, err) < 0 || watch(w, job, err) < 0 ||
	    SH_RESERVE(w->distinct, w->cap, w->features.n, err) < 0)
		return -1;
	for (uint32_t i = 0; i < w->features.n; i++) {
		struct sh_heavy f = { w->features.entry[i].sum, i };
		int kept = weigh(w, id, &f, err);

		if (kept < 0)
			return -1;
		if (kept)
			w->distinct[n++] = f;
	}
	n = keep_top(w, n);
	if (w->weigher->real)
		sh_doubles_write(w->distinct, n);
	for (size_t i = 0; i < n; i++) {
		struct sh_slice feature = sh_terms_text(&w->features, w->distinct[i].index);

		if (write_feature(job, prefix, feature, w->distinct[i].weight, err) < 0)
			return -1;
	}
	return n ? 0 : write_feature(job, prefix, sh_slice("", 0), 0, err);
}

static int end(struct sh_feature_doc *d, struct sh_job *job, struct sh_error *err)
{
	struct weighing *w = d->own;
	bool usual = w->weigher->shown_n[1] && w->features.n;
	int done = usual ? write_by_count(w, job, sh_slice(d->prefix, d->prefix_n), err) : 0;

	if (done == 0)
		done = write_document(d, job, err);
	sh_terms_clear(&w->features);
	w->tokens = 0;
	return done < 0 ? -1 : 0;
}

const struct sh_feature_calls sh_weighing_calls = {
	.size = sizeof(struct weighing),
	.init = init,
	.free = release,
	.add = add,
	.end = end,
};
