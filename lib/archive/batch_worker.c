/* Runs work on a batch in several threads. */
#include "archive/batch_state.h"

#include <stdlib.h>

static void free_worker(struct sh_batch_worker *w)
{
	for (unsigned i = 0; i < SH_BATCH_TEXTS; i++)
		sh_analyser_free(&w->analyser[i]);
	sh_features_delete(w->grams);
	sh_document_room_free(&w->room);
	free(w->keys.key);
	free(w->probe);
	sh_sketch_free(&w->sketch);
	sh_sketch_free(&w->sequence);
	sh_hashes_free(&w->scratch);
	sh_verifier_delete(w->verifier);
	sh_buf_free(&w->text);
	sh_buf_free(&w->escaped);
}

static struct sh_feature_opts feature_opts(const struct sh_batch_opts *opts)
{
	return (struct sh_feature_opts){ .token = opts->fp.token,
		.ngrams = opts->rule.ngrams,
		.form = opts->rule.edit ? SH_FEATURES_OF_TOKENS : SH_FEATURES_STORED,
		.key = { opts->rule.key[0], opts->rule.key[1] },
		.cut = opts->store == SH_ARCHIVE_SEQUENCE };
}

/* Making an analyser takes longer than a small document, so it is made on first use. */
static int begin_analysis(struct sh_batch_worker *w, enum sh_batch_text which, struct sh_error *err)
{
	const struct sh_batch_opts *opts = &w->batch->opts;
	struct sh_feature_opts f = feature_opts(opts);

	if (w->analyser[which].tokenizer)
		return 0;
	f.only_order = opts->rule.edit && which != SH_BATCH_NEW;
	f.token.raw = f.token.raw || which == SH_BATCH_ARCHIVED;
	return sh_analyser_init(
	    &w->analyser[which], which == SH_BATCH_NEW ? &opts->fp : NULL, &f, err);
}

int sh_batch_analyse_text(struct sh_batch_worker *w, enum sh_batch_text which, struct sh_slice text,
    struct sh_analysis *out, struct sh_error *err)
{
	return begin_analysis(w, which, err) < 0 ? -1
						 : sh_analyse(&w->analyser[which], text, out, err);
}

int sh_batch_add_grams(struct sh_batch_worker *w, struct sh_feature_set *set, struct sh_error *err)
{
	struct sh_feature_opts f = feature_opts(&w->batch->opts);

	if (!w->grams && !(w->grams = sh_features_new(&f, err)))
		return -1;
	return sh_features_of_sequence(w->grams, set->ordered, set->n_ordered, set, err);
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
