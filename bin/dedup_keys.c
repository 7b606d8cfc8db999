/* Looks at a sample of the documents, and chooses whether keys find the candidates. */
#include <stdlib.h>

#include "dedup.h"
#include "fp/analysis.h"
#include "fp/reach.h"
#include "io/parallel.h"

enum {
	PLACES = 64,     /* places of the input where documents are sampled */
	EACH = 256,      /* documents sampled at one place, at most */
	COUNTED = 16,    /* the same, when lines are only counted */
	EDITED = 700000, /* Jaccard similarity whose pairs keys must find under an edit threshold */
};

/* Consecutive lines of the input. */
struct place {
	const struct sh_corpus_file *file; /* NULL: there is no document */
	uint64_t from;       /* 0; or the lines begin after the line that has this byte */
	size_t lines, bytes; /* number of lines, and their bytes together */
	size_t n;            /* documents with values: lines that are documents with features */
};

struct sample {
	struct place place[PLACES];
	/* by place and document: SH_KEY_PLAN_VALUES values; NULL: lines are only counted */
	uint64_t *value;
};

/* A thread that samples places. */
struct sampler {
	struct dedup_state *state;
	struct sample *sample;
	struct sh_analyser analyser; /* empty without sample->value */
	struct sh_document_room room;
};

/* Counts a line, and stores the values of its document. Ignores a line that is no document: the run
 * reports it. */
static void sample_line(struct sampler *s, struct sh_slice line, struct place *p, uint64_t *to)
{
	const struct dedup_settings *how = s->state->settings;
	struct sh_document doc;
	struct sh_fingerprinter *f = s->analyser.fingerprinter;
	struct sh_analysis x;
	struct sh_error err;

	p->lines++;
	p->bytes += line.n + 1;
	if (!f || sh_document_parse(&how->docs.docs.form, line, 1, &s->room, &doc, &err) < 0 ||
	    sh_analyse(&s->analyser, doc.text, &x, &err) < 0 || x.fp.empty || x.fp.features == 0)
		return;
	memcpy(to + p->n++ * SH_KEY_PLAN_VALUES,
	    sh_fingerprint_values(f, &x.fp, SH_KEY_PLAN_VALUES), SH_KEY_PLAN_VALUES * sizeof *to);
}

/* Lines of a file that are in memory and not read yet. */
struct ahead {
	const struct sh_corpus_file *file;
	uint64_t at; /* offset of `rest` in the file */
	struct sh_slice rest;
};

/* Sets *line to the next line, without its LF. Returns 1; 0 at the end of the file; or -1. */
static int next_line(
    struct sampler *s, struct ahead *a, struct sh_slice *line, struct sh_error *err)
{
	size_t n;

	if (a->rest.n == 0 &&
	    sh_corpus_bytes(&s->state->corpus, a->file, a->at, &s->room, &a->rest, err) < 0)
		return -1;
	if (a->rest.n == 0)
		return 0;
	*line = sh_record_front(a->rest, false);
	n = line->n < a->rest.n ? line->n + 1 : line->n;
	a->rest = sh_slice(a->rest.p + n, a->rest.n - n);
	a->at += n;
	return 1;
}

static int sample_place(struct sampler *s, struct place *place, uint64_t *to, struct sh_error *err)
{
	struct ahead ahead = { .file = place->file, .at = place->from };
	unsigned n = s->sample->value ? EACH : COUNTED;
	struct sh_slice line;
	int status = 1;

	place->lines = place->bytes = place->n = 0;
	if (place->from)
		status = next_line(s, &ahead, &line, err);
	for (unsigned i = 0; status > 0 && i < n; i++) {
		status = next_line(s, &ahead, &line, err);
		if (status > 0)
			sample_line(
			    s, cli_strip(s->state->settings->docs.docs.form.crlf, line), place, to);
	}
	return status < 0 ? -1 : 0;
}

static int sample_places(void *sampler, size_t from, size_t to, struct sh_error *err)
{
	struct sampler *s = sampler;
	uint64_t *value = s->sample->value;

	for (size_t i = from; i < to; i++)
		if (s->sample->place[i].file &&
		    sample_place(s, &s->sample->place[i],
			value ? value + i * EACH * SH_KEY_PLAN_VALUES : NULL, err) < 0)
			return -1;
	return 0;
}

/* Chooses places at equal distances. */
static void find_places(struct dedup_state *s, uint64_t bytes, struct sample *sample)
{
	const struct sh_corpus *c = &s->corpus;
	size_t i = 0;

	for (unsigned place = 0; place < PLACES; place++) {
		uint64_t at = bytes / PLACES * place;

		while (i + 1 < c->n_files && at >= c->file[i + 1].base)
			i++;
		sample->place[place] =
		    (struct place){ .file = &c->file[i], .from = at - c->file[i].base };
	}
}

