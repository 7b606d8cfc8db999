#include "dedup_archive.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "archive/maintain.h"
#include "base/siphash.h"
#include "dedup.h"
#include "text/method.h"

enum {
	INIT = CLI_OWN + 100,
	CHECK,
	COMPACT,
	EXPIRE,
	REMOVE,
	STATS,
	STORE,
	WAIT,
};

const struct cli_option dedup_archive_table[] = {
	{ 'a', "archive", "DIR",
	    "also against the documents of earlier runs, and add what is new" },
	{ INIT, "init", NULL, "make the archive, for these options" },
	{ STORE, "store", "WHAT",
	    "--init: it keeps none, sketch or documents, to compare [sketch]" },
	{ CHECK, "check", NULL, "read the whole archive and see that it is good" },
	{ COMPACT, "compact", NULL, "merge the archive's files" },
	{ EXPIRE, "expire", "AGE", "remove documents that were added so long ago: 90d, 12h, 8w" },
	{ REMOVE, "remove", "FILE", "remove the documents whose ids stand in FILE" },
	{ STATS, "stats", NULL, "write figures of the archive" },
	{ WAIT, "wait", "SECONDS", "wait so long for another run to leave the archive [0]" },
	{ 0 },
};

/* ---- options ---- */

static void take_mode(
    struct dedup_archive_settings *a, struct cli *c, enum dedup_archive_mode mode, const char *name)
{
	if (a->mode != ARCHIVE_UPDATE && a->mode != mode)
		cli_usage(c, "%s and %s: one at a time", a->mode_name, name);
	a->mode = mode;
	a->mode_name = name;
}

static void take_age(struct dedup_archive_settings *a, struct cli *c)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 } };
	size_t n = strlen(c->arg);
	uint64_t count;

	for (size_t i = 0; n && i < sizeof units / sizeof *units; i++) {
		if (c->arg[n - 1] == units[i].unit &&
		    sh_parse_u64(sh_slice(c->arg, n - 1), &count) == 0 &&
		    count < UINT64_C(1) << 40) {
			a->age = count * units[i].seconds;
			return;
		}
	}
	cli_usage(c, "--expire '%s': expected an age such as 90d, 12h or 8w", c->arg);
}

static void take_store(struct dedup_archive_settings *a, struct cli *c)
{
	for (int i = 0; i < 3; i++) {
		if (strcmp(c->arg, sh_store_name[i]) == 0) {
			a->store = (enum sh_store)i;
			a->store_given = true;
			return;
		}
	}
	cli_usage(c, "--store '%s': expected none, sketch or documents", c->arg);
}

bool dedup_archive_take(struct dedup_archive_settings *a, struct cli *c, int opt)
{
	switch (opt) {
	case 'a':
		a->dir = cli_folder(c);
		return true;
	case INIT:
		take_mode(a, c, ARCHIVE_INIT, "--init");
		return true;
	case CHECK:
		take_mode(a, c, ARCHIVE_CHECK, "--check");
		return true;
	case COMPACT:
		take_mode(a, c, ARCHIVE_COMPACT, "--compact");
		return true;
	case STATS:
		take_mode(a, c, ARCHIVE_STATS, "--stats");
		return true;
	case EXPIRE:
		take_mode(a, c, ARCHIVE_EXPIRE, "--expire");
		take_age(a, c);
		return true;
	case REMOVE:
		take_mode(a, c, ARCHIVE_REMOVE, "--remove");
		a->id_path = cli_reads(c);
		return true;
	case STORE:
		take_store(a, c);
		return true;
	case WAIT:
		a->wait = cli_number(c, "--wait", 0, 1000000);
		a->wait_given = true;
		return true;
	default:
		return false;
	}
}

