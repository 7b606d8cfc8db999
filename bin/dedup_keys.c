/* Looks at a sample of the documents, and chooses whether keys find the candidates. */
#include <stdlib.h>

#include "dedup.h"
#include "fp/analysis.h"
#include "fp/reach.h"

enum {
	PLACES = 64, /* of the input where documents are sampled */
	EACH = 256,  /* documents sampled at one place */
	EDITED = 700000,
};

struct sample {
	struct dedup_state *state;
	struct sh_analyser analyser; /* empty: lines are only counted */
	struct sh_document_room room;
	uint64_t *value;
	size_t n, lines, bytes;
};

/* A line that is no document is left to the run itself. */
static void sample_line(struct sample *s, struct sh_slice line)
{
	const struct dedup_settings *how = s->state->settings;
	struct sh_document doc;
	struct sh_fingerprinter *f = s->analyser.fingerprinter;
	struct sh_analysis x;
	struct sh_error err;
	const uint64_t *value;

	s->lines++;
	s->bytes += line.n + 1;
	if (!f || sh_document_parse(&how->docs.docs.form, line, 1, &s->room, &doc, &err) < 0 ||
	    sh_analyse(&s->analyser, doc.text, &x, &err) < 0 || x.fp.empty || x.fp.features == 0)
		return;
	value = sh_fingerprint_values(f, &x.fp, SH_KEY_PLAN_VALUES);
	memcpy(s->value + s->n++ * SH_KEY_PLAN_VALUES, value, SH_KEY_PLAN_VALUES * sizeof *value);
}

/* Samples the documents that begin after byte `from` of a file. */
static void sample_place(struct sample *s, const struct sh_mapped *m, size_t from)
{
	const char *p = m->p + from, *end = m->p + m->n, *lf;

	if (from) {
		p = memchr(p, '\n', (size_t)(end - p));
		p = p ? p + 1 : end;
	}
	for (unsigned i = 0; i < EACH && p < end; i++, p = lf + 1) {
		lf = memchr(p, '\n', (size_t)(end - p));
		if (!lf)
			lf = end;
		sample_line(s, cli_strip(s->state->settings->docs.docs.form.crlf,
				   sh_slice(p, (size_t)(lf - p))));
	}
}

static void sample_input(struct sample *s, uint64_t bytes)
{
	const struct sh_corpus *c = &s->state->corpus;
	size_t i = 0;

	for (unsigned place = 0; place < PLACES; place++) {
		uint64_t at = bytes / PLACES * place;

		while (i + 1 < c->n_files && at >= c->file[i + 1].base)
			i++;
		if (at - c->file[i].base < c->file[i].map.n)
			sample_place(s, &c->file[i].map, (size_t)(at - c->file[i].base));
	}
}

/* Keys make candidates, which must be verified. Low similarities are the matter of shared features. */
static bool may_use_keys(const struct dedup_settings *how)
{
	return how->dedup.verify && how->dedup.threshold >= SH_REACH_LOWEST;
}

static bool compares_edits(const struct dedup_settings *how)
{
	return how->measures.measure->any || how->measures.measure->ordered;
}

/* The distance whose recall keys must reach. Edits lower the Jaccard similarity, so pairs below its threshold are
 * wanted as well. */
static unsigned distance(const struct dedup_settings *how)
{
	unsigned k = sh_reach_distance(how->fp.bits, how->fp.minhash, EDITED);

	return compares_edits(how) && k > how->dedup.k ? k : how->dedup.k;
}

/* The lowest Jaccard similarity of pairs that are wanted. */
static uint64_t lowest(const struct dedup_settings *how)
{
	uint64_t edit, least = how->dedup.threshold;

	if (!compares_edits(how))
		return least;
	edit = sh_key_plan_lowest(
	    how->measures.measure->any ? how->dedup.edit_threshold : least, how->docs.ngrams.max);
	return how->measures.measure->any && least < edit ? least : edit;
}

static void choose(struct dedup_state *s, struct sample *sample, uint64_t bytes)
{
	struct sh_error err;

	sample->value = malloc((size_t)PLACES * EACH * SH_KEY_PLAN_VALUES * sizeof *sample->value);
	if (!sample->value)
		sh_error_nomem(&err);
	if (!sample->value || sh_analyser_init(&sample->analyser, &s->settings->fp, NULL, &err) < 0)
		cli_die(s->cli, &err);
	sample_input(sample, bytes);
	if (sh_key_plan_choose(&s->plan, sample->value, sample->n, &err) < 0)
		cli_die(s->cli, &err);
	free(sample->value);
	sh_document_room_free(&sample->room);
	sh_analyser_free(&sample->analyser);
}

void dedup_plan(struct dedup_state *s)
{
	const struct dedup_settings *how = s->settings;
	struct sample sample = { .state = s };
	uint64_t bytes = dedup_input_bytes(s);
	struct sh_error err;

	s->sample_features = how->sample_features;
	if (!may_use_keys(how) || (how->k_given && !how->only_keys))
		return;
	s->plan = (struct sh_key_plan){ .bits = how->fp.bits,
		.k = distance(how),
		.minhash = how->fp.minhash,
		.lowest = lowest(how),
		.only_keys = how->only_keys };
	sample_input(&sample, bytes);
	s->plan.documents =
	    sample.bytes ? (double)bytes / (double)sample.bytes * (double)sample.lines : 0;
	if (!sh_key_plan_is_worthwhile(&s->plan))
		return;
	choose(s, &sample, bytes);
	if (!s->plan.keys.keys)
		return;
	s->sample_features = 0;
	if (sh_dedup_use_keys(s->dedup, s->plan.keys.keys, &err) < 0)
		cli_die(s->cli, &err);
}
