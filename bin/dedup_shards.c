/* SPDX-License-Identifier: MIT */
#include "dedup_shards.h"

#include <stdio.h>
#include <stdlib.h>

#include "dedup.h"
#include "io/target.h"
#include "io/walk.h"
#include "made_with.h"
#include "names.h"

/* ---- options ---- */

static const char none[] = "none";

const char *dedup_shards_forms(unsigned i)
{
	const struct sh_compressor *form = i ? sh_compressor_at(i - 1) : NULL;

	return i == 0 ? none : form ? form->name : NULL;
}

void dedup_shards_set_form(struct cli *c, struct dedup_shards_settings *s, int opt)
{
	struct sh_error err;

	s->compress = true;
	s->form = sh_compressor_named(cli_value(c, opt));
	if (s->form && !s->form->start) {
		sh_compressor_lacking(s->form, &err);
		cli_die(c, &err);
	}
}

void dedup_shards_complete(struct cli *c, const struct dedup_settings *s)
{
	if (!s->shards.dir && s->shards.compress)
		cli_usage(c, "--compress needs -O DIR");
	if (!s->shards.dir)
		return;
	if (!*s->shards.dir)
		cli_usage(c, "-O: the name of the folder is empty (is a shell variable unset?)");
	if (c->out_path)
		cli_usage(c, "-O and -o contradict each other: -O writes one file for each input");
	if (s->dry_run)
		cli_usage(c, "-O cannot be used with %s, which writes no documents",
		    s->sample ? "--sample" : "--dry-run");
	if (c->n_operands == 0)
		cli_usage(c, "-O needs the names of input files");
}

/* ---- names ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns the length of the name without the suffix of a compressed form. */
static size_t length_without_suffix(const char *name)
{
	const struct sh_compressor *form;
	size_t n = strlen(name);

	for (unsigned i = 0; (form = sh_compressor_at(i)); i++) {
		size_t suffix = strlen(form->suffix);

		if (n > suffix && strcmp(name + n - suffix, form->suffix) == 0)
			return n - suffix;
	}
	return n;
}

/* Returns the name of the output for an input, to be freed: the base name of the input. With
 * --compress the suffix is that of the form. */
static char *output_name(struct cli *c, const struct dedup_shards_settings *s, const char *input)
{
	const char *base = base_name(input);
	size_t n = s->compress ? length_without_suffix(base) : strlen(base);
	struct sh_error err;
	char *name;

	if (strcmp(input, "-") == 0 || !*base || strchr(base, '\n') ||
	    strncmp(base, SH_FINISHED_LIST, strlen(SH_FINISHED_LIST)) == 0)
		cli_usage(c, "-O: no output can be named after the input '%s'", input);
	if (asprintf(&name, "%.*s%s", (int)n, base, s->form ? s->form->suffix : "") < 0) {
		sh_error_nomem(&err);
		cli_die(c, &err);
	}
	return name;
}

/* Refuses an output that would replace an input or another output. */
static void check_path(struct cli *c, const struct dedup_settings *s, size_t i, const char *path)
{
	if (sh_is_input(c->operands[i], path))
		cli_usage(c, "-O %s: '%s' is an input, and would be lost", s->shards.dir, path);
	if (s->report_path && sh_target_same(s->report_path, path))
		cli_usage(c, "--report %s: -O writes documents to this file", path);
	if (c->rejects_path && sh_target_same(c->rejects_path, path))
		cli_usage(c, "--rejects %s: -O writes documents to this file", path);
}

static void name_outputs(struct dedup_state *s)
{
	const struct dedup_shards_settings *how = &s->settings->shards;
	struct cli *c = s->cli;
	struct dedup_shards *d = &s->shards;
	struct sh_hmap names;
	struct sh_error err;

	d->name = calloc(c->n_operands, sizeof *d->name);
	d->path = calloc(c->n_operands, sizeof *d->path);
	if (!d->name || !d->path) {
		sh_error_nomem(&err);
		cli_die(c, &err);
	}
	if (sh_hmap_init(&names, &err) < 0)
		cli_die(c, &err);
	for (size_t i = 0; i < c->n_operands; i++) {
		uint32_t at;
		bool fresh;

		d->name[i] = output_name(c, how, c->operands[i]);
		if (sh_hmap_put(&names, sh_slice_str(d->name[i]), &at, &fresh, &err) < 0)
			cli_die(c, &err);
		if (!fresh)
			cli_usage(c, "-O: '%s' and '%s' would both be written to '%s/%s'",
			    c->operands[at], c->operands[i], how->dir, d->name[i]);
		if (asprintf(&d->path[i], "%s/%s", how->dir, d->name[i]) < 0) {
			sh_error_nomem(&err);
			cli_die(c, &err);
		}
		check_path(c, s->settings, i, d->path[i]);
	}
	sh_hmap_free(&names);
}