void dedup_archive_settle(struct cli *c, const struct dedup_settings *s)
{
	const struct dedup_archive_settings *a = &s->archive;
	const char *alone = a->mode_name     ? a->mode_name
			    : a->store_given ? "--store"
			    : a->wait_given  ? "--wait"
					     : NULL;

	if (!a->dir && alone)
		cli_usage(c, "%s: which archive? (-a DIR)", alone);
	if (!a->dir)
		return;
	if (a->mode != ARCHIVE_UPDATE && c->n_operands)
		cli_usage(c, "%s takes no documents: '%s'", a->mode_name, c->operands[0]);
	if (s->dry_run && a->mode != ARCHIVE_UPDATE && a->mode != ARCHIVE_REMOVE &&
	    a->mode != ARCHIVE_EXPIRE)
		cli_usage(c, "--dry-run is for documents, --remove and --expire, not for %s",
		    a->mode_name);
	if (s->sample)
		cli_usage(c, "--sample shows pairs of documents; an archive need not have any");
	if (s->dedup.single)
		cli_usage(c, "--link single: chains would go on through the archive; say star");
}

/* ---- what an archive is made with ---- */

enum { VALUE_MAX = 64 };

struct options {
	struct sh_setting row[SH_SETTINGS_MAX];
	char value[SH_SETTINGS_MAX][VALUE_MAX];
	size_t n;
};

__attribute__((format(printf, 3, 4))) static void say(
    struct options *o, const char *name, const char *fmt, ...)
{
	char *value = o->value[o->n];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value, VALUE_MAX, fmt, ap);
	va_end(ap);
	o->row[o->n++] = (struct sh_setting){ sh_slice_str(name), sh_slice_str(value) };
}

static void say_flag(struct options *o, const char *name, bool on)
{
	say(o, name, "%s", on ? "yes" : "no");
}

/* A file is known by its content. */
static void say_file(struct cli *c, struct options *o, const char *name, const char *path)
{
	static const uint64_t key[2] = { 0, 0 };
	struct sh_buf all = { 0 };

	if (path) {
		cli_read_file(c, path, &all);
		say(o, name, "content:%016llx",
		    (unsigned long long)sh_siphash(key, all.p ? all.p : "", all.n));
		sh_buf_free(&all);
	} else {
		say(o, name, "no");
	}
}

/* All that decides which features, fingerprints and keys a document has. Escapes, JSON and the
 * like are not: they are gone by then. */
static void list_options(struct cli *c, const struct dedup_settings *s, struct options *o)
{
	const struct sh_token_opts *t = &s->docs.token;
	char threshold[SH_NUM_CHARS + 1];

	threshold[sh_print_weight(threshold, (int64_t)s->dedup.threshold)] = '\0';
	o->n = 0;
	say(o, "-p", "%s", s->docs.profile->name);
	say(o, "-b", "%u", s->fp.bits);
	say(o, "-k", "%u", s->dedup.k);
	say(o, "-T", "%s", threshold);
	say(o, "--few", "%u", s->dedup.few);
	say(o, "--seed", "%llu", (unsigned long long)s->fp.seed);
	say_flag(o, "--simhash", !s->fp.minhash);
	say(o, "-w", "%s", s->fp.minhash ? "no" : s->fp.scheme->name);
	if (s->docs.ngrams.min == s->docs.ngrams.max)
		say(o, "-n", "%u", s->docs.ngrams.min);
	else
		say(o, "-n", "%u-%u", s->docs.ngrams.min, s->docs.ngrams.max);
	say(o, "-u", "%s", t->unit == SH_UNIT_CHAR ? "char" : "word");
	say(o, t->method->needs_jieba || t->method->needs_cppjieba ? "--segment" : "--split", "%s",
	    t->method->name);
	if (t->method->needs_cppjieba)
		say(o, "--dict", "%s", s->docs.dict_path ? s->docs.dict_path : "no");
	else
		say_file(c, o, "--dict", s->docs.dict_path);
	say(o, "--stem", "%s", t->stem ? t->stem : "no");
	say_file(c, o, "--stop", s->docs.stop_path);
	say(o, "--min-chars", "%u", t->min_chars);
	say(o, "--keep-words", "%s%x", t->punctuation ? "any:" : "kinds:", t->keep);
	say_flag(o, "--no-fold", t->no_fold);
	say_flag(o, "--mask-digits", t->mask_digits);
}

