/* SPDX-License-Identifier: MIT */
/* shdedup: drops near-duplicates from documents. */
#include "base/siphash.h"
#include "dedup.h"
#include "io/target.h"
#include "made_with.h"
#include "names.h"

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
enum { EVERY_MERGES = 1 << 16 }; /* documents of a merge under --every: it takes about a second */

static const struct cli_option options[] = {
	CLI_HEADING("Documents that stay, and the report"),
	{ KEEP, "keep", "first|longest|newest|max:FIELD|min:FIELD|FILE",
	    "keeper of a group; FILE: ids, best first [first]" },
	{ PROTECT, "protect", "FILE", "never drop documents with an id of FILE", NULL, CLI_READS },
	{ LINK, "link", "HOW", "%s: chains, or neighbours of one document [star]", link_names },
	{ REPORT, "report", "FILE",
	    "write id, keeper, similarity, measure of each dropped document", NULL, CLI_WRITES },
	{ COUNTS, "counts", NULL, "add the number of documents in the group to the report" },
	{ MARK, "mark", "FIELD",
	    "drop nothing; add keeper, similarity and measure to each document" },
	{ DRY_RUN, "dry-run", NULL, "write no documents" },
	{ SAMPLE, "sample", "N", "show N pairs for each 0.05 of similarity, side by side" },
	{ 'O', "output-dir", "DIR", "write one file for each input to DIR; resume a killed run",
	    NULL, CLI_FOLDER },
	{ COMPRESS, "compress", "FORM", "compress the files of -O by %s [as their inputs]",
	    dedup_shards_forms },
	CLI_HEADING("Archive"),
	{ 'a', "archive", "DIR", "compare with the documents of earlier runs, and add the new ones",
	    NULL, CLI_FOLDER },
	{ EVERY, "every", "SECONDS",
	    "read an input that stays open, and decide every SECONDS what has arrived" },
	{ WAIT, "wait", "SECONDS", "wait at most SECONDS for another run to release -a or -O [0]" },
	CLI_HEADING("The run"),
	{ 'q', "quiet", NULL, "no summary" },
	{ EXIT_CODE, "exit-code", NULL, "exit 1 when a document is dropped, and 0 when none is" },
	CLI_MEMORY_ROW("1G"),
	CLI_TMPDIR_ROW,
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

	if (!cli_given(c, KEEP))
		return;
	if (sh_rank_rule_parse(opt_text(c, KEEP), &s->keep, &err) < 0)
		cli_usage(c, "--keep %s", err.text);
	if (s->keep.path)
		cli_reads_or(c, KEEP, "first, longest, newest, max:FIELD nor min:FIELD");
}

/* Returns whether the option decides the content of the outputs of -O. */
static bool decides(int opt)
{
	return opt != 'O' && opt != 'S' && opt != 'j' && opt != 'q' && opt != REPORT &&
	       opt != COUNTS && opt != WAIT && opt != EXIT_CODE && opt != CLI_REJECTS &&
	       opt != CLI_TMPDIR && opt != CLI_PROGRESS;
}

