/* shdedup: documents to documents without near-duplicates. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hmap.h"
#include "base/num.h"
#include "docopts.h"
#include "fp/features.h"
#include "fp/fingerprinter.h"
#include "io/lines.h"
#include "pair/dedup.h"
#include "pair/prefer.h"
#include "pair/sample.h"
#include "run.h"
#include "sidebyside.h"

enum {
	REPORT = CLI_OWN,
	DRY_RUN,
	KEEP,
	LINK,
	PROTECT,
	NO_VERIFY,
	MAX_GROUP,
	FEW,
	SEED,
	SAMPLE,
	SIMHASH
};

#define DEFAULT_MEMORY ((size_t)1 << 28)

enum {
	DEFAULT_K = 10,
	DEFAULT_K_SIMHASH = 12,
	DEFAULT_NGRAM = 3,
	DEFAULT_FEW = 20,
	DEFAULT_MAX_GROUP = 1000,
	GROUPS_SHOWN = 10,
};

static const struct cli_option options[] = {
	{ 'T', "threshold", "X", "least Jaccard similarity of duplicates [0.8]" },
	{ 'k', "distance", "K", "look at pairs within Hamming distance K [10]" },
	{ 'b', "bits", "64|128|256", "width of the fingerprints [64]" },
	{ SIMHASH, "simhash", NULL, "fingerprints are sums of weights, not minwise; -k 12" },
	{ 'w', "weight", "SCHEME", "of features under --simhash: set, tf, freq or log [log]" },
	{ KEEP, "keep", "WHICH", "first, longest, newest, or a FILE of ids, best first [first]" },
	{ PROTECT, "protect", "FILE", "never drop the documents whose ids stand in FILE" },
	{ LINK, "link", "star|single", "groups are neighbours of one, or chains [star]" },
	{ 'r', "report", "FILE", "write id, keeper, distance, similarity of each one dropped" },
	{ DRY_RUN, "dry-run", NULL, "write no documents" },
	{ SAMPLE, "sample", "N", "show N of the compared pairs at each distance, side by side" },
	{ MAX_GROUP, "max-group", "N", "warn of groups of more than N documents [1000]" },
	{ FEW, "few", "N", "documents of fewer features are compared by these [20]" },
	{ NO_VERIFY, "no-verify", NULL, "drop by distance alone, without looking at the texts" },
	{ SEED, "seed", "N", "seed of the hash [0]" },
	{ 'q', "quiet", NULL, "no summary" },
	{ 'S', "memory", "SIZE", "memory for sets of features [256M]" },
	{ CLI_TMPDIR, "tmpdir", "DIR", "for input that is no file [$TMPDIR, /tmp]" },
	{ 0 },
};

/* Those of docopts.h; but --keep says here, as in shgroup, which document stays. */
static struct cli_option doc_options[40];

static void copy_doc_options(void)
{
	for (size_t i = 0; docopts_table[i].code && i + 1 < 40; i++) {
		doc_options[i] = docopts_table[i];
		if (strcmp(doc_options[i].name, "keep") == 0)
			doc_options[i].name = "keep-words";
	}
}

static const struct cli_program program = {
	.name = "shdedup",
	.synopsis = "[FILE...]",
	.purpose = "Documents (id<TAB>text) to those of them that are no near-duplicates.",
	.options = { options, doc_options },
};

struct settings {
	struct docopts docs;
	struct sh_fingerprint_opts fp;
	struct sh_dedup_opts dedup;
	struct sh_prefer keep;
	const char *protect_path, *report_path;
	uint64_t counted; /* of documents of at most so many n-grams, distinct ones are counted */
	bool dry_run, quiet, k_given, weight_given;
	uint64_t max_group, sample;
};

struct progress {
	struct cli *cli;
	bool shown; /* standard error is a terminal */
	struct timespec begun;
	double last;
};

/* All that is known. */
struct state {
	struct cli *cli;
	const struct settings *settings;
	struct sh_corpus corpus;
	struct sh_dedup *dedup;
	struct sh_hmap ranked, protected;
	struct progress progress;
	struct sh_sample sample;
	uint64_t bytes;             /* read so far, of all files */
	struct sh_sink report, *to; /* to: where the report goes */
};

