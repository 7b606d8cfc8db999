/* SPDX-License-Identifier: MIT */
/* shdoc: files to documents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doc.h"
#include "ingest/page.h"
#include "io/walk.h"

enum { FORMAT = CLI_OWN, JSON, FROM_CHARSET, MAX_SIZE, FOLLOW, VERBOSE };

static const struct cli_option options[] = {
	CLI_HEADING("Documents out of files"),
	{ FORMAT, "format", "FORMAT", "read all files as %s [auto]", sh_format_name },
	{ JSON, "json", NULL, "write documents as lines of JSON, {\"id\":...,\"text\":...}" },
	{ 'f', "fields", "ID,TEXT",
	    "the fields of JSON that hold id and text, or texts [id,text]" },
	{ 'l', "line-ids", NULL, "the id of JSON on line N is FILE#N" },
	{ FROM_CHARSET, "from-charset", "NAME",
	    "decode text from this charset; ignore declarations" },
	{ MAX_SIZE, "max-size", "SIZE", "treat a larger record as bad [256M]" },
	{ FOLLOW, "follow", NULL, "in folders, follow symbolic links" },
	{ VERBOSE, "verbose", NULL, "report form and charset of each document" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shdoc",
	.synopsis = "[FILE|FOLDER...]",
	.purpose =
	    "Files (text, HTML, JSON, WARC, mbox, tar, ZIP, 7z; compressed too) to documents "
	    "(id<TAB>text).",
	.options = { options },
	.threads = "documents",
	.all_processors = true,
	.reaches = true,
	.lacks = sh_ingest_lacks,
};

#define DEFAULT_MAX_SIZE ((size_t)256 << 20)
#define LARGEST_MAX_SIZE ((size_t)1000 << 20) /* a record's line must be shorter than 2 GiB */

struct state {
	struct doc_run run;
	const char *operand; /* the folder that is read, or NULL; ids are paths below it */
	uint64_t folders;    /* operands that are folders */
	struct sh_walk walk; /* its counts are of all folders */
};

/* ---- files ---- */

/* Returns whether the path is an output of this run. */
static bool is_output(const struct cli *c, const char *path)
{
	return sh_is_open_file(path, c->out.fd) ||
	       (c->out_path && sh_is_input(path, c->out_path)) ||
	       (c->rejects_path &&
		   (sh_is_open_file(path, c->rejects.fd) || sh_is_input(path, c->rejects_path)));
}

static int on_trouble(void *state, struct sh_error *err)
{
	struct state *s = state;

	return doc_trouble(&s->run, err);
}

static int on_file(void *state, const char *path, int fd, struct sh_error *err)
{
	struct state *s = state;
	struct cli *c = s->run.cli;
	const char *id = path;

	if (s->operand) {
		id += strlen(s->operand);
		id += *id == '/';
		if (is_output(c, path)) {
			cli_warn(c, "%s: left out: the output is written to it", path);
			if (fd >= 0)
				close(fd);
			return 0;
		}
	}
	return doc_file(&s->run, path, fd, sh_slice_str(id), err) < 0 ? doc_trouble(&s->run, err)
								      : 0;
}

static void read_operand(struct state *s, const char *operand)
{
	struct sh_error err;

	s->operand = NULL;
	if (strcmp(operand, "-") == 0 || !sh_is_folder(operand)) {
		on_file(s, operand, -1, &err);
		return;
	}
	s->operand = operand;
	s->folders++;
	if (sh_walk(&s->walk, operand, &err) < 0)
		cli_die(s->run.cli, &err);
}

/* ---- the report at the end ---- */

static void report_ingest(struct doc_run *run)
{
	const struct sh_ingest *in = &run->in;
	struct cli *c = run->cli;

	for (unsigned k = 0; k < SH_TALLIES; k++)
		for (uint32_t i = 0; i < in->tally[k].names.n; i++) {
			struct sh_slice name = sh_hmap_key(&in->tally[k].names, i);
			unsigned long long n = in->tally[k].count[i];

			if (k == SH_ASSUMED)
				cli_warn(c, "%llu text%s taken for %.*s", n, CLI_PLURAL(n),
				    (int)name.n, name.p);
			else if (k == SH_LEFT_OUT)
				cli_warn(c, "left out: %.*s: %llu", (int)name.n, name.p, n);
			else
				cli_warn(c, "%llu file%s taken for one text%s: %.*s", n,
				    CLI_PLURAL(n), n == 1 ? "" : " each", (int)name.n, name.p);
		}
	if (in->body.ill)
		cli_warn(c, "%llu ill-formed sequence%s replaced by U+FFFD",
		    (unsigned long long)in->body.ill, CLI_PLURAL(in->body.ill));
}

