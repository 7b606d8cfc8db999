/* sharchive: creates, checks, changes and reads the archives of shdedup; checks and changes the
 * archives of shspan. */
#include <time.h>

#include "archive/maintain.h"
#include "base/rows.h"
#include "base/siphash.h"
#include "dedup_how.h"
#include "fp/analysis.h"
#include "made_with.h"
#include "now.h"
#include "passage/store.h"
#include "unfinished.h"

enum { STORE = CLI_OWN, WAIT, DRY_RUN };

static const char *store_names(unsigned i)
{
	return i <= SH_STORE_DOCUMENTS ? sh_store_name[i] : NULL;
}

static const struct cli_option options[] = {
	CLI_HEADING("Archive"),
	{ STORE, "store", "WHAT", "init: keep %s of each document, to compare [sketch]",
	    store_names },
	{ DRY_RUN, "dry-run", NULL, "expire, remove: count the documents and remove none" },
	{ WAIT, "wait", "SECONDS",
	    "wait at most SECONDS for another run to release the archive [0]" },
	{ 'q', "quiet", NULL, "no summary" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "sharchive",
	.threads = "the check",
	.all_processors = true,
	.synopsis = "COMMAND DIR [ARGUMENT...]",
	.purpose =
	    "Make or maintain the archive of shdedup in DIR.\nCheck, compact and expire also "
	    "take an archive of shspan. Commands:\n\n  init DIR             "
	    "make the archive with the given options\n  check DIR            read all files and "
	    "verify them\n  compact DIR          merge all segments into one\n  expire DIR AGE     "
	    "  remove documents added longer ago: 90d, 12h, 8w\n  remove DIR FILE...   remove the "
	    "documents whose ids are in the files\n  stats DIR            write settings and "
	    "sizes\n  export DIR           write the documents that stayed (--store=documents)",
	.words = 2,
	.options = { options, dedup_how_table, docopts_table },
};

struct state {
	struct cli *cli;
	struct dedup_settings how;
	const struct command *command;
	const char *dir;
	enum sh_store store;
	uint64_t wait; /* in seconds */
	uint64_t age;  /* in seconds */
	struct dedup_ids ids;
	/* codes of given options for init, and for removing commands; 0: none */
	int for_init, for_removal;
};

/* ---- init ---- */

/* Dies of options that every run would refuse, such as a missing stemmer. */
static void try_options(struct cli *c, const struct dedup_settings *how)
{
	struct sh_error err;
	struct sh_analyser a;

	if (sh_analyser_init(&a, &how->fp, NULL, &err) < 0)
		cli_die(c, &err);
	sh_analyser_free(&a);
}

static void init(const struct state *s)
{
	struct sh_key_rule rule = dedup_archive_rule(&s->how);
	struct sh_manifest m = { .store = s->store, .ordered = rule.edit > 0 };
	struct made_with o;
	struct sh_error err;

	try_options(s->cli, &s->how);
	if (m.ordered && m.store == SH_STORE_SKETCH)
		m.store = SH_STORE_SEQUENCE;
	made_with_list(s->cli, &s->how, &o);
	memcpy(m.setting, o.row, o.n * sizeof *o.row);
	m.n_settings = o.n;
	sh_key_layout(&rule);
	m.bands = rule.bands;
	m.rows = rule.rows;
	if (sh_random_key(m.key, &err) < 0 ||
	    sh_archive_create(s->dir, &m, s->wait, unfinished_archive(), &err) < 0)
		cli_die(s->cli, &err);
}

/* Dies when there is no store and the measure is edit: documents are then compared by fingerprints,
 * which estimate the Jaccard similarity only. So that is also the default. */
static void need_store(struct state *s)
{
	if (s->store == SH_STORE_NONE && s->how.measures.by_default)
		dedup_how_as_before(s->cli, &s->how);
	if (s->store == SH_STORE_NONE && s->how.measures.measure->ordered)
		cli_usage(s->cli, "--store none: --measure edit needs sketch or documents");
}

/* ---- check, compact ---- */

static void tell_checked(const struct state *s, uint64_t documents, size_t segments)
{
	if (!s->how.quiet)
		cli_warn(s->cli, "%llu document%s in %zu segment%s, all good",
		    (unsigned long long)documents, CLI_PLURAL(documents), segments,
		    CLI_PLURAL(segments));
}

static void check(const struct state *s, struct sh_archive *a)
{
	struct sh_error err;

	if (sh_archive_check(a, s->cli->jobs, &err) < 0)
		cli_die(s->cli, &err);
	tell_checked(s, a->manifest.documents, a->manifest.n_segments);
}

static void compact(const struct state *s, struct sh_archive *a)
{
	struct sh_error err;

	if (sh_archive_compact(a, &err) < 0)
		cli_die(s->cli, &err);
}

static void check_passages(const struct state *s)
{
	struct sh_passages store;
	struct sh_error err;

	if (sh_passages_read(&store, s->dir, s->wait, &err) < 0 ||
	    sh_passages_check(&store, &err) < 0)
		cli_die(s->cli, &err);
	tell_checked(s, sh_passages_count(&store), store.n);
	sh_passages_close(&store);
}

static void compact_passages(const struct state *s)
{
	struct sh_passages store;
	struct sh_error err;

	if (sh_passages_open(&store, s->dir, NULL, s->wait, &err) < 0 ||
	    sh_passages_compact(&store, &err) < 0)
		cli_die(s->cli, &err);
	sh_passages_close(&store);
}

/* ---- expire, remove ---- */

static void note_met(void *arg, uint32_t id)
{
	struct dedup_ids *list = arg;

	list->at[id].line = 0;
}

static void remove_documents(const struct state *s, struct sh_archive *a, struct sh_removal *r)
{
	struct sh_error err;

	r->dry = s->how.dry_run;
	if (sh_archive_remove(a, r, &err) < 0)
		cli_die(s->cli, &err);
	if (!s->how.quiet)
		cli_warn(s->cli, "%llu document%s removed%s, %llu of which had stayed",
		    (unsigned long long)r->documents, CLI_PLURAL(r->documents),
		    r->dry ? " (dry run)" : "", (unsigned long long)r->kept);
}

/* Returns the time before which documents are older than the age. */
static uint64_t time_before(const struct state *s)
{
	uint64_t now = now_seconds(s->cli);

	return now > s->age ? now - s->age : 0;
}

static void expire(const struct state *s, struct sh_archive *a)
{
	struct sh_removal r = { .before = time_before(s) };

	remove_documents(s, a, &r);
}

static void expire_passages(const struct state *s)
{
	struct sh_passages store;
	uint64_t before = time_before(s), documents, undated;
	struct sh_error err;
	int status = s->how.dry_run ? sh_passages_read(&store, s->dir, s->wait, &err)
				    : sh_passages_open(&store, s->dir, NULL, s->wait, &err);

	if (status < 0 ||
	    sh_passages_expire(&store, before, s->how.dry_run, &documents, &undated, &err) < 0)
		cli_die(s->cli, &err);
	sh_passages_close(&store);
	if (s->how.quiet)
		return;
	cli_warn(s->cli, "%llu document%s removed%s", (unsigned long long)documents,
	    CLI_PLURAL(documents), s->how.dry_run ? " (dry run)" : "");
	if (undated)
		cli_warn(s->cli,
		    "%llu document%s not removed: the archive has no time for them (an "
		    "earlier version added them)",
		    (unsigned long long)undated, CLI_PLURAL(undated));
}

static void remove_ids(const struct state *s, struct sh_archive *a)
{
	struct dedup_ids ids = s->ids;
	struct sh_removal r = { .ids = &ids.ids, .met = note_met, .arg = &ids };

	remove_documents(s, a, &r);
	dedup_warn_of_ids(s->cli, "remove", &ids);
}

/* ---- stats ---- */

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

static void stats(const struct state *s, struct sh_archive *a)
{
	static const char *const part[SH_PARTS] = { "documents", "keys", "store", "checksums" };
	const struct sh_manifest *m = &a->manifest;
	struct cli *c = s->cli;
	struct sh_archive_stats f;
	struct sh_error err;
	uint64_t all = 0;

	if (sh_archive_stats(a, &f, &err) < 0)
		cli_die(c, &err);
	tell_settings(c, m);
	cli_print(c, "--store\t%s\nlayout\t%u bands of %u\n",
	    sh_store_name[m->store == SH_STORE_SEQUENCE ? SH_STORE_SKETCH : m->store], m->bands,
	    m->rows);
	cli_print(c, "documents\t%llu\nstayed\t%llu\nkeys\t%llu\nsegments\t%zu\n",
	    (unsigned long long)m->documents, (unsigned long long)m->kept,
	    (unsigned long long)f.keys, m->n_segments);
	tell_time(c, "oldest", f.documents > 0, f.oldest);
	tell_time(c, "newest", f.documents > 0, f.newest);
	for (enum sh_part i = 0; i < SH_PARTS; i++) {
		cli_print(c, "bytes of %s\t%llu\n", part[i], (unsigned long long)f.bytes[i]);
		all += f.bytes[i];
	}
	cli_print(c, "bytes a document\t%llu\n",
	    (unsigned long long)(m->documents ? all / m->documents : 0));
}

/* ---- export ---- */

static int write_document(void *arg, struct sh_slice id, struct sh_slice text, struct sh_error *err)
{
	struct cli *c = arg;

	(void)err;
	cli_write(c, id.p, id.n);
	cli_write(c, "\t", 1);
	cli_write(c, text.p, text.n);
	cli_write(c, "\n", 1);
	return 0;
}

static void export(const struct state *s, struct sh_archive *a)
{
	struct sh_error err;
	uint64_t without;

	if (sh_archive_export(a, write_document, s->cli, &without, &err) < 0)
		cli_die(s->cli, &err);
	if (without && !s->how.quiet)
		cli_warn(s->cli,
		    "%llu document%s without features left out: the archive has no text",
		    (unsigned long long)without, CLI_PLURAL(without));
}

/* ---- commands ---- */

static const struct command {
	const char *name;
	const char *arguments; /* arguments after DIR, as messages show them; "" for none */
	void (*work)(const struct state *s, struct sh_archive *a); /* NULL: init */
	void (*passages)(const struct state *s); /* for an archive of shspan; NULL: refuse it */
	bool changes, removes, writes;
} commands[] = {
	{ .name = "init", .arguments = "" },
	{ .name = "check", .arguments = "", .work = check, .passages = check_passages },
	{ .name = "compact",
	    .arguments = "",
	    .work = compact,
	    .passages = compact_passages,
	    .changes = true },
	{ .name = "expire",
	    .arguments = " AGE",
	    .work = expire,
	    .passages = expire_passages,
	    .changes = true,
	    .removes = true },
	{ .name = "remove",
	    .arguments = " FILE...",
	    .work = remove_ids,
	    .changes = true,
	    .removes = true },
	{ .name = "stats", .arguments = "", .work = stats, .writes = true },
	{ .name = "export", .arguments = "", .work = export, .writes = true },
};

static const struct command *find_command(struct cli *c, const char *name)
{
	const struct command *command = sh_row_find(SH_ROWS(commands), name);

	if (command)
		return command;
	cli_usage(c, "'%s': expected init, check, compact, expire, remove, stats or export", name);
}

/* ---- options ---- */

static void set_option(struct state *s, int opt)
{
	struct cli *c = s->cli;

	switch (opt) {
	case STORE:
		s->store = (enum sh_store)cli_choice(c, opt);
		s->for_init = opt;
		break;
	case DRY_RUN:
		s->how.dry_run = true;
		s->for_removal = opt;
		break;
	case WAIT:
		s->wait = cli_number(c, "--wait", 0, 1000000);
		break;
	case 'q':
		s->how.quiet = true;
		break;
	default:
		dedup_how_set(&s->how, c, opt);
		s->for_init = opt;
	}
}

static void set_age(struct state *s, const char *arg)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 } };
	size_t n = strlen(arg);
	uint64_t count;

	for (size_t i = 0; n && i < sizeof units / sizeof *units; i++) {
		if (arg[n - 1] == units[i].unit &&
		    sh_parse_u64(sh_slice(arg, n - 1), &count) == 0 && count < UINT64_C(1) << 40) {
			s->age = count * units[i].seconds;
			return;
		}
	}
	cli_usage(s->cli, "expire '%s': expected an age such as 90d, 12h or 8w", arg);
}