/* ---- progress ---- */

static double seconds(const struct progress *p)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - p->begun.tv_sec) +
	       (double)(now.tv_nsec - p->begun.tv_nsec) / 1e9;
}

static void start_progress(struct progress *p, struct cli *c)
{
	*p = (struct progress){ .cli = c, .shown = isatty(STDERR_FILENO) };
	clock_gettime(CLOCK_MONOTONIC, &p->begun);
}

static void show_progress(struct progress *p, uint64_t n, const char *what)
{
	double now;

	if (!p->shown || (now = seconds(p)) - p->last < 0.2)
		return;
	p->last = now;
	fprintf(stderr, "\r\033[K%s: %llu %s", p->cli->program->name, (unsigned long long)n, what);
}

static void end_progress(const struct progress *p)
{
	if (p->shown && p->last > 0)
		fputs("\r\033[K", stderr);
}

/* ---- reading ---- */

/* What a worker finds out about a document. */
struct found {
	uint64_t line; /* of its block */
	uint64_t rank;
	size_t features;
	bool is_protected;
	uint64_t fp[];
};

struct worker {
	struct state *state;
	struct sh_fingerprinter *fingerprinter;
	struct sh_features *features;
};

static uint64_t rank(const struct state *s, const struct sh_document *doc)
{
	uint32_t i;

	switch (s->settings->keep.which) {
	case SH_PREFER_LONGEST:
		return UINT64_MAX - doc->text.n;
	case SH_PREFER_RANKED:
		return sh_hmap_find(&s->ranked, doc->id, &i) ? i : UINT64_MAX;
	default:
		return 0;
	}
}

/* Distinct features, where it matters: of documents that may have few. */
static int count_features(
    struct worker *w, const struct sh_document *doc, size_t *features, struct sh_error *err)
{
	struct sh_feature_set set;

	if (*features == 0 || *features > w->state->settings->counted)
		return 0;
	if (sh_features_of(w->features, doc->text, &set, err) < 0)
		return -1;
	*features = set.n;
	return 0;
}

static int each_document(
    void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	struct state *s = w->state;
	size_t words = SH_FP_WORDS(s->settings->fp.bits);
	size_t bytes = sizeof(struct found) + words * sizeof(uint64_t);
	struct sh_fingerprint fp;
	struct found *f;
	uint32_t i;

	if (sh_fingerprint(w->fingerprinter, doc->text, &fp, err) < 0)
		return -1;
	if (fp.empty)
		fp.features = 0;
	if (count_features(w, doc, &fp.features, err) < 0 ||
	    sh_buf_reserve(&job->out, bytes, err) < 0)
		return -1;
	job->ill_formed += fp.bad_utf8;
	f = (struct found *)(void *)(job->out.p + job->out.n);
	*f = (struct found){ .line = job->at,
		.rank = rank(s, doc),
		.features = fp.features,
		.is_protected = sh_hmap_find(&s->protected, doc->id, &i) };
	memcpy(f->fp, fp.w, words * sizeof *f->fp);
	job->out.n += bytes;
	return 0;
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;

	return sh_docs_work(&w->state->settings->docs.docs, each_document, w, job);
}

/* The documents of a block, in order. */
static int take_block(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct state *s = arg;
	size_t words = SH_FP_WORDS(s->settings->fp.bits);
	size_t step = sizeof(struct found) + words * sizeof(uint64_t);
	const char *p = job->in.p;
	uint64_t line = 0;

	for (size_t at = 0; at < job->out.n; at += step) {
		const struct found *f = (const struct found *)(const void *)(job->out.p + at);
		uint64_t r = s->settings->keep.which == SH_PREFER_NEWEST ? UINT64_MAX - s->corpus.n
									 : f->rank;

		for (; line < f->line; line++)
			p = (const char *)memchr(p, '\n', (size_t)(job->in.p + job->in.n - p)) + 1;
		if (sh_corpus_add(&s->corpus, s->bytes + (uint64_t)(p - job->block.p),
			job->from.number + f->line, err) < 0 ||
		    sh_dedup_add(s->dedup, f->fp, f->features, r, f->is_protected, err) < 0)
			return -1;
	}
	s->bytes += job->block.n;
	show_progress(&s->progress, s->corpus.n, "documents read");
	return 0;
}

