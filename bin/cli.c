#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"
#include "io/confine.h"
#include "io/spill.h"
#include "unfinished.h"

#ifndef SH_VERSION
#define SH_VERSION "unknown"
#endif

enum { MAX_OPTIONS = 64, HELP_COLUMN = 26 };

static const struct cli_option common[] = {
	{ 'o', "output", "FILE", "write there, whole or not at all, instead of standard output" },
	{ 'j', "jobs", "N", "work with N threads, 0: one a processor [1]" },
	{ CLI_REJECTS, "rejects", "FILE", "put bad records there and go on" },
	{ CLI_CRLF, "crlf", NULL, "take DOS line ends off" },
	{ CLI_PROGRESS, "progress", NULL, "tell how far it is on standard error" },
	{ CLI_TRAILER, "trailer", "[=in|out]",
	    "end the output with its count and sum; require both of inputs" },
	{ 'h', "help", NULL, "show this help" },
	{ 'V', "version", NULL, "show the version" },
	{ 0 },
};

/* ---- messages ---- */

__attribute__((format(printf, 2, 0))) static void say(struct cli *c, const char *fmt, va_list ap)
{
	fflush(stdout);
	progress_clear(&c->progress);
	fprintf(stderr, "%s: ", c->program->name);
	vfprintf(stderr, fmt, ap);
	putc('\n', stderr);
}

void cli_warn(struct cli *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(c, fmt, ap);
	va_end(ap);
}

static void complain(struct cli *c, const struct sh_error *err)
{
	if (err->file && err->line)
		cli_warn(c, "%s:%llu: %s", err->file, (unsigned long long)err->line, err->text);
	else if (err->file)
		cli_warn(c, "%s: %s", err->file, err->text);
	else
		cli_warn(c, "%s", err->text);
}

/* Nothing of what is open comes into being. */
static void abort_outputs(struct cli *c)
{
	for (size_t i = 0; i < c->n_further; i++)
		unfinished_abort(c->further[i]);
	c->n_further = 0;
	if (!c->open)
		return;
	unfinished_abort(&c->out);
	if (c->rejects_path)
		unfinished_abort(&c->rejects);
	c->open = false;
}

void cli_usage(struct cli *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(c, fmt, ap);
	va_end(ap);
	fprintf(stderr, "Try '%s --help' or 'man %s'.\n", c->program->name, c->program->name);
	abort_outputs(c);
	exit(EXIT_TROUBLE);
}

/* ---- ends ---- */

static void report_rejects(struct cli *c)
{
	if (c->rejects_path && c->n_rejected)
		cli_warn(c, "%llu record%s rejected, see %s", (unsigned long long)c->n_rejected,
		    CLI_PLURAL(c->n_rejected), c->rejects_path);
}

void cli_die(struct cli *c, const struct sh_error *err)
{
	struct sh_error ignored;

	complain(c, err);
	/* The records before the trouble are whole: a pipe gets them. */
	if (c->open && !c->out.target)
		sh_sink_flush(&c->out, &ignored);
	if (c->open && c->rejects_path) {
		if (unfinished_close(&c->rejects, &ignored) == 0)
			report_rejects(c);
		c->rejects_path = NULL;
	}
	abort_outputs(c);
	exit(EXIT_TROUBLE);
}

int cli_finish(struct cli *c)
{
	struct sh_error err;

	c->open = false;
	if (unfinished_close(&c->out, &err) < 0) {
		if (c->rejects_path)
			unfinished_abort(&c->rejects);
		cli_die(c, &err);
	}
	if (c->rejects_path && unfinished_close(&c->rejects, &err) < 0)
		cli_die(c, &err);
	report_rejects(c);
	progress_end(&c->progress);
	free(c->reads);
	return EXIT_SUCCESS;
}

/* ---- help ---- */

static void print_options(const struct cli_option *o)
{
	for (; o->code; o++) {
		char left[80];
		int n = 0;

		if (o->code < 256)
			n = snprintf(left, sizeof left, "  -%c, --%s", o->code, o->name);
		else
			n = snprintf(left, sizeof left, "      --%s", o->name);
		if (o->arg)
			n += snprintf(left + n, sizeof left - (size_t)n,
			    *o->arg == '[' ? "%s" : "=%s", o->arg);
		if (n < HELP_COLUMN)
			printf("%-*s%s\n", HELP_COLUMN, left, o->help);
		else
			printf("%s\n%*s%s\n", left, HELP_COLUMN, "", o->help);
	}
}

