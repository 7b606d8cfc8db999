/* shdedup: documents to documents without near-duplicates. */
#include "dedup.h"
#include "fp/reach.h"
#include "io/target.h"
#include "names.h"
#include "sidebyside.h"

enum {
	DRY_RUN = CLI_OWN,
	REPORT,
	KEEP,
	LINK,
	PROTECT,
	NO_VERIFY,
	MAX_GROUP,
	FEW,
	SEED,
	SAMPLE,
	SIMHASH,
	MEASURE,
};

#define DEFAULT_MEMORY ((size_t)1 << 30)

enum {
	DEFAULT_NGRAM = 3,
	DEFAULT_FEW = 20,
	DEFAULT_MAX_GROUP = 1000,
};

static const struct cli_option options[] = {
	{ 'T', "threshold", "X", "least similarity of duplicates; any: J,E for each [0.8]" },
	{ MEASURE, "measure", "NAME", "similarity: %s [jaccard]", duplicate_measure_names },
	{ 'k', "distance", "K", "look at pairs within Hamming distance K [by -T: 10 at 0.8]" },
	{ 'b', "bits", "64|128|256", "width of the fingerprints [64]" },
	{ SIMHASH, "simhash", NULL, "fingerprints are sums of weights, not minwise; -k 14" },
	{ 'w', "weight", "SCHEME", "of features under --simhash: %s [log]", document_weight_names },
	{ KEEP, "keep", "first|longest|newest|FILE", "who stays; FILE: ids, best first [first]" },
	{ PROTECT, "protect", "FILE", "never drop the documents whose ids stand in FILE" },
	{ LINK, "link", "star|single", "groups are neighbours of one, or chains [star]" },
	{ REPORT, "report", "FILE", "write id, keeper, distance, similarity of each one dropped" },
	{ DRY_RUN, "dry-run", NULL, "write no documents" },
	{ SAMPLE, "sample", "N", "show N of the compared pairs at each distance, side by side" },
	{ MAX_GROUP, "max-group", "N", "warn of groups of more than N documents [1000]" },
	{ FEW, "few", "N", "documents of fewer features are compared by these [20]" },
	{ NO_VERIFY, "no-verify", NULL, "drop by distance alone, without looking at the texts" },
	{ SEED, "seed", "N", "seed of the hash [0]" },
	{ 'q', "quiet", NULL, "no summary" },
	{ 'S', "memory", "SIZE", "memory to use before temporary files [1G]" },
	{ CLI_TMPDIR, "tmpdir", "DIR", "for temporary files [$TMPDIR, /tmp]" },
	{ 0 },
};

/* Those of docopts.h; but --keep says here, as in shgroup, which document stays, and -n has
 * another default. */
static struct cli_option doc_options[40];

static void copy_doc_options(void)
{
	for (size_t i = 0; docopts_table[i].code && i + 1 < 40; i++) {
		doc_options[i] = docopts_table[i];
		if (strcmp(doc_options[i].name, "keep") == 0)
			doc_options[i].name = "keep-words";
		if (doc_options[i].code == 'n')
			doc_options[i].help = "features are n-grams of N (to M) tokens [3]";
	}
}

