/* SPDX-License-Identifier: MIT */
/* shweight: weighs features, one line for each distinct feature of a document. */
#include "feature_run.h"
#include "names.h"
#include "published/published.h"
#include "record/fields.h"
#include "stream/weighing.h"

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

struct settings {
	struct sh_weigher weigher;
	const char *df_path, *idf_path;
	struct sh_df_table df;
	struct sh_idf_table idf;
};

/* Warns when the documents differ from the documents of the table as chance does not explain. */
static void warn_of_other_features(struct cli *c, const struct sh_weigher *w)
{
	static const char why[] = "was the table made with other options of shtok, or from other "
				  "texts?";
	const struct sh_df_table *t = w->df;
	struct sh_slice feature;
	uint64_t n;

	if (sh_weigher_doubt(w, false, &feature, &n))
		cli_warn(c,
		    "%s: '%.*s' is in %llu of its %llu documents, but in none of the first %llu "
		    "documents read: %s",
		    t->name, sh_shown(feature, 40), feature.p, (unsigned long long)n,
		    (unsigned long long)t->documents, (unsigned long long)w->watched, why);
	if (!w->drop_absent && sh_weigher_doubt(w, true, &feature, &n))
		cli_warn(c,
		    "%s: '%.*s' is in %llu of the first %llu documents read, but not in the table, "
		    "and weighs as if it were rare: %s (--absent drop drops such features)",
		    t->name, sh_shown(feature, 40), feature.p, (unsigned long long)n,
		    (unsigned long long)w->watched, why);
}

/* Warns of a table that the scheme ignores: -w may have been forgotten. */
static void warn_of_tables(struct cli *c, const struct settings *s)
{
	const struct sh_weigher *w = &s->weigher;
	char names[100];

	if (w->scheme->needs_df || w->min.given || w->max.given || w->drop_absent)
		return;
	cli_print_names(names, sizeof names, table_weight_names);
	if (s->df_path || s->idf_path)
		cli_warn(c, "%s %s has no effect on -w %s (for %s)", s->df_path ? "-d" : "--idf",
		    s->df_path ? s->df_path : s->idf_path, w->scheme->name, names);
}

static void complete(struct cli *c, struct settings *s)
{
	struct sh_weigher *w = &s->weigher;
	const char *profile = opt_value(c, 'p'), *scheme = opt_value(c, 'w');
	struct sh_error err;

	w->profile = profile ? sh_profile_find(profile) : sh_profile_at(0);
	w->scheme = sh_scheme_find(scheme ? scheme : w->profile->weight);
	w->top = opt_number(c, 't', 1, UINT32_MAX, w->profile->top);
	w->drop_absent = opt_choice(c, ABSENT, 0) == 1;
	read_df_limits(c, MIN_DF, MAX_DF, &w->min, &w->max);
	s->df_path = opt_text(c, 'd');
	s->idf_path = opt_text(c, IDF);
	if (opt_all(c, 'd').n > 1)
		cli_usage(
		    c, "-d %s: only one table can be given (shdf -m sums tables)", s->df_path);
	if (opt_all(c, IDF).n > 1)
		cli_usage(c, "--idf %s: only one file can be given", s->idf_path);
	if (s->df_path && s->idf_path)
		cli_usage(c, "-d and --idf contradict each other");
	if (w->scheme->needs_df && !s->df_path && !s->idf_path)
		cli_usage(c,
		    "-w %s needs document frequencies: -d TABLE (from shdf), or --idf FILE",
		    w->scheme->name);
	if ((w->min.given || w->max.given || w->drop_absent) && !s->df_path)
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
	w->df = s->df_path ? &s->df : NULL;
	w->idf = s->idf_path ? &s->idf : NULL;
	if (sh_weigher_init(w, &err) < 0)
		cli_die(c, &err);
}

int main(int argc, char **argv)
{
	struct cli c;
	struct settings s = { 0 };

	cli_start(&c, &program, argc, argv);
	complete(&c, &s);
	cli_open(&c);
	run_features(&c, FEATURES, &sh_weighing_calls, &s.weigher);
	warn_of_other_features(&c, &s.weigher);
	sh_weigher_free(&s.weigher);
	sh_df_table_free(&s.df);
	sh_idf_table_free(&s.idf);
	return cli_finish(&c);
}
