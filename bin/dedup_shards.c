/* SPDX-License-Identifier: MIT */
/* The part of shdedup that writes one output for each input (-O), and resumes killed runs. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "dedup.h"
#include "io/target.h"
#include "io/walk.h"
#include "made_with.h"
#include "names.h"

static const char none[] = "none";

const char *dedup_shards_forms(unsigned i)
{
	const struct sh_codec *form = i ? sh_codec_at(i - 1) : NULL;

	return i == 0 ? none : form && form->suffix ? form->name : NULL;
}

/* ---- names ---- */

/* Returns the length of the name without the suffix of a compressed form. */
static size_t length_without_suffix(const char *name)
{
	const struct sh_codec *form;
	size_t n = strlen(name);

	for (unsigned i = 0; (form = sh_codec_at(i)) && form->suffix; i++) {
		size_t suffix = strlen(form->suffix);

		if (n > suffix && strcmp(name + n - suffix, form->suffix) == 0)
			return n - suffix;
	}
	return n;
}

/* Returns a text in the form of vprintf(), to be freed. */
__attribute__((format(printf, 2, 0))) static char *print_list(
    struct cli *c, const char *fmt, va_list ap)
{
	struct sh_error err;
	char *text;

	if (vasprintf(&text, fmt, ap) >= 0)
		return text;
	sh_error_nomem(&err);
	cli_die(c, &err);
}

__attribute__((format(printf, 2, 3))) static char *print(struct cli *c, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = print_list(c, fmt, ap);
	va_end(ap);
	return text;
}

/* Names the outputs as the inputs. With --compress the suffix is that of the form. Refuses an
 * output that would replace an input or another output. */
static void name_outputs(struct dedup_state *s)
{
	const struct dedup_settings *how = s->settings;
	struct cli *c = s->cli;
	struct dedup_shards *d = &s->shards;
	struct sh_hmap names;
	struct sh_error err;

	d->name = cli_zeroed(c, c->n_operands, sizeof *d->name);
	d->path = cli_zeroed(c, c->n_operands, sizeof *d->path);
	if (sh_hmap_init(&names, &err) < 0)
		cli_die(c, &err);
	for (size_t i = 0; i < c->n_operands; i++) {
		const char *input = c->operands[i], *slash = strrchr(input, '/'),
			   *base = slash ? slash + 1 : input, *path;
		size_t n = how->compress ? length_without_suffix(base) : strlen(base);
		uint32_t at;
		bool fresh;

		if (strcmp(input, "-") == 0 || !*base || strchr(base, '\n') ||
		    strncmp(base, SH_FINISHED_LIST, strlen(SH_FINISHED_LIST)) == 0)
			cli_usage(c, "-O: no output can be named after the input '%s'", input);
		d->name[i] = print(c, "%.*s%s", (int)n, base, how->form ? how->form->suffix : "");
		path = d->path[i] = print(c, "%s/%s", how->shards, d->name[i]);
		if (sh_hmap_put(&names, sh_slice_str(d->name[i]), &at, &fresh, &err) < 0)
			cli_die(c, &err);
		if (!fresh)
			cli_usage(c, "-O: '%s' and '%s' would both be written to '%s'",
			    c->operands[at], input, path);
		if (sh_is_input(input, path))
			cli_usage(
			    c, "-O %s: '%s' is an input, and would be lost", how->shards, path);
		if (how->report_path && sh_target_same(how->report_path, path))
			cli_usage(c, "--report %s: -O writes documents to this file", path);
		if (c->rejects_path && sh_target_same(c->rejects_path, path))
			cli_usage(c, "--rejects %s: -O writes documents to this file", path);
	}
	sh_hmap_free(&names);
}

/* ---- the list of sh_finished: what decides the content of the outputs ---- */

__attribute__((format(printf, 2, 3))) static void list(struct dedup_state *s, const char *fmt, ...)
{
	struct sh_error err;
	char *line;
	va_list ap;

	va_start(ap, fmt);
	line = print_list(s->cli, fmt, ap);
	va_end(ap);
	if (sh_buf_add(&s->shards.lines, line, strlen(line), &err) < 0)
		cli_die(s->cli, &err);
	free(line);
}

