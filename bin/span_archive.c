/* SPDX-License-Identifier: MIT */
/* Passages that today's documents share with the documents of earlier runs, which an archive
 * holds. */
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "passage/index.h"
#include "span.h"
#include "store/change.h"
#include "unicode/fold.h"

enum { WAIT = 600 }; /* seconds, for another run on the archive */

static const char settings_name[] = "settings";

struct span_archive {
	struct cli *cli;
	const struct span_settings *settings;
	struct sh_store store;
	struct sh_store_change change; /* adds today's documents */
	struct sh_tables tables;
	struct sh_corpus corpus;
	/* the first document of each segment; begin[segments]: the first document of today */
	uint32_t *begin;
	uint32_t number;           /* of the first document of today in the archive */
	uint64_t now;              /* time of today's documents */
	uint64_t *wanted;          /* a bit for each document of today, or with one of the seeds */
	struct sh_sorter postings; /* of today's documents, then of the archive's, too */
};

/* Removes the new files of the archive, and dies. */
_Noreturn static void fail(struct span_archive *a, const struct sh_error *err)
{
	sh_store_change_end(&a->change);
	cli_die(a->cli, err);
}

/* The options that decide which seeds a document has, and how its lines are read. */
static void describe(const struct span_settings *s, char *text, size_t room)
{
	const struct sh_document_form *form = &s->docs.docs.form;
	struct sh_fingerprint_opts opts = {
		.token = s->docs.token,
		.ngrams = s->docs.ngrams,
		.hash = sh_hash_at(0),
	};
	char tokens[SH_SETTINGS_TEXT];
	struct sh_settings list;

	sh_settings_list(&list, &opts, s->docs.stop_sum, s->docs.dict_sum);
	sh_settings_print(&list, NULL, tokens);
	/* The numbers that defaults stand for: other defaults of a later version are noticed. */
	snprintf(text, room, "-n %u-%u --window %u -f %u,%u%s%s unicode %s: %s",
	    sh_seed_shortest(&s->seed), sh_seed_longest(&s->seed, sh_token_unit(&s->docs.token)),
	    s->seed.window, form->number[0] ? form->number[0] : 1,
	    form->number[0] ? form->number[1] : 2, form->crlf ? " --crlf" : "",
	    s->docs.token.raw ? " --raw" : "", sh_fold_unicode(), tokens);
}

/* ---- opening ---- */

/* Opens the archive, or makes it, and locks it. */
static void open_store(struct span_archive *a)
{
	const char *dir = a->settings->archive;
	char text[2 * SH_SETTINGS_TEXT], line[sizeof text + 32];
	struct sh_store_manifest m = { .kind = SH_STORE_OF_PASSAGES, .form = SH_STORE_DOCUMENTS };
	struct sh_slice made;
	struct sh_error err;
	int there = sh_store_exists(dir, &err);

	describe(a->settings, text, sizeof text);
	snprintf(line, sizeof line, "option %s %s\n", settings_name, text);
	m.settings = sh_slice_str(line);
	/* Another run may make the archive in this moment. */
	if (there == 0 && sh_store_create(dir, &m, WAIT, &err) < 0) {
		struct sh_error ignored;

		if (sh_store_exists(dir, &ignored) <= 0)
			cli_die(a->cli, &err);
	}
	if (there < 0 || sh_store_open(&a->store, dir, SH_STORE_OF_PASSAGES, &err) < 0)
		cli_die(a->cli, &err);
	made = sh_store_manifest_setting(&a->store.manifest, sh_slice_str(settings_name));
	if (!sh_slice_eq(made, sh_slice_str(text))) {
		sh_error_set(&err, SH_ERR_PARAM,
		    "'%s' was made with other options (see its file 'manifest')", dir);
		cli_die(a->cli, &err);
	}
	if (sh_store_lock(&a->store, true, WAIT, &err) < 0 ||
	    sh_store_change_begin(&a->change, &a->store, &err) < 0)
		cli_die(a->cli, &err);
}

/* Returns the path of a segment's documents. */
static char *path_of(struct span_archive *a, const struct sh_store_segment *s)
{
	const char *name = s->part[SH_STORE_PART_DOCUMENTS].name;
	size_t n = strlen(a->settings->archive) + 1 + strlen(name) + 1;
	char *path = cli_zeroed(a->cli, n, 1);

	snprintf(path, n, "%s/%s", a->settings->archive, name);
	return path;
}

/* Makes one corpus of the documents of the archive and of today's. The archive's bytes are compared
 * with their checksums before they are read. */
static void open_documents(struct span_archive *a)
{
	struct cli *c = a->cli;
	size_t n = c->n_operands, segments = a->store.n_segments;
	char **names = cli_zeroed(c, segments + n, sizeof *names);
	struct sh_error err;
	uint32_t d = 0;

	a->begin = cli_zeroed(c, segments + 1, sizeof *a->begin);
	for (size_t i = 0; i < segments; i++) {
		struct sh_store_segment *s = &a->store.segment[i];

		if (sh_store_segment_need(s, SH_STORE_PART_DOCUMENTS, 0, s->entry.bytes, &err) < 0)
			fail(a, &err);
		names[i] = path_of(a, s);
	}
	for (size_t i = 0; i < n; i++)
		names[segments + i] = c->operands[i];
	span_open(c, a->settings, names, segments + n, &a->tables, &a->corpus);
	for (size_t i = 0; i < segments; i++) {
		const struct sh_corpus_file *file = &a->corpus.file[i];

		a->begin[i] = d;
		while (d < a->corpus.n && a->corpus.at[d] < file->base + file->n)
			d++;
		if (d - a->begin[i] != a->store.segment[i].entry.documents) {
			sh_error_set(
			    &err, SH_ERR_RECORD, "%s: not as the archive wrote it", names[i]);
			fail(a, &err);
		}
	}
	a->begin[segments] = d;
	for (size_t i = 0; i < segments; i++)
		free(names[i]);
	free(names);
}

