/* shweight: features to weighted features, one line a distinct feature of a document. */
#include <stdlib.h>

#include "base/num.h"
#include "cli.h"
#include "fp/df.h"
#include "fp/idf.h"
#include "fp/occurrences.h"
#include "fp/terms.h"
#include "fp/top.h"
#include "fp/weight.h"
#include "profile.h"
#include "record/feature_block.h"

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

/* The first counts' weights as they are written, with TAB and LF. */
enum { BY_COUNT = 256, SHOWN = 16 };

struct shown {
	uint8_t n; /* 0: not known */
	char text[SHOWN];
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
	struct shown by_count[BY_COUNT];
};

_Static_assert(
    (int)SH_FEATURE_BLOCK_MAX <= (int)SH_OCCURRENCES_MAX, "the lines of a block at once");

struct document {
	struct sh_buf id;
	bool begun;
	struct sh_feature_run run;
	struct sh_terms features;  /* their counts in millionths */
	struct sh_heavy *distinct; /* those that are kept, with their weights */
	size_t cap;
	int64_t tokens; /* sum of the counts, millionths */
	/* Of documents that stand whole in a block. */
	struct sh_feature_block block;
	struct sh_occurrences occurrences;
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
	double idf = sh_idf_real(&s->idf, sh_terms_text(&d->features, f->index), s->idf.real_mean);

	return sh_real_weight(f->weight / SH_WEIGHT_ONE, idf, &f->weight, err) < 0 ? -1 : 1;
}

