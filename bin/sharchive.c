/* SPDX-License-Identifier: MIT */
/* sharchive: makes, checks, changes and reads the archives of shdedup and shspan. */
#include <time.h>

#include "base/rows.h"
#include "base/siphash.h"
#include "dedup_how.h"
#include "fp/analysis.h"
#include "made_with.h"
#include "store/change.h"

enum { STORE = CLI_OWN, WAIT, DRY_RUN };

static const char *store_names(unsigned i)
{
	return i < SH_STORE_FORMS ? sh_store_form_name[i] : NULL;
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
	    "Make the archive of shdedup in DIR, or maintain an archive of shdedup or shspan.\n"
	    "Commands:\n\n  init DIR             "
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
	enum sh_store_form store;
	uint64_t wait; /* in seconds */
	uint64_t age;  /* in seconds */
	/* codes of given options for init, and for removing commands; 0: none */
	int for_init, for_removal;
};

/* ---- init ---- */

/* Dies of options that every run would refuse, such as a missing stemmer. */
static void try_options(struct cli *c, const struct dedup_settings *how)
{
	struct sh_feature_opts opts = { .token = how->docs.token, .ngrams = how->docs.ngrams };
	struct sh_error err;
	struct sh_analyser a;

	if (sh_analyser_init(&a, NULL, &opts, &err) < 0)
		cli_die(c, &err);
	sh_analyser_free(&a);
}

static void init(const struct state *s)
{
	struct sh_store_manifest m = { .kind = SH_STORE_OF_DOCUMENTS, .form = s->store };
	struct made_with o;
	struct sh_error err;

	try_options(s->cli, &s->how);
	made_with_list(s->cli, &s->how, &o);
	memcpy(m.setting, o.row, o.n * sizeof *o.row);
	m.n_settings = o.n;
	if (sh_store_create(s->dir, &m, s->wait, &err) < 0)
		cli_die(s->cli, &err);
}

/* ---- check, compact ---- */

/* Opens and locks the archive. */
static void open_store(const struct state *s, struct sh_store *store, bool alone)
{
	struct sh_error err;

	if (sh_store_open(store, s->dir, &err) < 0 ||
	    sh_store_lock(store, alone, s->wait, &err) < 0)
		cli_die(s->cli, &err);
}

static void check(const struct state *s)
{
	struct sh_store store;
	struct sh_error err;
	uint64_t n;

	open_store(s, &store, false);
	if (sh_store_check(&store, s->cli->jobs, &err) < 0)
		cli_die(s->cli, &err);
	n = sh_store_manifest_documents(&store.manifest);
	if (!s->how.quiet)
		cli_warn(s->cli, "%llu document%s in %zu segment%s, all good",
		    (unsigned long long)n, CLI_PLURAL(n), store.n_segments,
		    CLI_PLURAL(store.n_segments));
	sh_store_close(&store);
}

static void compact(const struct state *s)
{
	struct sh_store store;
	struct sh_error err;

	open_store(s, &store, true);
	if (sh_store_compact(&store, &err) < 0)
		cli_die(s->cli, &err);
	sh_store_close(&store);
}

/* ---- removing ---- */

static void remove_documents(const struct state *s, struct sh_store_removal *r)
{
	struct sh_store store;
	struct sh_error err;

	r->dry = s->how.dry_run;
	open_store(s, &store, !s->how.dry_run);
	if (sh_store_remove(&store, r, &err) < 0)
		cli_die(s->cli, &err);
	if (!s->how.quiet)
		cli_warn(s->cli, "%llu document%s removed%s, %llu of which had stayed",
		    (unsigned long long)r->documents, CLI_PLURAL(r->documents),
		    r->dry ? " (dry run)" : "", (unsigned long long)r->kept);
	sh_store_close(&store);
}

static void expire(const struct state *s)
{
	uint64_t now = cli_now(s->cli);
	struct sh_store_removal r = { .before = now > s->age ? now - s->age : 0 };

	remove_documents(s, &r);
}

static void note_met(void *arg, uint32_t id)
{
	struct dedup_ids *list = arg;

	list->at[id].line = 0;
}

static void remove_ids(const struct state *s)
{
	struct cli *c = s->cli;
	struct dedup_ids ids = { 0 };
	struct sh_store_removal r = { .ids = &ids.ids, .met = note_met, .arg = &ids };

	/* Reads the ids before it locks: they may come from a program that reads the archive
	 * itself. */
	dedup_read_ids(c, (const char *const *)c->operands, c->n_operands, &ids);
	remove_documents(s, &r);
	dedup_warn_of_ids(c, "remove", &ids);
	dedup_free_ids(&ids);
}

