/* SPDX-License-Identifier: MIT */
/* The tables of options as text: --help, --version, names of values. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "io/codec.h"

#ifndef SH_VERSION
#define SH_VERSION "unknown"
#endif

enum { COLUMN = 26, WIDTH = 90, NAMES_MAX = 400 };

static const struct cli_option common[] = {
	CLI_HEADING("All programs"),
	{ 'o', "output", "FILE", "write to FILE, complete or not at all, not to standard output",
	    NULL, CLI_OUTPUT },
	{ 'j', "jobs", "N", "" }, /* see print_option() */
	{ CLI_REJECTS, "rejects", "FILE", "write bad records to FILE and go on", NULL,
	    CLI_REJECTED },
	{ CLI_CRLF, "crlf", NULL, "remove the CR of DOS line ends" },
	{ CLI_PROGRESS, "progress", NULL, "report progress on standard error" },
	{ CLI_TRAILER, "trailer", "[=in|out]",
	    "end the output with a count and checksum; require them in inputs" },
	{ 'h', "help", NULL, "show this help" },
	{ 'V', "version", NULL, "show the version" },
	{ 0 },
};

const struct cli_option *cli_table(const struct cli_program *p, size_t i)
{
	size_t n = 0;

	while (n < CLI_TABLES && p->options[n])
		n++;
	return i < n ? p->options[i] : i == n ? common : NULL;
}

const struct cli_option *cli_find_option(const struct cli *c, int code)
{
	const struct cli_option *o;

	for (size_t i = 0; (o = cli_table(c->program, i)); i++)
		for (; o->code; o++)
			if (o->code == code)
				return o;
	return NULL;
}

int cli_given_of(const struct cli *c, const struct cli_option *table, int except)
{
	for (const struct cli_option *o = table; o->code; o++)
		if (o->code != CLI_GROUP && o->code != except && cli_given(c, o->code))
			return o->code;
	return 0;
}

const char *cli_option_name(const struct cli *c, int code)
{
	static char name[40];

	if (code < 256)
		snprintf(name, sizeof name, "-%c", code);
	else
		snprintf(name, sizeof name, "--%s", cli_find_option(c, code)->name);
	return name;
}

size_t cli_print_names(char *to, size_t room, cli_names *names)
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

/* Prints a text between the columns COLUMN and WIDTH, on several lines when needed. */
static void print_wrapped(const char *text)
{
	const size_t width = WIDTH - COLUMN;

	while (strlen(text) > width) {
		size_t n = width;

		while (n && text[n] != ' ')
			n--;
		if (n == 0)
			break;
		printf("%.*s\n%*s", (int)n, text, COLUMN, "");
		text += n + 1;
	}
	puts(text);
}

/* Prints an option and its help text, with the names of its values in the place of %s. */
static void print_option(const struct cli_program *p, const struct cli_option *o)
{
	const char *at = o->names ? strstr(o->help, "%s") : NULL;
	char left[80], names[NAMES_MAX], text[2 * NAMES_MAX];
	int n;

	if (o->code < 256)
		n = snprintf(left, sizeof left, "  -%c, --%s", o->code, o->name);
	else
		n = snprintf(left, sizeof left, "      --%s", o->name);
	if (o->arg)
		n += snprintf(
		    left + n, sizeof left - (size_t)n, *o->arg == '[' ? "%s" : "=%s", o->arg);
	if (n < COLUMN)
		printf("%-*s", COLUMN, left);
	else
		printf("%s\n%*s", left, COLUMN, "");
	snprintf(text, sizeof text, "%s", o->help);
	if (o->code == 'j' && p->threads)
		snprintf(text, sizeof text, "work on %s with N threads, 0: one per processor [%d]",
		    p->threads, !p->all_processors);
	else if (o->code == 'j')
		snprintf(text, sizeof text, "no effect: this program works with one thread");
	if (at) {
		cli_print_names(names, sizeof names, o->names);
		snprintf(
		    text, sizeof text, "%.*s%s%s", (int)(at - o->help), o->help, names, at + 2);
	}
	print_wrapped(text);
}

void cli_print_help(const struct cli_program *p)
{
	const struct cli_option *o;
	size_t n = 0;
	bool grouped;

	for (size_t i = 0; (o = cli_table(p, i)); i++)
		for (; o->code; o++)
			n += o->code != CLI_GROUP;
	grouped = n > CLI_UNGROUPED;
	printf("Usage: %s [OPTION]... %s\n%s\n", p->name, p->synopsis, p->purpose);
	if (p->lacks && *p->lacks())
		printf("This build is without%s.\n", p->lacks() + 1);
	if (!grouped)
		putchar('\n');
	for (size_t i = 0; (o = cli_table(p, i)); i++) {
		for (; o->code; o++) {
			if (o->code != CLI_GROUP)
				print_option(p, o);
			else if (grouped)
				printf("\n%s:\n", o->help);
		}
	}
	printf("\n%sExit status: 0 done, %s2 trouble.\nManual: man %s, man simhash-utils\n",
	    strstr(p->synopsis, "[FILE") ? "No FILE, or -: standard input. " : "",
	    p->status ? p->status : "", p->name);
}

void cli_print_version(const struct cli_program *p)
{
	const char *lacks = p->lacks ? p->lacks() : "";
	const struct sh_codec *codec;
	bool any = *lacks;

	printf("%s (simhash-utils) %s\nCompressed input:", p->name, SH_VERSION);
	for (unsigned i = 0; (codec = sh_codec_at(i)); i++)
		if (codec->decode.start)
			printf(" %s", codec->name);
	printf("\nLacks:%s", any ? lacks + 1 : "");
	for (unsigned i = 0; !p->lacks && (codec = sh_codec_at(i)); i++) {
		if (codec->decode.start || !codec->package)
			continue;
		printf("%s %s (%s)", any ? ";" : "", codec->name, codec->package);
		any = true;
	}
	puts(any ? ". Install the packages in brackets, and build again." : " nothing");
}
