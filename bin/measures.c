/* SPDX-License-Identifier: MIT */
#include "measures.h"

#include <stdio.h>
#include <string.h>

#include "fp/defaults.h"
#include "weight/weight.h"

enum { SHARE_MAX = 16 };

const char *measure_names(unsigned i)
{
	const struct sh_measure *m = sh_measure_at(i);

	return m ? m->name : NULL;
}

/* The measures that suit duplicates are the first rows. */
const char *duplicate_measure_names(unsigned i)
{
	const struct sh_measure *m = sh_measure_at(i);

	return m && m->duplicates ? m->name : NULL;
}

void measures_set_threshold(struct measures *m, struct cli *c, uint64_t least, const char *expected)
{
	const char *all = c->arg, *comma = strchr(all, ',');
	char first[SHARE_MAX];

	m->two = comma && (size_t)(comma - all) < sizeof first;
	m->one = !m->two;
	if (m->two) {
		snprintf(first, sizeof first, "%.*s", (int)(comma - all), all);
		c->arg = comma + 1;
		m->edit = cli_share(c, "-T", least, SH_WEIGHT_ONE, expected);
		c->arg = first;
	}
	m->threshold = cli_share(c, "-T", least, SH_WEIGHT_ONE, expected);
	c->arg = all;
	if (m->one)
		m->edit = m->threshold;
}

void measures_complete(struct measures *m, struct cli *c)
{
	if (!m->measure)
		m->measure = sh_measure_find(m->one ? "jaccard" : SH_DEFAULT_MEASURE);
	if (!m->one && !m->two) {
		m->threshold = SH_DEFAULT_JACCARD;
		m->edit = SH_DEFAULT_EDIT;
	}
	if (m->two && !m->measure->any)
		cli_usage(
		    c, "-T: two thresholds need --measure any, not --measure %s", m->measure->name);
}

void measures_key_rules(
    const struct measures *m, const struct docopts *docs, uint64_t seed, struct sh_key_rules *r)
{
	r->ngrams = docs->ngrams;
	r->unit = sh_token_unit(&docs->token);
	r->jaccard = m->measure->ordered ? 0 : m->threshold;
	r->edit = m->measure->any ? m->edit : m->measure->ordered ? m->threshold : 0;
	sh_key_secret(seed, r->secret);
	sh_key_rules_complete(r);
}
