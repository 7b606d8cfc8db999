/* Runs work on a batch in several threads. */
#include "archive/batch_state.h"

#include <stdlib.h>

static void free_worker(struct sh_batch_worker *w)
{
	sh_analyser_free(&w->analyser);
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

static struct sh_features *new_features(
    const struct sh_batch_opts *opts, bool raw, struct sh_error *err)
{
	struct sh_token_opts token = opts->fp.token;

	token.raw = token.raw || raw;
	if (opts->rule.edit)
		return sh_features_new_sequences(&token, opts->rule.ngrams, opts->rule.key,
		    opts->store == SH_STORE_SEQUENCE, err);
	return sh_features_new(&token, opts->rule.ngrams, opts->rule.key, err);
}

/* Making an analyser takes longer than a small document, so it is made on first use. */
static int begin_analysis(struct sh_batch_worker *w, struct sh_error *err)
{
	const struct sh_batch_opts *opts = &w->batch->opts;

	if (w->analyser.tokenizer)
		return 0;
	return sh_analyser_init(&w->analyser, &opts->fp, new_features(opts, false, err), err);
}

int sh_batch_analyse_text(
    struct sh_batch_worker *w, struct sh_slice text, struct sh_analysis *out, struct sh_error *err)
{
	return begin_analysis(w, err) < 0 ? -1 : sh_analyse(&w->analyser, text, out, err);
}

static struct sh_features *features(struct sh_batch_worker *w, bool raw, struct sh_error *err)
{
	if (!raw)
		return begin_analysis(w, err) < 0 ? NULL : w->analyser.features;
	if (!w->raw)
		w->raw = new_features(&w->batch->opts, true, err);
	return w->raw;
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

struct sh_batch_worker *sh_batch_workers_new(struct sh_batch *b, struct sh_error *err)
{
	struct sh_batch_worker *w = calloc(b->opts.jobs, sizeof *w);

	if (!w)
		sh_error_nomem(err);
	for (unsigned i = 0; w && i < b->opts.jobs; i++) {
		w[i].batch = b;
		w[i].kept = &b->kept[i];
	}
	return w;
}

void sh_batch_workers_delete(struct sh_batch *b, struct sh_batch_worker *w)
{
	for (unsigned i = 0; i < b->opts.jobs; i++)
		free_worker(&w[i]);
	free(w);
}

int sh_batch_parallel(struct sh_batch *b, size_t n, size_t grain, sh_tasks_fn *fn,
    int (*last)(struct sh_batch *b, struct sh_batch_worker *w, struct sh_error *err),
    struct sh_error *err)
{
	struct sh_batch_worker *w = sh_batch_workers_new(b, err);
	int status;

	if (!w)
		return -1;
	status = sh_parallel(w, sizeof *w, b->opts.jobs, n, grain, fn, err);
	if (status == 0)
		status = last(b, w, err);
	sh_batch_workers_delete(b, w);
	return status;
}
