#include "archive/batch_state.h"

#include <stdlib.h>

struct sh_batch *sh_batch_new(const struct sh_batch_opts *opts, struct sh_error *err)
{
	struct sh_batch *b = calloc(1, sizeof *b);

	if (!b) {
		sh_error_nomem(err);
		return NULL;
	}
	b->opts = *opts;
	b->doc = calloc(opts->corpus->n + 1, sizeof *b->doc);
	b->kept = calloc(opts->jobs, sizeof *b->kept);
	if (b->doc && b->kept)
		return b;
	sh_error_nomem(err);
	free(b->doc);
	free(b->kept);
	free(b);
	return NULL;
}

static void free_probes(struct sh_probes *p)
{
	sh_sorted_put(&p->pairs, NULL);
	free(p->key);
	free(p->first);
}

void sh_batch_delete(struct sh_batch *b)
{
	if (!b)
		return;
	for (unsigned i = 0; i < b->opts.jobs; i++)
		sh_arena_free(&b->kept[i]);
	free(b->kept);
	free(b->doc);
	free_probes(&b->ids);
	free_probes(&b->bands);
	sh_sorted_put(&b->candidates, NULL);
	free(b->by_text);
	sh_buf_free(&b->described);
	free(b);
}

const struct sh_outcome *sh_batch_outcome(const struct sh_batch *b, uint32_t document)
{
	return &b->doc[document].outcome;
}

bool sh_batch_has_features(const struct sh_batch *b, uint32_t document)
{
	return b->doc[document].has_features;
}

const struct sh_batch_stats *sh_batch_stats(const struct sh_batch *b)
{
	return &b->stats;
}

int sh_batch_broken(uint32_t number, struct sh_error *err)
{
	return sh_error_set(err, SH_ERR_RECORD,
	    "the archive has no valid record of document %08x: restore a copy of the archive",
	    number);
}
