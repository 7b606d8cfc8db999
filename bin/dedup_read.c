/* First pass over the documents: the place, the fingerprint and the number of features of each. */
#include <stdlib.h>

#include "base/siphash.h"
#include "dedup.h"
#include "fp/fingerprinter.h"
#include "record/escape.h"
#include "run.h"
#include "unicode/utf8.h"

#define NOT_LISTED UINT32_MAX

/* A worker's results for a document. */
struct found {
	uint64_t line; /* number of its line in the block */
	size_t offset; /* of its line in job->in */
	uint64_t rank;
	uint32_t ranked, protected; /* indexes in these lists of ids, or NOT_LISTED */
	/* What its analysis gave. With an archive that is left to the archive's batch, and n is 0. */
	uint32_t n;
	uint64_t described[]; /* n words, see dedup_describe() */
};

struct worker {
	struct dedup_state *state;
	struct sh_fingerprinter *fingerprinter;
};

static uint64_t rank(const struct dedup_state *s, const struct sh_document *doc, uint32_t ranked)
{
	if (s->settings->rank.name.n)
		return 1; /* dedup_rank() changes it */
	switch (s->settings->keep.which) {
	case SH_PREFER_LONGEST:
		return UINT64_MAX -
		       (s->settings->docs.token.raw ? doc->text.n : sh_unescaped_length(doc->text));
	case SH_PREFER_RANKED:
		return ranked == NOT_LISTED ? UINT64_MAX : ranked;
	default:
		return 0;
	}
}

static uint32_t listed(const struct dedup_ids *list, struct sh_slice id)
{
	uint32_t i;

	return sh_hmap_find(&list->ids, id, &i) ? i : NOT_LISTED;
}

static void note_met(struct dedup_ids *list, uint32_t i)
{
	if (i != NOT_LISTED)
		list->at[i].line = 0;
}

/* ---- what the analysis of a document gives ---- */

enum {
	FEATURES,
	DIGEST,
	SAMPLED,
	FP
}; /* words: three numbers, fingerprint, keys, bag of tokens, sampled features */

static bool has_bag(const struct dedup_state *s)
{
	return s->sample_features && s->settings->fp.bag;
}

static size_t words_without_samples(const struct dedup_state *s)
{
	return FP + SH_FP_WORDS(s->settings->fp.bits) + s->plan.keys.keys +
	       (has_bag(s) ? SH_BAG_WORDS : 0);
}

size_t dedup_description(const struct dedup_state *s)
{
	return words_without_samples(s) + s->sample_features;
}

size_t dedup_describe(const struct dedup_state *s, struct sh_fingerprinter *f,
    const struct sh_fingerprint *fp, uint64_t digest, uint64_t *to)
{
	size_t words = SH_FP_WORDS(s->settings->fp.bits), n = words_without_samples(s);

	to[FEATURES] = fp->empty ? 0 : fp->distinct;
	to[DIGEST] = digest;
	to[SAMPLED] =
	    s->sample_features ? sh_fingerprint_sample(f, fp, s->sample_features, to + n) : 0;
	memcpy(to + FP, fp->w, words * sizeof *to);
	if (has_bag(s))
		memcpy(to + n - SH_BAG_WORDS, sh_fingerprint_bag(f), sizeof(struct sh_bag));
	if (s->plan.keys.keys && to[FEATURES])
		sh_minkeys_of(s->plan.keys,
		    sh_fingerprint_values(f, fp, sh_key_plan_values(&s->plan)), to + FP + words);
	return n + to[SAMPLED];
}

static int take_sample(struct dedup_state *s, const uint64_t *d, struct sh_error *err)
{
	static const struct sh_bag none = { 0 };
	const uint64_t *sample = d ? d + words_without_samples(s) : NULL;
	const struct sh_bag *bag = &none;

	if (!has_bag(s))
		bag = NULL;
	else if (d && d[FEATURES])
		bag = (const struct sh_bag *)(sample - SH_BAG_WORDS);
	return sh_dedup_sample(s->dedup, sample, d ? d[SAMPLED] : 0, bag, err);
}