static void open_files(struct state *s, int *fds)
{
	struct cli *c = s->cli;
	struct sh_error err;

	if (sh_corpus_init(&s->corpus, &s->settings->docs.docs.form, &err) < 0)
		cli_die(c, &err);
	for (size_t i = 0; i < (c->n_operands ? c->n_operands : 1); i++) {
		if (sh_corpus_open(
			&s->corpus, c->n_operands ? c->operands[i] : "-", c->tmpdir, &err) < 0)
			cli_die(c, &err);
		fds[i] = s->corpus.file[i].map.fd;
	}
}

/* The second look must find what the first one did. */
static void check_files(struct state *s)
{
	const struct sh_corpus *corpus = &s->corpus;
	uint64_t all = 0;
	struct sh_error err;

	for (size_t i = 0; i < corpus->n_files; i++) {
		all += corpus->file[i].map.n;
		if (sh_mapped_check(&corpus->file[i].map, &err) < 0)
			cli_die(s->cli, &err);
	}
	if (all != s->bytes) {
		sh_error_set(&err, SH_ERR_IO, "the input has changed while it was read");
		cli_die(s->cli, &err);
	}
}

static void start_workers(struct state *s, struct worker *workers, struct run *run)
{
	const uint64_t key[2] = { 0, 0 }; /* these are counted, not compared */
	struct sh_error err;

	for (unsigned i = 0; i < s->cli->jobs; i++) {
		workers[i] =
		    (struct worker){ s, sh_fingerprinter_new(&s->settings->fp, &err), NULL };
		if (workers[i].fingerprinter)
			workers[i].features = sh_features_new(
			    &s->settings->fp.token, s->settings->fp.ngrams, key, &err);
		if (!workers[i].features)
			cli_die(s->cli, &err);
		run->workers[i] = &workers[i];
	}
}

static void read_documents(struct state *s)
{
	struct cli *c = s->cli;
	struct worker workers[CLI_MAX_JOBS];
	struct run run = { .cli = c, .work = work, .take = take_block, .arg = s };
	struct sh_source source;
	int *fds = calloc(c->n_operands + 1, sizeof *fds);
	struct sh_error err;

	if (!fds) {
		sh_error_nomem(&err);
		cli_die(c, &err);
	}
	open_files(s, fds);
	start_workers(s, workers, &run);
	sh_source_init(&source, c->operands, c->n_operands);
	source.fds = fds;
	run_pool(&run, &source);
	end_progress(&s->progress);
	run_finish(&run, NULL);
	sh_source_free(&source);
	check_files(s);
	for (unsigned i = 0; i < c->jobs; i++) {
		sh_fingerprinter_delete(workers[i].fingerprinter);
		sh_features_delete(workers[i].features);
	}
	free(fds);
}

/* Ids of a file, one a line; what follows a TAB is ignored. */
static void read_ids(struct cli *c, const char *path, struct sh_hmap *ids)
{
	char *const names[] = { (char *)(uintptr_t)path };
	struct sh_lines lines;
	struct sh_slice line, id;
	struct sh_error err;
	uint32_t i;

	if (sh_hmap_init(ids, &err) < 0)
		cli_die(c, &err);
	if (!path)
		return;
	sh_lines_init(&lines, names, 1);
	while (cli_line(c, &lines, &line)) {
		sh_fields_split(line, &id, 1);
		if (sh_hmap_put(ids, id, &i, NULL, &err) < 0)
			cli_die(c, &err);
	}
	sh_lines_free(&lines);
}

/* ---- writing ---- */

_Noreturn static void die_reporting(struct state *s, const struct sh_error *err)
{
	if (s->to != &s->cli->out)
		sh_sink_abort(s->to);
	cli_die(s->cli, err);
}