static void sample_input(struct dedup_state *s, struct sample *sample)
{
	struct sampler sampler[CLI_MAX_JOBS];
	unsigned jobs = s->cli->jobs;
	struct sh_error err;

	for (unsigned i = 0; i < jobs; i++) {
		sampler[i] = (struct sampler){ .state = s, .sample = sample };
		if (sample->value &&
		    sh_analyser_init(&sampler[i].analyser, &s->settings->fp, NULL, &err) < 0)
			cli_die(s->cli, &err);
	}
	if (sh_parallel(sampler, sizeof *sampler, jobs, PLACES, 1, sample_places, &err) < 0)
		cli_die(s->cli, &err);
	for (unsigned i = 0; i < jobs; i++) {
		sh_document_room_free(&sampler[i].room);
		sh_analyser_free(&sampler[i].analyser);
	}
}

/* Candidates of keys must be verified. Shared features find pairs of low similarity. */
static bool may_use_keys(const struct dedup_settings *how)
{
	return how->dedup.verify && how->dedup.threshold >= SH_REACH_LOWEST;
}

static bool compares_edits(const struct dedup_settings *how)
{
	return how->measures.measure->any || how->measures.measure->ordered;
}

/* Returns the distance whose recall the keys must reach. Edits lower the Jaccard similarity. So
 * with an edit threshold the keys must also find pairs below the Jaccard threshold. */
static unsigned distance(const struct dedup_settings *how)
{
	unsigned k = sh_reach_distance(how->fp.bits, how->fp.minhash, EDITED);

	return compares_edits(how) && k > how->dedup.k ? k : how->dedup.k;
}

/* Returns the lowest Jaccard similarity of pairs that keys must find, in millionths. */
static uint64_t lowest(const struct dedup_settings *how)
{
	uint64_t edit, least = how->dedup.threshold;

	if (!compares_edits(how))
		return least;
	edit = sh_key_plan_lowest(
	    how->measures.measure->any ? how->dedup.edit_threshold : least, how->docs.ngrams.max);
	return how->measures.measure->any && least < edit ? least : edit;
}

/* Estimates the number of documents of the input from the mean length of the sampled lines. */
static double count_documents(const struct sample *sample, uint64_t bytes)
{
	size_t lines = 0, sampled = 0;

	for (unsigned i = 0; i < PLACES; i++) {
		lines += sample->place[i].lines;
		sampled += sample->place[i].bytes;
	}
	return sampled ? (double)bytes / (double)sampled * (double)lines : 0;
}

static void choose(struct dedup_state *s, struct sample *sample)
{
	struct sh_key_place place[PLACES];
	struct sh_error err;

	sample->value = malloc((size_t)PLACES * EACH * SH_KEY_PLAN_VALUES * sizeof *sample->value);
	if (!sample->value) {
		sh_error_nomem(&err);
		cli_die(s->cli, &err);
	}
	sample_input(s, sample);
	s->plan.documents = count_documents(sample, sh_corpus_size(&s->corpus));
	for (size_t i = 0; i < PLACES; i++)
		place[i] = (struct sh_key_place){ sample->value + i * EACH * SH_KEY_PLAN_VALUES,
			sample->place[i].n };
	if (sh_key_plan_choose(&s->plan, place, PLACES, &err) < 0)
		cli_die(s->cli, &err);
	free(sample->value);
}

void dedup_plan(struct dedup_state *s)
{
	const struct dedup_settings *how = s->settings;
	struct sample sample = { .value = NULL };
	uint64_t bytes = sh_corpus_size(&s->corpus);
	struct sh_error err;

	s->sample_features = how->sample_features;
	if (!may_use_keys(how) || (how->k_given && !how->only_keys))
		return;
	s->plan = (struct sh_key_plan){ .bits = how->fp.bits,
		.k = distance(how),
		.minhash = how->fp.minhash,
		.lowest = lowest(how),
		.only_keys = how->only_keys,
		.jobs = s->cli->jobs };
	find_places(s, bytes, &sample);
	sample_input(s, &sample);
	s->plan.documents = count_documents(&sample, bytes);
	if (!sh_key_plan_is_worthwhile(&s->plan))
		return;
	choose(s, &sample);
	if (!s->plan.keys.keys)
		return;
	s->sample_features = 0;
	if (sh_dedup_use_keys(s->dedup, s->plan.keys.keys, &err) < 0)
		cli_die(s->cli, &err);
}