/* ---- the list of sh_finished: what decides the content of the outputs ---- */

static void list(struct dedup_state *s, const char *name, struct sh_slice value)
{
	struct sh_buf *lines = &s->shards.lines;
	struct sh_error err;

	if (sh_buf_add(lines, "option ", 7, &err) < 0 ||
	    sh_buf_add(lines, name, strlen(name), &err) < 0 ||
	    sh_buf_add(lines, " ", 1, &err) < 0 ||
	    (value.n && sh_buf_add(lines, value.p, value.n, &err) < 0) ||
	    sh_buf_add(lines, "\n", 1, &err) < 0)
		cli_die(s->cli, &err);
}

static void list_text(struct dedup_state *s, const char *name, const char *value)
{
	list(s, name, sh_slice_str(value ? value : "no"));
}

static void list_flag(struct dedup_state *s, const char *name, bool on)
{
	list_text(s, name, on ? "yes" : "no");
}

/* Adds all options that decide the content of the outputs. Files of ids are represented by their
 * effect: see list_decisions(). */
static void list_options(struct dedup_state *s)
{
	static const char *const keep[] = {
		[SH_RANK_FIRST] = "first",
		[SH_RANK_LONGEST] = "longest",
		[SH_RANK_NEWEST] = "newest",
		[SH_RANK_LISTED] = "FILE",
		[SH_RANK_LARGEST] = "max:",
		[SH_RANK_SMALLEST] = "min:",
	};
	const struct dedup_settings *how = s->settings;
	const struct sh_document_form *form = &how->docs.docs.form;
	const uint64_t *key = s->archive.store.manifest.key;
	struct made_with made;
	char edit[SH_NUM_CHARS + 1], archive[33];

	made_with_list(s->cli, how, &made);
	for (size_t i = 0; i < made.n; i++)
		list(s, made.row[i].name.p, made.row[i].value);
	edit[sh_print_weight(edit, (int64_t)how->measures.edit)] = '\0';
	list_text(s, "--measure", how->measures.measure->name);
	list_text(s, "-T-edit", edit);
	list_text(s, "--link", link_names(!how->single));
	list_text(s, "--keep", keep[how->keep.by]);
	list(s, "--keep-field", how->keep.field);
	list(s, "--mark", how->mark);
	list_flag(s, "--json", form->json);
	list_flag(s, "--csv", form->csv);
	list(s, "--delimiter",
	    sh_slice(form->csv ? (char[]){ sh_document_delimiter(form) } : "", form->csv));
	list_flag(s, "--header", form->columns != NULL);
	list_text(s, "-f", how->docs.of.fields);
	list_flag(s, "-l", form->line_ids);
	list_flag(s, "--raw", how->docs.token.raw);
	list_flag(s, "--crlf", form->crlf);
	list_flag(s, "--trailer", s->cli->trailer_out);
	snprintf(archive, sizeof archive, "%016llx%016llx", (unsigned long long)key[0],
	    (unsigned long long)key[1]);
	list_text(s, "-a", how->archive.dir ? archive : "no");
	list_text(s, "--compress",
	    !how->shards.compress ? "as-input"
	    : how->shards.form    ? how->shards.form->name
				  : none);
}

static const struct sh_compressor *form_of(const struct dedup_state *s, size_t i)
{
	const struct sh_codec *codec = s->corpus.file[i].codec;

	if (s->settings->shards.compress)
		return s->settings->shards.form;
	return codec ? sh_compressor_named(codec->name) : NULL;
}

