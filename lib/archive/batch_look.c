/* The lookup of a batch: candidates by their keys, then known documents, then matches. */
#include "archive/batch_state.h"

#include <stdlib.h>

#include "base/compare.h"

static int add_id_posting(struct sh_batch *b, size_t asked, uint32_t number, struct sh_error *err)
{
	if (b->n_id_postings == b->id_postings_cap &&
	    sh_grow((void **)&b->id_posting, &b->id_postings_cap, b->n_id_postings + 1,
		sizeof *b->id_posting, err) < 0)
		return -1;
	b->id_posting[b->n_id_postings++] = (struct sh_id_posting){ (uint32_t)asked, number };
	return 0;
}

static int add_candidates(void *arg, size_t asked, uint32_t number, struct sh_error *err)
{
	struct sh_batch *b = arg;

	if (asked >= b->first_id)
		return add_id_posting(b, asked, number, err);
	for (uint32_t i = b->first[asked]; i < b->first[asked + 1]; i++) {
		if (b->n_candidates == b->candidates_cap &&
		    sh_grow((void **)&b->candidate, &b->candidates_cap, b->n_candidates + 1,
			sizeof *b->candidate, err) < 0)
			return -1;
		b->candidate[b->n_candidates++] =
		    (struct sh_batch_candidate){ b->probe[i].doc, number };
	}
	return 0;
}

static int by_document(const void *a, const void *b)
{
	const struct sh_batch_candidate *x = a, *y = b;

	if (x->doc != y->doc)
		return x->doc < y->doc ? -1 : 1;
	return sh_compare(x->number, y->number);
}

static int find_candidates(struct sh_batch *b, struct sh_error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->archive->n_segments; i++)
		if (sh_segment_look(
			&b->archive->segment[i], b->key, b->n_keys, add_candidates, b, err) < 0)
			return -1;
	if (b->n_candidates)
		qsort(b->candidate, b->n_candidates, sizeof *b->candidate, by_document);
	for (size_t i = 0; i < b->n_candidates; i++)
		if (i == 0 || by_document(&b->candidate[i], &b->candidate[i - 1]) != 0)
			b->candidate[kept++] = b->candidate[i];
	b->n_candidates = kept;
	return 0;
}

int sh_batch_look_up(struct sh_batch *b, struct sh_archive *a, struct sh_error *err)
{
	b->archive = a;
	if (find_candidates(b, err) < 0 || sh_batch_find_known(b, err) < 0 ||
	    sh_batch_drop_repeated(b, err) < 0)
		return -1;
	return sh_batch_match(b, err);
}
