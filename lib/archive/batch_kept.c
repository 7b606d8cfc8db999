/* The features that a batch keeps in memory between the computation of keys and the sketch. */
#include "archive/batch_state.h"

int sh_batch_keep(struct sh_batch_worker *w, struct sh_batch_doc *d,
    const struct sh_feature_set *set, struct sh_error *err)
{
	const struct sh_batch_opts *opts = &w->batch->opts;
	const uint64_t *hash = opts->rule.edit ? set->ordered : set->hash;
	size_t n = opts->rule.edit ? set->n_ordered : set->n, bytes = n * sizeof(uint32_t);
	char *to;

	if (bytes == 0 || w->kept->bytes + bytes > opts->keep_bytes / opts->jobs)
		return 0;
	to = sh_arena_room(w->kept, bytes, err);
	if (!to)
		return -1;
	d->kept = to;
	d->n_kept = n;
	for (size_t i = 0; i < n; i++) {
		uint32_t cut = (uint32_t)(hash[i] >> 32);

		memcpy(to + i * sizeof cut, &cut, sizeof cut);
	}
	return 0;
}

/* Unpacks features, in the order of whole hashes, or tokens: the first 32 bits were kept, and the
 * other bits are 0. */
static int unpack(struct sh_batch_worker *w, const struct sh_batch_doc *d,
    struct sh_feature_set *set, struct sh_error *err)
{
	uint64_t *hash;

	if (sh_sketch_reserve(&w->sketch, d->n_kept, err) < 0)
		return -1;
	hash = w->sketch.hash;
	for (size_t i = 0; i < d->n_kept; i++) {
		uint32_t cut;

		memcpy(&cut, d->kept + i * sizeof cut, sizeof cut);
		hash[i] = (uint64_t)cut << 32;
	}
	if (w->batch->opts.rule.edit)
		*set = (struct sh_feature_set){ .ordered = hash, .n_ordered = d->n_kept };
	else
		*set = (struct sh_feature_set){ .hash = hash, .n = d->n_kept };
	return 0;
}

/* Leaves only the first 32 bits of the hashes of a set. */
static int cut(struct sh_batch_worker *w, struct sh_feature_set *set, struct sh_error *err)
{
	if (sh_sketch_reserve(&w->sketch, set->n, err) < 0)
		return -1;
	for (size_t i = 0; i < set->n; i++)
		w->sketch.hash[i] = set->hash[i] & ~(uint64_t)UINT32_MAX;
	set->hash = w->sketch.hash;
	return 0;
}

int sh_batch_kept(
    struct sh_batch_worker *w, uint32_t document, struct sh_feature_set *set, struct sh_error *err)
{
	const struct sh_batch *b = w->batch;
	struct sh_document doc;
	struct sh_analysis x;

	if (b->doc[document].kept)
		return unpack(w, &b->doc[document], set, err);
	if (sh_corpus_document(b->opts.corpus, document, &w->room, &doc, err) < 0 ||
	    sh_batch_analyse_text(w, SH_BATCH_AGAIN, doc.text, &x, err) < 0)
		return -1;
	*set = x.set;
	return b->opts.store == SH_ARCHIVE_SKETCH ? cut(w, set, err) : 0;
}