/* Adds a checksum of each input's decompressed bytes, and the form of its output. */
static void list_inputs(struct dedup_state *s)
{
	struct dedup_shards *d = &s->shards;
	char text[80];
	struct sh_error err;

	for (size_t i = 0; i < s->corpus.n_files; i++) {
		const struct sh_corpus_file *f = &s->corpus.file[i];
		const struct sh_compressor *form = form_of(s, i);
		int n = snprintf(text, sizeof text, "input %016llx %llu %s ",
		    (unsigned long long)sh_finished_sum(sh_slice(f->p, f->n)),
		    (unsigned long long)f->n, form ? form->name : none);

		if (sh_buf_add(&d->lines, text, (size_t)n, &err) < 0 ||
		    sh_buf_add(&d->lines, d->name[i], strlen(d->name[i]), &err) < 0 ||
		    sh_buf_add(&d->lines, "\n", 1, &err) < 0)
			cli_die(s->cli, &err);
	}
}

/* Adds a checksum of the decisions: which documents stay, and with --mark the ids of keepers. Files
 * of ids and other versions of libraries may change them. An archive that knows the documents makes
 * the same decisions again. */
static void list_decisions(struct dedup_state *s)
{
	struct {
		uint64_t before, keeper;
	} sum = { 0, 0 };
	struct sh_document_room room = { 0 };
	struct sh_slice all = sh_slice((const char *)(const void *)&sum, sizeof sum), id;
	char text[40];
	struct sh_error err;
	int n;

	for (uint32_t i = 0; i < s->corpus.n; i++) {
		sum.keeper = !dedup_stays(s, i);
		if (sum.keeper && s->settings->mark.n) {
			if (dedup_keeper_id(s, i, &room, &id, &err) < 0)
				cli_die(s->cli, &err);
			sum.keeper = sh_finished_sum(id);
		}
		sum.before = sh_finished_sum(all);
	}
	n = snprintf(text, sizeof text, "keepers %016llx\n", (unsigned long long)sum.before);
	sh_document_room_free(&room);
	if (sh_buf_add(&s->shards.lines, text, (size_t)n, &err) < 0)
		cli_die(s->cli, &err);
}

/* ---- the run ---- */

void dedup_shards_open(struct dedup_state *s)
{
	const struct dedup_settings *how = s->settings;
	struct dedup_shards *d = &s->shards;
	struct sh_error err;

	if (!how->shards.dir)
		return;
	name_outputs(s);
	list_options(s);
	if (sh_finished_open(&d->finished, how->shards.dir, d->name, s->cli->n_operands,
		how->archive.wait, &err) < 0 ||
	    sh_finished_compare(&d->finished, sh_buf_slice(&d->lines), &err) < 0)
		cli_die(s->cli, &err);
}

static void write_one(struct dedup_state *s, size_t i, uint32_t from, uint32_t to)
{
	const struct sh_compressor *form = form_of(s, i);
	struct sh_sink out;
	struct sh_error err;

	cli_open_further(s->cli, &out, s->shards.path[i]);
	out.summer.crlf = s->cli->crlf;
	if (form && sh_sink_compress(&out, form, &err) < 0)
		cli_die(s->cli, &err);
	dedup_write_header(s, &out, i);
	dedup_write_documents(s, &out, from, to);
	cli_close_further(s->cli, &out);
	if (sh_finished_add(&s->shards.finished, i, &err) < 0)
		cli_die(s->cli, &err);
}

void dedup_shards_write(struct dedup_state *s)
{
	const struct sh_corpus *corpus = &s->corpus;
	struct dedup_shards *d = &s->shards;
	uint32_t from = 0, to;
	size_t complete = 0;
	struct sh_error err;

	list_inputs(s);
	list_decisions(s);
	if (sh_finished_begin(&d->finished, sh_buf_slice(&d->lines), &err) < 0)
		cli_die(s->cli, &err);
	for (size_t i = 0; i < corpus->n_files; i++, from = to) {
		uint64_t end = corpus->file[i].base + corpus->file[i].n;

		for (to = from; to < corpus->n && corpus->at[to] < end;)
			to++;
		complete += d->finished.done[i];
		if (!d->finished.done[i])
			write_one(s, i, from, to);
	}
	if (complete && !s->settings->quiet)
		cli_warn(s->cli, "%zu of %zu files in '%s' were complete", complete,
		    corpus->n_files, s->settings->shards.dir);
}

void dedup_shards_close(struct dedup_state *s)
{
	struct dedup_shards *d = &s->shards;

	sh_finished_close(&d->finished);
	for (size_t i = 0; d->name && i < s->cli->n_operands; i++) {
		free(d->name[i]);
		free(d->path[i]);
	}
	free(d->name);
	free(d->path);
	sh_buf_free(&d->lines);
}
