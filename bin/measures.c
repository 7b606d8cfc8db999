#include "measures.h"

#include <stdio.h>
#include <string.h>

#include "weight/weight.h"

enum { NAMES_MAX = 100, SHARE_MAX = 16 };

static bool is_allowed(const struct sh_measure *m, bool duplicates)
{
	return m->duplicates || !duplicates;
}

/* "jaccard, edit or any" */
static void list_names(char *to, bool duplicates)
{
	const char *last = NULL;
	size_t n = 0;

	for (size_t i = 0; sh_measure_at(i); i++) {
		if (!is_allowed(sh_measure_at(i), duplicates))
			continue;
		if (last)
			n += (size_t)snprintf(to + n, NAMES_MAX - n, "%s%s", n ? ", " : "", last);
		last = sh_measure_at(i)->name;
	}
	snprintf(to + n, NAMES_MAX - n, " or %s", last);
}

void measures_take(struct measures *m, struct cli *c, bool duplicates)
{
	const struct sh_measure *found = sh_measure_find(c->arg);
	char names[NAMES_MAX];

	if (!found || !is_allowed(found, duplicates)) {
		list_names(names, duplicates);
		cli_usage(c, "--measure '%s': expected %s", c->arg, names);
	}
	m->measure = found;
}

void measures_take_threshold(
    struct measures *m, struct cli *c, uint64_t least, const char *expected)
{
	const char *all = c->arg, *comma = strchr(all, ',');
	char first[SHARE_MAX];

	m->two = comma && (size_t)(comma - all) < sizeof first;
	if (m->two) {
		memcpy(first, all, (size_t)(comma - all));
		first[comma - all] = '\0';
		c->arg = comma + 1;
		m->edit = cli_share(c, "-T", least, SH_WEIGHT_ONE, expected);
		c->arg = first;
	}
	m->threshold = cli_share(c, "-T", least, SH_WEIGHT_ONE, expected);
	c->arg = all;
	if (!m->two)
		m->edit = m->threshold;
}

void measures_settle(struct measures *m, struct cli *c)
{
	if (m->two && !m->measure->any)
		cli_usage(c, "-T: two thresholds are for --measure any, not for --measure %s",
		    m->measure->name);
}