static void refuse_options(const struct state *s)
{
	const struct command *k = s->command;

	if (s->for_init && k->work)
		cli_usage(s->cli, "%s is for init, not for %s",
		    cli_option_name(s->cli, s->for_init), k->name);
	if (s->for_removal && !k->removes)
		cli_usage(s->cli, "%s is for expire and remove, not for %s",
		    cli_option_name(s->cli, s->for_removal), k->name);
}

static void refuse_arguments(const struct state *s)
{
	const struct command *k = s->command;
	struct cli *c = s->cli;

	if (c->n_operands && !*k->arguments)
		cli_usage(c, "%s takes no files: '%s'", k->name, c->operands[0]);
	if (*k->arguments && (!c->n_operands || (k->work == expire && c->n_operands > 1)))
		cli_usage(c, "%s: expected sharchive %s DIR%s", k->name, k->name, k->arguments);
}

/* Parses the operands: the command, its folder and its arguments. */
static void complete(struct state *s)
{
	struct cli *c = s->cli;

	if (c->n_words == 0)
		cli_usage(c, "expected a command and the archive's folder");
	s->command = find_command(c, c->words[0]);
	if (c->n_words < 2)
		cli_usage(c, "%s: which archive? (sharchive %s DIR%s)", s->command->name,
		    s->command->name, s->command->arguments);
	s->dir = c->arg = c->words[1];
	cli_folder(c);
	refuse_options(s);
	refuse_arguments(s);
	if (s->command->work == expire)
		set_age(s, c->operands[0]);
	if (!s->command->writes)
		cli_leave_output(c);
	dedup_archive_keep_file(c, s->dir, c->out_path);
}

