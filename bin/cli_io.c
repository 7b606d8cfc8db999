/* SPDX-License-Identifier: MIT */
/* Messages, inputs and outputs of a program, and its end. */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/num.h"
#include "io/confine.h"
#include "io/spill.h"
#include "unfinished.h"
#include "unicode/terminal.h"
#include "unicode/utf8.h"

/* Files in addition to the inputs: outputs, temporary files, files of the C library. */
enum { OTHER_FILES = 64 };

/* ---- messages ---- */

size_t cli_blunt(char *text, size_t n)
{
	const uint8_t *p = (const uint8_t *)text, *end = p + n, *next;
	char *to = text;

	for (; p < end; p = next) {
		uint32_t c;
		bool ill;

		next = p;
		c = sh_utf8_next(&next, end);
		ill = c == SH_UTF8_ILL;
		if (ill)
			next = p + 1;
		/* Terminals of single bytes execute 0x80 to 0x9f as C1 controls. */
		if (ill ? *p >= 0x80 && *p < 0xa0 : sh_commands_terminal(c) && c != '\t') {
			*to++ = '?';
			continue;
		}
		memmove(to, p, (size_t)(next - p));
		to += next - p;
	}
	return (size_t)(to - text);
}

__attribute__((format(printf, 2, 0))) static void say(struct cli *c, const char *fmt, va_list ap)
{
	/* Room for two paths and an id. Not on the heap, which may be full. */
	char text[16 * 1024];

	fflush(stdout);
	progress_clear(&c->progress);
	vsnprintf(text, sizeof text, fmt, ap);
	text[cli_blunt(text, strlen(text))] = '\0';
	fprintf(stderr, "%s: %s\n", c->program->name, text);
}

void cli_warn(struct cli *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(c, fmt, ap);
	va_end(ap);
}

void cli_warn_error(struct cli *c, const struct sh_error *err)
{
	if (err->file && err->line)
		cli_warn(c, "%s:%llu: %s", err->file, (unsigned long long)err->line, err->text);
	else if (err->file)
		cli_warn(c, "%s: %s", err->file, err->text);
	else
		cli_warn(c, "%s", err->text);
}

void cli_end_usage(struct cli *c)
{
	fprintf(stderr, "Try '%s --help' or 'man %s'.\n", c->program->name, c->program->name);
	unfinished_abort();
	exit(EXIT_TROUBLE);
}

void cli_usage(struct cli *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(c, fmt, ap);
	va_end(ap);
	cli_end_usage(c);
}

/* ---- ends ---- */

/* Closes the file of --rejects and reports the number of records. Does nothing when it is not open.
 */
static int close_rejects(struct cli *c, struct sh_error *err)
{
	const char *path = c->rejects_path;

	if (!c->open || !path)
		return 0;
	c->rejects_path = NULL;
	if (unfinished_close(&c->rejects, err) < 0)
		return -1;
	if (c->n_rejected)
		cli_warn(c, "%llu record%s rejected, see %s", (unsigned long long)c->n_rejected,
		    CLI_PLURAL(c->n_rejected), path);
	return 0;
}

void cli_die(struct cli *c, const struct sh_error *err)
{
	struct sh_error ignored;

	cli_warn_error(c, err);
	/* Standard output still gets the complete records before the error. */
	if (c->open && !c->out.target)
		sh_sink_flush(&c->out, &ignored);
	close_rejects(c, &ignored);
	unfinished_abort();
	exit(EXIT_TROUBLE);
}

void *cli_zeroed(struct cli *c, size_t n, size_t size)
{
	void *p = calloc(n, size);
	struct sh_error err;

	if (!p) {
		sh_error_nomem(&err);
		cli_die(c, &err);
	}
	return p;
}

int cli_finish(struct cli *c)
{
	struct sh_error err;

	/* Flushes first: a closed pipe ends the program before the file of --rejects exists. */
	if (!c->left && !c->out.tmp && sh_sink_flush(&c->out, &err) < 0)
		cli_die(c, &err);
	/* Closes the output last: when it exists, the file of rejected records also exists. */
	if (close_rejects(c, &err) < 0)
		cli_die(c, &err);
	c->open = false;
	if (!c->left && unfinished_close(&c->out, &err) < 0)
		cli_die(c, &err);
	unfinished_abort();
	progress_end(&c->progress);
	if (c->n_blank)
		cli_warn(c, "%llu blank line%s passed over", (unsigned long long)c->n_blank,
		    CLI_PLURAL(c->n_blank));
	free(c->path);
	free(c->args);
	return EXIT_SUCCESS;
}

/* ---- input and output ---- */

void cli_read_file(struct cli *c, const char *name, struct sh_buf *all)
{
	struct sh_error err;

	if (sh_source_all(name, all, &err) < 0)
		cli_die(c, &err);
}