static void write_report_part(struct state *s, const void *p, size_t n)
{
	struct sh_error err;

	if (sh_sink_write(s->to, p, n, &err) < 0)
		die_reporting(s, &err);
}

/* Those that stay, as they came. */
static void write_documents(struct state *s, const uint32_t *keeper)
{
	for (uint32_t i = 0; i < s->corpus.n; i++) {
		struct sh_slice line;

		if (keeper[i] != i)
			continue;
		line = sh_corpus_line(&s->corpus, i);
		cli_write(s->cli, line.p, line.n);
		cli_write(s->cli, "\n", 1);
	}
}

static void report_one(
    struct state *s, uint32_t dropped, uint32_t keeper, struct sh_document_room *room)
{
	struct sh_document doc;
	struct sh_similarity sim;
	struct sh_error err;
	char text[SH_NUM_CHARS + SH_SIMILARITY_CHARS + 3];
	unsigned distance;
	size_t n = 1;

	for (int i = 0; i < 2; i++) {
		if (sh_corpus_document(&s->corpus, i ? keeper : dropped, room, &doc, &err) < 0)
			die_reporting(s, &err);
		write_report_part(s, doc.id.p, doc.id.n);
		write_report_part(s, "\t", i == 0);
	}
	if (sh_dedup_compare(s->dedup, dropped, keeper, &distance, &sim, &err) < 0)
		die_reporting(s, &err);
	text[0] = '\t';
	n += sh_print_u64(text + n, distance);
	if (s->settings->dedup.verify) {
		text[n++] = '\t';
		sh_similarity_print(text + n, sh_similarity_round(&sim));
		n += SH_SIMILARITY_CHARS;
	}
	text[n++] = '\n';
	write_report_part(s, text, n);
}

static void write_report(struct state *s, const uint32_t *keeper)
{
	struct sh_document_room room = { 0 };
	struct sh_error err;

	s->to = &s->cli->out;
	if (strcmp(s->settings->report_path, "-") != 0) {
		if (sh_sink_open(&s->report, s->settings->report_path, &err) < 0)
			cli_die(s->cli, &err);
		s->to = &s->report;
	}
	for (uint32_t i = 0; i < s->corpus.n; i++)
		if (keeper[i] != i)
			report_one(s, i, keeper[i], &room);
	sh_document_room_free(&room);
	if (s->to != &s->cli->out && sh_sink_close(&s->report, &err) < 0)
		cli_die(s->cli, &err);
}

/* ---- what it came to ---- */

struct groups {
	uint32_t *size; /* by keeper */
	uint64_t n, dropped, large;
	uint32_t largest;
};

static void count_groups(struct state *s, const uint32_t *keeper, struct groups *g)
{
	struct sh_error err;

	*g = (struct groups){ .size = calloc(s->corpus.n + 1, sizeof *g->size) };
	if (!g->size) {
		sh_error_nomem(&err);
		cli_die(s->cli, &err);
	}
	for (uint32_t i = 0; i < s->corpus.n; i++)
		g->size[keeper[i]]++;
	for (uint32_t i = 0; i < s->corpus.n; i++) {
		g->dropped += keeper[i] != i;
		g->n += g->size[i] > 1;
		g->large += g->size[i] > s->settings->max_group;
		if (g->size[i] > g->size[g->largest])
			g->largest = i;
	}
}

static void warn_of_groups(const struct state *s, const struct groups *g)
{
	struct sh_document_room room = { 0 };
	struct sh_document doc;
	struct sh_error err;
	uint64_t shown = 0;

	for (uint32_t i = 0; g->large && i < s->corpus.n && shown < GROUPS_SHOWN; i++) {
		if (g->size[i] <= s->settings->max_group)
			continue;
		if (sh_corpus_document(&s->corpus, i, &room, &doc, &err) < 0)
			cli_die(s->cli, &err);
		cli_warn(s->cli, "%u documents in the group kept by '%.*s' (--max-group)",
		    g->size[i], doc.id.n > 80 ? 80 : (int)doc.id.n, doc.id.p);
		shown++;
	}
	if (g->large > shown)
		cli_warn(s->cli, "%llu more such groups", (unsigned long long)(g->large - shown));
	sh_document_room_free(&room);
}