static const struct cli_removed removed[] = {
	{ 'r', NULL, "was dropped: say --report FILE (shdoc FOLDER reads the files of a folder)" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shdedup",
	.synopsis = "[FILE...]",
	.purpose = "Documents (id<TAB>text) to those of them that are no near-duplicates.",
	.options = { options, dedup_archive_table, doc_options },
	.removed = removed,
};

static void take_bits(struct cli *c, struct dedup_settings *s)
{
	uint64_t n;

	if (sh_parse_count(sh_slice_str(c->arg), &n) < 0 || (n != 64 && n != 128 && n != 256))
		cli_usage(c, "-b '%s': expected 64, 128 or 256", c->arg);
	s->fp.bits = (unsigned)n;
}

static void take(struct cli *c, struct dedup_settings *s, int opt)
{
	switch (opt) {
	case 'T':
		measures_take_threshold(
		    &s->measures, c, 1, "a number above 0 and up to 1, as in 0.8");
		break;
	case MEASURE:
		s->measures.measure = sh_measure_find(cli_value(c, opt));
		break;
	case 'k':
		s->dedup.k = (unsigned)cli_number(c, "-k", 0, SH_FP_MAX_BITS);
		s->k_given = true;
		break;
	case SIMHASH:
		s->fp.minhash = false;
		break;
	case 'b':
		take_bits(c, s);
		break;
	case 'w':
		s->fp.scheme = sh_scheme_find(cli_value(c, opt));
		s->weight_given = true;
		break;
	case KEEP:
		sh_prefer_parse(c->arg, &s->keep);
		if (s->keep.path)
			cli_reads_or(c, "--keep", "first, longest nor newest");
		break;
	case PROTECT:
		cli_reads_more(c, &s->protects);
		break;
	case LINK:
		s->dedup.single = strcmp(c->arg, "single") == 0;
		if (!s->dedup.single && strcmp(c->arg, "star") != 0)
			cli_usage(c, "--link '%s': expected star or single", c->arg);
		break;
	case REPORT:
		s->report_path = cli_writes(c);
		break;
	case DRY_RUN:
		s->dry_run = true;
		break;
	case MAX_GROUP:
		s->max_group = cli_number(c, "--max-group", 1, UINT32_MAX);
		break;
	case SAMPLE:
		s->sample = cli_number(c, "--sample", 1, 1000);
		s->dry_run = true;
		break;
	case FEW:
		s->dedup.few = (unsigned)cli_number(c, "--few", 0, 1000);
		break;
	case NO_VERIFY:
		s->dedup.verify = false;
		break;
	case SEED:
		s->fp.seed = cli_number(c, "--seed", 0, UINT64_MAX);
		break;
	case 'q':
		s->quiet = true;
		break;
	case 'S':
		s->memory = cli_size(c, "-S");
		break;
	default:
		if (!dedup_archive_take(&s->archive, c, opt))
			docopts_take(&s->docs, c, opt);
	}
}

/* Of two files of one name the last would be all that is left. */
static void settle_report(struct cli *c, struct dedup_settings *s)
{
	s->report_is_output = s->report_path && sh_target_same(s->report_path, c->out_path);
	if (!s->report_is_output)
		return;
	if (s->sample)
		cli_usage(c, "--report %s: the sample goes there", s->report_path);
	if (!s->dry_run)
		cli_usage(c, "--report %s: the documents go there (--dry-run writes none)",
		    s->report_path);
}

/* An empty file in the place of the input, of which -o may have the name, would be all that is left. */
static bool writes(const struct dedup_settings *s)
{
	if (s->archive.mode != ARCHIVE_UPDATE)
		return s->archive.mode == ARCHIVE_STATS;
	return !s->dry_run || s->sample || s->report_is_output;
}

/* Features in the sample of a document, for candidates that share some. */
enum { SAMPLE_FEATURES = 48 };

/* The distance of the fingerprints, and whether shared features make candidates, too: for the edit
 * similarity, and for Jaccard similarities that few fingerprints reach. */
static void choose_candidates(struct dedup_settings *s)
{
	uint64_t jaccard = s->measures.measure->ordered ? SH_REACH_HIGHEST : s->measures.threshold;

	s->k_for_threshold = sh_reach_distance(s->fp.bits, s->fp.minhash, jaccard);
	if (!s->k_given)
		s->dedup.k = s->k_for_threshold;
	s->sample_features =
	    s->dedup.verify && (s->measures.measure->ordered || s->measures.measure->any ||
				   jaccard < SH_REACH_LOWEST)
		? SAMPLE_FEATURES
		: 0;
}

/* Warns when the distance misses more pairs at the threshold than -k does by default. */
static void warn_of_recall(struct cli *c, const struct dedup_settings *s)
{
	double found = sh_reach(s->fp.bits, s->fp.minhash, s->dedup.threshold, s->dedup.k);

	if (s->quiet || !s->dedup.verify || s->sample_features || found >= SH_REACH_WANTED)
		return;
	cli_warn(c, "-k %u finds %.0f %% of the pairs of similarity %.6g (-T): -k %u finds 95 %%",
	    s->dedup.k, 100 * found, (double)s->dedup.threshold / SH_WEIGHT_ONE,
	    s->k_for_threshold);
}

/* -T and --measure, and what follows from them. */
static void settle_measure(struct cli *c, struct dedup_settings *s)
{
	measures_settle(&s->measures, c);
	s->dedup.how.measure = s->measures.measure;
	s->dedup.threshold = s->measures.threshold;
	s->dedup.edit_threshold = s->measures.edit;
	choose_candidates(s);
	/* Those that can be as similar as that to a document of few features. */
	s->fp.distinct_up_to = sh_dedup_few_up_to(&s->dedup);
}

static void settle(struct cli *c, struct dedup_settings *s)
{
	docopts_settle(&s->docs, c);
	if (s->weight_given && s->fp.minhash)
		cli_usage(c, "-w weighs under --simhash; minwise fingerprints know sets");
	settle_measure(c, s);
	settle_report(c, s);
	s->fp.token = s->dedup.how.token = s->docs.token;
	s->fp.ngrams = s->dedup.how.ngrams = s->docs.ngrams;
	s->dedup.how.strict = s->docs.docs.strict;
	s->dedup.bits = s->fp.bits;
	s->dedup.jobs = c->jobs;
	if (s->sample && !s->dedup.verify)
		cli_usage(c, "--sample shows similarities, which --no-verify leaves out");
	dedup_archive_settle(c, s);
	if (!writes(s))
		cli_leave_output(c);
}

static void tell_progress(void *arg, const struct sh_dedup_stats *stats)
{
	struct dedup_state *s = arg;

	progress_show(&s->cli->progress, stats->compared, "pairs compared");
}

static void draw_sample(void *arg, const struct sh_seen_pair *p)
{
	struct dedup_state *s = arg;

	sh_sample_add(&s->sample, p->a, p->b, p->distance, p->similarity);
}

static void start_sample(struct cli *c, struct dedup_state *s, struct dedup_settings *settings)
{
	struct sh_error err;

	if (!settings->sample)
		return;
	if (sh_sample_init(&s->sample, settings->fp.seed, (size_t)settings->sample,
		settings->fp.bits + 1, &err) < 0)
		cli_die(c, &err);
	settings->dedup.seen = draw_sample;
}

/* Ready to take documents: outputs can be written, ids of options are known. */
static void begin(struct dedup_state *s, struct dedup_settings *settings)
{
	struct cli *c = s->cli;
	struct sh_error err;

	dedup_archive_open(s);
	warn_of_recall(c, settings);
	if (settings->sample || (settings->dry_run && !settings->report_path))
		cli_text(c);
	cli_open(c);
	dedup_open_report(s);
	dedup_read_ids(c, &settings->keep.path, settings->keep.path != NULL, &s->ranked);
	dedup_read_ids(c, settings->protects.name, settings->protects.n, &s->protected);
	progress_start(&c->progress, program.name, c->operands, c->n_operands, c->progress.asked,
	    !settings->quiet);
	/* Half is for tables, which are the first to grow. */
	sh_tables_init(&s->tables, settings->memory / 2, c->tmpdir);
	settings->dedup.tables = &s->tables;
	settings->dedup.memory = settings->dedup.how.memory = settings->memory / 4;
	settings->dedup.how.corpus = &s->corpus;
	settings->dedup.progress = tell_progress;
	settings->dedup.arg = s;
	start_sample(c, s, settings);
	s->dedup = sh_dedup_new(&settings->dedup, &err);
	if (!s->dedup)
		cli_die(c, &err);
}

static void find(struct dedup_state *s)
{
	struct sh_error err;

	if (sh_dedup_run(s->dedup, &err) < 0)
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

static void tell(struct dedup_state *s)
{
	const uint32_t *keeper = sh_dedup_keepers(s->dedup);
	struct dedup_groups groups;

	dedup_count_groups(s, keeper, &groups);
	show_sample(s);
	if (!s->settings->dry_run)
		dedup_write_documents(s, keeper);
	if (s->settings->report_path)
		dedup_write_report(s, keeper);
	/* It names documents of the archive, as it was. */
	dedup_warn_of_groups(s, &groups);
	dedup_archive_add(s, keeper);
	if (!s->settings->quiet) {
		dedup_warn_of_ids(s->cli, "--keep", &s->ranked);
		dedup_warn_of_ids(s->cli, "--protect", &s->protected);
	}
	dedup_summarise(s, &groups);
	dedup_free_groups(s, &groups);
}

static void end(struct dedup_state *s)
{
	dedup_archive_close(s);
	sh_dedup_delete(s->dedup);
	sh_corpus_free(&s->corpus);
	sh_tables_free(&s->tables);
	dedup_free_ids(&s->ranked);
	dedup_free_ids(&s->protected);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct dedup_settings s = {
		.fp = { .hash = sh_hash_find("mix"),
		    .scheme = sh_scheme_find("log"),
		    .bits = 64,
		    .minhash = true },
		.dedup = { .verify = true, .few = DEFAULT_FEW },
		.memory = DEFAULT_MEMORY,
		.archive = { .store = SH_STORE_SKETCH },
		.max_group = DEFAULT_MAX_GROUP,
	};
	struct dedup_state state = { .cli = &c, .settings = &s };
	int opt;

	copy_doc_options();
	docopts_init(&s.docs);
	s.docs.ngrams = (struct sh_ngrams){ .min = DEFAULT_NGRAM, .max = DEFAULT_NGRAM };
	s.measures.measure = sh_measure_find("jaccard");
	s.measures.threshold = s.measures.edit = 800000;
	s.dedup.how.scheme = s.fp.scheme;
	cli_start(&c, &program, argc, argv);
	while ((opt = cli_next(&c)) != -1)
		take(&c, &s, opt);
	settle(&c, &s);
	if (!dedup_archive_maintain(&c, &s)) {
		begin(&state, &s);
		dedup_read(&state);
		dedup_archive_look(&state);
		find(&state);
		tell(&state);
		end(&state);
	}
	docopts_free(&s.docs);
	cli_files_free(&s.protects);
	cli_files_free(&s.archive.removes);
	return cli_finish(&c);
}
