#include "stream/weighing.h"

#include <stdlib.h>

#include "weight/doubles.h"

int sh_weighing_init(struct sh_weighing *d, const struct sh_weigher *weigher, struct sh_sink *out,
    struct sh_error *err)
{
	*d = (struct sh_weighing){ .weigher = weigher, .out = out };
	if (sh_past_ids_init(&d->past, err) < 0 || sh_terms_init(&d->features, err) < 0 ||
	    sh_df_watch_init(&d->watch, weigher->df, err) < 0)
		return -1;
	return sh_feature_lines_init(&d->lines, false, err);
}

void sh_weighing_free(struct sh_weighing *d)
{
	sh_past_ids_free(&d->past);
	sh_terms_free(&d->features);
	sh_feature_lines_free(&d->lines);
	free(d->distinct);
	sh_buf_free(&d->id);
	sh_df_watch_free(&d->watch);
}

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

/* Moves the features that -t keeps to the front. Returns their number. */
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

/* Writes all features when each weight depends on the count alone and is in the table: returns 1.
 * Returns 0, and writes nothing, otherwise. Copies at least 16 bytes each time, which is faster
 * than the exact number: the next copy overwrites the surplus bytes. */
static int write_by_count(struct sh_weighing *d, struct sh_error *err)
{
	const struct sh_terms *t = &d->features;
	size_t need = t->n * (d->prefix.n + SH_WEIGHER_SHOWN) + t->used + 64;
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
		memcpy(p, d->prefix.text, 16);
		if (d->prefix.n > 16)
			memcpy(p, d->prefix.text, d->prefix.n);
		p += d->prefix.n;
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

/* Replaces the count in f->weight by the weight. Returns the result of sh_weigh(). */
static int weigh(const struct sh_weighing *d, struct sh_heavy *f, struct sh_error *err)
{
	struct sh_slice id = sh_buf_slice(&d->id), text = sh_terms_text(&d->features, f->index);

	if (d->weigher->real)
		return sh_weigh_real(d->weigher, id, text, &f->weight, err) < 0 ? -1 : 1;
	return sh_weigh(d->weigher, id, text, d->tokens, &f->weight, err);
}

/* Checks the document's features against the table of document frequencies. A feature with more
 * words than any feature of the table is an n-gram of another size, which is an error. It is also
 * an error when no feature of the document has the W words of the table's widest feature, and the
 * features are more than the n-grams of a text of W - 1 tokens. */
static int check_words(const struct sh_weighing *d, struct sh_error *err)
{
	uint64_t widest = 0, table = d->weigher->df ? d->weigher->df->words : 0;

	if (table == 0)
		return 0;
	for (uint32_t i = 0; i < d->features.n; i++) {
		uint64_t words = sh_feature_words(sh_terms_text(&d->features, i));

		widest = words > widest ? words : widest;
	}
	if (widest == table || (widest < table && d->features.n <= table * (table - 1) / 2))
		return 0;
	return sh_error_set(err, SH_ERR_PARAM,
	    "document '%.*s' has features of up to %llu word%s, but the table %s was counted on "
	    "features of up to %llu: use the same -n for both (shdf --bare makes tables that are "
	    "not checked)",
	    sh_shown(sh_buf_slice(&d->id), 80), d->id.p, (unsigned long long)widest,
	    widest == 1 ? "" : "s", d->weigher->df->name, (unsigned long long)table);
}

static int watch(struct sh_weighing *d, struct sh_error *err)
{
	if (d->features.n == 0 || !sh_df_watch_document(&d->watch))
		return 0;
	for (uint32_t i = 0; i < d->features.n; i++)
		if (sh_df_watch_feature(&d->watch, sh_terms_text(&d->features, i), err) < 0)
			return -1;
	return 0;
}

/* Fills d->distinct with the features that are not dropped, and sets *n to their number. */
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

/* Writes the document. When no feature is kept, writes the empty feature. */
static int write_document(struct sh_weighing *d, struct sh_error *err)
{
	uint32_t all = d->features.n;
	size_t n;

	if (all > d->cap &&
	    sh_grow((void **)&d->distinct, &d->cap, all, sizeof *d->distinct, err) < 0)
		return -1;
	if (check_words(d, err) < 0 || watch(d, err) < 0 || weigh_features(d, &n, err) < 0)
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

int sh_weighing_begin(struct sh_weighing *d, struct sh_slice id, const char *file, uint64_t line,
    struct sh_error *err)
{
	if (d->begun && sh_slice_eq(id, sh_buf_slice(&d->id)))
		return 0;
	if (sh_weighing_finish(d, err) < 0)
		return -1;
	sh_past_ids_begin(&d->past, id, file, line);
	sh_terms_clear(&d->features);
	sh_id_prefix_set(&d->prefix, id);
	d->tokens = 0;
	d->begun = true;
	d->id.n = 0;
	return sh_buf_add(&d->id, id.p, id.n, err);
}

/* Adds the lines that d->lines holds. *added is the number of lines before the first bad one. */
static int add_lines(struct sh_weighing *d, uint64_t *added, struct sh_error *err)
{
	const struct sh_feature_lines *l = &d->lines;

	for (size_t i = 0; i < l->lines; i++, ++*added) {
		struct sh_slice feature = sh_slice(l->base + l->start[i], l->end[i] - l->start[i]);

		if (sh_weighing_add(d, feature, l->weight[i], err) < 0)
			return -1;
	}
	return 0;
}

/* Begins the document of the line at p when its id is new. Returns 0 when the line does not end
 * before `end`, is not valid or has the same id. The caller then reads the line with
 * sh_record_feature(), which reports errors. */
static int begin_next(struct sh_weighing *d, const char *p, const char *end, const char *file,
    uint64_t line, struct sh_error *err)
{
	const char *lf = memchr(p, '\n', (size_t)(end - p));
	struct sh_feature f;
	struct sh_error ignored;

	if (!lf || sh_record_feature(sh_slice(p, (size_t)(lf - p)), &f, &ignored) < 0 ||
	    sh_slice_eq(f.id, sh_buf_slice(&d->id)))
		return 0;
	return sh_weighing_begin(d, f.id, file, line, err) < 0 ? -1 : 1;
}

const char *sh_weighing_add_lines(struct sh_weighing *d, const struct sh_origin *from,
    const char *p, const char *end, uint64_t *lines, struct sh_error *err)
{
	int more = 1;

	*lines = 0;
	if (sh_feature_lines_chunk(&d->lines, from->at, p, end, err) < 0)
		return NULL;
	while (more && p < end) {
		const char *next = sh_feature_lines_read(&d->lines, &d->prefix, p);

		if (next == p)
			break;
		if (add_lines(d, lines, err) < 0)
			return NULL;
		p = next;
		if (p == end)
			break;
		more = begin_next(d, p, end, from->file, from->line + *lines, err);
		if (more < 0)
			return NULL;
	}
	return p;
}