/* ---- seeds ---- */

/* Adds today's documents to the archive. */
static void add_documents(struct span_archive *a)
{
	uint32_t first = a->begin[a->store.n_segments];
	struct sh_record r = { .time = a->now, .similarity = 10000 };
	struct sh_document_room room = { 0 };
	struct sh_document doc;
	struct sh_error err;

	a->number = a->change.next.next_number;
	for (uint32_t d = first; d < a->corpus.n; d++) {
		r.line = sh_corpus_line(&a->corpus, d);
		if (sh_document_parse(&a->corpus.form, r.line, 0, &room, &doc, &err) < 0)
			fail(a, &err);
		r.id = doc.id;
		r.keeper = a->number + (d - first);
		if (sh_store_change_document(&a->change, &r, &err) < 0)
			fail(a, &err);
	}
	sh_document_room_free(&room);
}

/* The segment whose seeds join today's seeds. */
struct joining {
	struct span_archive *archive;
	struct sh_store_segment *segment;
	uint32_t begin; /* its first document in the corpus */
};

static int add_seed(void *arg, size_t asked, const struct sh_store_posting *p, struct sh_error *err)
{
	struct joining *j = arg;
	struct span_archive *a = j->archive;
	size_t i;
	int got = sh_store_segment_find(j->segment, p->document, &i, err);

	(void)asked;
	if (got <= 0)
		return got < 0 ? -1
			       : sh_store_segment_damaged(j->segment, SH_STORE_PART_INDEX,
				     "a posting without a document", 0, err);
	sh_bits_put(a->wanted, j->begin + i);
	return sh_postings_add(
	    &a->postings, &(struct sh_posting){ p->key, j->begin + (uint32_t)i, p->place, 0 }, err);
}

/* The seeds of today's documents go to the archive; then seeds of the archive with their keys join
 * them. */
static void find_seeds(struct span_archive *a)
{
	uint32_t first = a->begin[a->store.n_segments];
	struct sh_texts today = { .tables = &a->tables };
	struct sh_index x = { 0 };
	struct sh_error err;

	span_load(a->cli, a->settings, &a->corpus, a->wanted, &a->postings, &today);
	add_documents(a);
	if (sh_index_make(&x, &today, &a->postings, SH_INDEX_GROUPS, &err) < 0)
		fail(a, &err);
	sh_texts_free(&today);
	for (size_t i = 0; i < x.n; i++)
		for (uint32_t j = x.start[i]; j < x.start[i + 1]; j++) {
			struct sh_store_posting p = { x.key[i],
				a->number + (x.place[j].document - first), x.place[j].token };

			if (sh_store_change_posting(&a->change, &p, &err) < 0)
				fail(a, &err);
		}
	if (sh_store_change_add_segment(&a->change, 0, &err) < 0)
		fail(a, &err);
	for (size_t i = 0; i < a->store.n_segments; i++) {
		struct joining j = { a, &a->store.segment[i], a->begin[i] };

		if (sh_store_segment_look(
			j.segment, SH_LIST_POSTINGS, x.key, x.n, 0, add_seed, &j, &err) < 0)
			fail(a, &err);
	}
	sh_index_free(&x);
}

struct span_archive *span_archive(struct cli *c, struct span_settings *s)
{
	struct span_archive *a = cli_zeroed(c, 1, sizeof *a);
	struct sh_texts texts = { .tables = &a->tables };
	uint32_t first;

	a->cli = c;
	a->settings = s;
	a->now = cli_now(c);
	open_store(a);
	sh_tables_init(&a->tables, s->memory / 2, c->tmpdir);
	sh_postings_init(&a->postings, SH_POSTING_PLAIN, s->memory / 2, c->jobs, c->tmpdir);
	open_documents(a);
	first = a->begin[a->store.n_segments];
	a->wanted = cli_zeroed(c, sh_bits_words(a->corpus.n) + 1, sizeof *a->wanted);
	for (uint32_t d = first; d < a->corpus.n; d++)
		sh_bits_put(a->wanted, d);
	find_seeds(a);
	span_load(c, s, &a->corpus, a->wanted, NULL, &texts);
	span_find(c, s, &a->corpus, &texts, &a->postings, first);
	sh_texts_free(&texts);
	sh_corpus_free(&a->corpus);
	sh_tables_free(&a->tables);
	free(a->wanted);
	free(a->begin);
	return a;
}

void span_archive_commit(struct span_archive *a)
{
	struct sh_error err;

	if (sh_store_change_commit(&a->change, &err) < 0)
		fail(a, &err);
	sh_store_change_end(&a->change);
	sh_store_close(&a->store);
	free(a);
}