/* ---- the run ---- */

/* Runs the command when the folder is an archive of shspan. Dies when the command cannot be used
 * with it. */
static bool work_on_passages(const struct state *s)
{
	struct sh_error err;
	int is = sh_passages_is(s->dir, &err);

	if (is < 0)
		cli_die(s->cli, &err);
	if (!is)
		return false;
	if (!s->command->passages)
		cli_usage(s->cli,
		    "%s: '%s' is an archive of shspan, which takes check, compact and expire only",
		    s->command->name, s->dir);
	s->command->passages(s);
	return true;
}

static void work(struct state *s)
{
	const struct command *k = s->command;
	bool alone = k->changes && !s->how.dry_run;
	struct sh_archive a;
	struct sh_error err;

	if (work_on_passages(s))
		return;
	if (sh_archive_open(&a, s->dir, &err) < 0)
		cli_die(s->cli, &err);
	if (alone)
		a.loose = unfinished_archive();
	/* Reads the ids before locking: they may come from a program that reads the archive
	 * itself. */
	if (k->work == remove_ids)
		dedup_read_ids(
		    s->cli, (const char *const *)s->cli->operands, s->cli->n_operands, &s->ids);
	if (sh_archive_lock(&a, alone, s->wait, &err) < 0)
		cli_die(s->cli, &err);
	k->work(s, &a);
	sh_archive_close(&a);
	dedup_free_ids(&s->ids);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct state s = { .cli = &c, .store = SH_STORE_SKETCH };
	int opt;

	dedup_how_init(&s.how);
	cli_start(&c, &program, argc, argv);
	c.no_documents = true;
	while ((opt = cli_next(&c)) != -1)
		set_option(&s, opt);
	complete(&s);
	if (!s.command->work) {
		dedup_how_complete(&c, &s.how);
		need_store(&s);
	}
	cli_open(&c);
	if (s.command->work)
		work(&s);
	else
		init(&s);
	dedup_how_free(&s.how);
	return cli_finish(&c);
}
