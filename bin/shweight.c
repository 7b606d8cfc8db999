/* SPDX-License-Identifier: MIT */
/* shweight: weighs features, one line for each distinct feature of a document. A document without
 * features, or whose features are all dropped, gets one line with the empty feature. */
#include <stdlib.h>

#include "base/compare.h"
#include "feature_run.h"
#include "names.h"
#include "published/published.h"
#include "published/sums.h"
#include "weight/terms.h"
#include "weight/weight.h"

enum { IDF = CLI_OWN, ABSENT, MIN_DF, MAX_DF, FEATURES };

static const char *absent_names(unsigned i)
{
	static const char *const names[] = { "rare", "drop", NULL };

	return names[i];
}

static const struct cli_option options[] = {
	CLI_HEADING("Weights"),
	{ 'p', "profile", "NAME", "weights of a system: %s; other options override [default]",
	    profile_names },
	{ 'w', "weight", "SCHEME", "%s [log]", weight_names },
	{ 'd', "df", "TABLE", "read document frequencies, from shdf", NULL, CLI_READS },
	{ IDF, "idf", "FILE", "read idf values instead (feature<TAB>idf)", NULL, CLI_READS },
	{ ABSENT, "absent", "HOW",
	    "%s: count features that TABLE lacks as rare, or drop them [rare]", absent_names },
	{ MIN_DF, "min-df", "N|SHARE", "drop features of fewer than N documents of TABLE" },
	{ MAX_DF, "max-df", "N|SHARE", "drop features of more than N documents of TABLE" },
	{ 't', "top", "N", "keep the N heaviest features of a document, heaviest first" },
	FEATURES_OPTION(FEATURES),
	{ 0 },
};

static const struct cli_program program = {
	.name = "shweight",
	.threads = "documents",
	.synopsis = "[FILE...]",
	.purpose = "Features to features: counted, weighted, one line a distinct feature.",
	.options = { options },
};

enum {
	COUNTS = 256, /* weights of smaller counts are printed in advance */
	SHOWN = 16,   /* most bytes of a printed weight, with TAB and LF */
};

struct settings {
	const struct sh_scheme *scheme;
	const struct sh_profile *profile; /* decides where published systems differ */
	uint64_t top;                     /* keep this number of heaviest features; 0: all */
	bool drop_absent;                 /* drop features that df lacks; otherwise their df is 1 */
	struct sh_df_limit min, max;      /* drop features whose df is not within both bounds */
	const char *df_path, *idf_path;   /* NULL: no table; not both */
	struct sh_df_table df;
	struct sh_idf_table idf;
	bool real; /* weights are doubles (published/sums.h), by the profile's rule */
	/* The printed weight of each count from 1 up, when the count alone decides it: TAB, weight,
	 * LF. Otherwise the number of bytes is 0 in all. */
	char shown[COUNTS][SHOWN];
	uint8_t shown_n[COUNTS];
	/* With df, of the first documents, in their order: */
	uint64_t watched;      /* their number */
	unsigned char *seen;   /* by index of the table's features: 1 when it occurred */
	struct sh_hmap absent; /* features that the table lacks */
	uint32_t *with;        /* by index of absent: documents with the feature */
	size_t with_cap;
};

/* A worker's document. */
struct counted {
	struct settings *settings;
	bool watched;             /* no more documents are watched */
	struct sh_terms features; /* distinct, with their counts in millionths */
	int64_t tokens;           /* sum of the counts, in millionths */
	/* The features that are not dropped, with their weights. A weight below 0 is minus the row
	 * of settings->shown that has it. */
	struct sh_heavy *kept;
	size_t cap;
};

/* ---- signs of another kind of features ---- */

enum {
	WATCHED = 2000, /* documents that are watched, the first ones */
	FIRST = 32,     /* documents whose features are counted when the table lacks them */
	COMMON = 5,     /* a common feature is in at least 1 of 5 documents of its side, */
	LEAST = 10,     /* and in at least 10 documents */
};

