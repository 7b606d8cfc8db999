/* SPDX-License-Identifier: MIT */
/* The archive of shdedup (lib/archive/batch.h). These functions die of errors. */
#include <stdlib.h>

#include "dedup.h"
#include "io/target.h"
#include "made_with.h"
#include "store/change.h"

enum { EVERY_MERGES = 1 << 16 }; /* documents of a merge under --every: it takes about a second */

void dedup_archive_keep_file(struct cli *c, const char *dir, const char *path)
{
	char *target;
	const char *slash, *name;
	struct sh_buf file = { 0 };
	struct sh_error err;

	if (!path || sh_target_find(path, &target) != SH_TARGET_FILE)
		return;
	slash = strrchr(target, '/');
	name = slash ? slash + 1 : target;
	if (sh_store_owns(name)) {
		if (sh_buf_add(&file, dir, strlen(dir), &err) < 0 ||
		    sh_buf_add(&file, "/", 1, &err) < 0 ||
		    sh_buf_add(&file, name, strlen(name) + 1, &err) < 0)
			cli_die(c, &err);
		if (sh_target_same(file.p, target))
			cli_usage(c, "%s: this is a file of the archive", path);
		sh_buf_free(&file);
	}
	free(target);
}

static bool is_random(const struct sh_store_manifest *m)
{
	return sh_slice_eq(
	    sh_store_manifest_setting(m, sh_slice_str("--seed")), sh_slice_str("random"));
}

void dedup_archive_open(struct dedup_state *s, struct dedup_settings *settings)
{
	struct sh_store *store = &s->store;
	struct sh_error err;

	if (!settings->archive)
		return;
	if (sh_store_open(store, settings->archive, &err) < 0)
		cli_die(s->cli, &err);
	if (store->manifest.kind != SH_STORE_OF_DOCUMENTS) {
		sh_error_set(&err, SH_ERR_PARAM,
		    "'%s' is an archive of shspan, expected one of shdedup (sharchive init makes "
		    "one)",
		    settings->archive);
		cli_die(s->cli, &err);
	}
	/* The archive has its seed. */
	if (is_random(&store->manifest) && (!settings->seed_given || settings->random_seed)) {
		settings->random_seed = true;
		memcpy(settings->rules.secret, store->manifest.key, sizeof store->manifest.key);
	}
	made_with_compare(s->cli, settings, &store->manifest);
}

/* The engine passes the state of the program. */
static int read_stored(
    void *arg, unsigned thread, uint32_t document, struct sh_feature_set *set, struct sh_error *err)
{
	struct dedup_state *s = arg;

	return sh_batch_stored(&s->archive, thread, document, set, err);
}

void dedup_archive_engine(struct dedup_state *s, struct sh_engine_opts *opts)
{
	struct sh_error err;

	if (!s->settings->archive)
		return;
	s->archive = (struct sh_batch){ .store = &s->store,
		.corpus = &s->corpus,
		.tables = &s->tables,
		.newest = s->settings->keep.by == SH_RANK_NEWEST };
	if (sh_batch_options(&s->archive, opts, &err) < 0)
		cli_die(s->cli, &err);
	opts->stored = read_stored;
}

void dedup_archive_look(struct dedup_state *s)
{
	struct sh_error err;

	if (!s->settings->archive)
		return;
	s->archive.now = cli_now(s->cli);
	/* Another run may have changed the archive while documents were read. */
	if (sh_store_lock(&s->store, !s->settings->dry_run, s->settings->wait, &err) < 0 ||
	    sh_batch_look(&s->archive, &err) < 0)
		cli_die(s->cli, &err);
}

void dedup_archive_number(struct dedup_state *s)
{
	struct sh_error err;

	if (s->settings->archive && sh_batch_number(&s->archive, &err) < 0)
		cli_die(s->cli, &err);
}

static void summarise(const struct dedup_state *s)
{
	const struct sh_batch *a = &s->archive;
	const struct sh_store_manifest *m = &s->store.manifest;
	uint64_t n = sh_store_manifest_documents(m);
	bool added = !s->settings->dry_run;

	if (s->settings->quiet || s->settings->every)
		return;
	cli_warn(s->cli,
	    "archive: %llu of these documents were known, %llu matched, %llu added, %llu of which "
	    "stay; %llu document%s in %zu segment%s",
	    (unsigned long long)a->n_known, (unsigned long long)a->n_matched,
	    (unsigned long long)(added ? a->n_added : 0),
	    (unsigned long long)(added ? a->n_kept : 0), (unsigned long long)n, CLI_PLURAL(n),
	    m->n_segments, CLI_PLURAL(m->n_segments));
}

void dedup_archive_add(struct dedup_state *s)
{
	struct sh_error err;

	if (!s->settings->archive)
		return;
	/* The archive may record only documents whose output was written. */
	if (sh_sink_flush(&s->cli->out, &err) < 0 ||
	    (!s->settings->dry_run &&
		sh_batch_add(&s->archive, s->settings->every ? EVERY_MERGES : 0, &err) < 0))
		cli_die(s->cli, &err);
	summarise(s);
}

void dedup_archive_done(struct dedup_state *s)
{
	sh_batch_free(&s->archive);
	if (s->settings->archive)
		sh_store_unlock(&s->store);
}
