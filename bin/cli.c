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

/* ---- paths ---- */

static void add_path(struct cli *c, enum cli_path kind, const char *path)
{
	struct cli_files *f = &c->paths[kind];
	struct sh_error err;

	if (SH_RESERVE(f->name, f->cap, f->n + 1, &err) < 0)
		cli_die(c, &err);
	f->name[f->n++] = path;
}

/* Returns input i: the operands, then the files of options; NULL after the last. */
static const char *input_at(const struct cli *c, size_t i)
{
	if (i < c->n_operands)
		return c->operands[i];
	i -= c->n_operands;
	return i < c->paths[CLI_READS].n ? c->paths[CLI_READS].name[i] : NULL;
}

/* Returns whether an option, or also an operand, reads the file. */
static bool is_input(const struct cli *c, bool operands, const char *path)
{
	const char *input;

	for (size_t i = operands ? 0 : c->n_operands; (input = input_at(c, i)); i++)
		if (sh_is_input(input, path))
			return true;
	return operands && c->n_operands == 0 && sh_is_input("-", path);
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
	const struct cli_files *writes = &c->paths[CLI_WRITES];

	if (!c->program->reaches && sh_target_same(c->out_path, "-") &&
	    is_input(c, true, "/dev/stdout"))
		cli_usage(c, "standard output is also an input (-o FILE replaces an input after it "
			     "is read)");
	if (c->out_path && is_input(c, false, c->out_path))
		cli_usage(c, "-o %s: the file is an input and would be lost (name another file)",
		    c->out_path);
	if (c->rejects_path && is_input(c, true, c->rejects_path))
		cli_usage(
		    c, "--rejects %s: the file is an input (name another file)", c->rejects_path);
	for (size_t i = 0; i < writes->n; i++)
		if (is_input(c, true, writes->name[i]))
			cli_usage(c, "%s: an input cannot be an output, too", writes->name[i]);
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

/* Refuses paths that cannot be used, and two inputs that are standard input: the second would be
 * empty. */
static void check_paths(struct cli *c)
{
	const struct cli_files *writes = &c->paths[CLI_WRITES];
	unsigned standard = c->n_operands == 0 && !c->program->no_documents;
	const char *input;

	for (size_t i = 0; (input = input_at(c, i)); i++) {
		need_open(c, input);
		standard += strcmp(input, "-") == 0;
	}
	for (size_t i = 0; i < writes->n; i++)
		need_open(c, writes->name[i]);
	need_open(c, c->out_path);
	need_open(c, c->rejects_path);
	if (standard > 1)
		cli_usage(c, "standard input is named twice, and can be read only once");
	refuse_outputs_that_are_inputs(c);
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

/* The options in the order of the command line. */
struct options_given {
	struct {
		int code;
		const char *arg;
	} * option;
	size_t n, cap;
};

/* Reads the options. Ends the program at -h, at -V and at a wrong option. */
static void read_options(struct cli *c, struct options_given *all)
{
	char letters[2 * MAX_OPTIONS + 1];
	struct option longs[MAX_OPTIONS + 1];
	struct sh_error err;
	int code;

	build_getopt(c->program, letters, longs);
	opterr = 0;
	while ((code = getopt_long(c->argc, c->argv, letters, longs, NULL)) != -1) {
		if (code == 'h' || code == 'V') {
			(code == 'h' ? cli_print_help : cli_print_version)(c->program);
			end_of_text(c);
		}
		if (code == '?' && opterr) {
			suggest(c, longs);
			cli_end_usage(c);
		}
		if (code == '?') {
			blunt_arguments(c);
			opterr = 1;
			optind = 0; /* getopt_long() begins anew, with messages */
			continue;
		}
		if (SH_RESERVE(all->option, all->cap, all->n + 1, &err) < 0)
			cli_die(c, &err);
		all->option[all->n].code = code;
		all->option[all->n++].arg = optarg;
		c->given[code]++;
	}
}

/* Sets the arguments of all options, and the operands. */
static void parse(struct cli *c)
{
	struct options_given all = { 0 };
	uint32_t sum = 0;
	size_t operands;

	read_options(c, &all);
	c->args = cli_zeroed(c, all.n + 1, sizeof *c->args);
	for (int code = 0; code < CLI_CODES; code++) {
		c->first[code] = sum;
		sum += c->given[code];
		c->given[code] = 0;
	}
	for (size_t i = 0; i < all.n; i++) {
		int code = all.option[i].code;

		c->args[c->first[code] + c->given[code]++] = all.option[i].arg;
	}
	free(all.option);
	operands = (size_t)(c->argc - optind);
	c->words = c->argv + optind;
	c->n_words = operands < c->program->words ? operands : c->program->words;
	c->operands = c->words + c->n_words;
	c->n_operands = operands - c->n_words;
}

/* Returns the argument of an option that names an output. Refuses an empty name now: an unset
 * shell variable would otherwise fail only after all work is done. */
static const char *output_name(struct cli *c, int code)
{
	const char *name = opt_text(c, code);

	if (name && !*name)
		cli_usage(c, "%s: the file name is empty (is a shell variable unset?)",
		    cli_option_name(c, code));
	return name;
}

/* Declares the paths of options. Refuses an empty value where there are names. */
static void declare_options(struct cli *c)
{
	const struct cli_option *o;

	for (size_t i = 0; (o = cli_table(c->program, i)); i++) {
		for (; o->code; o++) {
			struct cli_files all = { 0 };

			if (o->code != CLI_GROUP)
				all = opt_all(c, o->code);
			if (all.n && o->names && !*all.name[all.n - 1])
				opt_choice(c, o->code, 0);
			if (all.n && o->path == CLI_WRITES)
				add_path(c, o->path, output_name(c, o->code));
			else if (all.n && o->path == CLI_FOLDER)
				add_path(c, o->path, all.name[all.n - 1]);
			for (size_t k = 0; o->path == CLI_READS && k < all.n; k++)
				add_path(c, o->path, all.name[k]);
		}
	}
}

/* Takes the options of all programs. */
static void set_common(struct cli *c)
{
	unsigned usual = c->program->all_processors ? 0 : 1;
	const char *trailer = opt_text(c, CLI_TRAILER);
	bool in = trailer && strcmp(trailer, "in") == 0;
	bool out = trailer && strcmp(trailer, "out") == 0;

	c->out_path = output_name(c, 'o');
	c->rejects_path = output_name(c, CLI_REJECTS);
	c->jobs = (unsigned)opt_number(c, 'j', 0, CLI_MAX_JOBS, usual);
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
	parse(c);
	set_common(c);
	declare_options(c);
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
