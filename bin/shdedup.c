/* SPDX-License-Identifier: MIT */
/* shdedup: drops near-duplicates from documents. */
#include "base/siphash.h"
#include "dedup.h"
#include "dedup_how.h"
#include "io/target.h"
#include "names.h"
#include "sidebyside.h"

enum {
	DRY_RUN = CLI_OWN,
	REPORT,
	KEEP,
	LINK,
	PROTECT,
	MARK,
	COUNTS,
	SAMPLE,
	WAIT,
	COMPRESS,
	EVERY,
	EXIT_CODE
};

#define DEFAULT_MEMORY ((size_t)1 << 30)
/* Bytes of a thread for the documents it compares. More memory does not make it faster, and the
 * first access to each page takes system time. */
#define VERIFY_MEMORY ((size_t)1 << 23)

static const struct cli_option options[] = {
	CLI_HEADING("Documents that stay, and the report"),
	{ KEEP, "keep", "first|longest|newest|max:FIELD|min:FIELD|FILE",
	    "keeper of a group; FILE: ids, best first [first]" },
	{ PROTECT, "protect", "FILE", "never drop documents with an id of FILE" },
	{ LINK, "link", "HOW", "%s: chains, or neighbours of one document [star]", link_names },
	{ REPORT, "report", "FILE",
	    "write id, keeper, similarity, measure of each dropped document" },
	{ COUNTS, "counts", NULL, "add the number of documents in the group to the report" },
	{ MARK, "mark", "FIELD",
	    "drop nothing; add keeper, similarity and measure to each document" },
	{ DRY_RUN, "dry-run", NULL, "write no documents" },
	{ SAMPLE, "sample", "N", "show N pairs for each 0.05 of similarity, side by side" },
	{ 'O', "output-dir", "DIR", "write one file for each input to DIR; resume a killed run" },
	{ COMPRESS, "compress", "FORM", "compress the files of -O by %s [as their inputs]",
	    dedup_shards_forms },
	CLI_HEADING("Archive"),
	{ 'a', "archive", "DIR",
	    "compare with the documents of earlier runs, and add the new ones" },
	{ EVERY, "every", "SECONDS",
	    "read an input that stays open, and decide every SECONDS what has arrived" },
	{ WAIT, "wait", "SECONDS", "wait at most SECONDS for another run to release -a or -O [0]" },
	CLI_HEADING("The run"),
	{ 'q', "quiet", NULL, "no summary" },
	{ EXIT_CODE, "exit-code", NULL, "exit 1 when a document is dropped, and 0 when none is" },
	{ 'S', "memory", "SIZE", "use temporary files beyond this memory [1G]" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shdedup",
	.threads = "documents and pairs",
	.all_processors = true,
	.synopsis = "[FILE...]",
	.purpose = "Drop near-duplicates from documents (id<TAB>text).",
	.options = { dedup_how_table, options, docopts_table },
	.status = "1 found (--exit-code), ",
};

static void set_keep(struct cli *c, struct dedup_settings *s)
{
	struct sh_error err;

	if (sh_rank_rule_parse(c->arg, &s->keep, &err) < 0)
		cli_usage(c, "--keep %s", err.text);
	if (s->keep.path)
		cli_reads_or(c, "--keep", "first, longest, newest, max:FIELD nor min:FIELD");
}

/* Takes an option of the archive or the folder of -O. Returns false for other options. */
static bool set_folder(struct cli *c, struct dedup_settings *s, int opt)
{
	switch (opt) {
	case 'O':
		s->shards.dir = cli_folder(c);
		return true;
	case COMPRESS:
		dedup_shards_set_form(c, &s->shards, opt);
		return true;
	case 'a':
		s->archive.dir = cli_folder(c);
		return true;
	case EVERY:
		s->feed.seconds = cli_number(c, "--every", 1, 1000000);
		return true;
	case WAIT:
		s->archive.wait = cli_number(c, "--wait", 0, 1000000);
		s->archive.wait_given = true;
		return true;
	default:
		return false;
	}
}

static void set_option(struct cli *c, struct dedup_settings *s, int opt)
{
	switch (opt) {
	case KEEP:
		set_keep(c, s);
		break;
	case PROTECT:
		cli_reads_more(c, &s->protects);
		break;
	case LINK:
		s->single = cli_choice(c, opt) == 0;
		break;
	case REPORT:
		s->report_path = cli_writes(c, "--report");
		break;
	case DRY_RUN:
		s->dry_run = true;
		break;
	case COUNTS:
		s->counts = true;
		break;
	case MARK:
		s->mark = sh_slice_str(c->arg);
		if (s->mark.n == 0)
			cli_usage(c, "--mark: the name of the field is empty");
		break;
	case SAMPLE:
		s->sample = cli_number(c, "--sample", 1, 1000);
		s->dry_run = true;
		break;
	case 'q':
		s->quiet = true;
		break;
	case 'S':
		s->memory = cli_size(c, "-S");
		break;
	default:
		if (!set_folder(c, s, opt))
			dedup_how_set(s, c, opt);
	}
}

/* Refuses two outputs of one name: only the last one would be kept. */
static void complete_report(struct cli *c, struct dedup_settings *s)
{
	s->report_is_output = s->report_path && sh_target_same(s->report_path, c->out_path);
	if (!s->report_is_output)
		return;
	if (s->sample)
		cli_usage(c, "--report %s: the sample is written to it", s->report_path);
	if (!s->dry_run)
		cli_usage(c, "--report %s: the documents are written to it (--dry-run writes none)",
		    s->report_path);
}

/* Returns whether the documents are written. -o may name the input, which an empty output must not
 * replace. */
static bool writes(const struct dedup_settings *s)
{
	return (!s->dry_run && !s->shards.dir) || s->sample || s->report_is_output;
}

static void complete_mark(struct cli *c, const struct dedup_settings *s)
{
	const struct sh_document_form *form = &s->docs.docs.form;

	if (s->mark.n && s->dry_run)
		cli_usage(c, "--mark cannot be used with %s, which writes no documents",
		    s->sample ? "--sample" : "--dry-run");
	if (s->mark.n && form->line_ids && !form->json)
		cli_usage(c, "--mark adds fields, and with -l the whole line is text");
	if (s->counts && !s->report_path)
		cli_usage(c, "--counts needs --report FILE");
	if (s->counts && s->archive.dir)
		cli_usage(c, "--counts and -a cannot be used together: an archive has no groups");
}

/* Refuses options that need all documents, or another form of input than lines. */
static void complete_every(struct cli *c, struct dedup_settings *s)
{
	const struct sh_document_form *form = &s->docs.docs.form;
	const char *with = c->out_path                       ? "-o"
			   : s->shards.dir                   ? "-O"
			   : s->mark.n                       ? "--mark"
			   : s->sample                       ? "--sample"
			   : s->dry_run                      ? "--dry-run"
			   : s->keep.by != SH_RANK_FIRST     ? "another --keep than first"
			   : s->single                       ? "--link single"
			   : c->trailer_in || c->trailer_out ? "--trailer"
			   : form->columns                   ? "a header"
			   : form->line_ids                  ? "-l"
							     : NULL;

	if (!s->feed.seconds)
		return;
	if (with)
		cli_usage(c, "--every cannot be used with %s", with);
	if (c->n_operands > 1)
		cli_usage(c, "--every reads one input, not %zu", c->n_operands);
	/* sharchive works between two batches. */
	if (!s->archive.wait_given)
		s->archive.wait = 1000000;
	s->feed.memory = s->memory / 8;
}

static void complete(struct cli *c, struct dedup_settings *s)
{
	struct sh_error err;

	s->docs.token.memory = s->memory;
	dedup_how_complete(c, s);
	if (sh_rank_rule_check(&s->keep, &s->docs.docs.form, &err) < 0)
		cli_usage(c, "--keep: %s", err.text);
	complete_report(c, s);
	complete_mark(c, s);
	dedup_archive_complete(c, s);
	complete_every(c, s);
	dedup_shards_complete(c, s);
	if (!writes(s))
		cli_leave_output(c);
}

static void tell_progress(void *arg, uint64_t documents)
{
	struct dedup_state *s = arg;

	progress_show(&s->cli->progress, documents, "documents decided");
}

static void draw_sample(void *arg, const struct sh_engine_pair *p)
{
	struct dedup_state *s = arg;

	sh_sample_add(&s->sample, p->a, p->b, p->verdict.measure, p->verdict.similarity);
}

static void start_engine(struct dedup_state *s)
{
	const struct dedup_settings *settings = s->settings;
	struct sh_engine_opts opts = { .corpus = &s->corpus,
		.rules = settings->rules,
		.token = settings->docs.token,
		.single = settings->single,
		.tables = &s->tables,
		.memory = settings->memory / 2,
		.jobs = s->cli->jobs,
		.seen = settings->sample ? draw_sample : NULL,
		.progress = tell_progress,
		.arg = s };
	struct sh_error err;

	if (settings->sample &&
	    sh_sample_init(&s->sample, settings->seed, (size_t)settings->sample, &err) < 0)
		cli_die(s->cli, &err);
	if (sh_random_key(opts.features.key, &err) < 0)
		cli_die(s->cli, &err);
	dedup_archive_engine(s, &opts);
	s->engine = sh_engine_new(&opts, &err);
	if (!s->engine)
		cli_die(s->cli, &err);
}

/* Begins a run over the documents of the input. */
static void start(struct dedup_state *s)
{
	/* Half of the memory is for tables, which grow first. */
	sh_tables_init(&s->tables, s->settings->memory / 2, s->cli->tmpdir);
	start_engine(s);
}

/* Prepares the program: checks that outputs can be written, reads the ids of options. */
static void begin(struct dedup_state *s, struct dedup_settings *settings)
{
	struct cli *c = s->cli;

	dedup_archive_open(s, settings);
	dedup_shards_open(s);
	if (settings->sample || (settings->dry_run && !settings->report_path))
		cli_text(c);
	cli_open(c);
	dedup_open_report(s);
	dedup_read_ids(c, &settings->keep.path, settings->keep.path != NULL, &s->ranked);
	dedup_read_ids(c, settings->protects.name, settings->protects.n, &s->protected);
	progress_start(&c->progress, program.name, c->operands, c->n_operands, c->progress.asked,
	    !settings->quiet);
}

static void find(struct dedup_state *s)
{
	struct sh_error err;

	if (sh_engine_run(s->engine, &err) < 0)
		cli_die(s->cli, &err);
	progress_clear(&s->cli->progress);
}

static void show_sample(struct dedup_state *s)
{
	if (!s->settings->sample)
		return;
	sh_sample_sort(&s->sample);
	side_by_side(s->cli, &s->corpus, &s->sample, s->settings->docs.token.raw);
	sh_sample_free(&s->sample);
}

static void warn_of_ids(struct dedup_state *s)
{
	if (s->settings->quiet)
		return;
	dedup_warn_of_ids(s->cli, "--keep", &s->ranked);
	dedup_warn_of_ids(s->cli, "--protect", &s->protected);
}

static void write_results(struct dedup_state *s)
{
	struct dedup_groups groups;

	dedup_count_groups(s, &groups);
	show_sample(s);
	if (!s->settings->shards.dir && !s->settings->dry_run)
		dedup_write_all(s);
	if (s->settings->report_path)
		dedup_write_report(s, &groups);
	dedup_archive_add(s);
	/* When this run is killed from here on, the archive has the documents and makes the same
	 * decisions again. So complete files and the files of the next run agree. */
	if (s->settings->shards.dir)
		dedup_shards_write(s);
	s->dropped = groups.dropped;
	if (!s->settings->feed.seconds) {
		warn_of_ids(s);
		dedup_summarise(s, &groups);
	}
	dedup_free_groups(s, &groups);
}

/* Frees the documents of a run. */
static void finish(struct dedup_state *s)
{
	dedup_archive_done(s);
	sh_engine_delete(s->engine);
	sh_corpus_free(&s->corpus);
	sh_tables_free(&s->tables);
}

static void run(struct dedup_state *s)
{
	start(s);
	dedup_read(s);
	dedup_rank(s);
	dedup_archive_look(s);
	find(s);
	write_results(s);
}

/* Runs over batches of the input until it ends. */
static void run_every(struct dedup_state *s, struct dedup_settings *settings)
{
	struct dedup_feed *f = &settings->feed;

	dedup_feed_open(s->cli, f);
	while (dedup_feed_next(s->cli, f)) {
		run(s);
		f->batches++;
		f->documents += s->corpus.n;
		f->dropped += s->dropped;
		finish(s);
	}
	dedup_feed_close(f);
	dedup_close_report(s);
	warn_of_ids(s);
	if (!settings->quiet)
		cli_warn(s->cli, "%llu document%s in %llu batch%s, %llu stay, %llu dropped",
		    (unsigned long long)f->documents, CLI_PLURAL(f->documents),
		    (unsigned long long)f->batches, f->batches == 1 ? "" : "es",
		    (unsigned long long)(f->documents - f->dropped),
		    (unsigned long long)f->dropped);
}

static void end(struct dedup_state *s)
{
	dedup_archive_close(s);
	dedup_shards_close(s);
	dedup_free_ids(&s->ranked);
	dedup_free_ids(&s->protected);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct dedup_settings s = { .memory = DEFAULT_MEMORY };
	struct dedup_state state = { .cli = &c, .settings = &s };
	uint64_t dropped;
	int opt, status;

	dedup_how_init(&s);
	cli_start(&c, &program, argc, argv);
	while ((opt = cli_next(&c)) != -1)
		set_option(&c, &s, opt);
	complete(&c, &s);
	begin(&state, &s);
	if (s.feed.seconds) {
		run_every(&state, &s);
	} else {
		run(&state);
		finish(&state);
	}
	dropped = s.feed.seconds ? s.feed.dropped : state.dropped;
	end(&state);
	dedup_how_free(&s);
	cli_files_free(&s.protects);
	status = cli_finish(&c);
	return cli_given(&c, EXIT_CODE) && dropped ? EXIT_FOUND : status;
}
