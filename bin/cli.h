/* SPDX-License-Identifier: MIT */
/* Shared by the command lines of all programs: options from one table, help, messages, outputs,
 * rejected records, exit status.
 *
 * A program is a table of options and a loop. Its rows declare the options, and each value is read
 * where it is used:
 *
 *     struct cli c;
 *     cli_start(&c, &program, argc, argv);
 *     width = opt_number(&c, WIDTH, 1, 1000, 50);
 *     cli_open(&c);
 *     ... records to &c.out, sh_error to cli_die() or cli_reject() ...
 *     return cli_finish(&c); */
#ifndef CLI_H
#define CLI_H

#include "base/error.h"
#include "io/sink.h"
#include "io/source.h"
#include "progress.h"

enum {
	EXIT_FOUND = 1,   /* exit status under --exit-code: an answer */
	EXIT_TROUBLE = 2, /* exit status */
	CLI_MAX_JOBS = 256,
	CLI_TABLES = 3,
	CLI_UNGROUPED = 15 /* most options of a help without headings */
};

/* Codes of options without a letter. */
enum {
	CLI_REJECTS = 256,
	CLI_CRLF,
	CLI_TMPDIR,
	CLI_PROGRESS,
	CLI_TRAILER,
	CLI_OWN,          /* first code of a program's own options */
	CLI_FORM = 512,   /* first code of formopts.h and docopts.h */
	CLI_CODES = 1024, /* above all codes */
};

/* Returns the i-th name that an option accepts, from 0, or NULL after the last. Often these are the
 * names of a table's rows. Help, messages and completions print them, so no other list exists. */
typedef const char *cli_names(unsigned i);

/* What the arguments of an option name. The last one counts, but of CLI_READS all. On kernels with
 * Landlock, no other file can be opened after cli_open(). */
enum cli_path {
	CLI_NO_PATH,
	CLI_READS,    /* files that are read */
	CLI_FOLDER,   /* a folder, in which files are read, created and removed */
	CLI_WRITES,   /* a further output */
	CLI_OUTPUT,   /* -o */
	CLI_REJECTED, /* --rejects */
	CLI_OPERAND   /* no option: a file of the operands */
};

struct cli_option {
	int code; /* the letter, or a number above 255; CLI_GROUP; 0 ends the table */
	const char *name;
	const char *arg; /* NULL: no argument; "[=...]": an optional one */
	const char *help;
	cli_names *names; /* the names that replace %s in help, see opt_value(); or NULL */
	enum cli_path path;
};

/* A row that is a heading: --help prints `help` above the next rows, when the program has more than
 * CLI_UNGROUPED options. */
#define CLI_GROUP (-1)
#define CLI_HEADING(text)                                                                          \
	{                                                                                          \
		CLI_GROUP, NULL, NULL, text, NULL                                                  \
	}

/* Rows that several programs have. cli_start() handles --tmpdir: see cli.tmpdir. */
#define CLI_TMPDIR_ROW                                                                             \
	{                                                                                          \
		CLI_TMPDIR, "tmpdir", "DIR", "put temporary files in DIR [$TMPDIR, /tmp]", NULL    \
	}
#define CLI_MEMORY_ROW(usual)                                                                      \
	{                                                                                          \
		'S', "memory", "SIZE", "use temporary files beyond this memory [" usual "]", NULL  \
	}

struct cli_program {
	const char *name;
	const char *synopsis; /* after the options, "[FILE...]" */
	const char *purpose;  /* one line */
	/* the program's own tables, then shared tables; NULL behind the last of less than
	 * CLI_TABLES */
	const struct cli_option *options[CLI_TABLES];
	const char *threads; /* what the threads of -j work on; NULL: -j has no effect */
	bool all_processors; /* the default of -j is 0 in place of 1 */
	const char *status;  /* exit statuses of its own, for the help: "1 found, "; or NULL */
	/* as sh_ingest_lacks(), for the help of a program that reads files of other forms; or
	 * NULL */
	const char *(*lacks)(void);
	unsigned words;    /* most operands before the files, such as the name of a command */
	bool no_documents; /* without operands, standard input is not read */
	bool reaches;      /* it may read any file, since its inputs refer to files */
};

/* Names of files, borrowed. */
struct cli_files {
	const char **name;
	size_t n;
};