static int watch_feature(struct settings *s, struct sh_slice feature, struct sh_error *err)
{
	uint32_t i;
	bool fresh = false;

	if (sh_hmap_find(&s->df.features, feature, &i)) {
		s->seen[i] = 1;
		return 0;
	}
	if (s->watched > FIRST && !sh_hmap_find(&s->absent, feature, &i))
		return 0;
	if (s->watched <= FIRST && (sh_hmap_put(&s->absent, feature, &i, &fresh, err) < 0 ||
				       SH_RESERVE(s->with, s->with_cap, (size_t)i + 1, err) < 0))
		return -1;
	s->with[i] = fresh ? 1 : s->with[i] + 1;
	return 0;
}

/* Watches the first documents of the run, in their order. */
static int watch(struct counted *w, struct sh_job *job, struct sh_error *err)
{
	if (w->watched || w->features.n == 0)
		return 0;
	if (sh_job_turn(job, err) < 0)
		return -1;
	w->watched = w->settings->watched == WATCHED;
	w->settings->watched += !w->watched;
	for (uint32_t i = 0; !w->watched && i < w->features.n; i++)
		if (watch_feature(w->settings, sh_terms_text(&w->features, i), err) < 0)
			return -1;
	return 0;
}

/* Returns whether a feature is common on one side, where `with` of `all` documents have it,
 * and is not absent by chance from the n documents of the other side. If all documents came
 * from one collection, all `with` documents would be on one side with a probability of about
 * (all / (all + n)) ^ with. */
static bool shows_difference(uint64_t with, uint64_t all, uint64_t n)
{
	double base = (double)all / ((double)all + (double)n), chance = 1;

	if (with < LEAST || with < all / COMMON)
		return false;
	for (; with; with >>= 1, base *= base)
		if (with & 1)
			chance *= base;
	return chance <= 1e-9;
}

/* Returns whether the table seems to be of features of another kind: a table does not say which
 * options of shtok made its features. absent: looks for a feature that is common in the first
 * documents and not in the table. Otherwise looks for a feature that is common in the table and in
 * none of the first documents. If the documents of both sides came from one collection, the result
 * would be true in at most 1 of 10^9 cases. Sets *feature to the most frequent of the features
 * found, and *n to the number of its documents. */
static bool doubt(const struct settings *s, bool absent, struct sh_slice *feature, uint64_t *n)
{
	const struct sh_hmap *side = absent ? &s->absent : &s->df.features;

	*n = 0;
	for (uint32_t i = 0; i < side->n; i++) {
		uint64_t with = absent ? s->with[i] : s->seen[i] ? 0 : s->df.df[i];

		if (with > *n) {
			*n = with;
			*feature = sh_hmap_key(side, i);
		}
	}
	return *n && (absent ? shows_difference(*n, s->watched, s->df.documents)
			     : shows_difference(*n, s->df.documents, s->watched));
}

/* Warns when the documents differ from the documents of the table as chance does not explain. */
static void warn_of_other_features(struct cli *c, const struct settings *s)
{
	static const char why[] = "was the table made with other options of shtok, or from other "
				  "texts?";
	const struct sh_df_table *t = &s->df;
	struct sh_slice feature;
	uint64_t n;

	if (doubt(s, false, &feature, &n))
		cli_warn(c,
		    "%s: '%.*s' is in %llu of its %llu documents, but in none of the first %llu "
		    "documents read: %s",
		    t->name, sh_shown(feature, 40), feature.p, (unsigned long long)n,
		    (unsigned long long)t->documents, (unsigned long long)s->watched, why);
	if (!s->drop_absent && doubt(s, true, &feature, &n))
		cli_warn(c,
		    "%s: '%.*s' is in %llu of the first %llu documents read, but not in the table, "
		    "and weighs as if it were rare: %s (--absent drop drops such features)",
		    t->name, sh_shown(feature, 40), feature.p, (unsigned long long)n,
		    (unsigned long long)s->watched, why);
}

/* ---- counting ---- */

static int init(void *own, void *settings, struct sh_error *err)
{
	struct counted *w = own;

	w->settings = settings;
	w->watched = !w->settings->df_path;
	return sh_terms_init(&w->features, err);
}

static void release(void *own)
{
	struct counted *w = own;

	sh_terms_free(&w->features);
	free(w->kept);
}