/* ---- figures ---- */

struct times {
	uint64_t oldest, newest, n;
};

static int look_at_time(void *arg, const struct sh_record *r, struct sh_error *err)
{
	struct times *t = arg;

	(void)err;
	if (t->n++ == 0 || r->time < t->oldest)
		t->oldest = r->time;
	if (r->time > t->newest)
		t->newest = r->time;
	return 0;
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

static void stats(const struct state *s)
{
	struct cli *c = s->cli;
	struct times times = { 0 };
	uint64_t bytes[SH_STORE_PARTS] = { 0 }, postings = 0, n, all = 0;
	struct sh_store store;
	const struct sh_store_manifest *m = &store.manifest;
	struct sh_error err;

	open_store(s, &store, false);
	if (sh_store_each(&store, look_at_time, &times, &err) < 0)
		cli_die(c, &err);
	for (size_t i = 0; i < store.n_segments; i++) {
		postings += store.segment[i].entry.postings;
		for (enum sh_store_part p = 0; p < SH_STORE_PARTS; p++) {
			bytes[p] += store.segment[i].part[p].map.n;
			all += store.segment[i].part[p].map.n;
		}
	}
	for (size_t i = 0; i < m->n_settings; i++) {
		char room[MADE_WITH_SAID_MAX];
		struct sh_slice said = made_with_said(&m->setting[i], room);

		cli_print(c, "%.*s\t%.*s\n", (int)m->setting[i].name.n, m->setting[i].name.p,
		    (int)said.n, said.p);
	}
	n = sh_store_manifest_documents(m);
	cli_print(c, "--store\t%s\ndocuments\t%llu\nstayed\t%llu\n%s\t%llu\nsegments\t%zu\n",
	    sh_store_form_name[m->form], (unsigned long long)n,
	    (unsigned long long)sh_store_manifest_kept(m),
	    m->kind == SH_STORE_OF_DOCUMENTS ? "keys" : "seeds", (unsigned long long)postings,
	    m->n_segments);
	tell_time(c, "oldest", n > 0, times.oldest);
	tell_time(c, "newest", n > 0, times.newest);
	cli_print(c, "bytes of documents\t%llu\nbytes of the index\t%llu\nbytes a document\t%llu\n",
	    (unsigned long long)bytes[SH_STORE_PART_DOCUMENTS],
	    (unsigned long long)bytes[SH_STORE_PART_INDEX], (unsigned long long)(n ? all / n : 0));
	sh_store_close(&store);
}

/* ---- texts ---- */

static int write_line(void *arg, const struct sh_record *r, struct sh_error *err)
{
	struct cli *c = arg;

	(void)err;
	if (r->keeper == r->number) {
		cli_write(c, r->line.p, r->line.n);
		cli_write(c, "\n", 1);
	}
	return 0;
}

static void export(const struct state *s)
{
	struct sh_store store;
	struct sh_error err;

	open_store(s, &store, false);
	if (store.manifest.form == SH_STORE_SKETCH) {
		sh_error_set(&err, SH_ERR_PARAM,
		    "the archive keeps no texts: export needs an archive of 'sharchive init "
		    "--store=documents'");
		cli_die(s->cli, &err);
	}
	if (sh_store_each(&store, write_line, s->cli, &err) < 0)
		cli_die(s->cli, &err);
	sh_store_close(&store);
}

/* ---- commands ---- */

static const struct command {
	const char *name;
	const char *arguments; /* arguments after DIR, as messages show them; "" for none */
	void (*work)(const struct state *s);
	bool removes, writes;
} commands[] = {
	{ .name = "init", .arguments = "", .work = init },
	{ .name = "check", .arguments = "", .work = check },
	{ .name = "compact", .arguments = "", .work = compact },
	{ .name = "expire", .arguments = " AGE", .work = expire, .removes = true },
	{ .name = "remove", .arguments = " FILE...", .work = remove_ids, .removes = true },
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
		s->store = (enum sh_store_form)cli_choice(c, opt);
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

	if (s->for_init && k->work != init)
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
	if (s.command->work == init)
		dedup_how_complete(&c, &s.how);
	cli_open(&c);
	s.command->work(&s);
	dedup_how_free(&s.how);
	return cli_finish(&c);
}
