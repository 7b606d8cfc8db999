#include "dedup_how.h"

#include "fp/defaults.h"
#include "fp/reach.h"
#include "names.h"

enum { FEW = CLI_OWN + 50, SEED, SIMHASH, MEASURE };

enum { DOCS_MAX = 40 };

/* Returns the i-th value of --measure: the measures, then "none". */
static const char *measure_choices(unsigned i)
{
	const char *name = duplicate_measure_names(i);

	return name || (i && !duplicate_measure_names(i - 1)) ? name : "none";
}

const struct cli_option dedup_how_table[] = {
	CLI_HEADING("What is a near-duplicate"),
	{ 'T', "threshold", "X",
	    "least Jaccard similarity; J,E: or edit similarity [" SH_DEFAULT_THRESHOLDS "]" },
	{ MEASURE, "measure", "NAME", "similarity: %s [" SH_DEFAULT_MEASURE "]", measure_choices },
	{ 'k', "distance", "K|keys",
	    "compare pairs within Hamming distance K, or with a common key [by -T and size]" },
	{ 'b', "bits", "64|128|256", "width of the fingerprints [64]" },
	{ SIMHASH, "simhash", "[=SCHEME]",
	    "make SimHash fingerprints, of weights %s [log]; -k 14 at -T 0.8",
	    document_weight_names },
	{ FEW, "few", "N",
	    "compare documents of fewer than N features by their features [" SH_DEFAULT_TEXT(
		SH_DEFAULT_FEW) "]" },
	{ SEED, "seed", "N", "seed of the hash [0]" },
	{ 0 },
};

struct cli_option dedup_docs_table[DOCS_MAX];

/* Copies the options of docopts.h with one difference: --keep says which document stays, as in
 * shgroup. */
static void copy_docs_table(void)
{
	struct cli_option *o = dedup_docs_table;

	for (size_t i = 0; docopts_table[i].code && i + 1 < DOCS_MAX; i++, o++) {
		*o = docopts_table[i];
		if (o->name && strcmp(o->name, "keep") == 0)
			o->name = "keep-words";
	}
}

void dedup_how_init(struct dedup_settings *s)
{
	const struct sh_profile *p = sh_profile_at(0);

	copy_docs_table();
	docopts_init(&s->docs);
	s->docs.sets = true;
	s->fp = (struct sh_fingerprint_opts){ .hash = sh_hash_find(p->hash),
		.scheme = sh_scheme_find(p->weight),
		.bits = p->bits,
		.minhash = true };
	s->dedup.verify = true;
	s->dedup.few = SH_DEFAULT_FEW;
	s->dedup.how.scheme = s->fp.scheme;
}

static void set_bits(struct cli *c, struct dedup_settings *s)
{
	uint64_t n;

	if (sh_parse_count(sh_slice_str(c->arg), &n) < 0 || (n != 64 && n != 128 && n != 256))
		cli_usage(c, "-b '%s': expected 64, 128 or 256", c->arg);
	s->fp.bits = (unsigned)n;
}

bool dedup_how_set(struct dedup_settings *s, struct cli *c, int opt)
{
	switch (opt) {
	case 'T':
		measures_set_threshold(
		    &s->measures, c, 1, "a number above 0 and up to 1, as in 0.8");
		return true;
	case MEASURE:
		s->dedup.verify = strcmp(cli_value(c, opt), "none") != 0;
		s->measures.measure = sh_measure_find(s->dedup.verify ? c->arg : "jaccard");
		return true;
	case 'k':
		s->only_keys = strcmp(c->arg, "keys") == 0;
		if (!s->only_keys)
			s->dedup.k = (unsigned)cli_number(c, "-k", 0, SH_FP_MAX_BITS);
		s->k_given = true;
		return true;
	case SIMHASH:
		s->fp.minhash = false;
		if (c->arg)
			s->fp.scheme = sh_scheme_find(cli_value(c, opt));
		return true;
	case 'b':
		set_bits(c, s);
		return true;
	case FEW:
		s->dedup.few = (unsigned)cli_number(c, "--few", 0, 1000);
		return true;
	case SEED:
		s->fp.seed = cli_number(c, "--seed", 0, UINT64_MAX);
		return true;
	default:
		return docopts_set(&s->docs, c, opt);
	}
}

/* Features sampled from each document. Documents that share some of these are candidates. */
enum { SAMPLE_FEATURES = 20 };

/* Returns whether the default distance finds the pairs of these thresholds. */
static bool default_reaches(const struct dedup_settings *s)
{
	return s->measures.measure->any && s->measures.threshold >= SH_DEFAULT_JACCARD &&
	       s->measures.edit >= SH_DEFAULT_EDIT;
}

/* Chooses the distance of fingerprints, and whether shared features make candidates, too. They do
 * when an edit threshold is below its default, and when a Jaccard threshold is below
 * SH_REACH_LOWEST. */
static void choose_candidates(struct dedup_settings *s)
{
	uint64_t jaccard = s->measures.measure->ordered ? SH_REACH_HIGHEST : s->measures.threshold;

	if (default_reaches(s))
		jaccard = SH_DEFAULT_REACH;
	s->k_for_threshold = sh_reach_distance(s->fp.bits, s->fp.minhash, jaccard);
	if (!s->k_given || s->only_keys)
		s->dedup.k = s->k_for_threshold;
	s->sample_features = s->dedup.verify && !default_reaches(s) &&
				     (s->measures.measure->ordered || s->measures.measure->any ||
					 jaccard < SH_REACH_LOWEST)
				 ? SAMPLE_FEATURES
				 : 0;
	s->fp.bag = s->sample_features && sh_dedup_needs_bags(&s->dedup);
}

/* Checks -T and --measure, and sets the values that depend on them. */
static void complete_measure(struct cli *c, struct dedup_settings *s)
{
	measures_complete(&s->measures, c, SH_DEFAULT_JACCARD);
	s->dedup.how.measure = s->measures.measure;
	s->dedup.threshold = s->measures.threshold;
	s->dedup.edit_threshold = s->measures.edit;
	choose_candidates(s);
	/* The number of features must be exact for documents that can be similar to a document of
	 * few features. */
	s->fp.distinct_up_to = sh_dedup_few_up_to(&s->dedup);
}

void dedup_how_complete(struct cli *c, struct dedup_settings *s)
{
	docopts_complete(&s->docs, c);
	complete_measure(c, s);
	s->fp.token = s->dedup.how.token = s->docs.token;
	s->fp.ngrams = s->dedup.how.ngrams = s->docs.ngrams;
	s->dedup.how.strict = s->docs.docs.strict;
	s->dedup.bits = s->fp.bits;
	if (s->dedup.k > s->fp.bits)
		cli_usage(c, "-k %u: fingerprints have %u bits (-b)", s->dedup.k, s->fp.bits);
	s->dedup.jobs = c->jobs;
}

void dedup_how_as_before(struct cli *c, struct dedup_settings *s)
{
	s->measures = (struct measures){ .measure = sh_measure_find("jaccard") };
	complete_measure(c, s);
}

void dedup_how_free(struct dedup_settings *s)
{
	docopts_free(&s->docs);
}
