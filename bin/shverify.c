/* SPDX-License-Identifier: MIT */
/* shverify: pairs, and the documents, to pairs with their exact similarity. */
#include <stdlib.h>

#include "base/num.h"
#include "base/siphash.h"
#include "docopts.h"
#include "documents.h"
#include "fp/defaults.h"
#include "io/tables.h"
#include "match/comparer.h"
#include "measures.h"
#include "names.h"
#include "run.h"

enum { MEASURE = CLI_OWN };

#define DEFAULT_MEMORY ((size_t)1 << 30)
/* Bytes of a thread for the documents it compares. Pairs may come in any order. */
#define ARENA ((size_t)1 << 27)

static const struct cli_option options[] = {
	CLI_HEADING("Pairs"),
	{ 'd', "documents", "DOCS", "the documents; may be repeated", NULL, CLI_READS },
	FORMOPTS_DOCUMENTS_ROW,
	{ MEASURE, "measure", "NAME", "%s [" SH_DEFAULT_MEASURE "]", measure_names },
	{ 'T', "threshold", "X",
	    "drop pairs below similarity X; any: J,E for each measure [" SH_DEFAULT_THRESHOLDS
	    "]" },
	{ 'w', "weight", "SCHEME", "weight of features for cosine: %s [log]", count_weight_names },
	CLI_MEMORY_ROW("1G"),
	CLI_TMPDIR_ROW,
	{ 0 },
};

static const struct cli_program program = {
	.name = "shverify",
	.threads = "documents and pairs",
	.synopsis = "-d DOCS [FILE...]",
	.purpose =
	    "Pairs (id1<TAB>id2<TAB>distance) to pairs with the similarity of their documents.",
	.options = { options, docopts_table },
};

struct settings {
	struct docopts docs;
	struct sh_comparer_opts verify;
	size_t memory; /* bytes */
	struct cli_files files;
	struct measures measures;
};

struct worker {
	const struct settings *settings;
	struct sh_comparer *comparer;
};

/* ---- pairs ---- */

static int each_pair(void *arg, struct sh_slice line, struct sh_job *job, struct sh_error *err)
{
	struct worker *w = arg;
	const struct settings *s = w->settings;
	struct sh_verdict verdict;
	struct sh_pair_record r;
	uint32_t x, y;
	char distance[SH_NUM_CHARS], similarity[SH_SIMILARITY_CHARS];

	line = cli_strip(s->docs.docs.form.crlf, line);
	if (sh_record_pair(line, &r, err) < 0 ||
	    sh_comparer_find(w->comparer, r.id1, &x, err) < 0 ||
	    sh_comparer_find(w->comparer, r.id2, &y, err) < 0 ||
	    sh_comparer_compare(w->comparer, x, y, false, &verdict, err) < 0)
		return -1;
	if (!verdict.similar)
		return 0;
	sh_similarity_print(similarity, verdict.similarity);
	return sh_fields_add(&job->out,
	    (struct sh_slice[]){ r.id1, r.id2,
		r.distance < 0 ? sh_slice("-", 1)
			       : sh_slice(distance, sh_print_u64(distance, (uint64_t)r.distance)),
		sh_slice(similarity, SH_SIMILARITY_CHARS),
		sh_slice_str(s->verify.measure->any ? sh_verdict_measure(verdict.measure)
						    : s->verify.measure->name) },
	    5, err);
}

static int work(void *worker, struct sh_job *job)
{
	struct worker *w = worker;

	return sh_job_lines(job, w->settings->docs.docs.rejects, each_pair, w);
}

static void verify_pairs(struct cli *c, struct settings *s)
{
	struct worker workers[CLI_MAX_JOBS];
	struct run run = { .cli = c, .work = work };
	struct sh_source source;
	struct sh_error err;

	s->verify.arena = s->memory / c->jobs < ARENA ? s->memory / c->jobs : ARENA;
	if (sh_random_key(s->verify.features.key, &err) < 0)
		cli_die(c, &err);
	for (unsigned i = 0; i < c->jobs; i++) {
		workers[i] = (struct worker){ s, sh_comparer_new(&s->verify, &err) };
		if (!workers[i].comparer)
			cli_die(c, &err);
		run.workers[i] = &workers[i];
	}
	cli_source_init(c, &source);
	run_pool(&run, &source);
	run_finish(&run);
	sh_source_free(&source);
	for (unsigned i = 0; i < c->jobs; i++)
		sh_comparer_delete(workers[i].comparer);
}

/* ---- options ---- */

static void complete(struct cli *c, struct settings *s)
{
	const char *scheme = opt_value(c, 'w');

	s->docs.sets = true;
	docopts_complete(&s->docs, c);
	s->memory = opt_size(c, 'S', DEFAULT_MEMORY);
	s->verify.scheme = sh_scheme_find(scheme ? scheme : "log");
	measures_complete(&s->measures, c, MEASURE);
	s->files = opt_all(c, 'd');
	if (s->files.n == 0)
		cli_usage(c, "the documents are needed: -d DOCS");
	s->verify.measure = s->measures.measure;
	s->verify.jaccard = s->measures.threshold;
	s->verify.edit = s->verify.measure->any ? s->measures.edit : s->measures.threshold;
	if (scheme && !s->verify.measure->weighs)
		cli_usage(c,
		    "-w has no effect with --measure %s (add --measure cosine, or drop -w)",
		    s->verify.measure->name);
	s->docs.token.memory = s->memory;
	s->verify.features.token = s->docs.token;
	s->verify.features.ngrams = s->docs.ngrams;
	s->verify.ids = true;
	s->verify.strict = s->docs.docs.strict;
}

int main(int argc, char **argv)
{
	struct cli c;
	struct sh_corpus corpus;
	struct settings s = { .verify.corpus = &corpus };
	struct sh_tables tables;

	cli_start(&c, &program, argc, argv);
	complete(&c, &s);
	cli_open(&c);
	/* One half is for the index of the documents, the other for their features. */
	s.memory /= 2;
	sh_tables_init(&tables, s.memory, c.tmpdir);
	documents_read(&c, &s.docs.docs.form, &s.docs.of, &s.docs.token,
	    (char *const *)(void *)s.files.name, s.files.n, &tables, &corpus);
	verify_pairs(&c, &s);
	sh_corpus_free(&corpus);
	sh_tables_free(&tables);
	docopts_free(&s.docs);
	return cli_finish(&c);
}