static void report_walk(const struct state *s)
{
	const struct sh_walk *w = &s->walk;
	struct cli *c = s->run.cli;
	uint64_t failed = s->run.failed;

	if (w->links)
		cli_warn(c, "%llu symbolic link%s not followed %s", (unsigned long long)w->links,
		    CLI_PLURAL(w->links),
		    w->follow ? "to folders that were read before" : "(--follow)");
	if (w->special)
		cli_warn(c, "%llu special file%s left out", (unsigned long long)w->special,
		    CLI_PLURAL(w->special));
	if (w->temporary)
		cli_warn(c, "%llu temporary file%s (.NAME.XXXXXX) left out",
		    (unsigned long long)w->temporary, CLI_PLURAL(w->temporary));
	if (failed)
		cli_warn(c, "%llu file%s or folder%s could not be read", (unsigned long long)failed,
		    CLI_PLURAL(failed), CLI_PLURAL(failed));
}

static void report_ids(const struct state *s)
{
	const struct doc_run *run = &s->run;

	if (run->repeated)
		cli_warn(run->cli, "%llu repeated id%s: other programs need distinct ids%s",
		    (unsigned long long)run->repeated, CLI_PLURAL(run->repeated),
		    s->folders > 1 ? " (shdoc of the folder above them makes them differ)" : "");
	if (!run->all_ids)
		cli_warn(
		    run->cli, "only the first %zu ids were compared with later ones", run->n_ids);
}

/* ---- memory for pages ---- */

static struct cli *out_of_memory; /* the program to end when libxml2 gets no memory */

static void *there(void *p)
{
	struct sh_error err;

	if (!p) {
		sh_error_nomem(&err);
		cli_die(out_of_memory, &err);
	}
	return p;
}

static void *get(size_t n)
{
	return there(malloc(n ? n : 1));
}

static void *resize(void *p, size_t n)
{
	sh_page_watch(p, n);
	return there(realloc(p, n ? n : 1));
}

static char *copy(const char *text)
{
	return there(strdup(text));
}

/* Frees memory of libxml2. With free() itself libxml2 would clean up at the end of the process,
 * which may happen within a call of libxml2. */
static void put(void *p)
{
	free(p);
}

static void end_without_memory(struct cli *c)
{
	static const struct sh_page_memory memory = { get, resize, copy, put };

	out_of_memory = c;
	sh_page_allocate_with(&memory);
}

static void parse_options(struct state *s)
{
	struct doc_run *run = &s->run;
	struct sh_ingest *in = &run->in;
	struct cli *c = run->cli;
	const char *charset = opt_text(c, FROM_CHARSET), *fields = opt_text(c, 'f');
	struct sh_error err;

	in->format = (enum sh_format)opt_choice(c, FORMAT, SH_FORMAT_AUTO);
	if (charset && !sh_charset_known(&in->body.charset, charset))
		cli_usage(c, "--from-charset '%s': iconv does not know it (iconv -l)", charset);
	in->body.charset.forced = charset;
	in->max_size = opt_size(c, MAX_SIZE, DEFAULT_MAX_SIZE);
	if (in->max_size > LARGEST_MAX_SIZE)
		cli_usage(c, "--max-size '%s': at most 1000M", opt_text(c, MAX_SIZE));
	run->json = in->utf8_ids = cli_given(c, JSON);
	run->verbose = cli_given(c, VERBOSE);
	s->walk.follow = cli_given(c, FOLLOW);
	in->json.json = true;
	in->json.line_ids = cli_given(c, 'l');
	if (fields && sh_document_form_parse(fields, &in->json, &err) < 0)
		cli_usage(c, "-f: %s", err.text);
	if (c->trailer_in && !c->trailer_out)
		cli_usage(c, "--trailer=in: files have no trailers (--trailer=out writes one)");
}

int main(int argc, char **argv)
{
	struct cli c;
	struct state s = { .run = { .cli = &c },
		.walk = { .file = on_file, .trouble = on_trouble, .arg = &s } };
	int status;

	cli_start(&c, &program, argc, argv);
	parse_options(&s);
	end_without_memory(&c);
	cli_open(&c);
	doc_begin(&s.run);
	/* Bytes are counted after decompression, so the total is unknown. */
	c.progress.total = 0;
	for (size_t i = 0; i < c.n_operands; i++)
		read_operand(&s, c.operands[i]);
	doc_end(&s.run);
	status = cli_finish(&c);
	report_ingest(&s.run);
	report_ids(&s);
	report_walk(&s);
	sh_ingest_free(&s.run.in);
	return s.run.failed ? EXIT_TROUBLE : status;
}