/* Refuses options that contradict each other. */
static void refuse(struct cli *c, const struct dedup_settings *s)
{
	const struct sh_document_form *form = &s->docs.docs.form;
	const char *with = c->out_path                       ? "-o"
			   : s->shards                       ? "-O"
			   : s->mark.n                       ? "--mark"
			   : s->dry_run                      ? "--dry-run"
			   : s->keep.by != SH_RANK_FIRST     ? "another --keep than first"
			   : s->single                       ? "--link single"
			   : c->trailer_in || c->trailer_out ? "--trailer"
			   : form->columns                   ? "a header"
			   : form->line_ids                  ? "-l"
							     : NULL;
	const struct {
		bool wrong;
		const char *text;
	} rows[] = {
		{ s->mark.n && form->line_ids && !form->json,
		    "--mark adds fields, and with -l the whole line is text" },
		{ s->counts && !s->report_path, "--counts needs --report FILE" },
		{ !s->archive && !s->shards && cli_given(c, WAIT),
		    "--wait needs -a DIR or -O DIR" },
		{ s->every && !s->archive, "--every needs -a DIR" },
		{ s->archive && s->sample,
		    "--sample cannot be used with -a: an archive need not have the texts" },
		{ s->archive && s->single,
		    "--link single cannot be used with -a: chains could pass through the archive "
		    "(use --link star)" },
		{ !s->shards && s->compress, "--compress needs -O DIR" },
		{ s->shards && !*s->shards,
		    "-O: the name of the folder is empty (is a shell variable unset?)" },
		{ s->shards && c->out_path,
		    "-O and -o contradict each other: -O writes one file for each input" },
		{ s->shards && strcmp(c->operands[0], "-") == 0,
		    "-O needs the names of input files" },
	};

	/* Of two outputs of one name only the last one would be kept. */
	if (s->report_is_output && (s->sample || !s->dry_run))
		cli_usage(c, "--report %s: the %s written to it%s", s->report_path,
		    s->sample ? "sample is" : "documents are",
		    s->sample ? "" : " (--dry-run writes none)");
	if (s->dry_run && (s->mark.n || s->shards))
		cli_usage(c, "%s cannot be used with %s, which writes no documents",
		    s->mark.n ? "--mark" : "-O", s->sample ? "--sample" : "--dry-run");
	if (s->every && s->archive && with)
		cli_usage(c, "--every cannot be used with %s", with);
	if (s->every && c->n_operands > 1)
		cli_usage(c, "--every reads one input, not %zu", c->n_operands);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].wrong)
			cli_usage(c, "%s", rows[i].text);
}

/* Reads the form of --compress. */
static void set_form(struct cli *c, struct dedup_settings *s)
{
	struct sh_error err;

	s->compress = cli_given(c, COMPRESS);
	if (!s->compress)
		return;
	s->form = sh_codec_named(opt_value(c, COMPRESS));
	if (s->form && !s->form->encode.start) {
		sh_codec_unwritable(s->form, &err);
		cli_die(c, &err);
	}
}

static void complete(struct cli *c, struct dedup_settings *s)
{
	const char *mark = opt_text(c, MARK);
	struct sh_error err;

	set_keep(c, s);
	set_form(c, s);
	s->protects = opt_all(c, PROTECT);
	s->single = opt_choice(c, LINK, 1) == 0;
	s->report_path = opt_text(c, REPORT);
	if (mark && !*mark)
		cli_usage(c, "--mark: the name of the field is empty");
	s->mark = sh_slice_str(mark ? mark : "");
	s->sample = opt_number(c, SAMPLE, 1, 1000, 0);
	s->shards = opt_text(c, 'O');
	s->archive = opt_text(c, 'a');
	s->every = opt_number(c, EVERY, 1, 1000000, 0);
	s->wait = opt_number(c, WAIT, 0, 1000000, 0);
	s->memory = opt_size(c, 'S', DEFAULT_MEMORY);
	s->dry_run = s->sample || cli_given(c, DRY_RUN);
	s->counts = cli_given(c, COUNTS);
	s->quiet = cli_given(c, 'q');
	s->report_is_output = s->report_path && sh_target_same(s->report_path, c->out_path);
	dedup_how_complete(c, s);
	s->docs.token.memory = s->memory;
	if (sh_rank_rule_check(&s->keep, &s->docs.docs.form, &err) < 0)
		cli_usage(c, "--keep: %s", err.text);
	refuse(c, s);
	if (s->archive) {
		dedup_archive_keep_file(c, s->archive, c->out_path);
		dedup_archive_keep_file(c, s->archive, c->rejects_path);
		dedup_archive_keep_file(c, s->archive, s->report_path);
	}
	/* sharchive works between two batches. */
	if (s->every && !cli_given(c, WAIT))
		s->wait = 1000000;
	/* -o may name the input, which an empty output must not replace. */
	if ((s->dry_run || s->shards) && !s->sample && !s->report_is_output)
		c->left = true;
}

static void tell_progress(void *arg, uint64_t documents)
{
	struct dedup_state *s = arg;

	progress_show(&s->cli->progress, documents, "documents decided");
}

static void draw_sample(void *arg, const struct sh_engine_pair *p)
{
	struct dedup_state *s = arg;

	sample_add(&s->sample, p);
}

