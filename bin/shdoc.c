/* SPDX-License-Identifier: MIT */
/* shdoc: files to documents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "doc.h"
#include "ingest/page.h"
#include "io/walk.h"
#include "record/escape.h"
#include "record/json.h"

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

#define PURPOSE                                                                                    \
	"Files (text, HTML, JSON, WARC, mbox, tar, ZIP, 7z; compressed too) to documents "         \
	"(id<TAB>text)."

static const struct cli_program program = {
	.name = "shdoc",
	.synopsis = "[FILE|FOLDER...]",
	.purpose = PURPOSE,
	.options = { options },
	.threads = "documents",
	.all_processors = true,
	.reaches = true,
	.lacks = sh_ingest_lacks,
};

/* Returns the program, with a help text that names the forms that this build cannot read. */
static const struct cli_program *program_here(void)
{
	static struct cli_program lacking;
	static char purpose[400];

	if (!*sh_ingest_lacks())
		return &program;
	snprintf(purpose, sizeof purpose, "%s\nThis build is without%s.", PURPOSE,
	    sh_ingest_lacks() + 1);
	lacking = program;
	lacking.purpose = purpose;
	return &lacking;
}

#define DEFAULT_MAX_SIZE ((size_t)256 << 20)
#define LARGEST_MAX_SIZE ((size_t)1000 << 20) /* a record's line must be shorter than 2 GiB */

/* ---- documents ---- */

void doc_count_id(struct doc_run *run, struct sh_slice id)
{
	struct sh_error err;
	bool again;

	if (sh_ids_add(&run->ids, id, &again, &err) < 0)
		cli_die(run->cli, &err);
	run->repeated += again;
}

int doc_add_line(const struct doc_run *run, struct sh_buf *out, const struct sh_document *doc,
    struct sh_error *err)
{
	if (run->json)
		return sh_buf_add(out, "{\"id\":", 6, err) < 0 ||
			       sh_json_add_string(doc->id, out, err) < 0 ||
			       sh_buf_add(out, ",\"text\":", 8, err) < 0 ||
			       sh_json_add_string(doc->text, out, err) < 0 ||
			       sh_buf_add(out, "}\n", 2, err) < 0
			   ? -1
			   : 0;
	return sh_buf_add(out, doc->id.p, doc->id.n, err) < 0 ||
		       sh_buf_add(out, "\t", 1, err) < 0 || sh_escape(doc->text, out, err) < 0 ||
		       sh_buf_add(out, "\n", 1, err) < 0
		   ? -1
		   : 0;
}

struct sh_slice doc_line_id(const struct doc_run *run, struct sh_slice line)
{
	/* Quotes within the id are escaped. */
	const char *p = run->json ? line.p + 7 : line.p;
	const char *end =
	    run->json ? memmem(p, line.n - 7, "\",\"text\":", 9) : memchr(p, '\t', line.n);

	return sh_slice(p, (size_t)(end - p));
}

static int on_document(
    void *arg, const struct sh_document *doc, struct sh_slice notes, struct sh_error *err)
{
	struct doc_run *run = arg;
	struct sh_buf *b = &run->record;

	b->n = 0;
	if (doc_add_line(run, b, doc, err) < 0)
		return -1;
	cli_write(run->cli, b->p, b->n);
	doc_count_id(run, doc_line_id(run, sh_buf_slice(b)));
	if (run->verbose)
		cli_warn(run->cli, "%.*s: %.*s", (int)doc->id.n, doc->id.p, (int)notes.n, notes.p);
	progress_read(&run->cli->progress, 0, 1);
	return 0;
}

static void on_progress(void *arg, uint64_t n)
{
	struct doc_run *run = arg;

	progress_read(&run->cli->progress, n, 0);
}

static int on_bad(void *arg, struct sh_slice record, struct sh_error *err)
{
	struct doc_run *run = arg;

	cli_reject(run->cli, record, err);
	return 0;
}

enum { NAMED = 10 }; /* files that are left out and named; all are counted */

void doc_left_out(struct doc_run *run, struct sh_slice text, bool file)
{
	if (run->verbose || (file && run->named++ < NAMED))
		cli_warn(run->cli, "%.*s", (int)text.n, text.p);
}