_Noreturn static void end_of_text(struct cli *c)
{
	if (fflush(stdout) == EOF || ferror(stdout) || close(STDOUT_FILENO) < 0) {
		cli_warn(c, "cannot write to standard output: %s", strerror(errno));
		exit(EXIT_TROUBLE);
	}
	_exit(EXIT_SUCCESS);
}

_Noreturn static void help(struct cli *c)
{
	const struct cli_program *p = c->program;

	printf("Usage: %s [OPTION]... %s\n%s\n\n", p->name, p->synopsis, p->purpose);
	for (size_t i = 0; i < 3 && p->options[i]; i++)
		print_options(p->options[i]);
	print_options(common);
	printf("\nNo FILE, or -: standard input. Exit status: 0 done, %s2 trouble.\n"
	       "Manual: man %s, man simhash-utils\n",
	    p->status ? p->status : "", p->name);
	end_of_text(c);
}

/* ---- options ---- */

/* Descriptors 0 to 2 that are closed would be given to the next file opened: a message
 * would end up in the output. Occupy them with what refuses every use. */
static void occupy_standard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		int got;

		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		got = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
		if (got >= 0 && got != fd)
			close(got);
	}
}

/* getopt_long's two forms of the tables. */
static void build_getopt(const struct cli_program *p, char *letters, struct option *longs)
{
	const struct cli_option *tables[4] = { p->options[0], p->options[1], p->options[2],
		common };
	size_t n = 0;

	for (size_t t = 0; t < 4; t++) {
		for (const struct cli_option *o = tables[t]; o && o->code; o++) {
			longs[n++] = (struct option){
				.name = o->name,
				.has_arg = !o->arg          ? no_argument
					   : *o->arg == '[' ? optional_argument
							    : required_argument,
				.val = o->code,
			};
			if (o->code < 256) {
				*letters++ = (char)o->code;
				if (o->arg)
					*letters++ = ':';
			}
		}
	}
	longs[n] = (struct option){ 0 };
	*letters = '\0';
}

void cli_start(struct cli *c, const struct cli_program *program, int argc, char **argv)
{
	*c = (struct cli){ .program = program, .argc = argc, .argv = argv, .jobs = 1 };
	occupy_standard_descriptors();
	/* Messages say the program's name, not the path it was called by. */
	opterr = 1;
	if (argc > 0)
		argv[0] = (char *)(uintptr_t)program->name;
}

static unsigned jobs(struct cli *c)
{
	long online;
	uint64_t n = cli_number(c, "-j", 0, CLI_MAX_JOBS);

	if (n)
		return (unsigned)n;
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online < 1 ? 1 : online > CLI_MAX_JOBS ? CLI_MAX_JOBS : (unsigned)online;
}

static void take_trailer(struct cli *c)
{
	bool in = c->arg && strcmp(c->arg, "in") == 0, out = c->arg && strcmp(c->arg, "out") == 0;

	if (c->arg && !in && !out)
		cli_usage(c, "--trailer '%s': expected in or out, or nothing", c->arg);
	c->trailer_in = !out;
	c->trailer_out = !in;
}

/* The second one to read it would find nothing there. */
static void refuse_standard_input_twice(struct cli *c)
{
	unsigned n = c->n_operands == 0;

	for (size_t i = 0; i < c->n_reads; i++)
		n += strcmp(c->reads[i], "-") == 0;
	for (size_t i = 0; i < c->n_operands; i++)
		n += strcmp(c->operands[i], "-") == 0;
	if (n > 1)
		cli_usage(c, "standard input is named twice, and can be read only once");
}