/* Opens the archive, which must have the settings of the run. */
static void open_archive(struct dedup_state *s, struct dedup_settings *settings)
{
	const struct sh_store_manifest *m = &s->store.manifest;
	struct sh_slice seed;
	struct sh_error err;

	if (sh_store_open(&s->store, settings->archive, SH_STORE_OF_DOCUMENTS, &err) < 0)
		cli_die(s->cli, &err);
	/* The archive has its seed. */
	seed = sh_store_manifest_setting(m, sh_slice_str("--seed"));
	if (sh_slice_eq(seed, sh_slice_str("random")) &&
	    (!settings->seed_given || settings->random_seed)) {
		settings->random_seed = true;
		memcpy(settings->rules.secret, m->key, sizeof m->key);
	}
	made_with_compare(s->cli, settings, m);
}

/* Prepares the program: checks that outputs can be written, reads the ids of options. */
static void begin(struct dedup_state *s, struct dedup_settings *settings)
{
	struct cli *c = s->cli;

	if (settings->archive)
		open_archive(s, settings);
	dedup_shards_open(s, decides);
	if (settings->sample || (settings->dry_run && !settings->report_path))
		c->trailer_out = false;
	c->progress.unasked = !settings->quiet;
	cli_open(c);
	s->to = &c->out;
	if (settings->report_path && !settings->report_is_output) {
		s->to = &s->report;
		cli_open_further(c, &s->report, settings->report_path);
	}
	dedup_read_ids(c, &settings->keep.path, settings->keep.path != NULL, &s->ranked);
	dedup_read_ids(c, settings->protects.name, settings->protects.n, &s->protected);
	c->progress.bytes = c->progress.records = 0; /* not of the ids */
}

/* Begins a run over the documents of the input. */
static void start(struct dedup_state *s)
{
	const struct dedup_settings *settings = s->settings;
	struct sh_engine_opts opts = { .corpus = &s->corpus,
		.rules = settings->rules,
		.token = settings->docs.token,
		.single = settings->single,
		.ranks = settings->keep.by != SH_RANK_FIRST,
		.protects = s->protected.ids.n > 0,
		.tables = &s->tables,
		.memory = settings->memory / 2,
		.jobs = s->cli->jobs,
		.seen = settings->sample ? draw_sample : NULL,
		.progress = tell_progress,
		.arg = s };
	struct sh_error err;

	/* Half of the memory is for tables, which grow first. */
	sh_tables_init(&s->tables, settings->memory / 2, s->cli->tmpdir);
	if (settings->sample)
		sample_init(&s->sample, s->cli, settings->seed, (size_t)settings->sample);
	if (sh_random_key(opts.features.key, &err) < 0)
		cli_die(s->cli, &err);
	s->archive = (struct sh_batch){ .store = &s->store,
		.corpus = &s->corpus,
		.tables = &s->tables,
		.newest = settings->keep.by == SH_RANK_NEWEST };
	if (settings->archive && sh_batch_options(&s->archive, &opts, &err) < 0)
		cli_die(s->cli, &err);
	s->archive.engine = s->engine = sh_engine_new(&opts, &err);
	if (!s->engine)
		cli_die(s->cli, &err);
}

/* Decides which documents stay. The archive is locked from here on. */
static void decide(struct dedup_state *s)
{
	const struct dedup_settings *settings = s->settings;
	struct sh_error err;
	int status = 0;

	if (settings->archive) {
		s->archive.now = cli_now(s->cli);
		/* Another run may have changed the archive while documents were read. */
		status = sh_store_lock(&s->store, !settings->dry_run, settings->wait, &err);
	}
	if (status == 0)
		status = settings->archive ? sh_batch_run(&s->archive, &err)
					   : sh_engine_run(s->engine, &err);
	if (status < 0)
		cli_die(s->cli, &err);
	progress_clear(&s->cli->progress);
}

/* Adds the new documents to the archive, after all output was written: the archive may record only
 * documents whose output was written. */
