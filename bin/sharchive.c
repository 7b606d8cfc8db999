/* SPDX-License-Identifier: MIT */
/* sharchive: makes, checks, changes and reads the archives of shdedup and shspan. */
#include <stdlib.h>
#include <time.h>

#include "base/num.h"
#include "base/rows.h"
#include "dedup.h"
#include "fp/features.h"
#include "store/change.h"

enum { STORE = CLI_OWN, COUNTS, WAIT, DRY_RUN };

static const char *store_names(unsigned i)
{
	return i < SH_STORE_FORMS ? sh_store_form_name[i] : NULL;
}

static const struct cli_option options[] = {
	CLI_HEADING("Archive"),
	{ STORE, "store", "WHAT", "init: keep %s of each document, to compare [sketch]",
	    store_names },
	{ COUNTS, "counts", NULL, "stats: write each keeper and the size of its group" },
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
	.no_documents = true,
	.options = { options, dedup_how_table, docopts_table },
};

struct state {
	struct cli *cli;
	struct dedup_settings how;
	const struct command *command;
	const char *dir;
	struct sh_store store;
	struct dedup_ids ids;    /* remove: the ids */
	enum sh_store_form form; /* value of --store */
	bool expires;            /* the command is expire */
	uint64_t before;         /* expire: of the time of documents, in seconds since 1970 */
};

/* ---- commands ---- */

static int init(struct state *s, struct sh_error *err)
{
	struct sh_store_manifest m = { .kind = SH_STORE_OF_DOCUMENTS, .form = s->form };
	struct sh_feature_opts opts = { .token = s->how.docs.token, .ngrams = s->how.docs.ngrams };
	struct sh_features *features = sh_features_new(&opts, err);
	struct sh_buf lines = { 0 };
	int status;

	/* Refuses options that every run would refuse, such as a missing stemmer. */
	if (!features)
		return -1;
	sh_features_delete(features);
	dedup_list_settings(s->cli, &s->how, &lines);
	m.settings = sh_buf_slice(&lines);
	status = sh_store_create(s->dir, &m, s->how.wait, err);
	sh_buf_free(&lines);
	return status;
}

static int check(struct state *s, struct sh_error *err)
{
	uint64_t n = sh_store_manifest_documents(&s->store.manifest);

	if (sh_store_check(&s->store, s->cli->jobs, err) < 0)
		return -1;
	if (!s->how.quiet)
		cli_warn(s->cli, "%llu document%s in %zu segment%s, all good",
		    (unsigned long long)n, CLI_PLURAL(n), s->store.n_segments,
		    CLI_PLURAL(s->store.n_segments));
	return 0;
}

static int compact(struct state *s, struct sh_error *err)
{
	return sh_store_compact(&s->store, err);
}

static bool is_unwanted(void *arg, const struct sh_record *r)
{
	struct state *s = arg;
	uint32_t i;

	if (s->expires)
		return r->time < s->before;
	if (!sh_hmap_find(&s->ids.ids, r->id, &i))
		return false;
	s->ids.at[i].line = 0;
	return true;
}

/* expire and remove */
static int remove_documents(struct state *s, struct sh_error *err)
{
	uint64_t documents, kept;

	if (sh_store_remove(&s->store, is_unwanted, s, s->how.dry_run, &documents, &kept, err) < 0)
		return -1;
	if (!s->how.quiet)
		cli_warn(s->cli, "%llu document%s removed%s, %llu of which had stayed",
		    (unsigned long long)documents, CLI_PLURAL(documents),
		    s->how.dry_run ? " (dry run)" : "", (unsigned long long)kept);
	dedup_warn_of_ids(s->cli, "remove", &s->ids);
	return 0;
}