struct cli {
	const struct cli_program *program;
	int argc;
	char **argv;
	/* By code: how often the option was given, and the place of its arguments in `args`, in
	 * their order. */
	uint32_t given[CLI_CODES], first[CLI_CODES];
	const char **args;

	char *const *words; /* see cli_program.words */
	size_t n_words;
	char *const *operands; /* the files; "-" is standard input, also when none is named */
	size_t n_operands;     /* 0 only in a program with no_documents */
	unsigned jobs;
	bool crlf;
	/* of --trailer: each input must have a trailer; the output gets one. A program whose output
	 * is text for people clears trailer_out before cli_open(). */
	bool trailer_in, trailer_out;
	const char *tmpdir; /* NULL: the default */

	struct {
		enum cli_path kind;
		const char *name;
	} * path; /* all files and folders of the command line */
	size_t n_paths, cap_paths;

	const char *out_path, *rejects_path;
	struct sh_sink out, rejects;
	uint64_t n_rejected, n_blank; /* bad records; blank lines that were passed over */
	bool open;                    /* cli_open() was called, and the outputs are open */
	/* Set before cli_open(): nothing is written to the output. A file of -o is not changed, and
	 * standard output may be closed. */
	bool left;
	bool occupied[3];         /* descriptors 0 to 2 that were closed at the start */
	struct progress progress; /* from cli_open() on */

	struct sh_slice line; /* the line of cli_line(), unaltered */
};

/* Begins the program: sets *c from the command line, ignores SIGXFSZ, and opens closed descriptors
 * 0 to 2. Ends the program for --help, --version, and options that are wrong. */
void cli_start(struct cli *c, const struct cli_program *program, int argc, char **argv);

/* Returns whether the option was given. */
static inline bool cli_given(const struct cli *c, int code)
{
	return c->given[code] > 0;
}

/* Returns an option of the table that was given, other than `except`; or 0. */
int cli_given_of(const struct cli *c, const struct cli_option *table, int except);

/* Return the value of an option's last argument, or `usual` when the option was not given or has no
 * argument. They end with a usage message when the value is not allowed. */

/* A number from min up to and including max. */
uint64_t opt_number(struct cli *c, int code, uint64_t min, uint64_t max, uint64_t usual);
/* Bytes, at least 1. At most half of the address space, which machines of 32 bits reach. */
size_t opt_size(struct cli *c, int code, uint64_t usual);
/* Millionths from min up to and including max. expected: the text of the message. */
uint64_t opt_share(
    struct cli *c, int code, uint64_t min, uint64_t max, const char *expected, uint64_t usual);
/* The index, from 0, among the names of the option's row. */
unsigned opt_choice(struct cli *c, int code, unsigned usual);
/* The same as the name itself; NULL when the option was not given. */
const char *opt_value(struct cli *c, int code);
/* The text; NULL when the option was not given, or has no argument. */
const char *opt_text(const struct cli *c, int code);
/* All arguments of the option. They belong to *c. */
struct cli_files opt_all(const struct cli *c, int code);

/* Returns the millionths that a part of an option's argument names; see opt_share(). */
uint64_t cli_parse_share(
    struct cli *c, int code, const char *text, uint64_t min, uint64_t max, const char *expected);

/* Declares a path that the program has found out to be one. In options of CLI_NO_PATH: `-d FILE`
 * or a word. Dies where the path cannot be used. */
void cli_declare(struct cli *c, enum cli_path kind, const char *path);

/* Returns the i-th table of options: the program's own, then the table of all programs, then NULL.
 */
const struct cli_option *cli_table(const struct cli_program *p, size_t i);

/* Returns the row of an option, or NULL. */
const struct cli_option *cli_find_option(const struct cli *c, int code);

/* Returns the name of an option of the program's tables, for messages: "-k" or "--few". It is valid
 * until the next call. */
const char *cli_option_name(const struct cli *c, int code);

/* Print the text of --help and of --version. */
void cli_print_help(const struct cli_program *p);
void cli_print_version(const struct cli_program *p);

/* Prints "NAME, NAME or NAME", at most `room` bytes with the final NUL. Returns the length without
 * it. */
size_t cli_print_names(char *to, size_t room, cli_names *names);

/* For use in "%llu record%s". */
#define CLI_PLURAL(n) ((n) == 1 ? "" : "s")

