/* SPDX-License-Identifier: MIT */
/* The part of shdedup that writes one output for each input (-O), and resumes killed runs. */
#include <stdlib.h>

#include "dedup.h"
#include "io/target.h"
#include "io/walk.h"

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
			   *base = slash ? slash + 1 : input;
		size_t n = how->compress ? length_without_suffix(base) : strlen(base);
		char *path;
		uint32_t at;
		bool fresh;

		if (strcmp(input, "-") == 0 || !*base || strchr(base, '\n') ||
		    strncmp(base, SH_FINISHED_LIST, strlen(SH_FINISHED_LIST)) == 0)
			cli_usage(c, "-O: no output can be named after the input '%s'", input);
		if (asprintf(&path, "%s/%.*s%s", how->shards, (int)n, base,
			how->form ? how->form->suffix : "") < 0) {
			sh_error_nomem(&err);
			cli_die(c, &err);
		}
		d->path[i] = path;
		d->name[i] = path + strlen(how->shards) + 1;
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

/* Returns the lines so far. They are valid until a line is added. */
static struct sh_slice lines_of(struct dedup_state *s)
{
	struct sh_error err;

	if (fflush(s->shards.list) == 0 && !ferror(s->shards.list))
		return sh_slice(s->shards.text, s->shards.n);
	sh_error_nomem(&err);
	cli_die(s->cli, &err);
}

static const struct sh_codec *form_of(const struct dedup_state *s, size_t i)
{
	const struct sh_codec *codec = s->corpus.file[i].codec;

	if (s->settings->compress)
		return s->settings->form;
	return codec && codec->suffix ? codec : NULL;
}

/* Adds a checksum of the decisions: which documents stay, and with --mark the ids of keepers and
 * the verdicts. Files of ids or of words, and other versions of libraries, may change them. An
 * archive that knows the documents makes the same decisions again. */
static void list_decisions(struct dedup_state *s)
{
	struct {
		uint64_t before, keeper, verdict;
	} sum = { 0, 0, 0 };
	struct sh_slice all = sh_slice((const char *)(const void *)&sum, sizeof sum), id;
	struct sh_error err;

	for (uint32_t i = 0; i < s->corpus.n; i++) {
		sum.keeper = !sh_batch_stays(&s->archive, i);
		sum.verdict = 0;
		if (sum.keeper && s->settings->mark.n) {
			struct sh_verdict v = sh_engine_verdict(s->engine, i);

			if (sh_batch_keeper_id(&s->archive, i, &s->keeper_room, &id, &err) < 0)
				cli_die(s->cli, &err);
			sum.keeper = sh_finished_sum(id);
			sum.verdict = (uint64_t)v.similarity << 8 | v.measure;
		}
		sum.before = sh_finished_sum(all);
	}
	fprintf(s->shards.list, "keepers %016llx\n", (unsigned long long)sum.before);
}

/* ---- the run ---- */

void dedup_shards_open(struct dedup_state *s, bool (*decides)(int code))
{
	const struct dedup_settings *how = s->settings;
	struct dedup_shards *d = &s->shards;
	struct cli *c = s->cli;
	struct sh_error err;

	if (!how->shards)
		return;
	name_outputs(s);
	d->list = open_memstream(&d->text, &d->n);
	if (!d->list) {
		sh_error_nomem(&err);
		cli_die(c, &err);
	}
	/* Options as they were typed. Their effect, and that of files and of defaults, is in the
	 * checksum of the decisions. */
	for (int code = 0; code < CLI_CODES; code++)
		if (decides(code) && cli_given(c, code))
			fprintf(d->list, "option %s %s\n", cli_option_name(c, code),
			    opt_text(c, code) ? opt_text(c, code) : "yes");
	fprintf(d->list, "option end\n");
	if (sh_finished_open(&d->finished, how->shards, d->name, c->n_operands, how->wait,
		lines_of(s), &err) < 0)
		cli_die(c, &err);
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
		const struct sh_corpus_file *file = &corpus->file[i];

		fprintf(d->list, "input %016llx %llu %s %s\n",
		    (unsigned long long)sh_finished_sum(sh_slice(file->p, file->n)),
		    (unsigned long long)file->n, form ? form->name : none, d->name[i]);
	}
	list_decisions(s);
	if (sh_finished_begin(&d->finished, lines_of(s), &err) < 0)
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
	for (size_t i = 0; d->path && i < s->cli->n_operands; i++)
		free(d->path[i]);
	free(d->name);
	free(d->path);
	if (d->list)
		fclose(d->list);
	free(d->text);
}
