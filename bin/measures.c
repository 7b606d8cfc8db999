/* SPDX-License-Identifier: MIT */
#include "measures.h"

#include <string.h>

#include "base/num.h"
#include "fp/defaults.h"

enum { SHARE_MAX = 16 };

const char *measure_names(unsigned i)
{
	return sh_measure_at(i) ? sh_measure_at(i)->name : NULL;
}

/* The measures that suit duplicates are the first rows. */
const char *duplicate_measure_names(unsigned i)
{
	const struct sh_measure *m = sh_measure_at(i);

	return m && m->duplicates ? m->name : NULL;
}

void measures_complete(struct measures *m, struct cli *c, int code)
{
	const char *all = opt_text(c, 'T'), *comma = all ? strchr(all, ',') : NULL;
	const char *expected = m->least ? "a number above 0 and up to 1, as in 0.8"
					: "a number from 0 to 1, as in 0.85";
	const char *name = opt_value(c, code);
	char first[SHARE_MAX];

	m->threshold = SH_DEFAULT_JACCARD;
	m->edit = SH_DEFAULT_EDIT;
	if (comma && comma - all < SHARE_MAX) {
		memcpy(first, all, (size_t)(comma - all));
		first[comma - all] = '\0';
		m->edit = cli_parse_share(c, 'T', comma + 1, m->least, SH_WEIGHT_ONE, expected);
		m->threshold = cli_parse_share(c, 'T', first, m->least, SH_WEIGHT_ONE, expected);
	} else if (all) {
		m->edit = m->threshold =
		    cli_parse_share(c, 'T', all, m->least, SH_WEIGHT_ONE, expected);
	}
	if (!name)
		name = all && !comma ? "jaccard" : SH_DEFAULT_MEASURE;
	m->measure = sh_measure_find(name);
	if (comma && !m->measure->any)
		cli_usage(
		    c, "-T: two thresholds need --measure any, not --measure %s", m->measure->name);
}

void measures_key_rules(
    const struct measures *m, const struct docopts *docs, uint64_t seed, struct sh_key_rules *r)
{
	r->ngrams = docs->ngrams;
	r->unit = sh_token_unit(&docs->token);
	sh_key_rules_thresholds(r, m->measure, m->threshold, m->edit);
	sh_key_secret(seed, r->secret);
	sh_key_rules_complete(r);
}