static void on_skipped(void *arg, const char *what, bool file)
{
	struct doc_run *run = arg;
	char text[DOC_MESSAGE];
	int n = snprintf(text, sizeof text, "%s: left out: %s", run->in.reader->name, what);

	doc_left_out(
	    run, sh_slice(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1), file);
}

/* ---- files ---- */

/* Reports a file or member that cannot be read. The next one is read. */
static int on_trouble(void *arg, struct sh_error *err)
{
	struct doc_run *run = arg;

	if (err->code == SH_ERR_NOMEM)
		cli_die(run->cli, err);
	if (err->file && err->line)
		cli_warn(
		    run->cli, "%s:%llu: %s", err->file, (unsigned long long)err->line, err->text);
	else
		cli_warn(run->cli, "%s%s%s", err->file ? err->file : "", err->file ? ": " : "",
		    err->text);
	run->failed++;
	cli_incomplete(run->cli);
	return 0;
}

/* Returns whether the path is an output of this run. */
static bool is_output(const struct cli *c, const char *path)
{
	return sh_is_open_file(path, c->out.fd) ||
	       (c->out_path && sh_is_input(path, c->out_path)) ||
	       (c->rejects_path &&
		   (sh_is_open_file(path, c->rejects.fd) || sh_is_input(path, c->rejects_path)));
}

static int on_file(void *arg, const char *path, int fd, struct sh_error *err)
{
	struct doc_run *run = arg;
	const char *id = path;

	if (run->operand) {
		id += strlen(run->operand);
		id += *id == '/';
		if (is_output(run->cli, path)) {
			cli_warn(run->cli, "%s: left out: the output is written to it", path);
			if (fd >= 0)
				close(fd);
			return 0;
		}
	}
	return (run->feed ? doc_jobs_file(run, path, fd, sh_slice_str(id), err)
			  : sh_ingest_file(&run->in, path, fd, sh_slice_str(id), err)) < 0
		   ? on_trouble(run, err)
		   : 0;
}

static void read_operand(struct doc_run *run, const char *operand)
{
	struct sh_walk walk = {
		.follow = run->follow, .file = on_file, .trouble = on_trouble, .arg = run
	};
	struct sh_error err;

	run->operand = NULL;
	if (strcmp(operand, "-") == 0 || !sh_is_folder(operand)) {
		on_file(run, operand, -1, &err);
		return;
	}
	run->operand = operand;
	run->folders++;
	if (sh_walk(&walk, operand, &err) < 0)
		cli_die(run->cli, &err);
	run->links += walk.links;
	run->special += walk.special;
	run->temporary += walk.temporary;
}

/* ---- the report at the end ---- */

static void report_ingest(struct doc_run *run)
{
	const struct sh_ingest *in = &run->in;
	struct cli *c = run->cli;

	for (uint32_t i = 0; i < in->assumed.names.n; i++) {
		struct sh_slice name = sh_hmap_key(&in->assumed.names, i);
		uint64_t n = in->assumed.count[i];

		cli_warn(c, "%llu text%s taken for %.*s", (unsigned long long)n, CLI_PLURAL(n),
		    (int)name.n, name.p);
	}
	for (uint32_t i = 0; i < in->left_out.names.n; i++) {
		struct sh_slice name = sh_hmap_key(&in->left_out.names, i);

		cli_warn(c, "left out: %.*s: %llu", (int)name.n, name.p,
		    (unsigned long long)in->left_out.count[i]);
	}
	for (uint32_t i = 0; i < in->as_text.names.n; i++) {
		struct sh_slice name = sh_hmap_key(&in->as_text.names, i);
		uint64_t n = in->as_text.count[i];

		cli_warn(c, "%llu file%s taken for one text%s: %.*s", (unsigned long long)n,
		    CLI_PLURAL(n), n == 1 ? "" : " each", (int)name.n, name.p);
	}
	if (in->body.ill)
		cli_warn(c, "%llu ill-formed sequence%s replaced by U+FFFD",
		    (unsigned long long)in->body.ill, CLI_PLURAL(in->body.ill));
}

