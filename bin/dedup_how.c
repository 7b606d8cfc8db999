#include "dedup_how.h"

#include "base/siphash.h"
#include "fp/defaults.h"
#include "names.h"

enum { SEED = CLI_OWN + 50, MEASURE };

enum { DOCS_MAX = 40 };

const struct cli_option dedup_how_table[] = {
	CLI_HEADING("What is a near-duplicate"),
	{ 'T', "threshold", "X",
	    "least Jaccard similarity; J,E: or edit similarity [" SH_DEFAULT_THRESHOLDS "]" },
	{ MEASURE, "measure", "NAME", "similarity: %s [" SH_DEFAULT_MEASURE "]",
	    duplicate_measure_names },
	{ SEED, "seed", "N|random", "seed of the hashes of keys [0]" },
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
	copy_docs_table();
	docopts_init(&s->docs);
}

bool dedup_how_set(struct dedup_settings *s, struct cli *c, int opt)
{
	switch (opt) {
	case 'T':
		measures_set_threshold(
		    &s->measures, c, 1, "a number above 0 and up to 1, as in 0.8");
		return true;
	case MEASURE:
		cli_value(c, opt);
		s->measures.measure = sh_measure_find(c->arg);
		return true;
	case SEED:
		s->seed_given = true;
		s->random_seed = strcmp(c->arg, "random") == 0;
		if (!s->random_seed)
			s->seed = cli_number(c, "--seed", 0, UINT64_MAX);
		return true;
	default:
		return docopts_set(&s->docs, c, opt);
	}
}

/* Checks -T and --measure, and sets the values that depend on them. */
static void complete_measure(struct cli *c, struct dedup_settings *s)
{
	const struct sh_measure *m;
	struct sh_error err;

	measures_complete(&s->measures, c);
	m = s->measures.measure;
	s->rules = (struct sh_key_rules){ .ngrams = s->docs.ngrams,
		.unit = sh_token_unit(&s->docs.token),
		.jaccard = m->ordered ? 0 : s->measures.threshold,
		.edit = m->any       ? s->measures.edit
			: m->ordered ? s->measures.threshold
				     : 0 };
	if (!s->random_seed)
		sh_key_secret(s->seed, s->rules.secret);
	else if (sh_random_key(s->rules.secret, &err) < 0)
		cli_die(c, &err);
	sh_key_rules_complete(&s->rules);
}

void dedup_how_complete(struct cli *c, struct dedup_settings *s)
{
	docopts_complete(&s->docs, c);
	complete_measure(c, s);
}

void dedup_how_free(struct dedup_settings *s)
{
	docopts_free(&s->docs);
}
