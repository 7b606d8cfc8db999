/* SPDX-License-Identifier: MIT */
/* shspan: finds the passages that documents share. */
#include "passage/exact.h"
#include "passage/placed.h"
#include "span.h"
#include "text/method.h"

enum {
	WINDOW = CLI_OWN,
	FIRST,
	ALL,
	COUNT,
	EXACT,
	EVERY,
	PAIRS,
	MERGE,
	SEEDS,
	BOUND,
	MIN_TOKENS,
	IDENTITY,
	EXIT_CODE,
};

static const char *unit_names(unsigned i)
{
	static const char *const names[] = { "word", "char", "line", "sentence" };

	return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static const struct cli_option options[] = {
	CLI_HEADING("Spans"),
	{ 'd', "documents", "DOCS", "find these queries in FILE; with --seeds: the documents", NULL,
	    CLI_READS },
	FORMOPTS_DOCUMENTS_ROW,
	{ FIRST, "first", NULL,
	    "write each passage with one earlier passage, if possible the first" },
	{ ALL, "all", NULL, "write each passage with all earlier passages" },
	{ COUNT, "count", "[=N]", "write passages that occur in at least N documents [2]" },
	{ EXACT, "exact", "L", "write passages of at least L tokens that occurred before" },
	{ EVERY, "every-copy", NULL, "--exact, -u: write first occurrences of the passages, too" },
	{ 'u', "unit", "UNIT",
	    "tokens are words or characters; or write repeated lines or sentences: %s [word]",
	    unit_names },
	{ PAIRS, "pairs", NULL, "sum up spans to pairs, with the coverage of both documents" },
	{ 'T', "threshold", "X",
	    "--pairs: drop pairs of a coverage below X [0; queries: 0.6 to 1]" },
	CLI_HEADING("Seeds and matches"),
	{ 'n', "ngram", "K",
	    "tokens of a seed [6 words or 10 characters; queries: 5 or 9]; lines or sentences of "
	    "a passage [1 or 3]" },
	{ WINDOW, "window", "W", "take the least of W successive seeds [at most 10; queries: 1]" },
	{ MIN_TOKENS, "min-tokens", "N",
	    "drop spans of fewer than N matched tokens [15; queries: 12]" },
	{ IDENTITY, "identity", "X", "drop spans whose matched tokens / tokens are below X [0.5]" },
	{ MERGE, "merge", "N",
	    "join spans of a pair at most N tokens apart [60 with --all or -d, otherwise 0]" },
	{ BOUND, "bound", "N",
	    "compare a seed's places when there are at most N [50; queries: 200]" },
	CLI_HEADING("The run"),
	{ SEEDS, "seeds", NULL, "FILE holds the seeds of the documents, sorted or not" },
	{ 'a', "archive", "DIR", "find passages of earlier runs too, and add the documents to DIR",
	    NULL, CLI_FOLDER },
	{ EXIT_CODE, "exit-code", NULL, "exit 1 when a passage is found, and 0 when none is" },
	CLI_MEMORY_ROW("4G"),
	CLI_TMPDIR_ROW,
	CLI_HEADING("Tokens"),
	{ 0 },
};

static const struct cli_program program = {
	.name = "shspan",
	.threads = "documents",
	.all_processors = true,
	.synopsis = "[FILE...]",
	.purpose =
	    "Documents (id<TAB>text) to spans\n"
	    "(id1<TAB>start1<TAB>end1<TAB>id2<TAB>start2<TAB>end2<TAB>matched<TAB>identity).",
	.options = { options, docopts_word_table },
	.status = "1 found (--exit-code), ",
};

#define DEFAULT_MEMORY (UINT64_C(4) << 30)

enum { QUERY_BOUND = 200, SELF_BOUND = 50, FEW_TOKENS = 5, DEFAULT_COUNT = 2 };

static void set_options(struct cli *c, struct span_settings *s)
{
	const char *unit = opt_value(c, 'u');
	char first = unit ? *unit : 'w';

	s->files = opt_all(c, 'd');
	s->mode = cli_given(c, ALL)     ? SPAN_ALL
		  : cli_given(c, COUNT) ? SPAN_COUNT
		  : cli_given(c, EXACT) ? SPAN_EXACT
					: SPAN_FIRST;
	s->documents = (uint32_t)opt_number(c, COUNT, 2, UINT32_MAX, DEFAULT_COUNT);
	s->length = (uint32_t)opt_number(c, EXACT, 1, SH_EXACT_MAX, 0);
	s->every = cli_given(c, EVERY);
	s->pairs = cli_given(c, PAIRS);
	s->threshold = opt_share(c, 'T', 0, 1000000, "a number from 0 to 1, as in 0.6", 0);
	s->seeds = cli_given(c, SEEDS);
	s->archive = opt_text(c, 'a');
	s->memory = opt_size(c, 'S', DEFAULT_MEMORY);
	s->repeats = first == 'l' || first == 's';
	s->units.lines = first == 'l';
	s->seed.k = (unsigned)opt_number(c, 'n', 1, SH_SEED_K_MAX, 0);
	s->seed.units = SH_SEED_UNITS;
	s->seed.window = (unsigned)opt_number(c, WINDOW, 1, SH_SEED_WINDOW_MAX, SH_SEED_WINDOW);
	s->match.least = (uint32_t)opt_number(c, MIN_TOKENS, 1, INT32_MAX, 0);
	s->match.identity =
	    opt_share(c, IDENTITY, 0, 1000000, "a number from 0 to 1, as in 0.5", 0);
	s->match.merge = (uint32_t)opt_number(c, MERGE, 0, INT32_MAX, 0);
	s->bound = (size_t)opt_number(c, BOUND, 2, UINT32_MAX, 0);
}

/* Returns how many of the options that set the mode were given. */
static int modes_given(const struct cli *c)
{
	return cli_given(c, FIRST) + cli_given(c, ALL) + cli_given(c, COUNT) + cli_given(c, EXACT);
}

/* Refuses an option of the list with `with`. */
static void refuse(struct cli *c, const int *codes, size_t n, const char *with)
{
	for (size_t i = 0; i < n; i++)
		if (cli_given(c, codes[i]))
			cli_usage(
			    c, "%s cannot be used with %s", cli_option_name(c, codes[i]), with);
}

/* Refuses options that would have no effect. */
static void refuse_idle(struct cli *c, const struct span_settings *s)
{
	static const int of_documents[] = { FIRST, ALL, COUNT, EXACT }, exact[] = { EXACT },
			 of_spans[] = { PAIRS, MERGE }, with_archive[] = { SEEDS, 'd', EXACT },
			 of_seeds[] = { WINDOW, 'S' };
	const struct sh_document_form *form = &s->docs.docs.form;

	if (modes_given(c) > 1)
		cli_usage(c, "--first, --all, --count and --exact exclude each other");
	if (s->docs.of.n_of_documents && !s->files.n)
		cli_usage(c, "--documents-fields needs -d DOCS");
	if (s->seeds && !s->files.n)
		cli_usage(c, "--seeds needs the documents: -d DOCS");
	if (s->files.n && !s->seeds) {
		refuse(c, of_documents, 4, "-d (add --seeds)");
		refuse(c, of_seeds, 2, "-d: all positions of queries are held in memory");
	}
	if (s->seeds)
		refuse(c, exact, 1, "--seeds");
	if (s->archive)
		refuse(c, with_archive, 3, "--archive");
	if (s->archive &&
	    (form->json || form->csv || form->columns || form->line_ids || c->trailer_in))
		cli_usage(c, "--archive keeps lines id<TAB>text: drop --json, --csv, --header, -l "
			     "or --trailer=in");
	if (s->every && s->mode != SPAN_EXACT && !s->repeats)
		cli_usage(c, "--every-copy needs --exact L, -u line or -u sentence");
	if (s->mode == SPAN_COUNT || s->mode == SPAN_EXACT)
		refuse(c, of_spans, s->match.merge ? 2 : 1,
		    "--count and --exact, which write no spans");
	if (cli_given(c, 'T') && !s->pairs)
		cli_usage(c, "-T needs --pairs: it is the least coverage of a pair");
}

/* Completes the options of -u line and -u sentence. */
static void complete_repeats(struct cli *c, struct span_settings *s)
{
	static const int others[] = { 'd', FIRST, ALL, EXACT, PAIRS, 'T', WINDOW, IDENTITY, MERGE,
		BOUND, SEEDS, 'a', 'S' };
	const struct sh_token_opts *t = &s->docs.token;
	const char *unit = s->units.lines ? "-u line" : "-u sentence";

	refuse(c, others, sizeof others / sizeof *others, unit);
	if (t->stem || t->stop || t->min_chars || t->keep || t->mask_digits || cli_given(c, 'p') ||
	    t->method != sh_token_method_at(0))
		cli_usage(c, "%s compares whole %s: options that change words cannot be used", unit,
		    s->units.lines ? "lines" : "sentences");
	if (s->docs.docs.strict)
		cli_usage(c, "--strict cannot be used with %s", unit);
	if (s->every && s->mode == SPAN_COUNT)
		cli_usage(
		    c, "--every-copy cannot be used with --count, which writes every passage");
	s->units.run = s->seed.k ? s->seed.k : s->units.lines ? 1 : SH_SENTENCES_RUN;
	s->units.tokens = cli_given(c, MIN_TOKENS) ? s->match.least : 1;
	s->units.no_fold = t->no_fold;
	s->units.raw = t->raw;
}

/* Chooses the window for a --min-tokens below the usual one: every passage of at least this number
 * of tokens has a seed. Warns when a shorter seed, or a smaller window, would be needed. Seeds that
 * exist have their window. */
static void follow_least(struct cli *c, struct span_settings *s, uint32_t usual)
{
	unsigned longest = sh_seed_longest(&s->seed, sh_token_unit(&s->docs.token));
	unsigned shortest = sh_seed_shortest(&s->seed);
	uint32_t least = s->match.least;
	unsigned window = least > longest ? least - longest + 1 : 1;

	if (least >= usual || s->mode == SPAN_EXACT)
		return;
	if (!cli_given(c, WINDOW) && !s->seeds && !s->archive && window < s->seed.window)
		s->seed.window = window;
	if (least < shortest)
		cli_warn(c, "a seed has %u tokens: shorter passages are not found (-n %u)",
		    shortest, least);
	else if (s->seed.window > window)
		cli_warn(c, "passages of fewer than %u tokens may be missed (--window %u)",
		    s->seed.window + longest - 1, window);
}

static void complete(struct cli *c, struct span_settings *s)
{
	unsigned shortest;
	uint32_t usual;

	set_options(c, s);
	docopts_complete(&s->docs, c);
	if (s->repeats) {
		complete_repeats(c, s);
		return;
	}
	docopts_need_places(&s->docs, c);
	s->docs.token.memory = s->memory;
	for (size_t i = 0; !s->pairs && i < s->docs.of.n_of_documents; i++)
		if (s->docs.of.of_documents[i].more)
			cli_usage(c, "--documents-fields: several fields of text need --pairs, "
				     "because a span is a place in one field");
	refuse_idle(c, s);
	if (s->files.n && !s->seeds) {
		s->docs.token.memory = 0;
		s->mode = SPAN_QUERY;
		if (!cli_given(c, 'T'))
			s->threshold = SH_COVERAGE_USUAL;
		s->seed.units = SH_SEED_QUERY_UNITS;
		s->seed.window = 1;
	} else if (s->pairs && !modes_given(c)) {
		s->mode = SPAN_ALL;
	}
	shortest = sh_seed_shortest(&s->seed);
	if (!cli_given(c, BOUND))
		s->bound = s->mode == SPAN_QUERY ? QUERY_BOUND : SELF_BOUND;
	usual = s->mode == SPAN_QUERY && s->pairs ? shortest
		: shortest < FEW_TOKENS           ? 8
		: s->mode == SPAN_QUERY           ? 12
						  : 15;
	if (!cli_given(c, MIN_TOKENS))
		s->match.least = usual;
	if (!cli_given(c, IDENTITY))
		s->match.identity = shortest < FEW_TOKENS ? 400000 : 500000;
	/* --first is for cutting, and --pairs counts tokens: both must exclude the text between
	 * spans. */
	if (!cli_given(c, MERGE) && !s->pairs && (s->mode == SPAN_ALL || s->mode == SPAN_QUERY))
		s->match.merge = SH_MATCH_MERGE;
	follow_least(c, s, usual);
	s->match.shortest = shortest;
	s->match.drop_covered = s->mode == SPAN_FIRST && !s->pairs;
	if (s->mode == SPAN_EXACT && s->seed.k > s->length)
		cli_usage(c, "-n %u: a seed is not longer than --exact %u", s->seed.k, s->length);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct span_settings s = { 0 };
	struct span_archive *archive = NULL;
	int status;

	cli_start(&c, &program, argc, argv);
	complete(&c, &s);
	cli_open(&c);
	if (s.repeats)
		span_repeats(&c, &s);
	else if (s.mode == SPAN_QUERY)
		span_query(&c, &s);
	else if (s.archive)
		archive = span_archive(&c, &s);
	else
		span_documents(&c, &s);
	docopts_free(&s.docs);
	status = cli_finish(&c);
	/* From now on these documents are known: what was found is written. */
	if (archive)
		span_archive_commit(archive);
	return cli_given(&c, EXIT_CODE) && s.found ? EXIT_FOUND : status;
}