static size_t add(struct feature_doc *d, struct sh_error *err)
{
	struct counted *w = d->own;
	struct sh_slice id = feature_doc_id(d);

	for (size_t i = 0; i < d->n; i++)
		if (__builtin_add_overflow(w->tokens, d->weight[i], &w->tokens)) {
			sh_error_set(err, SH_ERR_RANGE, "the counts of document '%.*s' overflow",
			    sh_shown(id, 80), id.p);
			return i;
		}
	return sh_terms_add(&w->features, d->text, d->weight, d->n, err) < 0 ? 0 : d->n;
}

/* ---- weighing ---- */

/* Prints TAB, the weight and LF. Returns the number of bytes. */
static size_t print_weight(char *to, int64_t weight)
{
	size_t n = 1;

	to[0] = '\t';
	n += sh_print_weight(to + n, weight);
	to[n++] = '\n';
	return n;
}

/* Prints the weights of small counts, when the count alone decides a weight. */
static void print_weights(struct settings *s)
{
	struct sh_error err;

	if (s->df_path || s->idf_path || s->top || s->scheme->needs_tokens || s->scheme->needs_df)
		return;
	for (int64_t count = 1; count < COUNTS; count++) {
		struct sh_term t = { .tf = (uint64_t)count, .tokens = (uint64_t)count };
		char text[SH_NUM_CHARS + 2] = { 0 };
		int64_t weight = count * SH_WEIGHT_ONE;
		size_t n;

		if (!s->scheme->additive && s->scheme->weigh(&t, &weight, &err) < 0)
			return;
		n = print_weight(text, weight);
		memcpy(s->shown[count], text, SHOWN);
		s->shown_n[count] = n <= SHOWN ? (uint8_t)n : 0;
	}
}

/* Orders features bytewise. */
static int by_text(const void *a, const void *b, void *arg)
{
	const struct sh_heavy *x = a, *y = b;
	const struct sh_terms *features = arg;

	return sh_slice_cmp(sh_terms_text(features, x->index), sh_terms_text(features, y->index));
}

/* Orders features by descending weight, then bytewise. */
static int by_weight(const void *a, const void *b, void *arg)
{
	const struct sh_heavy *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return by_text(a, b, arg);
}

/* Orders features by descending weight, then by their first occurrence. */
static int by_place(const void *a, const void *b)
{
	const struct sh_heavy *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return sh_compare(x->index, y->index);
}

/* Moves the features that -t keeps to the front. Returns their number. */
static size_t keep_top(struct counted *w, size_t n)
{
	const struct settings *s = w->settings;
	size_t top = s->top < n ? (size_t)s->top : n;

	if (s->top == 0 || n == 0)
		return n;
	switch (s->profile->top_rule) {
	case SH_TOP_TEXT:
		qsort_r(w->kept, n, sizeof *w->kept, by_weight, &w->features);
		return top;
	case SH_TOP_HEAP:
		qsort_r(w->kept, n, sizeof *w->kept, by_text, &w->features);
		return sh_top_heap(w->kept, n, top);
	default:
		qsort(w->kept, n, sizeof *w->kept, by_place);
		return top;
	}
}

/* Replaces the count in f->weight, in millionths, by the weight. id: for messages. Returns 1, 0 to
 * drop the feature, or -1. */
static int weigh(
    const struct counted *w, struct sh_slice id, struct sh_heavy *f, struct sh_error *err)
{
	const struct settings *s = w->settings;
	struct sh_slice text = sh_terms_text(&w->features, f->index);
	bool whole = f->weight % SH_WEIGHT_ONE == 0 && (s->real || w->tokens % SH_WEIGHT_ONE == 0);
	struct sh_term t = { .tf = 1, .tokens = 1 };

	if (s->idf_path) {
		t.idf = sh_idf_lookup(&s->idf, text, s->idf.median);
	} else if (s->df_path) {
		t.docs = s->df.documents ? s->df.documents : 1;
		t.df = sh_df_lookup(&s->df, text);
		if (t.df ? !sh_df_within(&s->min, &s->max, t.df, t.docs) : s->drop_absent)
			return 0;
		t.df = t.df ? t.df : 1;
	}
	if (!s->real && (f->weight == 0 || s->scheme->additive))
		return 1;
	if (s->scheme->needs_count && !whole)
		return sh_error_set(err, SH_ERR_RECORD,
		    "-w %s needs whole counts, but document '%.*s' has a count with a fraction",
		    s->scheme->name, sh_shown(id, 80), id.p);
	if (s->scheme->needs_count) {
		t.tf = (uint64_t)(f->weight / SH_WEIGHT_ONE);
		t.tokens = (uint64_t)(w->tokens / SH_WEIGHT_ONE);
	}
	if (!s->real)
		return s->scheme->weigh(&t, &f->weight, err) < 0 ? -1 : 1;
	/* The sort key of a double (published/sums.h). */
	f->weight = sh_double_key(
	    (double)(f->weight / SH_WEIGHT_ONE) * sh_idf_real(&s->idf, text, s->idf.real_mean));
	return 1;
}

