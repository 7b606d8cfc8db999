/* shweight: features to weighted features, one line a distinct feature of a document. */
#include <stdlib.h>

#include "base/num.h"
#include "cli.h"
#include "fp/df.h"
#include "fp/idf.h"
#include "fp/top.h"
#include "fp/weight.h"
#include "profile.h"
#include "record/fields.h"

enum { IDF = CLI_OWN, ABSENT, MIN_DF, MAX_DF };

static const struct cli_option options[] = {
	{ 'p', "profile", "NAME", "weights of a named system; later options override [default]" },
	{ 'w', "weight", "SCHEME", "set, tf, freq, log, tfidf or logidf [log]" },
	{ 'd', "df", "TABLE", "document frequencies, from shdf" },
	{ IDF, "idf", "FILE", "idf values instead (feature<TAB>idf)" },
	{ ABSENT, "absent", "rare|drop",
	    "features that TABLE lacks: as if in one document [rare]" },
	{ MIN_DF, "min-df", "N|SHARE", "drop features of fewer documents of TABLE" },
	{ MAX_DF, "max-df", "N|SHARE", "drop features of more documents of TABLE" },
	{ 't', "top", "N", "keep each document's N heaviest, heaviest first" },
	{ 0 },
};

static const struct cli_program program = {
	.name = "shweight",
	.synopsis = "[FILE...]",
	.purpose = "Features to features: counted, weighted, one line a distinct feature.",
	.options = { options },
};

struct settings {
	const struct sh_scheme *scheme;
	const char *df_path, *idf_path;
	struct sh_df_table df;
	struct sh_idf_table idf;
	bool drop_absent;
	struct sh_df_limit min, max;
	const struct sh_profile *profile;
	uint64_t top; /* 0: all */
	bool changed; /* an option was given */
};

struct document {
	struct sh_buf id;
	bool begun;
	struct sh_hmap features;
	struct sh_heavy *distinct; /* by index; their counts in millionths, then their weights */
	size_t cap;
	int64_t tokens; /* sum of the counts, millionths */
};

/* What the tables know of a feature: false when it is to be dropped. */
static bool look_up(const struct settings *s, struct sh_slice feature, struct sh_term *t)
{
	if (s->idf_path) {
		t->idf = sh_idf_lookup(&s->idf, feature, s->idf.median);
		return true;
	}
	if (!s->df_path)
		return true;
	t->docs = s->df.documents;
	t->df = sh_df_lookup(&s->df, feature);
	if (t->df == 0) {
		t->df = 1;
		if (t->docs == 0)
			t->docs = 1;
		return !s->drop_absent;
	}
	return sh_df_within(&s->min, &s->max, t->df, t->docs);
}

static int weigh_real(
    const struct settings *s, const struct document *d, struct sh_heavy *f, struct sh_error *err)
{
	double idf = sh_idf_real(&s->idf, sh_hmap_key(&d->features, f->index), s->idf.real_mean);

	return sh_real_weight(f->weight / SH_WEIGHT_ONE, idf, &f->weight, err) < 0 ? -1 : 1;
}

/* Replace the count by the weight; 1, or 0 when the feature is dropped, or -1. */
static int weigh(
    const struct settings *s, const struct document *d, struct sh_heavy *f, struct sh_error *err)
{
	struct sh_term t = { .tf = 1, .tokens = 1 };

	if (s->profile->real && s->idf_path)
		return weigh_real(s, d, f, err);
	if (!look_up(s, sh_hmap_key(&d->features, f->index), &t))
		return 0;
	if (f->weight == 0 || s->scheme->additive)
		return 1;
	if (s->scheme->needs_count) {
		if (f->weight % SH_WEIGHT_ONE || d->tokens % SH_WEIGHT_ONE)
			return sh_error_set(err, SH_ERR_RECORD,
			    "-w %s counts occurrences, and the counts of document '%.*s' are no "
			    "whole "
			    "numbers",
			    s->scheme->name, (int)d->id.n, d->id.p);
		t.tf = (uint64_t)(f->weight / SH_WEIGHT_ONE);
		t.tokens = (uint64_t)(d->tokens / SH_WEIGHT_ONE);
	}
	return s->scheme->weigh(&t, &f->weight, err) < 0 ? -1 : 1;
}