int cli_next(struct cli *c)
{
	char letters[2 * MAX_OPTIONS + 1];
	struct option longs[MAX_OPTIONS + 1];
	int code;

	build_getopt(c->program, letters, longs);
	while ((code = getopt_long(c->argc, c->argv, letters, longs, NULL)) != -1) {
		c->arg = optarg;
		switch (code) {
		case 'o':
			c->out_path = c->arg;
			break;
		case 'j':
			c->jobs = jobs(c);
			break;
		case CLI_REJECTS:
			c->rejects_path = c->arg;
			break;
		case CLI_TMPDIR:
			c->tmpdir = c->arg;
			break;
		case CLI_PROGRESS:
			c->progress.asked = true;
			break;
		case CLI_CRLF:
			c->crlf = true;
			break;
		case CLI_TRAILER:
			take_trailer(c);
			break;
		case 'h':
			help(c);
		case 'V':
			printf("%s (simhash-utils) %s\n", c->program->name, SH_VERSION);
			end_of_text(c);
		case '?':
			fprintf(stderr, "Try '%s --help' or 'man %s'.\n", c->program->name,
			    c->program->name);
			exit(EXIT_TROUBLE);
		default:
			return code;
		}
	}
	c->operands = c->argv + optind;
	c->n_operands = (size_t)(c->argc - optind);
	refuse_standard_input_twice(c);
	return -1;
}

const char *cli_reads(struct cli *c)
{
	struct sh_error err;

	if (c->n_reads == c->reads_cap &&
	    sh_grow((void **)&c->reads, &c->reads_cap, c->n_reads + 1, sizeof *c->reads, &err) < 0)
		cli_die(c, &err);
	return c->reads[c->n_reads++] = c->arg;
}

/* Of one option given again the last counts, but each may be opened. */
static const char *add_path(struct cli *c, const char **paths, size_t *n)
{
	if (*n < CLI_MAX_FURTHER)
		++*n;
	return paths[*n - 1] = c->arg;
}

const char *cli_writes(struct cli *c)
{
	return add_path(c, c->writes, &c->n_writes);
}

const char *cli_folder(struct cli *c)
{
	return add_path(c, c->folders, &c->n_folders);
}

uint64_t cli_number(struct cli *c, const char *what, uint64_t min, uint64_t max)
{
	uint64_t n;

	if (sh_parse_u64(sh_slice_str(c->arg), &n) < 0 || n < min || n > max)
		cli_usage(c, "%s '%s': expected a whole number from %llu to %llu", what, c->arg,
		    (unsigned long long)min, (unsigned long long)max);
	return n;
}

uint64_t cli_size(struct cli *c, const char *what)
{
	uint64_t n;

	if (sh_parse_size(sh_slice_str(c->arg), &n) < 0 || n == 0)
		cli_usage(c, "%s '%s': expected a size such as 500M or 1.5G", what, c->arg);
	/* More than a machine of 32 bits can address is as much as it can. */
	return n < SIZE_MAX / 2 ? n : SIZE_MAX / 2;
}

/* ---- input and output ---- */

void cli_read_file(struct cli *c, const char *name, struct sh_buf *all)
{
	char *const names[] = { (char *)(uintptr_t)name };
	struct sh_source source;
	struct sh_buf block = { 0 };
	struct sh_origin from;
	struct sh_error err;
	int got;

	sh_source_init(&source, names, 1);
	while ((got = sh_source_read(&source, &block, &from, &err)) > 0)
		if (sh_buf_add(all, block.p, block.n, &err) < 0)
			cli_die(c, &err);
	if (got < 0)
		cli_die(c, &err);
	sh_source_free(&source);
	sh_buf_free(&block);
}

/* Each would take what the other has written for the file that it replaces. */
static void refuse_one_file_for_both(struct cli *c)
{
	if (!c->rejects_path)
		return;
	if (sh_sink_same(c->out_path, c->rejects_path))
		cli_usage(c, "--rejects %s: the output goes there", c->rejects_path);
	for (size_t i = 0; i < c->n_writes; i++)
		if (sh_sink_same(c->writes[i], c->rejects_path))
			cli_usage(c, "%s: --rejects goes there", c->writes[i]);
}

void cli_text(struct cli *c)
{
	c->trailer_out = false;
}

void cli_source_init(const struct cli *c, struct sh_source *source)
{
	sh_source_init(source, c->operands, c->n_operands);
	source->trailer = c->trailer_in;
	source->crlf = c->crlf;
}

void cli_lines_init(const struct cli *c, struct sh_lines *lines)
{
	sh_lines_init(lines, c->operands, c->n_operands);
	lines->source.trailer = c->trailer_in;
	lines->source.crlf = c->crlf;
}