static void summarise(const struct state *s, const struct groups *g)
{
	const struct sh_dedup_stats *t = sh_dedup_stats(s->dedup);

	if (s->settings->quiet)
		return;
	cli_warn(s->cli,
	    "%llu documents, %llu stay, %llu dropped%s; %llu with the features of another, "
	    "%llu pairs compared, %llu similar; %llu groups, largest %u; %llu without features; "
	    "%.1f s",
	    (unsigned long long)t->documents, (unsigned long long)(t->documents - g->dropped),
	    (unsigned long long)g->dropped, s->settings->dry_run ? " (dry run)" : "",
	    (unsigned long long)t->identical, (unsigned long long)t->compared,
	    (unsigned long long)t->similar, (unsigned long long)g->n,
	    g->n ? g->size[g->largest] : 0, (unsigned long long)t->featureless,
	    seconds(&s->progress));
}

/* ---- options ---- */

static void take_threshold(struct cli *c, struct settings *s)
{
	int64_t x;

	if (sh_parse_weight(sh_slice_str(c->arg), &x) < 0 || x > SH_WEIGHT_ONE || x == 0)
		cli_usage(c, "-T '%s': expected a number above 0 and up to 1, as in 0.8", c->arg);
	s->dedup.threshold = (uint64_t)x;
}

static void take_bits(struct cli *c, struct settings *s)
{
	uint64_t n = cli_number(c, "-b", 64, 256);

	if (n != 64 && n != 128 && n != 256)
		cli_usage(c, "-b %s: expected 64, 128 or 256", c->arg);
	s->fp.bits = (unsigned)n;
}

static void take_weight(struct cli *c, struct settings *s)
{
	s->fp.scheme = sh_scheme_find(c->arg);
	if (!s->fp.scheme || s->fp.scheme->needs_df)
		cli_usage(c, "-w '%s': expected set, tf, freq or log", c->arg);
	s->weight_given = true;
}

static void take(struct cli *c, struct settings *s, int opt)
{
	switch (opt) {
	case 'T':
		take_threshold(c, s);
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
		take_weight(c, s);
		break;
	case KEEP:
		sh_prefer_parse(c->arg, &s->keep);
		break;
	case PROTECT:
		s->protect_path = c->arg;
		break;
	case LINK:
		s->dedup.single = strcmp(c->arg, "single") == 0;
		if (!s->dedup.single && strcmp(c->arg, "star") != 0)
			cli_usage(c, "--link '%s': expected star or single", c->arg);
		break;
	case 'r':
		s->report_path = c->arg;
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
		s->dedup.how.memory = cli_size(c, "-S");
		break;
	default:
		docopts_take(&s->docs, c, opt);
	}
}

static void settle(struct cli *c, struct settings *s)
{
	uint64_t limit;

	docopts_settle(&s->docs, c);
	if (s->weight_given && s->fp.minhash)
		cli_usage(c, "-w weighs under --simhash; minwise fingerprints know sets");
	if (!s->fp.minhash && !s->k_given)
		s->dedup.k = DEFAULT_K_SIMHASH;
	if (s->report_path && strcmp(s->report_path, c->out_path ? c->out_path : "-") == 0 &&
	    !s->dry_run)
		cli_usage(c, "--report %s: the documents go there (--dry-run writes none)",
		    s->report_path);
	s->fp.token = s->dedup.how.token = s->docs.token;
	s->fp.ngrams = s->dedup.how.ngrams = s->docs.ngrams;
	s->dedup.how.strict = s->docs.docs.strict;
	s->dedup.bits = s->fp.bits;
	s->dedup.jobs = c->jobs;
	/* Those that can be as similar as that to a document of few features. */
	if (s->sample && !s->dedup.verify)
		cli_usage(c, "--sample shows similarities, which --no-verify leaves out");
	if (s->sample && s->report_path && strcmp(s->report_path, "-") == 0)
		cli_usage(c, "--report -: the sample goes there");
	limit = s->dedup.few * UINT64_C(1000000) / s->dedup.threshold;
	s->counted = s->dedup.few ? 2 * limit + 24 : 0;
}