/* Bytewise order of the features, for the rule that depends on it. */
static int by_text(const void *a, const void *b, void *arg)
{
	const struct sh_heavy *x = a, *y = b;
	const struct sh_hmap *features = arg;

	return sh_slice_cmp(sh_hmap_key(features, x->index), sh_hmap_key(features, y->index));
}

static size_t keep_top(const struct settings *s, struct document *d, size_t n)
{
	if (s->top == 0)
		return n;
	if (s->profile->top_rule == SH_TOP_FIRST)
		return sh_top_first(d->distinct, n, s->top);
	if (n)
		qsort_r(d->distinct, n, sizeof *d->distinct, by_text, &d->features);
	return sh_top_heap(d->distinct, n, s->top);
}

static int write_feature(struct sh_sink *out, struct sh_slice id, struct sh_slice feature,
    int64_t weight, struct sh_error *err)
{
	char *room = sh_sink_room(out, id.n + feature.n + SH_NUM_CHARS + 3, err), *p = room;

	if (!room)
		return -1;
	memcpy(p, id.p, id.n);
	p += id.n;
	*p++ = '\t';
	if (feature.n)
		memcpy(p, feature.p, feature.n);
	p += feature.n;
	*p++ = '\t';
	p += sh_print_weight(p, weight);
	*p++ = '\n';
	sh_sink_used(out, (size_t)(p - room));
	return 0;
}

/* The document is complete: write its features. One that has none, or none left, says so. */
static int finish_document(
    const struct settings *s, struct document *d, struct sh_sink *out, struct sh_error *err)
{
	struct sh_slice id = sh_buf_slice(&d->id);
	size_t n = 0;

	for (uint32_t i = 0; i < d->features.n; i++) {
		struct sh_heavy f = d->distinct[i];
		int kept = weigh(s, d, &f, err);

		if (kept < 0)
			return -1;
		if (kept)
			d->distinct[n++] = f;
	}
	n = keep_top(s, d, n);
	for (size_t i = 0; i < n; i++) {
		struct sh_slice feature = sh_hmap_key(&d->features, d->distinct[i].index);

		if (write_feature(out, id, feature, d->distinct[i].weight, err) < 0)
			return -1;
	}
	return n ? 0 : write_feature(out, id, sh_slice("", 0), 0, err);
}

static int add_feature(struct document *d, const struct sh_feature *f, struct sh_error *err)
{
	uint32_t i;
	bool fresh;

	if (f->text.n == 0)
		return 0;
	if (__builtin_add_overflow(d->tokens, f->weight, &d->tokens))
		return sh_error_set(err, SH_ERR_RANGE, "the counts of document '%.*s' overflow",
		    (int)d->id.n, d->id.p);
	if (sh_hmap_put(&d->features, f->text, &i, &fresh, err) < 0)
		return -1;
	if (i >= d->cap &&
	    sh_grow((void **)&d->distinct, &d->cap, (size_t)i + 1, sizeof *d->distinct, err) < 0)
		return -1;
	if (fresh)
		d->distinct[i] = (struct sh_heavy){ 0, i };
	d->distinct[i].weight += f->weight;
	return 0;
}

/* Another id is another document: finish the one before. */
static int change_document(const struct settings *s, struct document *d, struct sh_slice id,
    struct sh_sink *out, struct sh_error *err)
{
	if (d->begun && sh_slice_eq(id, sh_buf_slice(&d->id)))
		return 0;
	if (d->begun && finish_document(s, d, out, err) < 0)
		return -1;
	sh_hmap_clear(&d->features);
	d->tokens = 0;
	d->begun = true;
	d->id.n = 0;
	return sh_buf_add(&d->id, id.p, id.n, err);
}