/* Prints "PROGRAM: text" on standard error. */
void cli_warn(struct cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints the message of an error, with its file and line, and returns. */
void cli_warn_error(struct cli *c, const struct sh_error *err);

/* Replaces each command to a terminal (unicode/terminal.h) by a question mark: ids and file names
 * may contain such commands. Tabs stay. Returns the new length in bytes. */
size_t cli_blunt(char *text, size_t n);

/* End with EXIT_TROUBLE, after a usage message or the message of err. Records already written to
 * standard output stay. A named output is not changed. */
_Noreturn void cli_usage(struct cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
_Noreturn void cli_end_usage(struct cli *c); /* the message was printed */
_Noreturn void cli_die(struct cli *c, const struct sh_error *err);

/* Returns n zeroed elements of `size` bytes, for free(). Dies when memory is short. */
void *cli_zeroed(struct cli *c, size_t n, size_t size);

/* Returns the argument of an option that is a file to read or a word. Dies when there is no such
 * file: the argument is probably a misspelled word. words: lists the words, for the message. */
const char *cli_reads_or(struct cli *c, int code, const char *words);

/* Opens the output and the file for rejected records. Dies of errors. Confines the program to the
 * files of its command line. */
void cli_open(struct cli *c);

/* Open an output of an option of CLI_WRITES, with the rules of -o and --trailer, and close
 * it. The sink must not move between the two calls. Die of errors. */
void cli_open_further(struct cli *c, struct sh_sink *sink, const char *path);
void cli_close_further(struct cli *c, struct sh_sink *sink);

/* Writes the record and a LF to the file of --rejects. Dies of err without --rejects, and of errors
 * other than SH_ERR_RECORD. */
void cli_reject(struct cli *c, struct sh_slice line, const struct sh_error *err);

/* Set up the operands for reading, under --trailer and --crlf. */
void cli_source_init(const struct cli *c, struct sh_source *source);
void cli_lines_init(const struct cli *c, struct sh_lines *lines);

/* Write, or die. */
void cli_write(struct cli *c, const void *p, size_t n);
void cli_print(struct cli *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Returns the line without the CR of a DOS line end, under --crlf. */
static inline struct sh_slice cli_strip(bool crlf, struct sh_slice line)
{
	return crlf ? sh_without_cr(line) : line;
}

/* Returns 0 when the line is a record of any kind that the program reads, or -1 with *err. */
typedef int cli_record(const struct sh_source *source, struct sh_slice line, struct sh_error *err);

/* Sets *line to the record that shows the kind of the input, without its CR under --crlf. This is
 * the first line. Under --rejects it is the first line that is a record, and bad lines before it
 * are rejected. The record stays to be read, and *line is valid until it is read. Returns false at
 * the end. */
bool cli_first(struct cli *c, struct sh_source *source, cli_record *record, struct sh_slice *line);

/* Warns that the record of cli_first() may be something else; `doubt` says what. Does nothing when
 * `doubt` is NULL. */
void cli_doubt(struct cli *c, const struct sh_source *source, const char *doubt);

/* Sets *line to the next line, for a program that reads records in order. *line is valid until the
 * next call. Returns false at the end. */
bool cli_line(struct cli *c, struct sh_lines *lines, struct sh_slice *line);

/* Adds a line to what `arg` is. Returns 0, or -1 with *err: SH_ERR_RECORD rejects the line. */
typedef int cli_add(void *arg, struct sh_slice line, struct sh_error *err);

/* Calls `add` for each line of the files of an option, or of the operands when `files` is NULL.
 * Dies of errors. */
void cli_read_lines(struct cli *c, const struct cli_files *files, cli_add *add, void *arg);

/* Closes the output and the file for rejected records, and reports their number. Further outputs
 * must be closed before. Returns EXIT_SUCCESS; dies of errors. */
int cli_finish(struct cli *c);

/* Reads a file that an option names into an empty buffer. Dies of errors. */
void cli_read_file(struct cli *c, const char *name, struct sh_buf *all);

/* Returns the seconds since 1970, the time at which documents are added to archives. Tests and
 * reproducible builds set them by SOURCE_DATE_EPOCH. Dies when the clock or that variable is out of
 * range. */
uint64_t cli_now(struct cli *c);

#endif