int dedup_take_description(
    struct dedup_state *s, uint32_t document, const uint64_t *d, struct sh_error *err)
{
	const uint64_t *keys = d ? d + FP + SH_FP_WORDS(s->settings->fp.bits) : NULL;

	if (d)
		sh_dedup_describe(s->dedup, document, d + FP, d[FEATURES]);
	if (s->plan.keys.keys &&
	    sh_dedup_add_keys(s->dedup, d && d[FEATURES] ? keys : NULL, d ? d[DIGEST] : 0, err) < 0)
		return -1;
	return s->sample_features ? take_sample(s, d, err) : 0;
}

/* ---- documents ---- */

static size_t found_bytes(const struct found *f)
{
	return sizeof *f + f->n * sizeof *f->described;
}

static int describe(struct worker *w, const struct sh_document *doc, struct sh_job *job,
    struct found *f, struct sh_error *err)
{
	const struct dedup_state *s = w->state;
	struct sh_fingerprint fp;
	uint64_t digest = 0;

	if (sh_fingerprint(w->fingerprinter, doc->text, &fp, err) < 0)
		return -1;
	if (s->plan.keys.keys)
		digest = sh_siphash(s->corpus.key, doc->text.p, doc->text.n);
	f->n = (uint32_t)dedup_describe(s, w->fingerprinter, &fp, digest, f->described);
	job->ill_formed += fp.bad_utf8;
	return 0;
}

static int each_document(
    void *arg, const struct sh_document *doc, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	const struct dedup_state *s = w->state;
	struct found *f;

	if (sh_buf_reserve(
		&job->out, sizeof *f + dedup_description(s) * sizeof *f->described, err) < 0)
		return -1;
	f = (struct found *)(void *)(job->out.p + job->out.n);
	*f = (struct found){ .line = job->at,
		.offset = job->offset,
		.ranked = listed(&s->ranked, doc->id),
		.protected = listed(&s->protected, doc->id) };
	f->rank = rank(s, doc, f->ranked);
	if (s->settings->archive.dir)
		job->ill_formed += sh_utf8_count_ill(doc->text.p, doc->text.n);
	else if (describe(w, doc, job, f, err) < 0)
		return -1;
	job->out.n += found_bytes(f);
	return 0;
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;

	return sh_docs_work(&w->state->settings->docs.docs, each_document, w, job);
}

/* Adds the documents of a block, in order. */
static int take_block(void *arg, struct sh_job *job, struct sh_error *err)
{
	struct dedup_state *s = arg;
	uint64_t begin = job->from.at + (uint64_t)(job->in.p - job->chunk.p);
	const struct found *f;

	for (size_t at = 0; at < job->out.n; at += found_bytes(f)) {
		f = (const struct found *)(const void *)(job->out.p + at);
		uint32_t i = (uint32_t)s->corpus.n;
		uint64_t r = s->settings->keep.which == SH_PREFER_NEWEST ? UINT64_MAX - i : f->rank;

		if (sh_corpus_add(&s->corpus, begin + f->offset, job->from.number + f->line, err) <
			0 ||
		    sh_dedup_add(s->dedup, r, f->protected != NOT_LISTED, err) < 0)
			return -1;
		if (f->n && dedup_take_description(s, i, f->described, err) < 0)
			return -1;
		note_met(&s->ranked, f->ranked);
		note_met(&s->protected, f->protected);
	}
	return 0;
}

static void open_files(struct dedup_state *s, int *fds)
{
	struct cli *c = s->cli;
	struct sh_error err;

	if (sh_corpus_init(&s->corpus, &s->settings->docs.docs.form, &err) < 0)
		cli_die(c, &err);
	s->corpus.tables = &s->tables;
	s->corpus.keeps_open = true;
	for (size_t i = 0; i < (c->n_operands ? c->n_operands : 1); i++) {
		if (sh_corpus_open(
			&s->corpus, c->n_operands ? c->operands[i] : "-", c->tmpdir, &err) < 0)
			cli_die(c, &err);
		fds[i] = s->corpus.file[i].map.fd;
	}
}

