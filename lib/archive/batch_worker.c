/* Runs work on a batch in several threads. */
#include "archive/batch_state.h"

#include <stdlib.h>

void sh_batch_worker_free(struct sh_batch_worker *w)
{
	sh_features_delete(w->features);
	sh_features_delete(w->raw);
	sh_document_room_free(&w->room);
	free(w->keys.key);
	free(w->probe);
	free(w->unpacked);
	sh_sketch_free(&w->own.cut);
	sh_sketch_free(&w->other.cut);
	sh_sketch_free(&w->sequence);
	sh_aligner_delete(w->aligner);
	sh_buf_free(&w->text);
	sh_buf_free(&w->escaped);
}

/* Returns the object that makes feature sets. It is made on first use, because making it takes longer than
 * a small document. */
static struct sh_features *features(struct sh_batch_worker *w, bool raw, struct sh_error *err)
{
	const struct sh_batch_opts *opts = &w->batch->opts;
	struct sh_features **f = raw ? &w->raw : &w->features;
	struct sh_token_opts token = opts->token;

	if (raw)
		token.raw = true;
	if (!*f && opts->rule.edit)
		*f = sh_features_new_sequences(&token, opts->rule.ngrams, opts->rule.key,
		    opts->store == SH_STORE_SEQUENCE, err);
	else if (!*f)
		*f = sh_features_new(&token, opts->rule.ngrams, opts->rule.key, err);
	return *f;
}

int sh_batch_features(struct sh_batch_worker *w, bool raw, struct sh_slice text,
    struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_features *f = features(w, raw, err);

	return f ? sh_features_of(f, text, set, err) : -1;
}

int sh_batch_sequence(struct sh_batch_worker *w, bool raw, const uint64_t *token, size_t n,
    struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_features *f = features(w, raw, err);

	return f ? sh_features_of_sequence(f, token, n, set, err) : -1;
}

int sh_batch_parallel(struct sh_batch *b, size_t n, size_t grain, sh_tasks_fn *fn,
    int (*last)(struct sh_batch *b, struct sh_batch_worker *w, struct sh_error *err),
    struct sh_error *err)
{
	struct sh_batch_worker *w = calloc(b->opts.jobs, sizeof *w);
	void **workers = calloc(b->opts.jobs, sizeof *workers);
	int status = w && workers ? 0 : sh_error_nomem(err);

	for (unsigned i = 0; status == 0 && i < b->opts.jobs; i++) {
		workers[i] = &w[i];
		w[i].batch = b;
		w[i].kept = &b->kept[i];
	}
	if (status == 0)
		status = sh_parallel(workers, b->opts.jobs, n, grain, fn, err);
	if (status == 0)
		status = last(b, w, err);
	for (unsigned i = 0; w && i < b->opts.jobs; i++)
		sh_batch_worker_free(&w[i]);
	free(w);
	free(workers);
	return status;
}