static void weigh_all(struct cli *c, const struct settings *s)
{
	struct document d = { 0 };
	struct sh_lines lines;
	struct sh_slice line;
	struct sh_feature f;
	struct sh_error err;

	if (sh_hmap_init(&d.features, &err) < 0)
		cli_die(c, &err);
	sh_lines_init(&lines, c->operands, c->n_operands);
	while (cli_line(c, &lines, &line)) {
		if (sh_record_feature(line, &f, &err) < 0) {
			sh_lines_blame(&lines, &err);
			cli_reject(c, line, &err);
		} else if (change_document(s, &d, f.id, &c->out, &err) < 0 ||
			   add_feature(&d, &f, &err) < 0) {
			sh_lines_blame(&lines, &err);
			cli_die(c, &err);
		}
	}
	if (d.begun && finish_document(s, &d, &c->out, &err) < 0) {
		sh_lines_blame(&lines, &err);
		cli_die(c, &err);
	}
	sh_lines_free(&lines);
	sh_hmap_free(&d.features);
	free(d.distinct);
	sh_buf_free(&d.id);
}

static void take_limit(struct cli *c, struct sh_df_limit *limit)
{
	struct sh_error err;

	if (sh_df_limit_parse(c->arg, limit, &err) < 0)
		cli_usage(c, "%s", err.text);
}

static void take(struct cli *c, struct settings *s, int opt)
{
	s->changed = s->changed || opt != 'p';
	switch (opt) {
	case 'p':
		if (s->changed)
			cli_usage(c, "-p %s: must stand before the options that change it", c->arg);
		s->profile = cli_profile(c);
		s->scheme = sh_scheme_find(s->profile->weight);
		s->top = s->profile->top;
		break;
	case 'w':
		s->scheme = sh_scheme_find(c->arg);
		if (!s->scheme)
			cli_usage(
			    c, "-w '%s': expected set, tf, freq, log, tfidf or logidf", c->arg);
		break;
	case 'd':
		s->df_path = c->arg;
		break;
	case IDF:
		s->idf_path = c->arg;
		break;
	case ABSENT:
		s->drop_absent = strcmp(c->arg, "drop") == 0;
		if (!s->drop_absent && strcmp(c->arg, "rare") != 0)
			cli_usage(c, "--absent '%s': expected rare or drop", c->arg);
		break;
	case MIN_DF:
		take_limit(c, &s->min);
		break;
	case MAX_DF:
		take_limit(c, &s->max);
		break;
	case 't':
		s->top = cli_number(c, "-t", 1, UINT32_MAX);
		break;
	}
}

static void settle(struct cli *c, struct settings *s)
{
	struct sh_error err;

	if (s->df_path && s->idf_path)
		cli_usage(c, "-d and --idf contradict each other");
	if (s->scheme->needs_df && !s->df_path && !s->idf_path)
		cli_usage(c,
		    "-w %s needs document frequencies: -d TABLE (from shdf), or --idf FILE",
		    s->scheme->name);
	if ((s->min.given || s->max.given || s->drop_absent) && !s->df_path)
		cli_usage(c, "--min-df, --max-df and --absent look at a table: -d TABLE");
	if (s->df_path && sh_df_table_load(&s->df, s->df_path, &err) < 0)
		cli_die(c, &err);
	if (s->idf_path && sh_idf_table_load(&s->idf, s->idf_path, &err) < 0)
		cli_die(c, &err);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct settings s = { .profile = sh_profile_at(0) };
	int opt;

	s.scheme = sh_scheme_find(s.profile->weight);
	cli_start(&c, &program, argc, argv);
	while ((opt = cli_next(&c)) != -1)
		take(&c, &s, opt);
	settle(&c, &s);
	cli_open(&c);
	weigh_all(&c, &s);
	sh_df_table_free(&s.df);
	sh_idf_table_free(&s.idf);
	return cli_finish(&c);
}
