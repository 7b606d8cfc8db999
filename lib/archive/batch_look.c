/* The lookup of a batch: known documents by the keys of their ids; then, of the other documents,
 * candidates by their keys, and matches. */
#include "archive/batch_state.h"

enum { GRAIN = 8192 }; /* keys that a thread looks up at once */

/* Looks the keys from .. to-1 up in all segments. Several threads may do so. */
static int look_some(struct sh_batch_worker *w, const struct sh_probes *asked, size_t from,
    size_t to, sh_key_found *found, struct sh_error *err)
{
	const struct sh_archive *a = w->batch->archive;

	w->asked = asked;
	w->from = from;
	for (size_t i = 0; i < a->n_segments; i++)
		if (sh_segment_look(&a->segment[i], asked->key + from, to - from, found, w, err) <
		    0)
			return -1;
	return 0;
}

/* The last record of an id and text decides: numbers ascend with segments. */
static int found_id(void *worker, size_t asked, uint32_t number, struct sh_error *err)
{
	struct sh_batch_worker *w = worker;

	return sh_batch_set_known(w, w->from + asked, number, err);
}

static int look_ids(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct sh_batch_worker *w = worker;

	return look_some(w, &w->batch->ids, from, to, found_id, err);
}

static int end_ids(struct sh_batch *b, struct sh_batch_worker *w, struct sh_error *err)
{
	(void)w;
	sh_batch_count_known(b);
	return sh_batch_drop_repeated(b, err);
}

static int found_candidate(void *worker, size_t asked, uint32_t number, struct sh_error *err)
{
	struct sh_batch_worker *w = worker;
	const uint32_t *first = w->asked->first + w->from + asked;

	for (uint32_t i = first[0]; i < first[1]; i++) {
		uint32_t doc = w->asked->pairs.side.id[i];

		if (sh_batch_add_probe(w, (uint64_t)doc << 32 | number, doc, err) < 0)
			return -1;
	}
	return 0;
}

static int look_bands(void *worker, size_t from, size_t to, struct sh_error *err)
{
	struct sh_batch_worker *w = worker;

	return look_some(w, &w->batch->bands, from, to, found_candidate, err);
}

static int gather_candidates(struct sh_batch *b, struct sh_batch_worker *w, struct sh_error *err)
{
	unsigned bits = 33;

	while (b->opts.corpus->n >> (bits - 32))
		bits++;
	return sh_batch_gather(b, w, bits, &b->candidates, err);
}

int sh_batch_look_up(struct sh_batch *b, struct sh_archive *a, struct sh_error *err)
{
	b->archive = a;
	if (sh_batch_parallel(b, b->ids.n, GRAIN, look_ids, end_ids, err) < 0 ||
	    sh_batch_analyse(b, err) < 0 ||
	    sh_batch_parallel(b, b->bands.n, GRAIN, look_bands, gather_candidates, err) < 0)
		return -1;
	return sh_batch_match(b, err);
}
