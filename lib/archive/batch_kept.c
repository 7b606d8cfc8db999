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
static int unpack(struct sh_batch_worker *w, const struct sh_batch_doc *d, struct sh_error *err)
{
	if (d->n_kept > w->unpacked_cap && sh_grow((void **)&w->unpacked, &w->unpacked_cap,
					       d->n_kept, sizeof *w->unpacked, err) < 0)
		return -1;
	for (size_t i = 0; i < d->n_kept; i++) {
		uint32_t cut;

		memcpy(&cut, d->kept + i * sizeof cut, sizeof cut);
		w->unpacked[i] = (uint64_t)cut << 32;
	}
	return 0;
}

int sh_batch_kept(
    struct sh_batch_worker *w, uint32_t document, struct sh_feature_set *set, struct sh_error *err)
{
	const struct sh_batch *b = w->batch;
	const struct sh_batch_doc *d = &b->doc[document];
	struct sh_document doc;

	if (!d->kept) {
		if (sh_corpus_document(b->opts.corpus, document, &w->room, &doc, err) < 0)
			return -1;
		return sh_batch_features(w, false, doc.text, set, err);
	}
	if (unpack(w, d, err) < 0)
		return -1;
	if (b->opts.rule.edit)
		return sh_batch_sequence(w, false, w->unpacked, d->n_kept, set, err);
	*set = (struct sh_feature_set){ .hash = w->unpacked, .n = d->n_kept };
	return 0;
}
