/* SPDX-License-Identifier: MIT */
#include "values.h"

#include <stdio.h>
#include <string.h>

#include "cli.h"

enum { LIST_MAX = 400 };

size_t values_print(char *to, size_t room, cli_names *names)
{
	size_t n = 0;

	to[0] = '\0';
	for (unsigned i = 0; names(i) && n < room; i++)
		n += (size_t)snprintf(to + n, room - n, "%s%s",
		    i == 0         ? ""
		    : names(i + 1) ? ", "
				   : " or ",
		    names(i));
	return n < room ? n : room - 1;
}

unsigned cli_choice(struct cli *c, int code)
{
	const struct cli_option *o = cli_find_option(c, code);
	char list[LIST_MAX];

	for (unsigned i = 0; o->names(i); i++)
		if (strcmp(c->arg, o->names(i)) == 0)
			return i;
	values_print(list, sizeof list, o->names);
	cli_usage(
	    c, "%s '%.*s': expected %s", cli_option_name(c, code), LIST_MAX - 20, c->arg, list);
}

const char *cli_value(struct cli *c, int code)
{
	return cli_find_option(c, code)->names(cli_choice(c, code));
}