/* Checks the document's features against the table of document frequencies. A feature with more
 * words than any feature of the table is an n-gram of another size, which is an error. It is also
 * an error when no feature of the document has the W words of the table's widest feature, and the
 * features are more than the n-grams of a text of W - 1 tokens. */
static int check_words(const struct counted *w, struct sh_slice id, struct sh_error *err)
{
	uint64_t widest = 0, table = w->settings->df.words;

	if (table == 0)
		return 0;
	for (uint32_t i = 0; i < w->features.n; i++) {
		uint64_t words = sh_feature_words(sh_terms_text(&w->features, i));

		widest = words > widest ? words : widest;
	}
	if (widest == table || (widest < table && w->features.n <= table * (table - 1) / 2))
		return 0;
	return sh_error_set(err, SH_ERR_PARAM,
	    "document '%.*s' has features of up to %llu word%s, but the table %s was counted on "
	    "features of up to %llu: use the same -n for both (shdf --bare makes tables that are "
	    "not checked)",
	    sh_shown(id, 80), id.p, (unsigned long long)widest, widest == 1 ? "" : "s",
	    w->settings->df.name, (unsigned long long)table);
}

/* ---- writing ---- */

/* Returns the row of s->shown that has the weight of this count; 0: none has. */
static size_t row_of(const struct settings *s, int64_t count)
{
	size_t row = (size_t)(count / SH_WEIGHT_ONE);

	return row < COUNTS && s->shown_n[row] && count % SH_WEIGHT_ONE == 0 ? row : 0;
}

/* Fills w->kept. Returns the number of features that stay; -1 with *err. */
static ssize_t weigh_all(struct counted *w, struct sh_slice id, struct sh_error *err)
{
	size_t n = 0;

	if (SH_RESERVE(w->kept, w->cap, w->features.n, err) < 0)
		return -1;
	for (uint32_t i = 0; i < w->features.n; i++) {
		int64_t count = w->features.entry[i].sum;
		size_t row = row_of(w->settings, count);
		struct sh_heavy *f = &w->kept[n];
		int kept;

		f->index = i;
		f->weight = row ? -(int64_t)row : count;
		kept = row ? 1 : weigh(w, id, f, err);
		if (kept < 0)
			return -1;
		n += (size_t)kept;
	}
	n = keep_top(w, n);
	if (w->settings->real)
		sh_doubles_write(w->kept, n);
	return (ssize_t)n;
}

/* Writes the document. When no feature is kept, writes the empty feature. Copies at least 16 bytes
 * each time, which is faster than the exact number: the next copy overwrites the surplus bytes. */
static int end(struct feature_doc *d, struct sh_job *job, struct sh_error *err)
{
	static const char nothing[SH_TERMS_SHORT];
	struct counted *w = d->own;
	const struct settings *s = w->settings;
	struct sh_slice id = feature_doc_id(d);
	ssize_t n;
	char *p;

	if (check_words(w, id, err) < 0 || watch(w, job, err) < 0)
		return -1;
	n = weigh_all(w, id, err);
	p = n < 0 ? NULL
		  : sh_job_room(job,
			((size_t)n + 1) * (d->prefix_n + SH_TERMS_SHORT + SHOWN + SH_NUM_CHARS) +
			    w->features.used,
			err);
	if (!p)
		return -1;
	for (ssize_t i = 0; i < n || i == 0; i++) {
		struct sh_heavy f = n ? w->kept[i] : (struct sh_heavy){ 0 };
		struct sh_slice text =
		    n ? sh_terms_text(&w->features, f.index) : sh_slice(nothing, 0);

		memcpy(p, d->prefix, 16);
		if (d->prefix_n > 16)
			memcpy(p, d->prefix, d->prefix_n);
		p += d->prefix_n;
		memcpy(p, text.p, SH_TERMS_SHORT);
		if (text.n > SH_TERMS_SHORT)
			memcpy(p, text.p, text.n);
		p += text.n;
		if (f.weight < 0) {
			memcpy(p, s->shown[-f.weight], SHOWN);
			p += s->shown_n[-f.weight];
		} else {
			p += print_weight(p, f.weight);
		}
	}
	job->out.n = (size_t)(p - job->out.p);
	sh_terms_clear(&w->features);
	w->tokens = 0;
	return 0;
}