/* Writes each document that stayed with the number of its duplicates and itself, from 2 on. */
static int write_counts(struct cli *c, struct sh_store *store, struct sh_error *err)
{
	uint32_t *count = cli_zeroed(c, (size_t)store->manifest.next_number + 1, sizeof *count);
	struct sh_store_walk at = { 0 };
	struct sh_record r;
	int got = sh_store_count(store, count, err);

	while (got >= 0 && (got = sh_store_next(store, &at, &r, err)) > 0)
		if (r.keeper == r.number && count[r.number] > 1) {
			cli_write(c, r.id.p, r.id.n);
			cli_print(c, "\t%u\n", count[r.number]);
		}
	free(count);
	return got;
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

static int stats(struct state *s, struct sh_error *err)
{
	struct cli *c = s->cli;
	const struct sh_store_manifest *m = &s->store.manifest;
	uint64_t n = 0, kept = 0, oldest = UINT64_MAX, newest = 0;
	uint64_t bytes[SH_STORE_PARTS] = { 0 }, postings = 0;
	struct sh_store_walk at = { 0 };
	struct sh_store_setting setting;
	struct sh_record r;
	int got;

	if (cli_given(s->cli, COUNTS))
		return write_counts(c, &s->store, err);
	while ((got = sh_store_next(&s->store, &at, &r, err)) > 0) {
		n++;
		kept += r.keeper == r.number;
		oldest = r.time < oldest ? r.time : oldest;
		newest = r.time > newest ? r.time : newest;
	}
	if (got < 0)
		return -1;
	for (size_t i = 0; i < s->store.n_segments; i++) {
		postings += s->store.segment[i].entry.postings;
		for (enum sh_store_part p = 0; p < SH_STORE_PARTS; p++)
			bytes[p] += s->store.segment[i].part[p].map.n;
	}
	for (struct sh_slice lines = m->settings; sh_store_setting_next(&lines, &setting);)
		cli_print(c, "%.*s\t%.*s\n", (int)setting.name.n, setting.name.p,
		    (int)setting.value.n, setting.value.p);
	cli_print(c, "--store\t%s\ndocuments\t%llu\nstayed\t%llu\n%s\t%llu\nsegments\t%zu\n",
	    sh_store_form_name[m->form], (unsigned long long)n, (unsigned long long)kept,
	    m->kind == SH_STORE_OF_DOCUMENTS ? "keys" : "seeds", (unsigned long long)postings,
	    m->n_segments);
	tell_time(c, "oldest", n > 0, oldest);
	tell_time(c, "newest", n > 0, newest);
	cli_print(c, "bytes of documents\t%llu\nbytes of the index\t%llu\nbytes a document\t%llu\n",
	    (unsigned long long)bytes[SH_STORE_PART_DOCUMENTS],
	    (unsigned long long)bytes[SH_STORE_PART_INDEX],
	    (unsigned long long)(n ? (bytes[SH_STORE_PART_DOCUMENTS] + bytes[SH_STORE_PART_INDEX]) /
					 n
				   : 0));
	return 0;
}

static int export(struct state *s, struct sh_error *err)
{
	struct sh_store_walk at = { 0 };
	struct sh_record r;
	int got;

	if (s->store.manifest.form == SH_STORE_SKETCH)
		return sh_error_set(err, SH_ERR_PARAM,
		    "the archive keeps no texts: export needs an archive of 'sharchive init "
		    "--store=documents'");
	while ((got = sh_store_next(&s->store, &at, &r, err)) > 0)
		if (r.keeper == r.number) {
			cli_write(s->cli, r.line.p, r.line.n);
			cli_write(s->cli, "\n", 1);
		}
	return got;
}

static const struct command {
	const char *name;
	const char *arguments; /* arguments after DIR, as messages show them; "" for none */
	int (*work)(struct state *s, struct sh_error *err);
	bool changes, writes; /* the archive, unless --dry-run is given; output */
} commands[] = {
	{ .name = "init", .arguments = "", .work = init },
	{ .name = "check", .arguments = "", .work = check },
	{ .name = "compact", .arguments = "", .work = compact, .changes = true },
	{ .name = "expire", .arguments = " AGE", .work = remove_documents, .changes = true },
	{ .name = "remove", .arguments = " FILE...", .work = remove_documents, .changes = true },
	{ .name = "stats", .arguments = "", .work = stats, .writes = true },
	{ .name = "export", .arguments = "", .work = export, .writes = true },
};

/* ---- options ---- */

static void set_age(struct state *s, const char *arg)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 } };
	size_t n = strlen(arg);
	uint64_t count, now = cli_now(s->cli);

	for (size_t i = 0; n && i < sizeof units / sizeof *units; i++) {
		if (arg[n - 1] == units[i].unit &&
		    sh_parse_u64(sh_slice(arg, n - 1), &count) == 0 && count < UINT64_C(1) << 40) {
			count *= units[i].seconds;
			s->before = now > count ? now - count : 0;
			return;
		}
	}
	cli_usage(s->cli, "expire '%s': expected an age such as 90d, 12h or 8w", arg);
}

