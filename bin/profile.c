#include "profile.h"

#include <stdio.h>

const struct sh_profile *cli_profile(struct cli *c)
{
	const struct sh_profile *p = sh_profile_find(c->arg);
	char names[200] = "";
	size_t n = 0;

	if (p)
		return p;
	for (unsigned i = 0; (p = sh_profile_at(i)) && n < sizeof names; i++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", p->name);
	cli_usage(c, "-p '%s': expected one of %s", c->arg, names);
}
