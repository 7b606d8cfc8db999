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

void dedup_how_complete(struct cli *c, struct dedup_settings *s)
{
	const char *seed = opt_text(c, SEED);
	struct sh_error err;

	s->docs.sets = true;
	docopts_complete(&s->docs, c);
	s->measures.least = 1;
	measures_complete(&s->measures, c, MEASURE);
	s->seed_given = seed != NULL;
	s->random_seed = seed && strcmp(seed, "random") == 0;
	s->seed = s->random_seed ? 0 : opt_number(c, SEED, 0, UINT64_MAX, 0);
	measures_key_rules(&s->measures, &s->docs, s->seed, &s->rules);
	if (s->random_seed && sh_random_key(s->rules.secret, &err) < 0)
		cli_die(c, &err);
}

void dedup_how_free(struct dedup_settings *s)
{
	docopts_free(&s->docs);
}