/* The report is opened when it is written; that it can be is to be known before. */
static void try_report(struct cli *c, const struct settings *s)
{
	struct sh_sink probe;
	struct stat st;
	struct sh_error err;

	if (!s->report_path || strcmp(s->report_path, "-") == 0)
		return;
	if (stat(s->report_path, &st) == 0 && !S_ISREG(st.st_mode))
		return;
	if (sh_sink_open(&probe, s->report_path, &err) < 0)
		cli_die(c, &err);
	sh_sink_abort(&probe);
}

static void tell_progress(void *arg, const struct sh_dedup_stats *stats)
{
	struct state *s = arg;

	show_progress(&s->progress, stats->compared, "pairs compared");
}

static void draw_sample(void *arg, const struct sh_seen_pair *p)
{
	struct state *s = arg;

	sh_sample_add(&s->sample, p->a, p->b, p->distance, p->similarity);
}

static void start_sample(struct cli *c, struct state *s, struct settings *settings)
{
	struct sh_error err;

	if (!settings->sample)
		return;
	if (sh_sample_init(
		&s->sample, settings->fp.seed, settings->sample, settings->fp.bits + 1, &err) < 0)
		cli_die(c, &err);
	settings->dedup.seen = draw_sample;
}

static void run(struct cli *c, struct settings *settings)
{
	struct state s = { .cli = c, .settings = settings };
	struct groups groups;
	const uint32_t *keeper;
	struct sh_error err;

	try_report(c, settings);
	cli_open(c);
	start_progress(&s.progress, c);
	read_ids(c, settings->keep.path, &s.ranked);
	read_ids(c, settings->protect_path, &s.protected);
	settings->dedup.how.corpus = &s.corpus;
	settings->dedup.progress = tell_progress;
	settings->dedup.arg = &s;
	start_sample(c, &s, settings);
	s.dedup = sh_dedup_new(&settings->dedup, &err);
	if (!s.dedup)
		cli_die(c, &err);
	read_documents(&s);
	if (sh_dedup_run(s.dedup, &err) < 0)
		cli_die(c, &err);
	end_progress(&s.progress);
	keeper = sh_dedup_keepers(s.dedup);
	count_groups(&s, keeper, &groups);
	if (settings->sample) {
		sh_sample_sort(&s.sample);
		side_by_side(c, &s.corpus, &s.sample, settings->docs.token.raw);
		sh_sample_free(&s.sample);
	}
	if (!settings->dry_run)
		write_documents(&s, keeper);
	if (settings->report_path)
		write_report(&s, keeper);
	warn_of_groups(&s, &groups);
	summarise(&s, &groups);
	free(groups.size);
	sh_dedup_delete(s.dedup);
	sh_corpus_free(&s.corpus);
	sh_hmap_free(&s.ranked);
	sh_hmap_free(&s.protected);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct settings s = {
		.fp = { .hash = sh_hash_find("mix"),
		    .scheme = sh_scheme_find("log"),
		    .bits = 64,
		    .minhash = true },
		.dedup = { .k = DEFAULT_K,
		    .verify = true,
		    .threshold = 800000,
		    .few = DEFAULT_FEW,
		    .how = { .memory = DEFAULT_MEMORY } },
		.max_group = DEFAULT_MAX_GROUP,
	};
	int opt;

	copy_doc_options();
	docopts_init(&s.docs);
	s.docs.ngrams = (struct sh_ngrams){ .min = DEFAULT_NGRAM, .max = DEFAULT_NGRAM };
	s.dedup.how.measure = sh_measure_find("jaccard");
	s.dedup.how.scheme = s.fp.scheme;
	cli_start(&c, &program, argc, argv);
	while ((opt = cli_next(&c)) != -1)
		take(&c, &s, opt);
	settle(&c, &s);
	run(&c, &s);
	docopts_free(&s.docs);
	return cli_finish(&c);
}