static bool is(struct sh_slice s, const char *word)
{
	return sh_slice_eq(s, sh_slice_str(word));
}

_Noreturn static void refuse(
    struct cli *c, const char *name, struct sh_slice now, struct sh_slice then)
{
	int n_now = (int)now.n, n_then = (int)then.n;

	if (is(then, "no") || then.n == 0)
		cli_usage(c, "%s%s%.*s: the archive was made without %s", name,
		    is(now, "yes") ? "" : " ", is(now, "yes") ? 0 : n_now, now.p, name);
	if (is(now, "no"))
		cli_usage(c, "without %s: the archive was made with %s%s%.*s", name, name,
		    is(then, "yes") ? "" : " ", is(then, "yes") ? 0 : n_then, then.p);
	cli_usage(c, "%s %.*s: the archive was made with %s %.*s", name, n_now, now.p, name, n_then,
	    then.p);
}

static void compare_options(
    struct cli *c, const struct dedup_settings *s, const struct sh_manifest *m)
{
	struct options o;

	list_options(c, s, &o);
	for (size_t i = 0; i < o.n; i++) {
		struct sh_slice then = sh_manifest_setting(m, o.row[i].name);

		if (!sh_slice_eq(o.row[i].value, then))
			refuse(c, o.row[i].name.p, o.row[i].value, then);
	}
	if (s->archive.store_given && s->archive.store != m->store)
		cli_usage(c, "--store %s: the archive was made with --store %s",
		    sh_store_name[s->archive.store], sh_store_name[m->store]);
}

static struct sh_key_rule rule_of(const struct dedup_settings *s)
{
	return (struct sh_key_rule){ .few = s->dedup.few, .threshold = s->dedup.threshold };
}

/* The time that records are given. Builds that are to be reproducible, and tests, say it. */
static uint64_t now(void)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	uint64_t seconds;

	if (epoch && sh_parse_u64(sh_slice_str(epoch), &seconds) == 0)
		return seconds;
	return (uint64_t)time(NULL);
}

/* ---- what is done to it ---- */

static void init(struct cli *c, const struct dedup_settings *s)
{
	struct sh_manifest m = { .store = s->archive.store };
	struct sh_key_rule rule = rule_of(s);
	struct options o;
	struct sh_error err;

	list_options(c, s, &o);
	memcpy(m.setting, o.row, o.n * sizeof *o.row);
	m.n_settings = o.n;
	sh_key_layout(&rule);
	m.bands = rule.bands;
	m.rows = rule.rows;
	if (sh_random_key(m.key, &err) < 0 ||
	    sh_archive_create(s->archive.dir, &m, s->archive.wait, &err) < 0)
		cli_die(c, &err);
}

static void remove_some(struct cli *c, const struct dedup_settings *s, struct sh_archive *a)
{
	uint64_t then = now();
	struct sh_removal r = { .dry = s->dry_run };
	struct sh_hmap ids;
	struct sh_error err;

	dedup_read_ids(c, s->archive.id_path, &ids);
	if (s->archive.mode == ARCHIVE_REMOVE)
		r.ids = &ids;
	else
		r.before = then > s->archive.age ? then - s->archive.age : 0;
	if (sh_archive_remove(a, &r, &err) < 0)
		cli_die(c, &err);
	if (!s->quiet)
		cli_warn(c, "%llu documents removed%s, %llu of which had stayed",
		    (unsigned long long)r.documents, s->dry_run ? " (dry run)" : "",
		    (unsigned long long)r.kept);
	sh_hmap_free(&ids);
}

static void tell_time(struct cli *c, const char *what, uint64_t seconds)
{
	time_t t = (time_t)seconds;
	struct tm day;
	char text[40] = "-";

	if (seconds && gmtime_r(&t, &day))
		strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &day);
	cli_print(c, "%s\t%s\n", what, text);
}