uint64_t cli_now(struct cli *c)
{
	const uint64_t most = UINT64_C(9999999999); /* ten digits: the year 2286 */
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	time_t now = time(NULL);
	uint64_t seconds = (uint64_t)now;
	struct sh_error err;

	if (epoch && *epoch) {
		if (sh_parse_u64(sh_slice_str(epoch), &seconds) < 0 || seconds > most)
			cli_usage(c,
			    "SOURCE_DATE_EPOCH '%s': expected seconds since 1970, ten digits at "
			    "most",
			    epoch);
		return seconds;
	}
	/* Below 0 where time_t has overflowed: everything would be older than any age. */
	if (now < 0 || seconds > most) {
		sh_error_set(&err, SH_ERR_RANGE, "the clock says %lld seconds since 1970: set it",
		    (long long)now);
		cli_die(c, &err);
	}
	return seconds;
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

/* Confines the program: from here on it can open only files of the command line. */
static void confine(const struct cli *c)
{
	struct sh_confine rules;

	sh_confine_begin(&rules);
	if (c->program->reaches)
		sh_confine_read_all(&rules);
	for (size_t i = 0; i < c->n_paths; i++) {
		enum cli_path kind = c->path[i].kind;

		if (kind == CLI_FOLDER)
			sh_confine_folder(&rules, c->path[i].name);
		else if (kind == CLI_READS || kind == CLI_OPERAND)
			sh_confine_read(&rules, c->path[i].name);
		else
			sh_confine_write(&rules, c->path[i].name);
	}
	if (c->program->reaches || cli_find_option(c, CLI_TMPDIR))
		sh_confine_folder(&rules, sh_spill_folder(c->tmpdir));
	sh_confine_enforce(&rules);
}

/* Raises the limit of open files as far as the system allows. Some programs have all inputs open at
 * once, and the limit is often 1024 at first. */
static void allow_inputs(const struct cli *c)
{
	struct rlimit limit;
	rlim_t want = c->n_paths + OTHER_FILES;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur >= want)
		return;
	limit.rlim_cur = limit.rlim_max < want ? limit.rlim_max : want;
	(void)setrlimit(RLIMIT_NOFILE, &limit); /* on failure, open() reports the limit */
}

void cli_open(struct cli *c)
{
	struct sh_error err;

	if (!sh_codec_window_valid())
		cli_usage(c, SH_CODEC_WINDOW_NAME " '%s': expected a size such as 2G",
		    getenv(SH_CODEC_WINDOW_NAME));
	allow_inputs(c);
	unfinished_tell_cut(c->program->name, EXIT_TROUBLE);
	/* Standard output may be closed when nothing is written to it. */
	if ((!c->left || c->out_path) && unfinished_open(&c->out, c->out_path, &err) < 0)
		cli_die(c, &err);
	c->out.trailer = c->trailer_out && !c->left;
	c->out.crlf = c->crlf;
	if (c->rejects_path && unfinished_open(&c->rejects, c->rejects_path, &err) < 0)
		cli_die(c, &err);
	c->open = true;
	confine(c);
	progress_start(&c->progress, c->program->name, c->operands, c->n_operands);
}

void cli_open_further(struct cli *c, struct sh_sink *sink, const char *path)
{
	struct sh_error err;

	if (unfinished_open(sink, path, &err) < 0)
		cli_die(c, &err);
	sink->trailer = c->trailer_out;
}

void cli_close_further(struct cli *c, struct sh_sink *sink)
{
	struct sh_error err;

	if (unfinished_close(sink, &err) < 0)
		cli_die(c, &err);
}

void cli_reject(struct cli *c, struct sh_slice line, const struct sh_error *err)
{
	struct sh_error full;

	if (line.p == c->line.p)
		line = c->line; /* unaltered: with the CR that --crlf removes */
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

void cli_doubt(struct cli *c, const struct sh_source *source, const char *doubt)
{
	if (doubt)
		cli_warn(c, "%s:%llu: %s", source->name, (unsigned long long)source->line, doubt);
}

bool cli_first(struct cli *c, struct sh_source *source, cli_record *record, struct sh_slice *line)
{
	struct sh_error err;
	int got;

	while ((got = sh_source_peek(source, line, &err)) > 0) {
		c->line = *line;
		*line = cli_strip(c->crlf, *line);
		/* A trailer without --trailer is not a bad record: readers of lines refuse it. */
		if (!c->rejects_path || sh_trailer_refuse(c->line, &err) < 0 ||
		    record(source, *line, &err) == 0)
			return true;
		cli_reject(c, *line, &err);
		progress_read(&c->progress, c->line.n + 1, 1);
		sh_source_pass(source);
	}
	if (got < 0)
		cli_die(c, &err);
	return false;
}

static bool next_line(struct cli *c, struct sh_lines *lines, struct sh_slice *line)
{
	struct sh_error err;
	int got;

	/* Writes the results before a read that waits for a slow writer. */
	if (sh_lines_at_end(lines) && c->out.buf.n && !sh_source_ready(&lines->source) &&
	    sh_sink_flush(&c->out, &err) < 0)
		cli_die(c, &err);
	got = sh_lines_next(lines, line, &err);
	c->line = (struct sh_slice){ 0 };
	if (got < 0)
		cli_die(c, &err);
	if (got) {
		c->line = *line;
		*line = cli_strip(c->crlf, *line);
	}
	return got;
}

bool cli_line(struct cli *c, struct sh_lines *lines, struct sh_slice *line)
{
	bool at_end = sh_lines_at_end(lines), got = next_line(c, lines, line);

	if (got && at_end)
		progress_read(&c->progress, lines->chunk.n, lines->from.lines);
	return got;
}

void cli_read_lines(struct cli *c, const struct cli_files *files, cli_add *add, void *arg)
{
	struct sh_lines lines;
	struct sh_slice line;
	struct sh_error err;

	cli_lines_init(c, &lines);
	if (files) {
		lines.source.names = (char *const *)(uintptr_t)files->name;
		lines.source.n_names = files->n;
	}
	/* The progress counts operands only. */
	while (files ? next_line(c, &lines, &line) : cli_line(c, &lines, &line)) {
		if (add(arg, line, &err) < 0) {
			sh_lines_blame(&lines, &err);
			cli_reject(c, line, &err);
		}
	}
	sh_lines_free(&lines);
}
