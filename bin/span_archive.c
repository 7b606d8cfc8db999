/* Passages that today's documents share with the documents of earlier runs, which an archive
 * holds. */
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "fp/tag.h"
#include "now.h"
#include "passage/store.h"
#include "span.h"
#include "unicode/fold.h"

enum { WAIT = 600 }; /* seconds, for another run on the archive */

struct days {
	struct cli *cli;
	const struct span_settings *settings;
	struct sh_passages *store; /* of the settings */
	struct sh_tables tables;
	struct sh_corpus corpus;
	/* the first document of each segment; begin[segments]: the first document of today */
	uint32_t *begin;
	struct sh_postings seeds;
	uint64_t now; /* time of today's documents */
};

/* The options that decide which seeds a document has, and how its lines are read. */
static void describe(const struct span_settings *s, char *text, size_t room)
{
	const struct sh_document_form *form = &s->docs.docs.form;
	struct sh_fingerprint_opts opts = { .token = s->docs.token,
		.ngrams = s->docs.ngrams,
		.hash = sh_hash_at(0),
		.minhash = true };
	char tokens[SH_SETTINGS_TEXT];
	struct sh_settings list;

	sh_settings_list(&list, &opts, s->docs.stop_sum, s->docs.dict_sum);
	sh_settings_print(&list, NULL, tokens);
	/* The numbers that defaults stand for: other defaults of a later version are noticed. */
	snprintf(text, room, "-n %u-%u --window %u -f %u,%u%s%s unicode %s: %s",
	    sh_seed_shortest(&s->seed), sh_seed_longest(&s->seed, sh_token_unit(&s->docs.token)),
	    s->seed.window, form->id_field ? form->id_field : 1,
	    form->text_field ? form->text_field : 2, form->crlf ? " --crlf" : "",
	    s->docs.token.raw ? " --raw" : "", sh_fold_unicode(), tokens);
}

static void open_documents(struct days *a, const struct span_settings *s)
{
	struct cli *c = a->cli;
	size_t n;
	char *const *inputs = cli_inputs(c, &n);
	size_t all = a->store->n + n;
	char **names = cli_zeroed(c, all, sizeof *names);
	struct sh_error err;
	uint32_t d = 0;

	a->begin = cli_zeroed(c, a->store->n + 1, sizeof *a->begin);
	for (size_t i = 0; i < a->store->n; i++)
		if (!(names[i] = sh_passages_documents(a->store, i, &err)))
			cli_die(c, &err);
	for (size_t i = 0; i < n; i++)
		names[a->store->n + i] = inputs[i];
	span_open(c, s, names, all, &a->tables, &a->corpus);
	for (size_t i = 0; i < a->store->n; i++) {
		const struct sh_corpus_file *file = &a->corpus.file[i];

		a->begin[i] = d;
		while (d < a->corpus.n && a->corpus.at[d] < file->base + file->n)
			d++;
		if (d - a->begin[i] != a->store->segment[i].documents ||
		    file->n != a->store->segment[i].bytes) {
			sh_error_set(
			    &err, SH_ERR_RECORD, "%s: not as the archive wrote it", names[i]);
			cli_die(c, &err);
		}
	}
	a->begin[a->store->n] = d;
	for (size_t i = 0; i < a->store->n; i++)
		free(names[i]);
	free(names);
}

/* The seeds of today's documents go to the archive; then seeds of the archive with their keys join
 * them. */
static void find_seeds(struct days *a)
{
	struct sh_texts today = { .tables = &a->tables };
	struct sh_grouping how = { &a->tables, a->cli->jobs };
	uint32_t first = a->begin[a->store->n];
	size_t segments = a->store->n, n;
	struct sh_error err;

	span_load(a->cli, a->settings, &a->corpus, &(struct span_part){ .first = first }, &today);
	a->seeds =
	    (struct sh_postings){ &a->tables, today.posting, today.n_postings, today.posting_cap };
	today.posting = NULL;
	sh_texts_free(&today);
	n = a->seeds.n;
	if (sh_postings_sort(&how, a->seeds.p, n, &err) < 0)
		cli_die(a->cli, &err);
	if (first < a->corpus.n &&
	    sh_passages_add(a->store, &a->corpus, first, a->seeds.p, n, a->now, &err) < 0)
		cli_die(a->cli, &err);
	for (size_t i = 0; i < segments; i++)
		if (sh_passages_join(a->store, i, &a->seeds, n, a->begin[i], &err) < 0)
			cli_die(a->cli, &err);
	if (sh_postings_sort(&how, a->seeds.p, a->seeds.n, &err) < 0)
		cli_die(a->cli, &err);
}

/* The tokens of all documents that have one of the seeds. */
static void load_texts(struct days *a, uint32_t first, struct sh_texts *texts)
{
	uint64_t *wanted = cli_zeroed(a->cli, sh_bits_words(a->corpus.n) + 1, sizeof *wanted);
	struct sh_error err;

	for (uint32_t d = first; d < a->corpus.n; d++)
		sh_bits_put(wanted, d);
	for (size_t i = 0; i < a->seeds.n; i++)
		sh_bits_put(wanted, a->seeds.p[i].document);
	span_load(a->cli, a->settings, &a->corpus,
	    &(struct span_part){ .no_seeds = true, .again = true, .wanted = wanted }, texts);
	free(wanted);
	for (size_t i = 0; i < a->seeds.n; i++)
		if (a->seeds.p[i].token >= sh_texts_tokens(texts, a->seeds.p[i].document).n) {
			sh_error_set(&err, SH_ERR_RECORD,
			    "'%s': the seeds belong to other documents: make it again from its "
			    "*.tsv",
			    a->settings->archive);
			cli_die(a->cli, &err);
		}
}

void span_archive(struct cli *c, struct span_settings *s)
{
	struct days a = { .cli = c, .settings = s, .store = &s->store, .now = now_seconds(c) };
	struct sh_texts texts = { .tables = &a.tables };
	struct sh_grouping how = { &a.tables, c->jobs };
	struct sh_groups groups;
	struct sh_links links;
	struct sh_error err;
	uint32_t first;

	describe(s, s->stored, sizeof s->stored);
	sh_tables_init(&a.tables, s->memory, c->tmpdir);
	if (sh_passages_open(a.store, s->archive, s->stored, WAIT, &err) < 0)
		cli_die(c, &err);
	open_documents(&a, s);
	first = a.begin[a.store->n];
	find_seeds(&a);
	load_texts(&a, first, &texts);
	if (sh_groups_make(&groups, &how, a.seeds.p, a.seeds.n, texts.n, &err) < 0)
		cli_die(c, &err);
	links = span_links(s, &texts, &groups);
	s->found = span_find(c, s, &a.corpus, &links, first);
	sh_groups_free(&groups);
	sh_tables_put(&a.tables, a.seeds.p);
	sh_texts_free(&texts);
	sh_corpus_free(&a.corpus);
	sh_tables_free(&a.tables);
	free(a.begin);
}