/* Replace the count by the weight; 1, or 0 when the feature is dropped, or -1. */
static int weigh(
    const struct settings *s, const struct document *d, struct sh_heavy *f, struct sh_error *err)
{
	struct sh_term t = { .tf = 1, .tokens = 1 };

	if (s->profile->real && s->idf_path)
		return weigh_real(s, d, f, err);
	if (!look_up(s, sh_terms_text(&d->features, f->index), &t))
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
	const struct sh_terms *features = arg;

	return sh_slice_cmp(sh_terms_text(features, x->index), sh_terms_text(features, y->index));
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

/* All features, when their weights follow from whole counts: 1, or 0 when that is not so
 * and nothing is written. Copies of 16 bytes run over what they copy. */
static int write_by_count(
    const struct settings *s, const struct document *d, struct sh_sink *out, struct sh_error *err)
{
	const struct sh_terms *t = &d->features;
	size_t need = t->n * (d->run.n + SHOWN) + t->used + 64;
	char *room, *p;

	if (d->tokens % SH_WEIGHT_ONE)
		return 0;
	room = p = sh_sink_room(out, need, err);
	if (!room)
		return -1;
	for (uint32_t i = 0; i < t->n; i++) {
		uint64_t count = (uint64_t)t->sum[i] / SH_WEIGHT_ONE;
		struct sh_slice text = sh_terms_text(t, i);
		const struct shown *shown = &s->by_count[count < BY_COUNT ? count : 0];

		if (shown->n == 0 || count * SH_WEIGHT_ONE != (uint64_t)t->sum[i])
			return 0;
		memcpy(p, d->run.prefix, 16);
		if (d->run.n > 16)
			memcpy(p, d->run.prefix, d->run.n);
		p += d->run.n;
		memcpy(p, text.p, 16);
		if (text.n > 16)
			memcpy(p, text.p, text.n);
		p += text.n;
		memcpy(p, shown->text, SHOWN);
		p += shown->n;
	}
	sh_sink_used(out, (size_t)(p - room));
	return 1;
}

/* The document is complete: write its features. One that has none, or none left, says so. */
static int finish_document(
    const struct settings *s, struct document *d, struct sh_sink *out, struct sh_error *err)
{
	struct sh_slice id = sh_buf_slice(&d->id);
	uint32_t all = d->features.n;
	size_t n = 0;
	int done = s->by_count[1].n && all ? write_by_count(s, d, out, err) : 0;

	if (done)
		return done < 0 ? -1 : 0;
	if (all > d->cap &&
	    sh_grow((void **)&d->distinct, &d->cap, all, sizeof *d->distinct, err) < 0)
		return -1;
	for (uint32_t i = 0; i < all; i++) {
		struct sh_heavy f = { d->features.sum[i], i };
		int kept = weigh(s, d, &f, err);

		if (kept < 0)
			return -1;
		if (kept)
			d->distinct[n++] = f;
	}
	n = keep_top(s, d, n);
	for (size_t i = 0; i < n; i++) {
		struct sh_slice feature = sh_terms_text(&d->features, d->distinct[i].index);

		if (write_feature(out, id, feature, d->distinct[i].weight, err) < 0)
			return -1;
	}
	return n ? 0 : write_feature(out, id, sh_slice("", 0), 0, err);
}

static inline int add_feature(
    struct document *d, struct sh_slice text, int64_t weight, struct sh_error *err)
{
	if (text.n == 0)
		return 0;
	if (__builtin_add_overflow(d->tokens, weight, &d->tokens))
		return sh_error_set(err, SH_ERR_RANGE, "the counts of document '%.*s' overflow",
		    (int)d->id.n, d->id.p);
	return sh_terms_add(&d->features, text, weight, err);
}

/* Another id is another document: finish the one before. */
static int change_document(const struct settings *s, struct document *d, struct sh_slice id,
    struct sh_sink *out, struct sh_error *err)
{
	if (d->begun && sh_slice_eq(id, sh_buf_slice(&d->id)))
		return 0;
	if (d->begun && finish_document(s, d, out, err) < 0)
		return -1;
	sh_terms_clear(&d->features);
	sh_feature_run_begin(&d->run, id);
	d->tokens = 0;
	d->begun = true;
	d->id.n = 0;
	return sh_buf_add(&d->id, id.p, id.n, err);
}

/* Copy n bytes; 48 and what fills up 16 may be read, and written. */
static inline char *copy(char *restrict to, const char *restrict from, size_t n)
{
	memcpy(to, from, 48);
	for (size_t i = 48; __builtin_expect(i < n, 0); i += 16)
		memcpy(to + i, from + i, 16);
	return to + n;
}

/* The features of a document, which are lines of the block that weigh 1 each, counted: 1; or 0
 * when that cannot be, or a count is none of the first ones, and nothing is written. */
static int write_lines(
    const struct settings *s, struct document *d, struct sh_sink *out, struct sh_error *err)
{
	const struct sh_feature_block *b = &d->block;
	const struct sh_feature_lines *of = b->of;
	const uint32_t *restrict count = d->occurrences.count;
	size_t need = of->line[b->lines] - of->line[0] + b->lines * SHOWN + 64;
	char *room = sh_sink_room(out, need, err), *p = room;

	if (!room)
		return -1;
	if (!sh_occurrences_find(&d->occurrences, b->base, of->start, of->end, b->lines))
		return 0;
	for (size_t i = 0; i < b->lines; i++) {
		const struct shown *shown = &s->by_count[count[i] < BY_COUNT ? count[i] : 0];
		char *next = copy(p, b->base + of->line[i], of->end[i] - of->line[i]);

		if (count[i] >= BY_COUNT)
			return 0;
		memcpy(next, shown->text, SHOWN);
		/* Whether it stood before nobody can predict. */
		p += (size_t)(next + shown->n - p) & -(size_t)(count[i] != 0);
	}
	sh_sink_used(out, (size_t)(p - room));
	return 1;
}

/* Whether the lines of the block end at p because the next one begins another document. */
static bool ends_at(const struct document *d, const char *p, const char *end)
{
	const char *lf = memchr(p, '\n', (size_t)(end - p));
	struct sh_feature f;
	struct sh_error err;

	return lf && sh_record_feature(sh_slice(p, (size_t)(lf - p)), &f, &err) == 0 &&
	       !sh_slice_eq(f.id, sh_buf_slice(&d->id));
}

/* The document that begins with the lines of the block, and ends before `next`: 1 when it is
 * written, 0 when it goes on or is no usual one. */
static int write_whole(const struct settings *s, struct document *d, const char *next,
    const char *end, struct sh_sink *out, struct sh_error *err)
{
	int written;

	if (s->by_count[1].n == 0 || d->block.others || d->features.n || !ends_at(d, next, end))
		return 0;
	written = write_lines(s, d, out, err);
	d->begun = written == 0;
	return written;
}

/* Add line i of the block. */
static int add_line(struct document *d, size_t i, size_t *other, struct sh_error *err)
{
	const struct sh_feature_lines *of = d->block.of;
	const char *base = d->block.base;
	int64_t weight = SH_WEIGHT_ONE;

	if (*other < d->block.others && of->other[*other] == i)
		weight = of->weight[(*other)++];
	return add_feature(
	    d, sh_slice(base + of->start[i], of->end[i] - of->start[i]), weight, err);
}

/* Lines of the document that is being read, from the one at hand on, as far as they stand in the
 * block: false when that one is none that can be taken so. */
static bool add_run(struct cli *c, const struct settings *s, struct document *d,
    struct sh_lines *lines, const char *p)
{
	struct sh_slice rest = sh_lines_rest(lines);
	const char *end = rest.p + rest.n, *next;
	struct sh_error err;
	size_t i, other = 0;
	int done;

	if (sh_feature_block_enter(&d->block, lines->from.at, p, end, &err) < 0)
		cli_die(c, &err);
	next = sh_feature_block_take(&d->block, &d->run, p);
	if (next == p)
		return false;
	done = write_whole(s, d, next, end, &c->out, &err);
	for (i = 0; done == 0 && i < d->block.lines; i++) {
		if (add_line(d, i, &other, &err) < 0) {
			sh_lines_skip(lines, 0, i);
			sh_lines_blame(lines, &err);
			cli_die(c, &err);
		}
	}
	if (done < 0)
		cli_die(c, &err);
	sh_lines_skip(lines, (size_t)(next - rest.p), d->block.lines - 1);
	return true;
}

static void init_document(struct cli *c, struct document *d)
{
	struct sh_error err;

	if (sh_terms_init(&d->features, &err) < 0 ||
	    sh_feature_block_init(&d->block, false, &err) < 0 ||
	    sh_occurrences_init(&d->occurrences, &err) < 0)
		cli_die(c, &err);
}

static void free_document(struct document *d)
{
	sh_terms_free(&d->features);
	sh_feature_block_free(&d->block);
	sh_occurrences_free(&d->occurrences);
	free(d->distinct);
	sh_buf_free(&d->id);
}

static void weigh_all(struct cli *c, const struct settings *s)
{
	struct document d = { 0 };
	struct sh_lines lines;
	struct sh_slice line;
	struct sh_feature f;
	struct sh_error err;

	init_document(c, &d);
	cli_lines_init(c, &lines);
	while (cli_line(c, &lines, &line)) {
		if (sh_record_feature(line, &f, &err) < 0) {
			sh_lines_blame(&lines, &err);
			cli_reject(c, line, &err);
		} else if (change_document(s, &d, f.id, &c->out, &err) < 0 ||
			   (!add_run(c, s, &d, &lines, line.p) &&
			       add_feature(&d, f.text, f.weight, &err) < 0)) {
			sh_lines_blame(&lines, &err);
			cli_die(c, &err);
		}
	}
	if (d.begun && finish_document(s, &d, &c->out, &err) < 0) {
		sh_lines_blame(&lines, &err);
		cli_die(c, &err);
	}
	sh_lines_free(&lines);
	free_document(&d);
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
		s->df_path = cli_reads(c);
		break;
	case IDF:
		s->idf_path = cli_reads(c);
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

/* Write the weights of the first counts beforehand, where they depend on nothing else. */
static void fill_by_count(struct settings *s)
{
	struct sh_error err;

	if (s->df_path || s->idf_path || s->top || s->scheme->needs_tokens || s->scheme->needs_df)
		return;
	for (int64_t count = 1; count < BY_COUNT; count++) {
		struct sh_term t = { .tf = (uint64_t)count, .tokens = (uint64_t)count };
		struct shown *shown = &s->by_count[count];
		char text[SH_NUM_CHARS + 2] = "\t";
		int64_t weight = count * SH_WEIGHT_ONE;
		size_t n;

		if (!s->scheme->additive && s->scheme->weigh(&t, &weight, &err) < 0)
			return;
		n = 1 + sh_print_weight(text + 1, weight);
		text[n++] = '\n';
		if (n > SHOWN)
			return;
		memcpy(shown->text, text, n);
		shown->n = (uint8_t)n;
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
	if (s->df_path && sh_df_table_load(&s->df, s->df_path, c->trailer_in, &err) < 0)
		cli_die(c, &err);
	if (s->idf_path && sh_idf_table_load(&s->idf, s->idf_path, &err) < 0)
		cli_die(c, &err);
	fill_by_count(s);
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