static bool has_option(const struct cli *c, int code)
{
	for (size_t i = 0; i < 3 && c->program->options[i]; i++)
		for (const struct cli_option *o = c->program->options[i]; o->code; o++)
			if (o->code == code)
				return true;
	return false;
}

/* From here on only what the command line names can be opened. */
static void confine(const struct cli *c)
{
	struct sh_confine rules;

	sh_confine_begin(&rules);
	if (c->program->reaches)
		sh_confine_reach(&rules);
	for (size_t i = 0; i < c->n_operands; i++)
		sh_confine_read(&rules, c->operands[i]);
	for (size_t i = 0; i < c->n_reads; i++)
		sh_confine_read(&rules, c->reads[i]);
	for (size_t i = 0; i < c->n_folders; i++)
		sh_confine_folder(&rules, c->folders[i]);
	for (size_t i = 0; i < c->n_writes; i++)
		sh_confine_write(&rules, c->writes[i]);
	if (c->out_path)
		sh_confine_write(&rules, c->out_path);
	if (c->rejects_path)
		sh_confine_write(&rules, c->rejects_path);
	if (c->program->reaches || has_option(c, CLI_TMPDIR))
		sh_confine_folder(&rules, sh_spill_folder(c->tmpdir));
	sh_confine_enforce(&rules);
}

void cli_open(struct cli *c)
{
	struct sh_error err;

	refuse_one_file_for_both(c);
	unfinished_watch();
	if (unfinished_open(&c->out, c->out_path, &err) < 0)
		cli_die(c, &err);
	c->out.trailer = c->trailer_out && !c->program->text;
	if (c->rejects_path && unfinished_open(&c->rejects, c->rejects_path, &err) < 0) {
		unfinished_abort(&c->out);
		cli_die(c, &err);
	}
	c->open = true;
	confine(c);
	progress_start(
	    &c->progress, c->program->name, c->operands, c->n_operands, c->progress.asked, false);
}

void cli_open_further(struct cli *c, struct sh_sink *sink, const char *path)
{
	struct sh_error err;

	if (unfinished_open(sink, path, &err) < 0)
		cli_die(c, &err);
	sink->trailer = c->trailer_out;
	c->further[c->n_further++] = sink;
}

void cli_close_further(struct cli *c, struct sh_sink *sink)
{
	struct sh_error err;
	int status = unfinished_close(sink, &err);

	for (size_t i = 0; i < c->n_further; i++)
		if (c->further[i] == sink)
			c->further[i] = c->further[--c->n_further];
	if (status < 0)
		cli_die(c, &err);
}

void cli_reject(struct cli *c, struct sh_slice line, const struct sh_error *err)
{
	struct sh_error full;

	if (line.p == c->line.p)
		line = c->line; /* unaltered: with what --crlf took off */
	if (!c->rejects_path || err->code != SH_ERR_RECORD)
		cli_die(c, err);
	c->n_rejected++;
	if (sh_sink_write(&c->rejects, line.p, line.n, &full) < 0 ||
	    sh_sink_write(&c->rejects, "\n", 1, &full) < 0)
		cli_die(c, &full);
}

void cli_write(struct cli *c, const void *p, size_t n)
{
	struct sh_error err;

	if (sh_sink_write(&c->out, p, n, &err) < 0)
		cli_die(c, &err);
}

void cli_print(struct cli *c, const char *fmt, ...)
{
	struct sh_error err;
	char *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		sh_error_nomem(&err);
		cli_die(c, &err);
	}
	cli_write(c, text, (size_t)n);
	free(text);
}

bool cli_line(struct cli *c, struct sh_lines *lines, struct sh_slice *line)
{
	struct sh_error err;
	bool at_end;
	int got;

	/* What is known goes out before a slow writer is waited for. */
	if (sh_lines_at_end(lines) && c->out.buf.n && !sh_source_ready(&lines->source) &&
	    sh_sink_flush(&c->out, &err) < 0)
		cli_die(c, &err);
	at_end = sh_lines_at_end(lines);
	got = sh_lines_next(lines, line, &err);
	if (got < 0)
		cli_die(c, &err);
	if (got && at_end)
		progress_read(&c->progress, lines->block.n, lines->from.lines);
	if (got) {
		c->line = *line;
		*line = cli_strip(c->crlf, *line);
	}
	return got;
}