static void report_walk(struct doc_run *run)
{
	struct cli *c = run->cli;

	if (run->links)
		cli_warn(c, "%llu symbolic link%s not followed %s", (unsigned long long)run->links,
		    CLI_PLURAL(run->links),
		    run->follow ? "to folders that were read before" : "(--follow)");
	if (run->special)
		cli_warn(c, "%llu special file%s left out", (unsigned long long)run->special,
		    CLI_PLURAL(run->special));
	if (run->temporary)
		cli_warn(c, "%llu temporary file%s (.NAME.XXXXXX) left out",
		    (unsigned long long)run->temporary, CLI_PLURAL(run->temporary));
	if (run->failed)
		cli_warn(c, "%llu file%s or folder%s could not be read",
		    (unsigned long long)run->failed, CLI_PLURAL(run->failed),
		    CLI_PLURAL(run->failed));
}

static void report_ids(struct doc_run *run)
{
	if (run->repeated)
		cli_warn(run->cli, "%llu repeated id%s: other programs need distinct ids%s",
		    (unsigned long long)run->repeated, CLI_PLURAL(run->repeated),
		    run->folders > 1 ? " (shdoc of the folder above them makes them differ)" : "");
	if (run->ids.full)
		cli_warn(run->cli, "only the first %lu ids were compared with later ones",
		    (unsigned long)SH_IDS_MAX);
}

/* ---- options ---- */

static void set_option(struct doc_run *run, int opt)
{
	struct cli *c = run->cli;
	uint64_t size;

	switch (opt) {
	case FORMAT:
		run->in.format = (enum sh_format)cli_choice(c, opt);
		break;
	case JSON:
		run->json = run->in.utf8_ids = true;
		break;
	case 'f':
		run->fields = c->arg;
		break;
	case 'l':
		run->in.json.line_ids = true;
		break;
	case FROM_CHARSET:
		if (!sh_charset_known(&run->in.body.charset, c->arg))
			cli_usage(
			    c, "--from-charset '%s': iconv does not know it (iconv -l)", c->arg);
		run->in.body.charset.forced = c->arg;
		break;
	case MAX_SIZE:
		size = cli_size(c, "--max-size");
		if (size > LARGEST_MAX_SIZE)
			cli_usage(c, "--max-size '%s': at most 1000M", c->arg);
		run->in.max_size = (size_t)size;
		break;
	case FOLLOW:
		run->follow = true;
		break;
	case VERBOSE:
		run->verbose = true;
		break;
	}
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

static void parse_options(struct doc_run *run)
{
	struct cli *c = run->cli;
	struct sh_error err;
	int opt;

	while ((opt = cli_next(c)) != -1)
		set_option(run, opt);
	if (run->fields && sh_document_form_parse(run->fields, &run->in.json, &err) < 0)
		cli_usage(c, "-f: %s", err.text);
	if (c->trailer_in && !c->trailer_out)
		cli_usage(c, "--trailer=in: files have no trailers (--trailer=out writes one)");
}

int main(int argc, char **argv)
{
	struct cli c;
	struct doc_run run = { .cli = &c };
	struct sh_error err;
	int status;

	cli_start(&c, program_here(), argc, argv);
	run.in.max_size = DEFAULT_MAX_SIZE;
	run.in.document = on_document;
	run.in.bad = on_bad;
	run.in.skipped = on_skipped;
	run.in.trouble = on_trouble;
	run.in.progress = on_progress;
	run.in.arg = &run;
	if (sh_ingest_init(&run.in, &err) < 0 || sh_ids_init(&run.ids, &err) < 0)
		cli_die(&c, &err);
	parse_options(&run);
	end_without_memory(&c);
	cli_open(&c);
	doc_jobs_begin(&run);
	/* Bytes are counted after decompression, so the total is unknown. */
	c.progress.total = 0;
	for (size_t i = 0; i < c.n_operands; i++)
		read_operand(&run, c.operands[i]);
	if (c.n_operands == 0)
		read_operand(&run, "-");
	doc_jobs_end(&run);
	status = cli_finish(&c);
	report_ingest(&run);
	report_ids(&run);
	report_walk(&run);
	sh_ingest_free(&run.in);
	sh_ids_free(&run.ids);
	sh_buf_free(&run.record);
	return run.failed ? EXIT_TROUBLE : status;
}
