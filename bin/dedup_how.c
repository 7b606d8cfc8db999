#include "dedup_how.h"

#include "fp/reach.h"
#include "names.h"

enum { FEW = CLI_OWN + 50, SEED, SIMHASH, MEASURE, CSV };

enum { DEFAULT_NGRAM = 3, DEFAULT_FEW = 20, DOCS_MAX = 40 };

/* The values of --measure: the measures, and none. */
static const char *measure_choices(unsigned i)
{
	const char *name = duplicate_measure_names(i);

	return name || (i && !duplicate_measure_names(i - 1)) ? name : "none";
}

const struct cli_option dedup_how_table[] = {
	CLI_HEADING("What is a near-duplicate"),
	{ 'T', "threshold", "X", "least similarity of duplicates; any: J,E for each [0.8]" },
	{ MEASURE, "measure", "NAME", "similarity: %s [jaccard]", measure_choices },
	{ 'k', "distance", "K", "look at pairs within Hamming distance K [by -T: 10 at 0.8]" },
	{ 'b', "bits", "64|128|256", "width of the fingerprints [64]" },
	{ SIMHASH, "simhash", NULL, "fingerprints are sums of weights, not minwise; -k 14" },
	{ 'w', "weight", "SCHEME", "of features under --simhash: %s [log]", document_weight_names },
	{ FEW, "few", "N", "documents of fewer features are compared by these [20]" },
	{ SEED, "seed", "N", "seed of the hash [0]" },
	{ 0 },
};

struct cli_option dedup_docs_table[DOCS_MAX];

static const struct cli_option csv = { CSV, "csv", NULL,
	"records are CSV; the header has the names that -f gives" };

/* The options of docopts.h and --csv, with two differences: --keep says which document stays, as in shgroup, and -n
 * has another default. */
static void copy_docs_table(void)
{
	struct cli_option *o = dedup_docs_table;

	for (size_t i = 0; docopts_table[i].code && i + 2 < DOCS_MAX; i++, o++) {
		if (docopts_table[i].code == 'f')
			*o++ = csv;
		*o = docopts_table[i];
		if (o->name && strcmp(o->name, "keep") == 0)
			o->name = "keep-words";
		if (o->code == 'n')
			o->help = "features are n-grams of N (to M) tokens [3]";
	}
}

void dedup_how_init(struct dedup_settings *s)
{
	copy_docs_table();
	docopts_init(&s->docs);
	s->docs.ngrams = (struct sh_ngrams){ .min = DEFAULT_NGRAM, .max = DEFAULT_NGRAM };
	s->fp = (struct sh_fingerprint_opts){ .hash = sh_hash_find("mix"),
		.scheme = sh_scheme_find("log"),
		.bits = 64,
		.minhash = true };
	s->dedup.verify = true;
	s->dedup.few = DEFAULT_FEW;
	s->measures.measure = sh_measure_find("jaccard");
	s->measures.threshold = s->measures.edit = 800000;
	s->dedup.how.scheme = s->fp.scheme;
}

static void take_bits(struct cli *c, struct dedup_settings *s)
{
	uint64_t n;

	if (sh_parse_count(sh_slice_str(c->arg), &n) < 0 || (n != 64 && n != 128 && n != 256))
		cli_usage(c, "-b '%s': expected 64, 128 or 256", c->arg);
	s->fp.bits = (unsigned)n;
}

bool dedup_how_take(struct dedup_settings *s, struct cli *c, int opt)
{
	switch (opt) {
	case 'T':
		measures_take_threshold(
		    &s->measures, c, 1, "a number above 0 and up to 1, as in 0.8");
		return true;
	case MEASURE:
		s->dedup.verify = strcmp(cli_value(c, opt), "none") != 0;
		s->measures.measure = sh_measure_find(s->dedup.verify ? c->arg : "jaccard");
		return true;
	case CSV:
		s->docs.docs.form.columns = &s->docs.columns;
		return true;
	case 'k':
		s->dedup.k = (unsigned)cli_number(c, "-k", 0, SH_FP_MAX_BITS);
		s->k_given = true;
		return true;
	case SIMHASH:
		s->fp.minhash = false;
		return true;
	case 'b':
		take_bits(c, s);
		return true;
	case 'w':
		s->fp.scheme = sh_scheme_find(cli_value(c, opt));
		s->weight_given = true;
		return true;
	case FEW:
		s->dedup.few = (unsigned)cli_number(c, "--few", 0, 1000);
		return true;
	case SEED:
		s->fp.seed = cli_number(c, "--seed", 0, UINT64_MAX);
		return true;
	default:
		return docopts_take(&s->docs, c, opt);
	}
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

/* CSV has line ends of its own, and line numbers and checksums of lines mean nothing to it. */
static void settle_csv(struct cli *c, const struct sh_document_form *form)
{
	if (!form->columns)
		return;
	if (form->json || form->line_ids)
		cli_usage(c, "--csv and %s contradict each other", form->json ? "--json" : "-l");
	if (c->crlf)
		cli_usage(c, "--csv reads DOS line ends without --crlf, and keeps them");
	if (c->trailer_in || c->trailer_out)
		cli_usage(c, "--csv and --trailer cannot be used together");
}

void dedup_how_settle(struct cli *c, struct dedup_settings *s)
{
	settle_csv(c, &s->docs.docs.form);
	docopts_settle(&s->docs, c);
	if (s->weight_given && s->fp.minhash)
		cli_usage(
		    c, "-w has no effect on MinHash fingerprints (add --simhash, or drop -w)");
	settle_measure(c, s);
	s->fp.token = s->dedup.how.token = s->docs.token;
	s->fp.ngrams = s->dedup.how.ngrams = s->docs.ngrams;
	s->dedup.how.strict = s->docs.docs.strict;
	s->dedup.bits = s->fp.bits;
	s->dedup.jobs = c->jobs;
}

void dedup_how_free(struct dedup_settings *s)
{
	docopts_free(&s->docs);
}