static const struct feature_calls calls = {
	.size = sizeof(struct counted),
	.init = init,
	.free = release,
	.add = add,
	.end = end,
};

/* ---- options ---- */

/* Warns of a table that the scheme ignores: -w may have been forgotten. */
static void warn_of_tables(struct cli *c, const struct settings *s)
{
	char names[100];

	if (s->scheme->needs_df || s->min.given || s->max.given || s->drop_absent)
		return;
	cli_print_names(names, sizeof names, table_weight_names);
	if (s->df_path || s->idf_path)
		cli_warn(c, "%s %s has no effect on -w %s (for %s)", s->df_path ? "-d" : "--idf",
		    s->df_path ? s->df_path : s->idf_path, s->scheme->name, names);
}

static void complete(struct cli *c, struct settings *s)
{
	const char *profile = opt_value(c, 'p'), *scheme = opt_value(c, 'w');
	struct sh_error err;

	s->profile = profile ? sh_profile_find(profile) : sh_profile_at(0);
	s->scheme = sh_scheme_find(scheme ? scheme : s->profile->weight);
	s->top = opt_number(c, 't', 1, UINT32_MAX, s->profile->top);
	s->drop_absent = opt_choice(c, ABSENT, 0) == 1;
	read_df_limits(c, MIN_DF, MAX_DF, &s->min, &s->max);
	s->df_path = opt_text(c, 'd');
	s->idf_path = opt_text(c, IDF);
	if (opt_all(c, 'd').n > 1)
		cli_usage(
		    c, "-d %s: only one table can be given (shdf -m sums tables)", s->df_path);
	if (opt_all(c, IDF).n > 1)
		cli_usage(c, "--idf %s: only one file can be given", s->idf_path);
	if (s->df_path && s->idf_path)
		cli_usage(c, "-d and --idf contradict each other");
	if (s->scheme->needs_df && !s->df_path && !s->idf_path)
		cli_usage(c,
		    "-w %s needs document frequencies: -d TABLE (from shdf), or --idf FILE",
		    s->scheme->name);
	if ((s->min.given || s->max.given || s->drop_absent) && !s->df_path)
		cli_usage(c, "--min-df, --max-df and --absent need a table: -d TABLE");
	if (s->df_path && sh_df_table_load(&s->df, s->df_path, c->trailer_in, &err) < 0)
		cli_die(c, &err);
	if (s->idf_path && sh_idf_table_load(&s->idf, s->idf_path, &err) < 0)
		cli_die(c, &err);
	warn_of_tables(c, s);
	if (s->idf.ill_formed)
		cli_warn(c,
		    "%s: not UTF-8: its features match no feature of the input (convert it with "
		    "iconv)",
		    s->idf_path);
	s->real =
	    s->profile->real && s->idf_path && strcmp(s->scheme->name, s->profile->weight) == 0;
	print_weights(s);
	if (s->df_path) {
		s->seen = cli_zeroed(c, (size_t)s->df.features.n + 1, 1);
		if (sh_hmap_init(&s->absent, &err) < 0)
			cli_die(c, &err);
	}
}

int main(int argc, char **argv)
{
	struct cli c;
	struct settings s = { 0 };

	cli_start(&c, &program, argc, argv);
	complete(&c, &s);
	cli_open(&c);
	run_features(&c, FEATURES, &calls, &s);
	warn_of_other_features(&c, &s);
	sh_hmap_free(&s.absent);
	free(s.seen);
	free(s.with);
	sh_df_table_free(&s.df);
	sh_idf_table_free(&s.idf);
	return cli_finish(&c);
}
