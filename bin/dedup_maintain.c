/* What is done to an archive by name: --init, --check and so on. */
#include <time.h>

#include "archive/maintain.h"
#include "base/siphash.h"
#include "dedup.h"
#include "fp/fingerprinter.h"
#include "made_with.h"
#include "unfinished.h"

/* Options that every run would refuse, as a stemmer that there is not. */
static void try_options(struct cli *c, const struct dedup_settings *s)
{
	struct sh_error err;
	struct sh_fingerprinter *f = sh_fingerprinter_new(&s->fp, &err);

	if (!f)
		cli_die(c, &err);
	sh_fingerprinter_delete(f);
}

static void init(struct cli *c, const struct dedup_settings *s)
{
	struct sh_manifest m = { .store = s->archive.store };
	struct sh_key_rule rule = dedup_archive_rule(s);
	struct made_with o;
	struct sh_error err;

	try_options(c, s);
	made_with_list(c, s, &o);
	memcpy(m.setting, o.row, o.n * sizeof *o.row);
	m.n_settings = o.n;
	m.setting[m.n_settings++] = made_with_digest();
	sh_key_layout(&rule);
	m.bands = rule.bands;
	m.rows = rule.rows;
	if (sh_random_key(m.key, &err) < 0 ||
	    sh_archive_create(s->archive.dir, &m, s->archive.wait, unfinished_archive(), &err) < 0)
		cli_die(c, &err);
}

static void note_met(void *arg, uint32_t id)
{
	struct dedup_ids *list = arg;

	list->at[id].line = 0;
}

static void remove_some(
    struct cli *c, const struct dedup_settings *s, struct sh_archive *a, struct dedup_ids *list)
{
	uint64_t now = s->archive.mode == ARCHIVE_EXPIRE ? dedup_archive_now(c) : 0;
	struct sh_removal r = { .dry = s->dry_run, .met = note_met, .arg = list };
	struct sh_error err;

	if (s->archive.mode == ARCHIVE_REMOVE)
		r.ids = &list->ids;
	else
		r.before = now > s->archive.age ? now - s->archive.age : 0;
	if (sh_archive_remove(a, &r, &err) < 0)
		cli_die(c, &err);
	if (!s->quiet)
		cli_warn(c, "%llu document%s removed%s, %llu of which had stayed",
		    (unsigned long long)r.documents, CLI_PLURAL(r.documents),
		    s->dry_run ? " (dry run)" : "", (unsigned long long)r.kept);
	dedup_warn_of_ids(c, "--remove", list);
}

static void tell_time(struct cli *c, const char *what, bool known, uint64_t seconds)
{
	time_t t = (time_t)seconds;
	struct tm day;
	char text[40] = "-";

	if (known && gmtime_r(&t, &day))
		strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &day);
	cli_print(c, "%s\t%s\n", what, text);
}

static void tell_settings(struct cli *c, const struct sh_manifest *m)
{
	char room[MADE_WITH_SAID_MAX];

	for (size_t i = 0; i < m->n_settings; i++) {
		const struct sh_setting *s = &m->setting[i];
		struct sh_slice said = made_with_said(s, room);

		cli_print(c, "%.*s\t%.*s\n", (int)s->name.n, s->name.p, (int)said.n, said.p);
	}
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
	tell_settings(c, m);
	cli_print(
	    c, "--store\t%s\nlayout\t%u bands of %u\n", sh_store_name[m->store], m->bands, m->rows);
	cli_print(c, "documents\t%llu\nstayed\t%llu\nkeys\t%llu\nsegments\t%zu\n",
	    (unsigned long long)m->documents, (unsigned long long)m->kept,
	    (unsigned long long)s.keys, m->n_segments);
	tell_time(c, "oldest", s.documents > 0, s.oldest);
	tell_time(c, "newest", s.documents > 0, s.newest);
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
	struct dedup_ids ids;
	struct sh_error err;

	if (sh_archive_open(&a, s->archive.dir, &err) < 0)
		cli_die(c, &err);
	if (!reads)
		a.loose = unfinished_archive();
	/* Not under the lock: they may come from a program that looks into the archive first. */
	dedup_read_ids(c, s->archive.removes.name, s->archive.removes.n, &ids);
	if (sh_archive_lock(&a, !reads, s->archive.wait, &err) < 0)
		cli_die(c, &err);
	if (mode == ARCHIVE_CHECK)
		check(c, s, &a);
	else if (mode == ARCHIVE_STATS)
		tell_stats(c, &a);
	else if (mode == ARCHIVE_COMPACT && sh_archive_compact(&a, &err) < 0)
		cli_die(c, &err);
	else if (mode == ARCHIVE_EXPIRE || mode == ARCHIVE_REMOVE)
		remove_some(c, s, &a, &ids);
	sh_archive_close(&a);
	dedup_free_ids(&ids);
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
