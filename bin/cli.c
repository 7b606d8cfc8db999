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

enum { MAX_OPTIONS = 64, NAMES_MAX = 400 };

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

/* ---- paths ---- */

static void add_path(struct cli *c, enum cli_path kind, const char *name)
{
	struct sh_error err;

	if (SH_RESERVE(c->path, c->cap_paths, c->n_paths + 1, &err) < 0)
		cli_die(c, &err);
	c->path[c->n_paths].kind = kind;
	c->path[c->n_paths++].name = name;
}

/* Returns whether an option, or also an operand, reads the file. */
static bool is_input(const struct cli *c, bool operands, const char *path)
{
	for (size_t i = 0; i < c->n_paths; i++)
		if ((c->path[i].kind == CLI_READS ||
			(operands && c->path[i].kind == CLI_OPERAND)) &&
		    sh_is_input(c->path[i].name, path))
			return true;
	return false;
}

/* Dies when the path names a descriptor that is not open, such as /dev/fd/3. A file that this
 * program opens could get that number. Then the program would read its own output, or write
 * rejected records into its own output. */
static void need_open(struct cli *c, const char *path)
{
	int fd = strcmp(path, "/dev/stdin") == 0 ? STDIN_FILENO : sh_target_descriptor(path);
	struct sh_error err;

	if (fd < 0 || (fd > STDERR_FILENO ? fcntl(fd, F_GETFD) >= 0 : !c->occupied[fd]))
		return;
	errno = EBADF;
	sh_error_sys(&err, "cannot open '%s'", path);
	cli_die(c, &err);
}

/* Refuses paths that cannot be used.
 *
 * Two inputs cannot be standard input: the second would be empty.
 *
 * Standard output may be no input: `>` has emptied the file before the program began. With `>>` the
 * program would read its own output without end.
 *
 * -o may name an operand: the output replaces the operand after all reading. -o may not name a file
 * that an option reads (a table, a list). --rejects and further outputs may name no input, because
 * they hold only some of the records.
 *
 * --rejects may be no other output: the second rename would replace the first output. */
static void check_paths(struct cli *c)
{
	unsigned standard = 0;

	for (size_t i = 0; i < c->n_paths; i++) {
		enum cli_path kind = c->path[i].kind;

		if (kind != CLI_FOLDER)
			need_open(c, c->path[i].name);
		standard +=
		    (kind == CLI_READS || kind == CLI_OPERAND) && strcmp(c->path[i].name, "-") == 0;
	}
	if (standard > 1)
		cli_usage(c, "standard input is named twice, and can be read only once");
	if (!c->program->reaches && sh_target_same(c->out_path, "-") &&
	    is_input(c, true, "/dev/stdout"))
		cli_usage(c, "standard output is also an input (-o FILE replaces an input after it "
			     "is read)");
	if (c->rejects_path && sh_target_same(c->out_path, c->rejects_path))
		cli_usage(c, "--rejects %s: the output is written to it", c->rejects_path);
	for (size_t i = 0; i < c->n_paths; i++) {
		enum cli_path kind = c->path[i].kind;
		const char *name = c->path[i].name;

		if (kind == CLI_WRITES && c->rejects_path && sh_target_same(name, c->rejects_path))
			cli_usage(c, "%s: --rejects is written to it", name);
		if (kind < CLI_WRITES || kind > CLI_REJECTED ||
		    !is_input(c, kind != CLI_OUTPUT, name))
			continue;
		if (kind == CLI_WRITES)
			cli_usage(c, "%s: an input cannot be an output, too", name);
		if (kind == CLI_REJECTED)
			cli_usage(
			    c, "--rejects %s: the file is an input (name another file)", name);
		cli_usage(
		    c, "-o %s: the file is an input and would be lost (name another file)", name);
	}
}

void cli_declare(struct cli *c, enum cli_path kind, const char *path)
{
	add_path(c, kind, path);
	check_paths(c);
}

const char *cli_reads_or(struct cli *c, int code, const char *words)
{
	const char *path = opt_text(c, code);

	if (strcmp(path, "-") != 0 && access(path, F_OK) < 0)
		cli_usage(c, "%s '%s': neither %s, nor an existing file", cli_option_name(c, code),
		    path, words);
	cli_declare(c, CLI_READS, path);
	return path;
}

/* ---- the command line ---- */

/* Replaces commands to the terminal in all arguments. getopt_long() quotes arguments in its
 * messages, and the shell may have made a hostile file name of `*`. */
