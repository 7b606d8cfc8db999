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

void cli_refuse(struct cli *c, int code, const char *text)
{
	const struct cli_option *o = cli_find_option(c, code);

	if (code < 256)
		cli_usage(c, "-%c%s", code, text);
	cli_usage(c, "--%s%s", o ? o->name : "?", text);
}

const char *cli_value(struct cli *c, int code)
{
	const struct cli_option *o = cli_find_option(c, code);
	char list[LIST_MAX], text[2 * LIST_MAX];

	for (unsigned i = 0; o->names(i); i++)
		if (strcmp(c->arg, o->names(i)) == 0)
			return c->arg;
	values_print(list, sizeof list, o->names);
	snprintf(text, sizeof text, " '%.*s': expected %s", LIST_MAX - 20, c->arg, list);
	cli_refuse(c, code, text);
}
