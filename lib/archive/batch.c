#include "archive/batch_state.h"

#include <stdlib.h>

#include "base/compare.h"

struct sh_batch *sh_batch_new(const struct sh_batch_opts *opts, struct sh_error *err)
{
	struct sh_batch *b = calloc(1, sizeof *b);

	if (!b) {
		sh_error_nomem(err);
		return NULL;
	}
	b->opts = *opts;
	b->doc = calloc(opts->corpus->n + 1, sizeof *b->doc);
	if (b->doc)
		return b;
	sh_error_nomem(err);
	free(b);
	return NULL;
}

void sh_batch_delete(struct sh_batch *b)
{
	if (!b)
		return;
	free(b->doc);
	free(b->probe);
	free(b->candidate);
	free(b->key);
	free(b->first);
	free(b->by_text);
	free(b->namesake);
	free(b);
}

const struct sh_fate *sh_batch_fate(const struct sh_batch *b, uint32_t document)
{
	return &b->doc[document].fate;
}

const struct sh_batch_stats *sh_batch_stats(const struct sh_batch *b)
{
	return &b->stats;
}

int sh_batch_broken(uint32_t number, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "the archive has no good record of document %08x: take back a copy of it", number);
}

static int add_namesake(struct sh_batch *b, size_t asked, uint32_t number, struct sh_error *err)
{
	if (b->n_namesakes == b->namesakes_cap &&
	    sh_grow((void **)&b->namesake, &b->namesakes_cap, b->n_namesakes + 1,
		sizeof *b->namesake, err) < 0)
		return -1;
	b->namesake[b->n_namesakes++] = (struct sh_namesake){ (uint32_t)asked, number };
	return 0;
}

static int add_candidates(void *arg, size_t asked, uint32_t number, struct sh_error *err)
{
	struct sh_batch *b = arg;

	if (asked >= b->first_id)
		return add_namesake(b, asked, number, err);
	for (uint32_t i = b->first[asked]; i < b->first[asked + 1]; i++) {
		if (b->n_candidates == b->candidates_cap &&
		    sh_grow((void **)&b->candidate, &b->candidates_cap, b->n_candidates + 1,
			sizeof *b->candidate, err) < 0)
			return -1;
		b->candidate[b->n_candidates++] = (struct sh_meeting){ b->probe[i].doc, number };
	}
	return 0;
}

static int by_document(const void *a, const void *b)
{
	const struct sh_meeting *x = a, *y = b;

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

int sh_batch_look(struct sh_batch *b, struct sh_archive *a, struct sh_error *err)
{
	b->archive = a;
	if (find_candidates(b, err) < 0 || sh_batch_find_known(b, err) < 0 ||
	    sh_batch_drop_twins(b, err) < 0)
		return -1;
	return sh_batch_match(b, err);
}
