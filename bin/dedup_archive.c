#include "dedup_archive.h"

#include <stdlib.h>

#include "base/bits.h"
#include "dedup.h"
#include "dedup_how.h"
#include "fp/defaults.h"
#include "io/target.h"
#include "made_with.h"
#include "now.h"
#include "unfinished.h"

/* ---- options ---- */

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
	if (sh_archive_owns(name)) {
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

static void keep_files(struct cli *c, const struct dedup_settings *s)
{
	const char *dir = s->archive.dir;

	dedup_archive_keep_file(c, dir, c->out_path);
	dedup_archive_keep_file(c, dir, c->rejects_path);
	dedup_archive_keep_file(c, dir, s->report_path);
}

void dedup_archive_complete(struct cli *c, const struct dedup_settings *s)
{
	const struct dedup_archive_settings *a = &s->archive;

	if (!a->dir && !s->shards.dir && a->wait_given)
		cli_usage(c, "--wait needs -a DIR or -O DIR");
	if (!a->dir)
		return;
	keep_files(c, s);
	if (s->sample)
		cli_usage(c, "--sample cannot be used with -a: an archive need not have the texts");
	if (s->single)
		cli_usage(c, "--link single cannot be used with -a: chains could pass through the "
			     "archive (use --link star)");
}

/* ---- documents ---- */

struct sh_key_rule dedup_archive_rule(const struct dedup_settings *s)
{
	return (struct sh_key_rule){ .few = SH_KEYS_SHORT,
		.threshold = s->rules.jaccard,
		.edit = s->rules.edit,
		.ngrams = s->docs.ngrams };
}

/* Returns whether the archive has the default measure of earlier versions: it keeps that one. */
static bool made_before(const struct sh_manifest *m)
{
	struct sh_slice measure = sh_manifest_setting(m, sh_slice_str("--measure"));

	return (measure.n == 0 || sh_slice_eq(measure, sh_slice_str("jaccard"))) &&
	       sh_slice_eq(sh_manifest_setting(m, sh_slice_str("-T")), sh_slice_str("0.8"));
}

void dedup_archive_open(struct dedup_state *s, struct dedup_settings *settings)
{
	struct sh_archive *a = &s->archive.archive;
	struct sh_error err;

	if (!s->settings->archive.dir)
		return;
	if (sh_archive_open(a, s->settings->archive.dir, &err) < 0)
		cli_die(s->cli, &err);
	if (!s->settings->dry_run)
		a->loose = unfinished_archive();
	if (settings->measures.by_default && made_before(&a->manifest))
		dedup_how_as_before(s->cli, settings);
	made_with_compare(s->cli, s->settings, &a->manifest);
}

static const uint64_t *fingerprint(void *arg, uint32_t document)
{
	const struct dedup_state *s = arg;

	return s->archive.fp + document;
}

static void describe(void *arg, struct sh_fingerprinter *f, const struct sh_fingerprint *fp,
    uint64_t digest, void *to)
{
	(void)arg;
	(void)f;
	(void)digest;
	memcpy(to, fp->w, sizeof *fp->w);
}

static int collect(void *arg, uint32_t document, const void *described, struct sh_error *err)
{
	struct dedup_state *s = arg;

	(void)err;
	if (described)
		memcpy(s->archive.fp + document, described, sizeof *s->archive.fp);
	return 0;
}

static bool is_protected(void *arg, uint32_t document)
{
	const struct dedup_state *s = arg;

	return sh_engine_is_protected(s->engine, document);
}

static void start_batch(struct dedup_state *s)
{
	const struct dedup_settings *how = s->settings;
	const struct sh_manifest *m = &s->archive.archive.manifest;
	struct sh_batch_opts opts = { .corpus = &s->corpus,
		.fp = how->fp,
		.rule = dedup_archive_rule(how),
		.k = SH_DEFAULT_DISTANCE,
		.store = m->store,
		.verify = true,
		.escape = made_with_escaped_digests(m),
		.newest = how->keep.by == SH_RANK_NEWEST,
		.now = now_seconds(s->cli),
		.jobs = s->cli->jobs,
		.keep_bytes = m->store == SH_STORE_DOCUMENTS ? 0 : how->memory / 8,
		.verify_bytes = how->memory / 16,
		.described = sizeof(uint64_t),
		.describe = describe,
		.collect = collect,
		.fingerprint = fingerprint,
		.is_protected = is_protected,
		.arg = s };
	struct sh_error err;

	s->archive.fp =
	    sh_tables_get_zeroed(&s->tables, s->corpus.n + 1, sizeof *s->archive.fp, &err);
	if (!s->archive.fp)
		cli_die(s->cli, &err);
	opts.rule.bands = m->bands;
	opts.rule.rows = m->rows;
	memcpy(opts.rule.key, m->key, sizeof opts.rule.key);
	s->archive.batch = sh_batch_new(&opts, &err);
	if (!s->archive.batch || sh_batch_prepare(s->archive.batch, &err) < 0)
		cli_die(s->cli, &err);
}

/* Locks the archive. Another run may have changed it while documents were read. */
static void lock(struct dedup_state *s)
{
	const struct dedup_archive_settings *how = &s->settings->archive;
	struct sh_archive *a = &s->archive.archive;
	uint64_t key[2];
	struct sh_error err;

	memcpy(key, a->manifest.key, sizeof key);
	if (sh_archive_lock(a, !s->settings->dry_run, how->wait, &err) < 0)
		cli_die(s->cli, &err);
	if (memcmp(key, a->manifest.key, sizeof key) != 0) {
		sh_error_set(&err, SH_ERR_PARAM,
		    "'%s' was replaced by another archive (run the command again)", how->dir);
		cli_die(s->cli, &err);
	}
}

void dedup_archive_look(struct dedup_state *s)
{
	struct sh_error err;

	if (!s->settings->archive.dir)
		return;
	start_batch(s);
	lock(s);
	if (sh_batch_look_up(s->archive.batch, &s->archive.archive, &err) < 0)
		cli_die(s->cli, &err);
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (sh_batch_outcome(s->archive.batch, i)->kind != SH_OUTCOME_NEW &&
		    sh_engine_leave_out(s->engine, i, &err) < 0)
			cli_die(s->cli, &err);
}

const struct sh_outcome *dedup_archive_outcome(const struct dedup_state *s, uint32_t document)
{
	return s->archive.batch ? sh_batch_outcome(s->archive.batch, document) : NULL;
}

bool dedup_archive_drops(const struct dedup_state *s, uint32_t document)
{
	const struct sh_outcome *f = dedup_archive_outcome(s, document);

	return f && (f->kind == SH_OUTCOME_MATCHED || f->kind == SH_OUTCOME_DROPPED);
}

const char *dedup_archive_measure(const struct dedup_state *s, unsigned similarity)
{
	const struct measures *m = &s->settings->measures;
	bool edit = m->measure->ordered ||
		    (m->measure->any && similarity * UINT64_C(100) + 50 < m->threshold);

	return sh_verdict_measure(edit ? SH_VERDICT_EDIT : SH_VERDICT_JACCARD);
}

static void pass_decision(struct dedup_state *s, uint32_t i)
{
	uint32_t keeper = sh_engine_keeper(s->engine, i);
	unsigned distance = sh_count_bits(s->archive.fp[i] ^ s->archive.fp[keeper]);
	unsigned similarity = keeper == i ? 10000 : sh_engine_verdict(s->engine, i).similarity;

	sh_batch_decide(s->archive.batch, i, keeper, distance, similarity);
}

static void summarise(struct dedup_state *s)
{
	const struct sh_batch_stats *t = sh_batch_stats(s->archive.batch);
	const struct sh_manifest *m = &s->archive.archive.manifest;

	if (s->settings->quiet)
		return;
	cli_warn(s->cli,
	    "archive: %llu of these documents were known, %llu matched, %llu compared; %llu added, "
	    "%llu of "
	    "which stay; %llu document%s in %zu segment%s",
	    (unsigned long long)t->known, (unsigned long long)t->matched,
	    (unsigned long long)t->compared, (unsigned long long)t->added,
	    (unsigned long long)t->kept, (unsigned long long)m->documents, CLI_PLURAL(m->documents),
	    m->n_segments, CLI_PLURAL(m->n_segments));
}

void dedup_archive_add(struct dedup_state *s)
{
	struct sh_error err;

	if (!s->archive.batch)
		return;
	/* The archive may record only documents whose output was written. */
	if (sh_sink_flush(&s->cli->out, &err) < 0)
		cli_die(s->cli, &err);
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (sh_batch_outcome(s->archive.batch, i)->kind == SH_OUTCOME_NEW)
			pass_decision(s, i);
	if (!s->settings->dry_run &&
	    sh_batch_commit(s->archive.batch, &s->archive.archive, &err) < 0)
		cli_die(s->cli, &err);
	summarise(s);
}

void dedup_archive_close(struct dedup_state *s)
{
	if (!s->archive.batch)
		return;
	sh_batch_delete(s->archive.batch);
	sh_archive_close(&s->archive.archive);
}
