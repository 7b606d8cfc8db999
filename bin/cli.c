/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"
#include "io/target.h"
#include "io/walk.h"

enum { MAX_OPTIONS = 64, NAMES_MAX = 400, SUGGEST_MAX = 32 };

/* Opens the closed descriptors among 0 to 2. Otherwise the next file would get one of these
 * numbers, and messages would go to that file. Opens /dev/null for writing as standard input and
 * for reading as the outputs, so that each use fails. */
static void occupy_standard_descriptors(struct cli *c)
{
	for (int fd = 0; fd <= 2; fd++) {
		int got;

		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		c->occupied[fd] = true;
		got = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
		if (got >= 0 && got != fd)
			close(got);
	}
}

/* Builds the two tables of getopt_long(): letters and long names. */
static void build_getopt(const struct cli_program *p, char *letters, struct option *longs)
{
	const struct cli_option *o;
	size_t n = 0;

	for (size_t i = 0; (o = cli_table(p, i)); i++) {
		for (; o->code; o++) {
			if (o->code == CLI_GROUP)
				continue;
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

/* Returns the number of processors that this process may use, which taskset(1) can limit. */
static unsigned processors(void)
{
	cpu_set_t set;
	long n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
							     : sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > CLI_MAX_JOBS ? CLI_MAX_JOBS : (unsigned)n;
}

static unsigned jobs(struct cli *c)
{
	uint64_t n = cli_number(c, "-j", 0, CLI_MAX_JOBS);

	return n ? (unsigned)n : processors();
}

void cli_start(struct cli *c, const struct cli_program *program, int argc, char **argv)
{
	*c = (struct cli){ .program = program, .argc = argc, .argv = argv };
	c->jobs = program->all_processors ? processors() : 1;
	occupy_standard_descriptors(c);
	/* A write beyond the limit of ulimit -f then fails, and the message names the file. */
	signal(SIGXFSZ, SIG_IGN);
	/* Messages contain the program's name, not the path by which it was called. */
	if (argc > 0)
		argv[0] = (char *)(uintptr_t)program->name;
}

/* Returns the option's argument, the name of an output file. Refuses an empty name now: an unset
 * shell variable would otherwise fail only after all work is done. */
static const char *output_name(struct cli *c, const char *option)
{
	if (!*c->arg)
		cli_usage(c, "%s: the file name is empty (is a shell variable unset?)", option);
	return c->arg;
}

static void parse_trailer(struct cli *c)
{
	bool in = c->arg && strcmp(c->arg, "in") == 0, out = c->arg && strcmp(c->arg, "out") == 0;

	if (c->arg && !in && !out)
		cli_usage(c, "--trailer '%s': expected in or out, or nothing", c->arg);
	c->trailer_in = !out;
	c->trailer_out = !in;
}

/* Dies when two inputs are standard input: the second would be empty. */
static void refuse_standard_input_twice(struct cli *c)
{
	unsigned n = c->n_operands == 0 && !c->no_documents;

	for (size_t i = 0; i < c->n_reads; i++)
		n += strcmp(c->reads[i], "-") == 0;
	for (size_t i = 0; i < c->n_operands; i++)
		n += strcmp(c->operands[i], "-") == 0;
	if (n > 1)
		cli_usage(c, "standard input is named twice, and can be read only once");
}

/* Returns whether an option reads the file. */
static bool is_looked_up(const struct cli *c, const char *path)
{
	for (size_t i = 0; i < c->n_reads; i++)
		if (sh_is_input(c->reads[i], path))
			return true;
	return false;
}

static bool is_input(const struct cli *c, const char *path)
{
	for (size_t i = 0; i < c->n_operands; i++)
		if (sh_is_input(c->operands[i], path))
			return true;
	return (c->n_operands == 0 && sh_is_input("-", path)) || is_looked_up(c, path);
}

/* Refuses outputs that would destroy an input.
 *
 * -o may name an operand: the output replaces the operand after all reading. -o may not name a file
 * that an option reads (a table, a list). --rejects and further outputs may name no input, because
 * they hold only some of the records.
 *
 * Standard output may be no input: `>` has emptied the file before the program began. With `>>` the
 * program would read its own output without end. */
static void refuse_outputs_that_are_inputs(struct cli *c)
{
	if (!c->program->reaches && sh_target_same(c->out_path, "-") && is_input(c, "/dev/stdout"))
		cli_usage(c, "standard output is also an input (-o FILE replaces an input after it "
			     "is read)");
	if (c->out_path && is_looked_up(c, c->out_path))
		cli_usage(c, "-o %s: the file is an input and would be lost (name another file)",
		    c->out_path);
	if (c->rejects_path && is_input(c, c->rejects_path))
		cli_usage(
		    c, "--rejects %s: the file is an input (name another file)", c->rejects_path);
	for (size_t i = 0; i < c->n_writes; i++)
		if (is_input(c, c->writes[i]))
			cli_usage(c, "%s: an input cannot be an output, too", c->writes[i]);
}

/* Dies when the path names a descriptor that is not open, such as /dev/fd/3. A file that this
 * program opens could get that number. Then the program would read its own output, or write
 * rejected records into its own output. */
static void need_open(struct cli *c, const char *path)
{
	int fd = path ? sh_target_descriptor(path) : -1;
	struct sh_error err;

	if (path && strcmp(path, "/dev/stdin") == 0)
		fd = STDIN_FILENO;
	if (fd < 0 || (fd > STDERR_FILENO ? fcntl(fd, F_GETFD) >= 0 : !c->occupied[fd]))
		return;
	errno = EBADF;
	sh_error_sys(&err, "cannot open '%s'", path);
	cli_die(c, &err);
}

static void need_descriptors(struct cli *c)
{
	for (size_t i = 0; i < c->n_operands; i++)
		need_open(c, c->operands[i]);
	for (size_t i = 0; i < c->n_reads; i++)
		need_open(c, c->reads[i]);
	for (size_t i = 0; i < c->n_writes; i++)
		need_open(c, c->writes[i]);
	need_open(c, c->out_path);
	need_open(c, c->rejects_path);
}

/* Replaces commands to the terminal in all arguments. getopt_long() quotes arguments in its
 * messages, and the shell may have made a hostile file name of `*`. */
static void blunt_arguments(struct cli *c)
{
	for (int i = 1; i < c->argc; i++)
		c->argv[i][cli_blunt(c->argv[i], strlen(c->argv[i]))] = '\0';
}

/* Returns the code of the next option. Returns -p first, whatever its position, because -p chooses
 * defaults that other options change. Reads the arguments twice. The first pass returns only -p,
 * and stops at an option that ends the program. */
static int next_code(struct cli *c, const char *letters, const struct option *longs)
{
	int code;

	while (!c->profiles_read) {
		opterr = 0;
		code = getopt_long(c->argc, c->argv, letters, longs, NULL);
		if (code == 'p')
			return code;
		if (code == -1 || code == '?' || code == 'h' || code == 'V') {
			if (code == '?')
				blunt_arguments(c);
			c->profiles_read = true;
			opterr = 1;
			optind = 0; /* getopt_long() begins anew */
		}
	}
	do
		code = getopt_long(c->argc, c->argv, letters, longs, NULL);
	while (code == 'p');
	return code;
}

static void split_operands(struct cli *c)
{
	size_t n = (size_t)(c->argc - optind);

	c->words = c->argv + optind;
	c->n_words = n < c->program->words ? n : c->program->words;
	c->operands = c->words + c->n_words;
	c->n_operands = n - c->n_words;
}

/* Takes an option of all programs. Returns false for the other options. */
static bool set_common(struct cli *c, int code)
{
	switch (code) {
	case 'o':
		c->out_path = output_name(c, "-o");
		return true;
	case 'j':
		c->jobs = jobs(c);
		return true;
	case CLI_REJECTS:
		c->rejects_path = output_name(c, "--rejects");
		return true;
	case CLI_TMPDIR:
		c->tmpdir = c->arg;
		return true;
	case CLI_PROGRESS:
		c->progress.asked = true;
		return true;
	case CLI_CRLF:
		c->crlf = true;
		return true;
	case CLI_TRAILER:
		parse_trailer(c);
		return true;
	default:
		return false;
	}
}

/* Ends the program after all of --help or --version was written. */
_Noreturn static void end_of_text(struct cli *c)
{
	if (fflush(stdout) == EOF || ferror(stdout) || close(STDOUT_FILENO) < 0) {
		cli_warn(c, "cannot write to standard output: %s", strerror(errno));
		exit(EXIT_TROUBLE);
	}
	_exit(EXIT_SUCCESS);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Returns the edit distance of two words of at most SUGGEST_MAX characters. Two neighbouring
 * characters in exchanged order count as one edit. */
static unsigned distance(const char *a, size_t n, const char *b, size_t m)
{
	unsigned d[SUGGEST_MAX + 1][SUGGEST_MAX + 1];

	for (unsigned i = 0; i <= n; i++)
		d[i][0] = i;
	for (unsigned j = 0; j <= m; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
			    least(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[n][m];
}

/* Returns the name of the option in `longs` that is nearest to the argument `typed`, as in
 * "--threshhold=0.7": at most one insertion, deletion, exchange or transposition for each four
 * characters, and at most three. Returns NULL when there is none, or when `typed` is the beginning
 * of a name. */
static const char *nearest_option(const char *typed, const struct option *longs)
{
	const char *word = typed + strspn(typed, "-"), *nearest = NULL;
	size_t n = strcspn(word, "=");
	unsigned best = n < 4 ? 1 : n < 12 ? (unsigned)n / 4 : 3;

	if (n < 2 || n > SUGGEST_MAX)
		return NULL;
	for (const struct option *o = longs; o->name; o++) {
		size_t m = strlen(o->name);
		unsigned d;

		if (strncmp(o->name, word, n) == 0)
			return NULL;
		if (m > SUGGEST_MAX || (d = distance(word, n, o->name, m)) > best ||
		    (nearest && d == best))
			continue;
		best = d;
		nearest = o->name;
	}
	return nearest;
}

/* Adds a line to the message of getopt_long(3) about an unknown long option. */
static void suggest(struct cli *c, const struct option *longs)
{
	const char *typed = optind > 0 && optind <= c->argc ? c->argv[optind - 1] : "";
	const char *name = optopt == 0 ? nearest_option(typed, longs) : NULL;

	if (name)
		cli_warn(c, "did you mean '--%s'?", name);
}

int cli_next(struct cli *c)
{
	char letters[2 * MAX_OPTIONS + 1];
	struct option longs[MAX_OPTIONS + 1];
	int code;

	build_getopt(c->program, letters, longs);
	while ((code = next_code(c, letters, longs)) != -1) {
		c->arg = optarg;
		if (set_common(c, code))
			continue;
		if (code == 'h' || code == 'V') {
			(code == 'h' ? cli_print_help : cli_print_version)(c->program);
			end_of_text(c);
		}
		if (code == '?') {
			suggest(c, longs);
			cli_end_usage(c);
		}
		c->given[code] = true;
		return code;
	}
	split_operands(c);
	need_descriptors(c);
	refuse_standard_input_twice(c);
	refuse_outputs_that_are_inputs(c);
	return -1;
}

const char *cli_reads(struct cli *c)
{
	struct sh_error err;

	if (SH_RESERVE(c->reads, c->reads_cap, c->n_reads + 1, &err) < 0)
		cli_die(c, &err);
	return c->reads[c->n_reads++] = c->arg;
}

void cli_reads_more(struct cli *c, struct cli_files *files)
{
	struct sh_error err;

	if (SH_RESERVE(files->name, files->cap, files->n + 1, &err) < 0)
		cli_die(c, &err);
	files->name[files->n++] = cli_reads(c);
}

void cli_files_free(struct cli_files *files)
{
	free(files->name);
	*files = (struct cli_files){ 0 };
}

const char *cli_reads_or(struct cli *c, const char *what, const char *words)
{
	if (strcmp(c->arg, "-") != 0 && access(c->arg, F_OK) < 0)
		cli_usage(c, "%s '%s': neither %s, nor an existing file", what, c->arg, words);
	return cli_reads(c);
}

/* Adds a path. Replaces the last path of a full list: the last use of a repeated option counts. */
static const char *add_path(struct cli *c, const char **paths, size_t *n)
{
	if (*n < CLI_MAX_FURTHER)
		++*n;
	return paths[*n - 1] = c->arg;
}

const char *cli_writes(struct cli *c, const char *option)
{
	output_name(c, option);
	return add_path(c, c->writes, &c->n_writes);
}

const char *cli_folder(struct cli *c)
{
	return add_path(c, c->folders, &c->n_folders);
}

uint64_t cli_number(struct cli *c, const char *what, uint64_t min, uint64_t max)
{
	uint64_t n;

	if (sh_parse_count(sh_slice_str(c->arg), &n) < 0 || n < min || n > max)
		cli_usage(c, "%s '%s': expected a whole number from %llu to %llu", what, c->arg,
		    (unsigned long long)min, (unsigned long long)max);
	return n;
}

uint64_t cli_share(
    struct cli *c, const char *what, uint64_t min, uint64_t max, const char *expected)
{
	int64_t n;
	int bad = sh_parse_millionths(sh_slice_str(c->arg), &n);

	if (bad == SH_NUM_PLACES)
		cli_usage(c, "%s '%s': %s", what, c->arg, sh_num_reason(bad));
	if (bad || (uint64_t)n < min || (uint64_t)n > max)
		cli_usage(c, "%s '%s': expected %s", what, c->arg, expected);
	return (uint64_t)n;
}

size_t cli_size(struct cli *c, const char *what)
{
	uint64_t n;

	if (sh_parse_size(sh_slice_str(c->arg), &n) < 0 || n == 0)
		cli_usage(c, "%s '%s': expected a size such as 500M or 1.5G", what, c->arg);
	/* On a machine of 32 bits, a larger size means the whole address space. */
	return n < SIZE_MAX / 2 ? (size_t)n : SIZE_MAX / 2;
}

unsigned cli_choice(struct cli *c, int code)
{
	const struct cli_option *o = cli_find_option(c, code);
	char list[NAMES_MAX];

	for (unsigned i = 0; o->names(i); i++)
		if (strcmp(c->arg, o->names(i)) == 0)
			return i;
	cli_print_names(list, sizeof list, o->names);
	cli_usage(
	    c, "%s '%.*s': expected %s", cli_option_name(c, code), NAMES_MAX - 20, c->arg, list);
}

const char *cli_value(struct cli *c, int code)
{
	return cli_find_option(c, code)->names(cli_choice(c, code));
}