uint64_t dedup_input_bytes(const struct dedup_state *s)
{
	uint64_t all = 0;

	for (size_t i = 0; i < s->corpus.n_files; i++)
		all += s->corpus.file[i].map.n;
	return all;
}

/* Dies when the files have changed since the first pass. */
static void check_files(struct dedup_state *s, uint64_t bytes)
{
	const struct sh_corpus *corpus = &s->corpus;
	uint64_t all = 0;
	struct sh_error err;

	for (size_t i = 0; i < corpus->n_files; i++) {
		all += corpus->file[i].map.n;
		if (sh_mapped_check(&corpus->file[i].map, &err) < 0)
			cli_die(s->cli, &err);
	}
	if (all != bytes) {
		sh_error_set(&err, SH_ERR_IO, "the input has changed while it was read");
		cli_die(s->cli, &err);
	}
}

static void start_workers(struct dedup_state *s, struct worker *workers, struct run *run)
{
	struct sh_error err;

	for (unsigned i = 0; i < s->cli->jobs; i++) {
		workers[i] = (struct worker){ s, sh_fingerprinter_new(&s->settings->fp, &err) };
		if (!workers[i].fingerprinter)
			cli_die(s->cli, &err);
		run->workers[i] = &workers[i];
	}
}

void dedup_read(struct dedup_state *s)
{
	struct cli *c = s->cli;
	struct worker workers[CLI_MAX_JOBS];
	struct run run = { .cli = c, .work = work, .take = take_block, .arg = s };
	struct sh_source source;
	int *fds = calloc(c->n_operands + 1, sizeof *fds);
	struct sh_error err;

	if (!fds) {
		sh_error_nomem(&err);
		cli_die(c, &err);
	}
	open_files(s, fds);
	s->corpus.reads = dedup_input_bytes(s) > s->settings->memory;
	dedup_plan(s);
	start_workers(s, workers, &run);
	cli_source_init(c, &source);
	source.fds = fds;
	formopts_read_header(c, &s->settings->docs.docs.form, &source);
	run_pool(&run, &source);
	run_finish(&run, NULL);
	sh_source_free(&source);
	check_files(s, source.at);
	for (unsigned i = 0; i < c->jobs; i++)
		sh_fingerprinter_delete(workers[i].fingerprinter);
	free(fds);
}

void dedup_read_ids(struct cli *c, const char *const *names, size_t n_names, struct dedup_ids *list)
{
	struct sh_lines lines;
	struct sh_slice line;
	struct sh_error err;
	uint32_t i;
	bool fresh;

	*list = (struct dedup_ids){ 0 };
	if (sh_hmap_init(&list->ids, &err) < 0)
		cli_die(c, &err);
	if (!n_names)
		return;
	sh_lines_init(&lines, (char *const *)(uintptr_t)names, n_names);
	while (cli_line(c, &lines, &line)) {
		struct sh_slice id =
		    sh_record_listed(lines.starts_file ? sh_utf8_skip_bom(line) : line);

		if (id.n == 0)
			continue;
		if (sh_hmap_put(&list->ids, id, &i, &fresh, &err) < 0 ||
		    (fresh && i >= list->cap &&
			sh_grow((void **)&list->at, &list->cap, (size_t)i + 1, sizeof *list->at,
			    &err) < 0))
			cli_die(c, &err);
		if (fresh)
			list->at[i] = (struct dedup_place){ lines.from.file, lines.from.line };
	}
	sh_lines_free(&lines);
}

void dedup_free_ids(struct dedup_ids *list)
{
	sh_hmap_free(&list->ids);
	free(list->at);
}

void dedup_warn_of_ids(struct cli *c, const char *option, const struct dedup_ids *list)
{
	uint32_t missing = 0, first = 0;
	struct sh_slice id;

	for (uint32_t i = 0; i < list->ids.n; i++)
		if (list->at[i].line && missing++ == 0)
			first = i;
	if (missing == 0)
		return;
	id = sh_hmap_key(&list->ids, first);
	cli_warn(c, "%s:%llu: no document has the id '%.*s' (%s: %u of %u such)",
	    list->at[first].file, (unsigned long long)list->at[first].line, sh_shown(id, 80), id.p,
	    option, missing, list->ids.n);
}