static void list_option(struct dedup_state *s, const char *name, struct sh_slice value)
{
	list(s, "option %s %.*s\n", name, (int)value.n, value.p);
}

static void list_flag(struct dedup_state *s, const char *name, bool on)
{
	list_option(s, name, sh_slice_str(on ? "yes" : "no"));
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
	const uint64_t *key = s->store.manifest.key;
	const char delimiter = form->csv ? sh_document_delimiter(form) : 0;
	struct sh_archive_rows made;
	char edit[SH_NUM_CHARS + 1];

	made_with_list(s->cli, how, &made);
	for (size_t i = 0; i < made.n; i++)
		list_option(s, made.row[i].name.p, made.row[i].value);
	edit[sh_print_weight(edit, (int64_t)how->measures.edit)] = '\0';
	list(s, "option --measure %s\noption -T-edit %s\noption --link %s\noption --keep %s\n",
	    how->measures.measure->name, edit, link_names(!how->single), keep[how->keep.by]);
	list_option(s, "--keep-field", how->keep.field);
	list_option(s, "--mark", how->mark);
	list_flag(s, "--json", form->json);
	list_flag(s, "--csv", form->csv);
	list_option(s, "--delimiter", sh_slice(&delimiter, form->csv));
	list_flag(s, "--header", form->columns != NULL);
	list(s, "option -f %s\n", how->docs.of.fields ? how->docs.of.fields : "no");
	list_flag(s, "-l", form->line_ids);
	list_flag(s, "--raw", how->docs.token.raw);
	list_flag(s, "--crlf", form->crlf);
	list_flag(s, "--trailer", s->cli->trailer_out);
	if (how->archive)
		list(s, "option -a %016llx%016llx\n", (unsigned long long)key[0],
		    (unsigned long long)key[1]);
	else
		list_flag(s, "-a", false);
	list(s, "option --compress %s\n",
	    !how->compress ? "as-input"
	    : how->form    ? how->form->name
			   : none);
}

static const struct sh_codec *form_of(const struct dedup_state *s, size_t i)
{
	const struct sh_codec *codec = s->corpus.file[i].codec;

	if (s->settings->compress)
		return s->settings->form;
	return codec && codec->suffix ? codec : NULL;
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
	struct sh_error err;

	for (uint32_t i = 0; i < s->corpus.n; i++) {
		sum.keeper = !dedup_stays(s, i);
		if (sum.keeper && s->settings->mark.n) {
			if (dedup_keeper_id(s, i, &room, &id, &err) < 0)
				cli_die(s->cli, &err);
			sum.keeper = sh_finished_sum(id);
		}
		sum.before = sh_finished_sum(all);
	}
	list(s, "keepers %016llx\n", (unsigned long long)sum.before);
	sh_document_room_free(&room);
}

/* ---- the run ---- */

void dedup_shards_open(struct dedup_state *s)
{
	const struct dedup_settings *how = s->settings;
	struct dedup_shards *d = &s->shards;
	struct sh_error err;

	if (!how->shards)
		return;
	name_outputs(s);
	list_options(s);
	if (sh_finished_open(
		&d->finished, how->shards, d->name, s->cli->n_operands, how->wait, &err) < 0 ||
	    sh_finished_compare(&d->finished, sh_buf_slice(&d->lines), &err) < 0)
		cli_die(s->cli, &err);
}

static void write_one(struct dedup_state *s, size_t i, uint32_t from, uint32_t to)
{
	const struct sh_codec *form = form_of(s, i);
	struct sh_sink out;
	struct sh_error err;

	cli_open_further(s->cli, &out, s->shards.path[i]);
	out.crlf = s->cli->crlf;
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

	if (!s->settings->shards)
		return;
	for (size_t i = 0; i < corpus->n_files; i++) {
		const struct sh_codec *form = form_of(s, i);

		list(s, "input %016llx %llu %s %s\n",
		    (unsigned long long)sh_finished_sum(
			sh_slice(corpus->file[i].p, corpus->file[i].n)),
		    (unsigned long long)corpus->file[i].n, form ? form->name : none, d->name[i]);
	}
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
		    corpus->n_files, s->settings->shards);
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
