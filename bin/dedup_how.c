/* SPDX-License-Identifier: MIT */
#include "dedup.h"

#include "base/siphash.h"
#include "fp/defaults.h"
#include "names.h"

enum { SEED = CLI_OWN + 50, MEASURE };

const struct cli_option dedup_how_table[] = {
	CLI_HEADING("What is a near-duplicate"),
	{ 'T', "threshold", "X",
	    "least Jaccard similarity; J,E: or edit similarity [" SH_DEFAULT_THRESHOLDS "]" },
	{ MEASURE, "measure", "NAME", "similarity: %s [" SH_DEFAULT_MEASURE "]",
	    duplicate_measure_names },
	{ SEED, "seed", "N|random", "seed of the hashes of keys [0]" },
	{ 0 },
};

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

void dedup_how_complete(struct cli *c, struct dedup_settings *s)
{
	struct sh_error err;

	docopts_complete(&s->docs, c);
	measures_complete(&s->measures, c);
	measures_key_rules(&s->measures, &s->docs, s->seed, &s->rules);
	if (s->random_seed && sh_random_key(s->rules.secret, &err) < 0)
		cli_die(c, &err);
}