static void tell_stats(struct cli *c, struct sh_archive *a)
{
	static const char *const part[SH_PARTS] = { "documents", "keys", "store", "checksums" };
	const struct sh_manifest *m = &a->manifest;
	struct sh_archive_stats s;
	struct sh_error err;
	uint64_t all = 0;

	if (sh_archive_stats(a, &s, &err) < 0)
		cli_die(c, &err);
	for (size_t i = 0; i < m->n_settings; i++)
		cli_print(c, "%.*s\t%.*s\n", (int)m->setting[i].name.n, m->setting[i].name.p,
		    (int)m->setting[i].value.n, m->setting[i].value.p);
	cli_print(
	    c, "--store\t%s\nlayout\t%u bands of %u\n", sh_store_name[m->store], m->bands, m->rows);
	cli_print(c, "documents\t%llu\nstayed\t%llu\nkeys\t%llu\nsegments\t%zu\n",
	    (unsigned long long)m->documents, (unsigned long long)m->kept,
	    (unsigned long long)s.keys, m->n_segments);
	tell_time(c, "oldest", s.oldest);
	tell_time(c, "newest", s.newest);
	for (enum sh_part i = 0; i < SH_PARTS; i++) {
		cli_print(c, "bytes of %s\t%llu\n", part[i], (unsigned long long)s.bytes[i]);
		all += s.bytes[i];
	}
	cli_print(c, "bytes a document\t%llu\n",
	    (unsigned long long)(m->documents ? all / m->documents : 0));
}

static void check(struct cli *c, const struct dedup_settings *s, struct sh_archive *a)
{
	struct sh_error err;

	if (sh_archive_check(a, c->jobs, &err) < 0)
		cli_die(c, &err);
	if (!s->quiet)
		cli_warn(c, "%llu document%s in %zu segment%s, all good",
		    (unsigned long long)a->manifest.documents, CLI_PLURAL(a->manifest.documents),
		    a->manifest.n_segments, CLI_PLURAL(a->manifest.n_segments));
}

static void maintain(struct cli *c, const struct dedup_settings *s)
{
	enum dedup_archive_mode mode = s->archive.mode;
	bool reads = mode == ARCHIVE_CHECK || mode == ARCHIVE_STATS || s->dry_run;
	struct sh_archive a;
	struct sh_error err;

	if (sh_archive_open(&a, s->archive.dir, &err) < 0 ||
	    sh_archive_lock(&a, !reads, s->archive.wait, &err) < 0)
		cli_die(c, &err);
	if (mode == ARCHIVE_CHECK)
		check(c, s, &a);
	else if (mode == ARCHIVE_STATS)
		tell_stats(c, &a);
	else if (mode == ARCHIVE_COMPACT && sh_archive_compact(&a, &err) < 0)
		cli_die(c, &err);
	else if (mode == ARCHIVE_EXPIRE || mode == ARCHIVE_REMOVE)
		remove_some(c, s, &a);
	sh_archive_close(&a);
}

bool dedup_archive_maintain(struct cli *c, const struct dedup_settings *s)
{
	if (s->archive.mode == ARCHIVE_UPDATE)
		return false;
	cli_open(c);
	if (s->archive.mode == ARCHIVE_INIT)
		init(c, s);
	else
		maintain(c, s);
	return true;
}

/* ---- documents ---- */

void dedup_archive_open(struct dedup_state *s)
{
	struct sh_archive *a = &s->archive.archive;
	struct sh_error err;

	if (!s->settings->archive.dir)
		return;
	if (sh_archive_open(a, s->settings->archive.dir, &err) < 0)
		cli_die(s->cli, &err);
	compare_options(s->cli, s->settings, &a->manifest);
}

static const uint64_t *fingerprint(void *arg, uint32_t document)
{
	const struct dedup_state *s = arg;

	return sh_dedup_fingerprint(s->dedup, document);
}