static void add_to_archive(struct dedup_state *s)
{
	const struct dedup_settings *settings = s->settings;
	const struct sh_batch *a = &s->archive;
	const struct sh_store_manifest *m = &s->store.manifest;
	uint64_t n;
	struct sh_error err;

	if (sh_sink_flush(&s->cli->out, &err) < 0 ||
	    (!settings->dry_run &&
		sh_batch_add(&s->archive, settings->every ? EVERY_MERGES : 0, &err) < 0))
		cli_die(s->cli, &err);
	if (settings->quiet || settings->every)
		return;
	n = sh_store_manifest_documents(m);
	cli_warn(s->cli,
	    "archive: %llu of these documents were known, %llu matched, %llu added, %llu of which "
	    "stay; %llu document%s in %zu segment%s",
	    (unsigned long long)a->n_known, (unsigned long long)a->n_matched,
	    (unsigned long long)(settings->dry_run ? 0 : a->n_added),
	    (unsigned long long)(settings->dry_run ? 0 : a->n_kept), (unsigned long long)n,
	    CLI_PLURAL(n), m->n_segments, CLI_PLURAL(m->n_segments));
}

static void close_report(struct dedup_state *s)
{
	if (s->to == &s->report)
		cli_close_further(s->cli, &s->report);
	s->to = NULL;
}

static void write_results(struct dedup_state *s)
{
	const struct dedup_settings *settings = s->settings;
	struct cli *c = s->cli;
	size_t first = 0;

	if (settings->sample)
		sample_print(&s->sample, c, &s->corpus, settings->docs.token.raw);
	if (!settings->shards && !settings->dry_run) {
		/* The header is that of the first file that has one. */
		while (first + 1 < s->corpus.n_files && s->corpus.file[first].n == 0)
			first++;
		dedup_write_header(s, &c->out, first);
		dedup_write_documents(s, &c->out, 0, (uint32_t)s->corpus.n);
	}
	if (settings->report_path)
		dedup_write_report(s);
	if (!settings->every)
		close_report(s);
	if (settings->archive)
		add_to_archive(s);
	/* When this run is killed from here on, the archive has the documents and makes the same
	 * decisions again. So complete files and the files of the next run agree. */
	dedup_shards_write(s);
}

static void warn_of_ids(struct dedup_state *s)
{
	if (s->settings->quiet)
		return;
	dedup_warn_of_ids(s->cli, "--keep", &s->ranked);
	dedup_warn_of_ids(s->cli, "--protect", &s->protected);
}

/* Runs over the documents of the input, or of a batch. */
static void run(struct dedup_state *s)
{
	start(s);
	dedup_read(s);
	decide(s);
	dedup_count_groups(s);
	write_results(s);
	if (!s->settings->every) {
		warn_of_ids(s);
		dedup_summarise(s);
	}
	sh_batch_free(&s->archive);
	if (s->settings->archive)
		sh_store_unlock(&s->store);
	sh_engine_delete(s->engine);
	sh_corpus_free(&s->corpus);
	sh_tables_put(&s->tables, s->size);
	sh_tables_put(&s->tables, s->all);
	sh_tables_free(&s->tables);
}

/* Runs over batches of the input until it ends. */
static void run_every(struct dedup_state *s)
{
	uint64_t batches = dedup_every(s, run);

	warn_of_ids(s);
	if (!s->settings->quiet)
		cli_warn(s->cli, "%llu document%s in %llu batch%s, %llu stay, %llu dropped",
		    (unsigned long long)s->documents, CLI_PLURAL(s->documents),
		    (unsigned long long)batches, batches == 1 ? "" : "es",
		    (unsigned long long)(s->documents - s->dropped),
		    (unsigned long long)s->dropped);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct dedup_settings s = { 0 };
	struct dedup_state state = { .cli = &c, .settings = &s };
	int status;

	cli_start(&c, &program, argc, argv);
	complete(&c, &s);
	begin(&state, &s);
	if (s.every)
		run_every(&state);
	else
		run(&state);
	close_report(&state);
	sh_store_close(&state.store);
	dedup_shards_close(&state);
	dedup_free_ids(&state.ranked);
	dedup_free_ids(&state.protected);
	sh_document_room_free(&state.room);
	sh_document_room_free(&state.keeper_room);
	sh_buf_free(&state.line);
	docopts_free(&s.docs);
	status = cli_finish(&c);
	return cli_given(&c, EXIT_CODE) && state.dropped ? EXIT_FOUND : status;
}