static void blunt_arguments(struct cli *c)
{
	for (int i = 1; i < c->argc; i++)
		c->argv[i][cli_blunt(c->argv[i], strlen(c->argv[i]))] = '\0';
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

/* Returns the name of the option that the argument `typed`, as in "--threshhold=0.7", probably
 * means: it differs by one inserted, missing or other character, or by two in exchanged order.
 * Returns NULL when there is none, or when `typed` is the beginning of a name. */
static const char *nearest_option(const char *typed, const struct option *longs)
{
	const char *word = typed + strspn(typed, "-"), *nearest = NULL;
	size_t n = strcspn(word, "=");

	for (const struct option *o = longs; o->name; o++) {
		const char *name = o->name;
		size_t m = strlen(name), begin = 0, end = 0;

		while (begin < n && begin < m && word[begin] == name[begin])
			begin++;
		while (end < n - begin && end < m - begin && word[n - 1 - end] == name[m - 1 - end])
			end++;
		if (begin == n)
			return NULL;
		if ((begin + end && n - begin - end <= 1 && m - begin - end <= 1) ||
		    (n == m && n - begin - end == 2 && word[begin] == name[begin + 1] &&
			word[begin + 1] == name[begin]))
			nearest = name;
	}
	return nearest;
}

/* Reads the options. Ends the program at -h, at -V and at a wrong option. */
static void read_options(struct cli *c)
{
	char letters[2 * MAX_OPTIONS + 1];
	struct option longs[MAX_OPTIONS + 1];
	const char *name;
	uint32_t sum = 0;
	int code;

	build_getopt(c->program, letters, longs);
	opterr = 0;
	while ((code = getopt_long(c->argc, c->argv, letters, longs, NULL)) != -1) {
		if (code == 'h' || code == 'V') {
			(code == 'h' ? cli_print_help : cli_print_version)(c->program);
			end_of_text(c);
		}
		if (code == '?' && opterr) {
			/* optopt is 0 for an unknown long option. */
			name = optopt == 0 && optind > 0 && optind <= c->argc
				   ? nearest_option(c->argv[optind - 1], longs)
				   : NULL;
			if (name)
				cli_warn(c, "did you mean '--%s'?", name);
			cli_end_usage(c);
		}
		if (code == '?') {
			blunt_arguments(c);
			opterr = 1;
			optind = 0; /* getopt_long() begins anew, with messages */
			continue;
		}
		c->given[code]++;
	}
	for (code = 0; code < CLI_CODES; code++) {
		c->first[code] = sum;
		sum += c->given[code];
		c->given[code] = 0;
	}
	c->args = cli_zeroed(c, sum + 1, sizeof *c->args);
	optind = 0;
	while ((code = getopt_long(c->argc, c->argv, letters, longs, NULL)) != -1)
		c->args[c->first[code] + c->given[code]++] = optarg;
}

/* Declares the files and folders of the command line. Refuses an empty value where there are names,
 * and the empty name of an output: an unset shell variable would otherwise fail only after all work
 * is done. */
static void declare_paths(struct cli *c)
{
	const struct cli_option *o;

	for (size_t i = 0; i < c->n_operands; i++)
		add_path(c, CLI_OPERAND, c->operands[i]);
	for (size_t i = 0; (o = cli_table(c->program, i)); i++) {
		for (; o->code; o++) {
			const char *last = o->code == CLI_GROUP ? NULL : opt_text(c, o->code);
			struct cli_files all;

			if (!last)
				continue;
			if (o->names && !*last)
				opt_choice(c, o->code, 0);
			if (o->path >= CLI_WRITES && !*last)
				cli_usage(c,
				    "%s: the file name is empty (is a shell variable unset?)",
				    cli_option_name(c, o->code));
			all = opt_all(c, o->code);
			for (size_t k = o->path == CLI_READS ? 0 : all.n - 1; o->path && k < all.n;
			     k++)
				add_path(c, o->path, all.name[k]);
		}
	}
}

/* Takes the operands and the options of all programs. */
static void set_common(struct cli *c)
{
	static char *const standard[] = { "-" };
	const struct cli_program *p = c->program;
	const char *trailer = opt_text(c, CLI_TRAILER);
	bool in = trailer && strcmp(trailer, "in") == 0;
	bool out = trailer && strcmp(trailer, "out") == 0;

	c->words = c->argv + optind;
	c->n_operands = (size_t)(c->argc - optind);
	c->n_words = c->n_operands < p->words ? c->n_operands : p->words;
	c->operands = c->words + c->n_words;
	c->n_operands -= c->n_words;
	if (c->n_operands == 0 && !p->no_documents) {
		c->operands = standard;
		c->n_operands = 1;
	}
	c->out_path = opt_text(c, 'o');
	c->rejects_path = opt_text(c, CLI_REJECTS);
	c->jobs = (unsigned)opt_number(c, 'j', 0, CLI_MAX_JOBS, p->all_processors ? 0 : 1);
	if (c->jobs == 0)
		c->jobs = processors();
	c->tmpdir = opt_text(c, CLI_TMPDIR);
	c->progress.asked = cli_given(c, CLI_PROGRESS);
	c->crlf = cli_given(c, CLI_CRLF);
	if (trailer && !in && !out)
		cli_usage(c, "--trailer '%s': expected in or out, or nothing", trailer);
	c->trailer_in = cli_given(c, CLI_TRAILER) && !out;
	c->trailer_out = cli_given(c, CLI_TRAILER) && !in;
}

void cli_start(struct cli *c, const struct cli_program *program, int argc, char **argv)
{
	*c = (struct cli){ .program = program, .argc = argc, .argv = argv };
	occupy_standard_descriptors(c);
	/* A write beyond the limit of ulimit -f then fails, and the message names the file. */
	signal(SIGXFSZ, SIG_IGN);
	/* Messages contain the program's name, not the path by which it was called. */
	if (argc > 0)
		argv[0] = (char *)(uintptr_t)program->name;
	read_options(c);
	set_common(c);
	declare_paths(c);
	check_paths(c);
}

/* ---- values of options ---- */

struct cli_files opt_all(const struct cli *c, int code)
{
	return (struct cli_files){ .name = c->args + c->first[code], .n = c->given[code] };
}

const char *opt_text(const struct cli *c, int code)
{
	return c->given[code] ? c->args[c->first[code] + c->given[code] - 1] : NULL;
}

uint64_t opt_number(struct cli *c, int code, uint64_t min, uint64_t max, uint64_t usual)
{
	const char *text = opt_text(c, code);
	uint64_t n;

	if (!text)
		return usual;
	if (sh_parse_count(sh_slice_str(text), &n) < 0 || n < min || n > max)
		cli_usage(c, "%s '%s': expected a whole number from %llu to %llu",
		    cli_option_name(c, code), text, (unsigned long long)min,
		    (unsigned long long)max);
	return n;
}

uint64_t cli_parse_share(
    struct cli *c, int code, const char *text, uint64_t min, uint64_t max, const char *expected)
{
	const char *name = cli_option_name(c, code);
	int64_t n;
	int bad = sh_parse_millionths(sh_slice_str(text), &n);

	if (bad == SH_NUM_PLACES)
		cli_usage(c, "%s '%s': %s", name, text, sh_num_reason(bad));
	if (bad || (uint64_t)n < min || (uint64_t)n > max)
		cli_usage(c, "%s '%s': expected %s", name, text, expected);
	return (uint64_t)n;
}

uint64_t opt_share(
    struct cli *c, int code, uint64_t min, uint64_t max, const char *expected, uint64_t usual)
{
	const char *text = opt_text(c, code);

	return text ? cli_parse_share(c, code, text, min, max, expected) : usual;
}

size_t opt_size(struct cli *c, int code, uint64_t usual)
{
	const char *text = opt_text(c, code);
	uint64_t n = usual;

	if (text && (sh_parse_size(sh_slice_str(text), &n) < 0 || n == 0))
		cli_usage(c, "%s '%s': expected a size such as 500M or 1.5G",
		    cli_option_name(c, code), text);
	/* On a machine of 32 bits, a larger size means the whole address space. */
	return n < SIZE_MAX / 2 ? (size_t)n : SIZE_MAX / 2;
}

unsigned opt_choice(struct cli *c, int code, unsigned usual)
{
	const struct cli_option *o = cli_find_option(c, code);
	const char *text = opt_text(c, code);
	char list[NAMES_MAX];

	if (!text)
		return usual;
	for (unsigned i = 0; o->names(i); i++)
		if (strcmp(text, o->names(i)) == 0)
			return i;
	cli_print_names(list, sizeof list, o->names);
	cli_usage(
	    c, "%s '%.*s': expected %s", cli_option_name(c, code), NAMES_MAX - 20, text, list);
}

const char *opt_value(struct cli *c, int code)
{
	return cli_given(c, code) ? cli_find_option(c, code)->names(opt_choice(c, code, 0)) : NULL;
}