static bool is_protected(void *arg, uint32_t document)
{
	const struct dedup_state *s = arg;

	return sh_dedup_is_protected(s->dedup, document);
}

static void start_batch(struct dedup_state *s)
{
	const struct dedup_settings *how = s->settings;
	const struct sh_manifest *m = &s->archive.archive.manifest;
	struct sh_batch_opts opts = { .corpus = &s->corpus,
		.token = how->docs.token,
		.ngrams = how->docs.ngrams,
		.rule = rule_of(how),
		.bits = how->fp.bits,
		.k = how->dedup.k,
		.threshold = how->dedup.threshold,
		.verify = how->dedup.verify,
		.newest = how->keep.which == SH_PREFER_NEWEST,
		.now = now(),
		.jobs = s->cli->jobs,
		.fingerprint = fingerprint,
		.is_protected = is_protected,
		.arg = s };
	struct sh_error err;

	opts.rule.bands = m->bands;
	opts.rule.rows = m->rows;
	memcpy(opts.rule.key, m->key, sizeof opts.rule.key);
	s->archive.batch = sh_batch_new(&opts, &err);
	if (!s->archive.batch || sh_batch_prepare(s->archive.batch, &err) < 0)
		cli_die(s->cli, &err);
}

/* What another run may have done to it while documents were read. */
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
		sh_error_set(
		    &err, SH_ERR_PARAM, "'%s' is another archive now: run it again", how->dir);
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
	if (sh_batch_look(s->archive.batch, &s->archive.archive, &err) < 0)
		cli_die(s->cli, &err);
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (sh_batch_fate(s->archive.batch, i)->kind != SH_FATE_NEW)
			sh_dedup_leave_out(s->dedup, i);
}

const struct sh_fate *dedup_archive_fate(const struct dedup_state *s, uint32_t document)
{
	return s->archive.batch ? sh_batch_fate(s->archive.batch, document) : NULL;
}

bool dedup_archive_drops(const struct dedup_state *s, uint32_t document)
{
	const struct sh_fate *f = dedup_archive_fate(s, document);

	return f && (f->kind == SH_FATE_MATCHED || f->kind == SH_FATE_DROPPED);
}

static void tell_batch(struct dedup_state *s, uint32_t i, uint32_t keeper)
{
	unsigned distance = 0, similarity = 10000;
	struct sh_similarity sim;
	struct sh_error err;

	if (keeper != i) {
		if (sh_dedup_compare(s->dedup, i, keeper, &distance, &sim, &err) < 0)
			cli_die(s->cli, &err);
		similarity = s->settings->dedup.verify ? sh_similarity_round(&sim) : SH_UNVERIFIED;
	}
	sh_batch_tell(s->archive.batch, i, keeper, distance, similarity);
}

static void summarise(struct dedup_state *s)
{
	const struct sh_batch_stats *t = sh_batch_stats(s->archive.batch);
	const struct sh_manifest *m = &s->archive.archive.manifest;

	if (s->settings->quiet)
		return;
	cli_warn(s->cli,
	    "archive: %llu documents were known, %llu matched, %llu compared; %llu added, %llu of "
	    "which stay; %llu document%s in %zu segment%s",
	    (unsigned long long)t->known, (unsigned long long)t->matched,
	    (unsigned long long)t->compared, (unsigned long long)t->added,
	    (unsigned long long)t->kept, (unsigned long long)m->documents, CLI_PLURAL(m->documents),
	    m->n_segments, CLI_PLURAL(m->n_segments));
}

void dedup_archive_add(struct dedup_state *s, const uint32_t *keeper)
{
	struct sh_error err;

	if (!s->archive.batch)
		return;
	/* What cannot be written must not be taken for written by the next run. */
	if (sh_sink_flush(&s->cli->out, &err) < 0)
		cli_die(s->cli, &err);
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (sh_batch_fate(s->archive.batch, i)->kind == SH_FATE_NEW)
			tell_batch(s, i, keeper[i]);
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
