#include "fp/weighing.h"

#include <stdlib.h>

#include "weight/doubles.h"

int sh_weighing_init(struct sh_weighing *d, const struct sh_weigher *weigher, struct sh_sink *out,
    struct sh_error *err)
{
	*d = (struct sh_weighing){ .weigher = weigher, .out = out };
	if (sh_past_ids_init(&d->past, err) < 0 || sh_terms_init(&d->features, err) < 0 ||
	    sh_feature_block_init(&d->block, false, err) < 0)
		return -1;
	return sh_occurrences_init(&d->occurrences, err);
}

void sh_weighing_free(struct sh_weighing *d)
{
	sh_past_ids_free(&d->past);
	sh_terms_free(&d->features);
	sh_feature_block_free(&d->block);
	sh_occurrences_free(&d->occurrences);
	free(d->distinct);
	sh_buf_free(&d->id);
}

/* Bytewise order of the features, for the rules that depend on it. */
static int by_text(const void *a, const void *b, void *arg)
{
	const struct sh_heavy *x = a, *y = b;
	const struct sh_terms *features = arg;

	return sh_slice_cmp(sh_terms_text(features, x->index), sh_terms_text(features, y->index));
}

/* The heaviest first. */
static int by_weight(const void *a, const void *b, void *arg)
{
	const struct sh_heavy *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return by_text(a, b, arg);
}

static size_t keep_top(struct sh_weighing *d, size_t n)
{
	const struct sh_weigher *w = d->weigher;
	size_t top = w->top < n ? (size_t)w->top : n;

	if (w->top == 0 || n == 0)
		return n;
	switch (w->profile->top_rule) {
	case SH_TOP_TEXT:
		qsort_r(d->distinct, n, sizeof *d->distinct, by_weight, &d->features);
		return top;
	case SH_TOP_HEAP:
		qsort_r(d->distinct, n, sizeof *d->distinct, by_text, &d->features);
		return sh_top_heap(d->distinct, n, top);
	default:
		return sh_top_first(d->distinct, n, top);
	}
}

static int write_feature(
    struct sh_weighing *d, struct sh_slice feature, int64_t weight, struct sh_error *err)
{
	struct sh_slice id = sh_buf_slice(&d->id);
	char *room = sh_sink_room(d->out, id.n + feature.n + SH_NUM_CHARS + 3, err), *p = room;

	if (!room)
		return -1;
	memcpy(p, id.p, id.n);
	p += id.n;
	*p++ = '\t';
	if (feature.n)
		memcpy(p, feature.p, feature.n);
	p += feature.n;
	*p++ = '\t';
	p += sh_print_weight(p, weight);
	*p++ = '\n';
	sh_sink_used(d->out, (size_t)(p - room));
	return 0;
}

/* All features, when their weights follow from whole counts: 1, or 0 when that is not so
 * and nothing is written. Copies of 16 bytes run over what they copy. */
static int write_by_count(struct sh_weighing *d, struct sh_error *err)
{
	const struct sh_terms *t = &d->features;
	size_t need = t->n * (d->run.n + SH_WEIGHER_SHOWN) + t->used + 64;
	char *room, *p;

	room = p = sh_sink_room(d->out, need, err);
	if (!room)
		return -1;
	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t count = (uint64_t)t->sum[i] / SH_WEIGHT_ONE;
		struct sh_slice text = sh_terms_text(t, i);
		const struct sh_weight_text *shown =
		    &d->weigher->by_count[count < SH_WEIGHER_COUNTS ? count : 0];

		if (shown->n == 0 || count * SH_WEIGHT_ONE != (uint64_t)t->sum[i])
			return 0;
		memcpy(p, d->run.prefix, 16);
		if (d->run.n > 16)
			memcpy(p, d->run.prefix, d->run.n);
		p += d->run.n;
		memcpy(p, text.p, 16);
		if (text.n > 16)
			memcpy(p, text.p, text.n);
		p += text.n;
		memcpy(p, shown->text, SH_WEIGHER_SHOWN);
		p += shown->n;
	}
	sh_sink_used(d->out, (size_t)(p - room));
	return 1;
}

/* The weight of f, which holds its feature's count: as sh_weigh(). */
static int weigh(const struct sh_weighing *d, struct sh_heavy *f, struct sh_error *err)
{
	struct sh_slice id = sh_buf_slice(&d->id), text = sh_terms_text(&d->features, f->index);

	if (d->weigher->real)
		return sh_weigh_real(d->weigher, id, text, &f->weight, err) < 0 ? -1 : 1;
	return sh_weigh(d->weigher, id, text, d->tokens, &f->weight, err);
}

/* All features that stay to d->distinct; *n becomes their number. */
static int weigh_features(struct sh_weighing *d, size_t *n, struct sh_error *err)
{
	*n = 0;
	for (uint32_t i = 0; i < d->features.n; i++) {
		struct sh_heavy f = { d->features.sum[i], i };
		int kept = weigh(d, &f, err);

		if (kept < 0)
			return -1;
		if (kept)
			d->distinct[(*n)++] = f;
	}
	return 0;
}

/* One that has no features, or none left, says so. */
static int write_document(struct sh_weighing *d, struct sh_error *err)
{
	uint32_t all = d->features.n;
	size_t n;

	if (all > d->cap &&
	    sh_grow((void **)&d->distinct, &d->cap, all, sizeof *d->distinct, err) < 0)
		return -1;
	if (weigh_features(d, &n, err) < 0)
		return -1;
	n = keep_top(d, n);
	if (d->weigher->real)
		sh_doubles_write(d->distinct, n);
	for (size_t i = 0; i < n; i++) {
		struct sh_slice feature = sh_terms_text(&d->features, d->distinct[i].index);

		if (write_feature(d, feature, d->distinct[i].weight, err) < 0)
			return -1;
	}
	return n ? 0 : write_feature(d, sh_slice("", 0), 0, err);
}

int sh_weighing_finish(struct sh_weighing *d, struct sh_error *err)
{
	bool usual = d->weigher->by_count[1].n && d->features.n;
	int done;

	if (!d->begun)
		return 0;
	d->begun = false;
	done = usual ? write_by_count(d, err) : 0;
	if (done)
		return done < 0 ? -1 : 0;
	return write_document(d, err);
}

int sh_weighing_add(
    struct sh_weighing *d, struct sh_slice feature, int64_t weight, struct sh_error *err)
{
	if (feature.n == 0)
		return 0;
	if (__builtin_add_overflow(d->tokens, weight, &d->tokens))
		return sh_error_set(err, SH_ERR_RANGE, "the counts of document '%.*s' overflow",
		    sh_shown(sh_buf_slice(&d->id), 80), d->id.p);
	return sh_terms_add(&d->features, feature, weight, err);
}

int sh_weighing_change(struct sh_weighing *d, struct sh_slice id, const char *file, uint64_t line,
    struct sh_error *err)
{
	if (d->begun && sh_slice_eq(id, sh_buf_slice(&d->id)))
		return 0;
	if (sh_weighing_finish(d, err) < 0)
		return -1;
	sh_past_ids_begin(&d->past, id, file, line);
	sh_terms_clear(&d->features);
	sh_feature_run_begin(&d->run, id);
	d->tokens = 0;
	d->begun = true;
	d->id.n = 0;
	return sh_buf_add(&d->id, id.p, id.n, err);
}