static void refuse(struct state *s, int opt, bool has, const char *which)
{
	if (cli_given(s->cli, opt) && !has)
		cli_usage(s->cli, "%s is for %s, not for %s", cli_option_name(s->cli, opt), which,
		    s->command->name);
}

/* Parses the operands: the command, its folder and its arguments. */
static void complete(struct state *s)
{
	const struct command *k;
	struct cli *c = s->cli;
	int for_init = cli_given_of(c, dedup_how_table, 0);

	s->form = (enum sh_store_form)opt_choice(c, STORE, SH_STORE_SKETCH);
	s->how.dry_run = cli_given(c, DRY_RUN);
	s->how.wait = opt_number(c, WAIT, 0, 1000000, 0);
	s->how.quiet = cli_given(c, 'q');
	if (!for_init)
		for_init = cli_given_of(c, docopts_table, 0);
	if (c->n_words == 0)
		cli_usage(c, "expected a command and the archive's folder");
	s->command = k = sh_row_find(SH_ROWS(commands), c->words[0]);
	if (!k)
		cli_usage(c, "'%s': expected init, check, compact, expire, remove, stats or export",
		    c->words[0]);
	if (c->n_words < 2)
		cli_usage(
		    c, "%s: which archive? (sharchive %s DIR%s)", k->name, k->name, k->arguments);
	s->dir = c->words[1];
	cli_declare(c, CLI_FOLDER, s->dir);
	s->expires = strcmp(k->name, "expire") == 0;
	refuse(s, for_init, k->work == init, "init");
	refuse(s, STORE, k->work == init, "init");
	refuse(s, DRY_RUN, k->work == remove_documents, "expire and remove");
	refuse(s, COUNTS, k->work == stats, "stats");
	if (c->n_operands && !*k->arguments)
		cli_usage(c, "%s takes no files: '%s'", k->name, c->operands[0]);
	if (*k->arguments && (!c->n_operands || (s->expires && c->n_operands > 1)))
		cli_usage(c, "%s: expected sharchive %s DIR%s", k->name, k->name, k->arguments);
	if (s->expires)
		set_age(s, c->operands[0]);
	if (!k->writes)
		c->left = true;
	dedup_archive_keep_file(c, s->dir, c->out_path);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct state s = { .cli = &c };
	struct sh_error err;

	cli_start(&c, &program, argc, argv);
	complete(&s);
	if (s.command->work == init)
		dedup_how_complete(&c, &s.how);
	cli_open(&c);
	/* Reads the ids before it locks: they may come from a program that reads the archive. */
	dedup_read_ids(&c, (const char *const *)c.operands, s.expires ? 0 : c.n_operands, &s.ids);
	if ((s.command->work != init &&
		(sh_store_open(&s.store, s.dir, SH_STORE_KINDS, &err) < 0 ||
		    sh_store_lock(
			&s.store, s.command->changes && !s.how.dry_run, s.how.wait, &err) < 0)) ||
	    s.command->work(&s, &err) < 0)
		cli_die(&c, &err);
	sh_store_close(&s.store);
	dedup_free_ids(&s.ids);
	docopts_free(&s.how.docs);
	return cli_finish(&c);
}
