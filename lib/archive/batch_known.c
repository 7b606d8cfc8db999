/* Documents of the batch that the archive knows. */
#include "archive/batch_state.h"

#include <stdlib.h>

#include "base/compare.h"

/* Sets distance and similarity of an outcome from a record. */
static int numbers_of(const struct sh_doc_record *r, struct sh_outcome *f, struct sh_error *err)
{
	int64_t similarity;
	uint64_t distance;

	if (sh_parse_u64(r->distance, &distance) < 0 || distance > SH_FP_MAX_BITS)
		return sh_batch_broken(r->number, err);
	f->distance = (uint16_t)distance;
	f->similarity = SH_UNVERIFIED;
	if (sh_slice_eq(r->similarity, sh_slice("-", 1)))
		return 0;
	if (sh_parse_weight(r->similarity, &similarity) < 0 || similarity > SH_WEIGHT_ONE)
		return sh_batch_broken(r->number, err);
	f->similarity = (uint16_t)(similarity / (SH_WEIGHT_ONE / 10000));
	return 0;
}

/* Sets the outcome of a document that the archive knows from its record. */
static int set_known(
    struct sh_batch *b, struct sh_batch_doc *d, const struct sh_doc_record *r, struct sh_error *err)
{
	struct sh_doc_record keeper = *r;
	int got = 1;

	d->own = r->number;
	d->is_known = true;
	d->has_features = !sh_slice_eq(r->fp, sh_slice("-", 1));
	d->outcome.kind = r->keeper == r->number ? SH_OUTCOME_STAYS : SH_OUTCOME_DROPPED;
	d->outcome.keeper = r->keeper;
	if (r->keeper != r->number)
		got = sh_archive_record(b->archive, r->keeper, &keeper, err);
	if (got <= 0)
		return got < 0 ? -1 : sh_batch_broken(r->keeper, err);
	d->outcome.id = keeper.id;
	return numbers_of(r, &d->outcome, err);
}

int sh_batch_set_known(struct sh_batch_worker *w, size_t key, uint32_t number, struct sh_error *err)
{
	struct sh_batch *b = w->batch;
	struct sh_doc_record r;
	struct sh_document doc;
	const uint32_t *like;
	size_t n;
	int got = sh_archive_record(b->archive, number, &r, err);

	if (got <= 0)
		return got < 0 ? -1 : sh_batch_broken(number, err);
	n = sh_batch_of_id(b, key, &r.digest, &like);
	for (size_t i = 0; i < n; i++) {
		if (sh_corpus_document(b->opts.corpus, like[i], &w->room, &doc, err) < 0 ||
		    (sh_slice_eq(doc.id, r.id) && set_known(b, &b->doc[like[i]], &r, err) < 0))
			return -1;
	}
	return 0;
}

/* Makes a document new again. */
static void forget(struct sh_batch_doc *d, uint32_t document)
{
	d->outcome = (struct sh_outcome){ .kind = SH_OUTCOME_NEW };
	d->own = SH_CORPUS_NONE;
	d->keeper = document;
	d->is_known = false;
}

void sh_batch_count_known(struct sh_batch *b)
{
	for (uint32_t i = 0; i < b->opts.corpus->n; i++) {
		struct sh_batch_doc *d = &b->doc[i];

		if (d->outcome.kind == SH_OUTCOME_DROPPED && b->opts.is_protected(b->opts.arg, i))
			forget(d, i);
		b->stats.known += d->is_known;
	}
}

/* ---- several documents of one id and text in the batch ---- */

static int by_own(const void *a, const void *b, void *arg)
{
	const struct sh_batch *batch = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t p = batch->doc[x].own, q = batch->doc[y].own;

	if (p != q)
		return p < q ? -1 : 1;
	return sh_compare(x, y);
}

int sh_batch_drop_repeated(struct sh_batch *b, struct sh_error *err)
{
	uint32_t *order = malloc(b->opts.corpus->n * sizeof *order + 1);
	size_t n = 0;

	if (!order)
		return sh_error_nomem(err);
	for (uint32_t i = 0; i < b->opts.corpus->n; i++)
		if (b->doc[i].outcome.kind == SH_OUTCOME_STAYS && b->doc[i].has_features &&
		    !b->opts.is_protected(b->opts.arg, i))
			order[n++] = i;
	qsort_r(order, n, sizeof *order, by_own, b);
	for (size_t i = 1; i < n; i++) {
		struct sh_batch_doc *d = &b->doc[order[b->opts.newest ? i - 1 : i]];

		if (b->doc[order[i - 1]].own != b->doc[order[i]].own)
			continue;
		d->outcome.kind = SH_OUTCOME_DROPPED;
		d->outcome.distance = 0;
		d->outcome.similarity = b->opts.verify ? 10000 : SH_UNVERIFIED;
	}
	free(order);
	return 0;
}
